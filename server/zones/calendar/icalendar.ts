import type { Steps } from "../../platform/slices.ts";

/** Calendars as text (RFC 5545). Pure. */

export interface CalendarEvent {
  /** Stays the same when the event moves. */
  uid: string;
  summary: string;
  description: string;
  url: string | null;
  /** When it was last changed. */
  changedAt: Date;
  at: Date;
  /** Whether it takes the whole day of `at` in UTC, not a moment. */
  allDay: boolean;
}

/** How often clients are asked to fetch it. */
const refreshInterval = "PT6H";
/** Octets of a line without its end (RFC 5545 §3.1). */
const longestLine = 75;

/** Returns a calendar as text, an event at a step. */
export function* calendarText(name: string, events: Iterable<CalendarEvent>): Steps<string> {
  const head = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Zonewright//Zonewright//EN",
    "CALSCALE:GREGORIAN",
    // RFC 7986 §5.1, and what clients read instead.
    `NAME:${escaped(name)}`,
    `X-WR-CALNAME:${escaped(name)}`,
    `REFRESH-INTERVAL;VALUE=DURATION:${refreshInterval}`,
    `X-PUBLISHED-TTL:${refreshInterval}`,
  ];
  const parts = [printed(head)];
  for (const event of events) {
    parts.push(printed(eventLines(event)));
    yield;
  }
  return [...parts, printed(["END:VCALENDAR"])].join("");
}

function printed(lines: readonly string[]): string {
  return lines.map((line) => `${folded(line)}\r\n`).join("");
}

function eventLines({ uid, summary, description, url, changedAt, at, allDay }: CalendarEvent): string[] {
  return [
    "BEGIN:VEVENT",
    `UID:${escaped(uid)}`,
    `DTSTAMP:${moment(changedAt)}`,
    `LAST-MODIFIED:${moment(changedAt)}`,
    allDay ? `DTSTART;VALUE=DATE:${moment(at).slice(0, 8)}` : `DTSTART:${moment(at)}`,
    `SUMMARY:${escaped(summary)}`,
    `DESCRIPTION:${escaped(description)}`,
    ...(url === null ? [] : [`URL:${url}`]),
    // It takes nobody's time.
    "TRANSP:TRANSPARENT",
    "END:VEVENT",
  ];
}

/** Returns a time in UTC, such as `20310301T120000Z`. */
function moment(time: Date): string {
  return `${time.toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
}

/** Returns a value of type TEXT (RFC 5545 §3.3.11). Control characters are left out. */
function escaped(text: string): string {
  return text
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/(?!\n)\p{Cc}/gu, "")
    .replaceAll(/[\\;,]/g, String.raw`\$&`)
    .replaceAll("\n", String.raw`\n`);
}

/** Breaks a line between characters, so that no part has more than 75 octets. */
function folded(line: string): string {
  if (Buffer.byteLength(line) <= longestLine) return line;
  let text = "";
  let octets = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > longestLine) {
      text += "\r\n ";
      octets = 1;
    }
    text += character;
    octets += size;
  }
  return text;
}
