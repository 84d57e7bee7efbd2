import * as fc from "fast-check";
import { expect, test } from "vitest";
import { atOnce } from "../../../server/platform/slices.ts";
import { calendarText } from "../../../server/zones/calendar/feeds.ts";
import { brokenRules, eventsOf, parsers } from "./reader.ts";

const text = fc.string({ unit: "binary", maxLength: 200 });
const time = fc.date({
  min: new Date("1970-01-01T00:00:00Z"),
  max: new Date("9999-12-30T00:00:00Z"),
  noInvalidDate: true,
});

const plain = (value: string) =>
  value
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/(?!\n)\p{Cc}/gu, "")
    .replaceAll(/\p{Cs}/gu, "\uFFFD");

test("whatever a title holds, lines stay within 75 octets, and a reader gets the title back without control characters", () => {
  fc.assert(
    fc.property(text, text, time, fc.boolean(), (summary, description, at, allDay) => {
      const event = { uid: "1@zonewright", summary, description, url: null, changedAt: at, at, allDay };
      const calendar = atOnce(calendarText(summary, [event, event]));
      for (const line of calendar.split("\r\n")) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
      const read = eventsOf(Buffer.from(calendar).toString("utf8"));
      expect(read).toHaveLength(2);
      expect(read[0]).toMatchObject({ SUMMARY: plain(summary), DESCRIPTION: plain(description) });
      expect(read[0]?.[allDay ? "DTSTART;VALUE=DATE" : "DTSTART"]).toMatch(allDay ? /^\d{8}$/ : /^\d{8}T\d{6}Z$/);
    }),
  );
});

const titles = [
  // Without a backslash before an n, which node-ical takes for a new line.
  "Move, then; \\ wait",
  "two\r\nlines\nand a third",
  `${"日本語 ".repeat(30)}👩‍👩‍👧 ${"ä".repeat(80)}`,
  "BEGIN:VEVENT\r\nEND:VCALENDAR",
  'quotes " and : and ^n, and\ta tab',
  " a blank first and last ",
];
const moments = ["1970-01-01T00:00:00Z", "2028-02-29T23:59:59Z", "2031-03-01T12:00:00Z", "9999-12-30T00:00:00Z"];
const planted = titles.flatMap((summary, title) =>
  moments.map((time, index) => ({
    uid: `${title}-${index}-expiry@zonewright`,
    summary,
    description: `${summary}\nRegistrar: A, B; C`,
    url: index === 0 ? null : `https://dns.example/d/${encodeURIComponent(summary)}`,
    changedAt: new Date("2026-11-29T13:00:00Z"),
    at: new Date(time),
    allDay: index % 2 === 0,
  })),
);

test("a calendar keeps the rules of RFC 5545, whatever its titles hold", () => {
  expect(brokenRules(atOnce(calendarText("Renewals, all; of them", planted)))).toEqual([]);
});

test.each(Object.entries(parsers))("%s reads titles, days, moments and UIDs as they are", (_, read) => {
  const written = planted.map(({ uid, summary, description, at, allDay }) => {
    const moment = `${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
    return {
      uid,
      summary: plain(summary),
      description: plain(description),
      start: allDay ? moment.slice(0, 8) : moment,
    };
  });
  expect(read(atOnce(calendarText("Renewals, all; of them", planted)))).toEqual(written);
});

const sound = atOnce(calendarText("Renewals", planted.slice(0, 2)));
test.each([
  ["§3.1: lines end with CRLF", sound.replace(/\r\n$/, "\n")],
  ["§3.1: lines have at most 75", sound.replace("SUMMARY:", `SUMMARY:${"x".repeat(75)}`)],
  ["§3.1: there is no control", sound.replace("SUMMARY:", "SUMMARY:\u0007")],
  ["§3.6: VERSION and PRODID", sound.replace("VERSION:2.0\r\n", "")],
  ["§3.7: CALSCALE", sound.replace("CALSCALE:GREGORIAN\r\n", "CALSCALE:GREGORIAN\r\nCALSCALE:GREGORIAN\r\n")],
  ["§3.8.4.7: UID stands", sound.replace(/UID:.*\r\n/, "")],
  ["§3.8.7.2: DTSTAMP", sound.replace(/DTSTAMP:(.*)Z/, "DTSTAMP:$1")],
  ["§3.8.2.4: DTSTART", sound.replace("DTSTART;VALUE=DATE:19700101", "DTSTART;VALUE=DATE:19701301")],
  ["§3.6.1: no other", sound.replace(/(LAST-MODIFIED:.*\r\n)/, "$1$1")],
  ["§3.8.4.6: URL", sound.replace("URL:https://", "URL:")],
  ["§3.3.11: texts", sound.replace(String.raw`Move\, then`, "Move, then")],
  ["§3.8.4.7: no two", sound.replace("UID:0-1", "UID:0-0")],
])("the check of a calendar sees what breaks %s", (rule, broken) => {
  expect(brokenRules(broken).map((one) => one.slice(0, rule.length))).toEqual([rule]);
});
