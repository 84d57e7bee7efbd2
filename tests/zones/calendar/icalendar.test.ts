import * as fc from "fast-check";
import { expect, test } from "vitest";
import { atOnce } from "../../../server/platform/slices.ts";
import { calendarText } from "../../../server/zones/calendar/feeds.ts";
import { eventsOf } from "./reader.ts";

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
