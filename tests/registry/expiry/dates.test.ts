import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseExpiryDate } from "../../../server/registry/expiry/dates.ts";

test.each([
  ["2027-03-01T04:05:06Z", "2027-03-01T04:05:06Z"],
  ["2027-03-01t04:05:06z", "2027-03-01T04:05:06Z"],
  ["2027-03-01T04:05:06.123456Z", "2027-03-01T04:05:06Z"],
  ["2027-03-01T04:05:06+02:00", "2027-03-01T02:05:06Z"],
  ["2027-03-01T04:05:06-0330", "2027-03-01T07:35:06Z"],
  ["2027-03-01 04:05:06+02", "2027-03-01T02:05:06Z"],
  ["2027-03-01 04:05:06 UTC", "2027-03-01T04:05:06Z"],
  ["2027-03-01 04:05", "2027-03-01T04:05:00Z"],
  ["2027-03-01", "2027-03-01T00:00:00Z"],
  ["2027-03-01 (YYYY-MM-DD)", "2027-03-01T00:00:00Z"],
  ["2027/03/01", "2027-03-01T00:00:00Z"],
  ["2027/03/01 01:05:04 (JST)", "2027-02-28T16:05:04Z"],
  ["2027.03.01 13:00:00", "2027-03-01T13:00:00Z"],
  ["2027. 03. 01.", "2027-03-01T00:00:00Z"],
  ["2027-Mar-01.", "2027-03-01T00:00:00Z"],
  ["20270301", "2027-03-01T00:00:00Z"],
  ["20270301 #12345", "2027-03-01T00:00:00Z"],
  ["20270301 10:00:00", "2027-03-01T10:00:00Z"],
  ["20270301100203", "2027-03-01T10:02:03Z"],
  ["01-Mar-2027", "2027-03-01T00:00:00Z"],
  ["1 March 2027", "2027-03-01T00:00:00Z"],
  ["1st March 2027", "2027-03-01T00:00:00Z"],
  ["01-Mar-2027 04:05:06 UTC", "2027-03-01T04:05:06Z"],
  ["Mon, 01 Mar 2027 04:05:06 GMT", "2027-03-01T04:05:06Z"],
  ["1.3.2027", "2027-03-01T00:00:00Z"],
  ["01.03.2027 12:31:21", "2027-03-01T12:31:21Z"],
  ["01-03-2027", "2027-03-01T00:00:00Z"],
  ["01/03/2027", "2027-03-01T00:00:00Z"],
  ["12/31/2027", "2027-12-31T00:00:00Z"],
  ["March 1, 2027", "2027-03-01T00:00:00Z"],
  ["Mar 1 2027", "2027-03-01T00:00:00Z"],
  ["Mon Mar  1 04:05:06 GMT 2027", "2027-03-01T04:05:06Z"],
  ["Mon Mar 1 04:05:06 2027", "2027-03-01T04:05:06Z"],
  ["2027-05-31 23:59:59 (UTC+8)", "2027-05-31T15:59:59Z"],
  ["  2028-02-29  ", "2028-02-29T00:00:00Z"],
])("the date %j is read as %s", (text, moment) => {
  expect(parseExpiryDate(text)).toEqual(new Date(moment));
});

test.each([
  "",
  "never",
  "N/A",
  "before Aug-1996",
  "2027-02-29",
  "2027-13-01",
  "31.04.2027",
  "2027-03-01T25:00:00Z",
  "9999-12-31T23:59:59Z",
  "0001-01-01T00:00:00Z",
  "1970-01-01",
  "-292277022399-06-03",
  "12345",
  "1.2",
  "32 Foo 2027",
])("%j is not a valid date", (text) => {
  expect(parseExpiryDate(text)).toBeNull();
});

test("every moment is read back from each date format", () => {
  const moment = fc.date({ min: new Date("1990-01-01"), max: new Date("2199-12-31"), noInvalidDate: true });
  fc.assert(
    fc.property(moment, (date) => {
      const second = new Date(Math.floor(date.getTime() / 1_000) * 1_000);
      const iso = second.toISOString();
      expect(parseExpiryDate(iso)).toEqual(second);
      expect(parseExpiryDate(second.toUTCString())).toEqual(second);
      expect(parseExpiryDate(iso.replaceAll(/[-T:]|\.000Z/g, ""))).toEqual(second);
      expect(parseExpiryDate(iso.slice(0, 10).split("-").toReversed().join("."))).toEqual(new Date(iso.slice(0, 10)));
    }),
  );
});

test("any text is read as a date between 1985 and 2200, or as none", () => {
  const piece = fc.oneof(
    fc.string(),
    fc.nat(99_999).map(String),
    fc.constantFrom("-", "/", ".", " ", "T", ":", "Mar", "Z", "+09"),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const date = parseExpiryDate(pieces.join(""));
      expect(date?.getTime() ?? Date.UTC(2000)).toBeGreaterThanOrEqual(Date.UTC(1984, 11, 31));
      expect(date?.getTime() ?? Date.UTC(2000)).toBeLessThan(Date.UTC(2201, 0, 3));
    }),
  );
});
