import ICAL from "ical.js";
import { sync as nodeIcal } from "node-ical";

/** Reads the events of a calendar as RFC 5545 says: unfolds lines, and unescapes texts. Fails if a line or a component is malformed. */
export function eventsOf(calendar: string): Record<string, string>[] {
  const events: Record<string, string>[] = [];
  const open: string[] = [];
  if (!calendar.endsWith("\r\n")) throw new Error("The last line has no end.");
  for (const line of calendar.slice(0, -2).replaceAll("\r\n ", "").split("\r\n")) {
    const colon = line.indexOf(":");
    const [name, value] = [line.slice(0, colon), line.slice(colon + 1)];
    if (!/^[A-Z-]+(?:;[A-Z]+=[A-Z]+)?$/.test(name)) throw new Error(`Malformed line: ${JSON.stringify(line)}`);
    if (name === "BEGIN") open.push(value);
    else if (name === "END") {
      if (open.pop() !== value) throw new Error(`${value} ends unopened.`);
      continue;
    }
    if (name === "BEGIN" && value === "VEVENT") events.push({});
    else if (open.at(-1) === "VEVENT") Object.assign(events.at(-1) ?? {}, { [name]: unescaped(value) });
  }
  if (open.length > 0) throw new Error(`${open.join(", ")} does not end.`);
  return events;
}

function unescaped(text: string): string {
  if (/(?<!\\)(?:\\\\)*[;,]/.test(text)) throw new Error(`Unescaped: ${JSON.stringify(text)}`);
  return text.replaceAll(/\\(.)/gs, (_all, escaped: string) => (/n/i.test(escaped) ? "\n" : escaped));
}

/** An event as calendar programs take it. */
interface ReadEvent {
  uid: string;
  summary: string;
  description: string;
  /** A day such as `20310301`, or a moment in UTC such as `20310301T120000Z`. */
  start: string;
}

/** An event as node-ical returns it. */
interface NodeIcalEntry {
  type: string;
  uid: string;
  start: Date;
  datetype: "date" | "date-time";
  summary: string;
  description: string;
}

/** Parsers of calendar programs. */
export const parsers: Readonly<Record<string, (calendar: string) => ReadEvent[]>> = {
  "ical.js, as in Thunderbird": (calendar) =>
    new ICAL.Component(ICAL.parse(calendar)).getAllSubcomponents("vevent").map((event) => {
      const text = (name: string) => String(event.getFirstPropertyValue(name));
      const start = event.getFirstPropertyValue("dtstart") as { toICALString(): string };
      return {
        uid: text("uid"),
        summary: text("summary"),
        description: text("description"),
        start: start.toICALString(),
      };
    }),
  "node-ical": (calendar) =>
    Object.values(nodeIcal.parseICS(calendar) as Record<string, NodeIcalEntry>)
      .filter(({ type }) => type === "VEVENT")
      .map(({ uid, summary, description, start, datetype }) => {
        const moment = `${start.toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
        return { uid, summary, description, start: datetype === "date" ? moment.slice(0, 8) : moment };
      }),
};

type Lines = Readonly<Record<string, readonly string[]>>;

const isDay = (text: string) =>
  /^\d{8}$/.test(text) && !Number.isNaN(Date.parse(text.replace(/(....)(..)(..)/, "$1-$2-$3")));
const isMoment = (text: string) => isDay(text.slice(0, 8)) && /^T(?:[01]\d|2[0-3])[0-5]\d[0-5]\dZ$/.test(text.slice(8));
const once = (lines: Lines, name: string) => lines[name]?.length === 1;
const atMostOnce = (lines: Lines, names: readonly string[]) => names.every((name) => (lines[name] ?? []).length <= 1);

/** What a calendar must be (RFC 5545), as far as ours could break it. Each returns whether it holds. */
const calendarRules: Readonly<Record<string, (calendar: Lines, text: string) => boolean>> = {
  "§3.1: lines end with CRLF, and nothing else does": (_, text) => /^(?:[^\r\n]+\r\n)+$/.test(text),
  "§3.1: lines have at most 75 octets": (_, text) => text.split("\r\n").every((line) => Buffer.byteLength(line) <= 75),
  "§3.1: there is no control character but the tab": (_, text) => !/(?![\t\r\n])\p{Cc}/u.test(text),
  "§3.6: VERSION and PRODID stand once": (calendar) =>
    once(calendar, "PRODID") && calendar["VERSION"]?.join("") === "2.0",
  "§3.7: CALSCALE and METHOD stand at most once": (calendar) => atMostOnce(calendar, ["CALSCALE", "METHOD"]),
};

const eventRules: Readonly<Record<string, (event: Lines) => boolean>> = {
  "§3.8.4.7: UID stands once": (event) => once(event, "UID"),
  "§3.8.7.2: DTSTAMP stands once, in UTC": (event) => once(event, "DTSTAMP") && isMoment(event["DTSTAMP"]?.[0] ?? ""),
  "§3.8.2.4: DTSTART stands once, as a day or a moment in UTC": (event) =>
    once(event, "DTSTART;VALUE=DATE")
      ? event["DTSTART"] === undefined && isDay(event["DTSTART;VALUE=DATE"]?.[0] ?? "")
      : once(event, "DTSTART") && isMoment(event["DTSTART"]?.[0] ?? ""),
  "§3.6.1: no other property stands twice": (event) =>
    atMostOnce(event, ["SUMMARY", "DESCRIPTION", "URL", "TRANSP", "LAST-MODIFIED", "DTEND", "STATUS"]),
  "§3.8.4.6: URL is one": ({ URL: urls = [] }) => urls.every((url) => URL.canParse(url)),
  "§3.3.11: texts escape what separates": (event) =>
    ["UID", "SUMMARY", "DESCRIPTION"]
      .flatMap((name) => event[name] ?? [])
      .every((text) => /^(?:[^\\;,]|\\[\\;,nN])*$/.test(text)),
};

/** Returns the rules of RFC 5545 that a calendar breaks. */
export function brokenRules(text: string): string[] {
  const [calendar = {}, ...events] = componentsOf(text);
  const uids = events.flatMap(({ UID: uid = [] }) => uid);
  return [
    ...Object.entries(calendarRules).flatMap(([rule, holds]) => (holds(calendar, text) ? [] : [rule])),
    ...Object.entries(eventRules).flatMap(([rule, holds]) => (events.every(holds) ? [] : [rule])),
    ...(new Set(uids).size === uids.length ? [] : ["§3.8.4.7: no two events have one UID"]),
  ];
}

/** Returns the calendar and its events with their values as written, by name and parameters. */
function componentsOf(text: string): Record<string, string[]>[] {
  const components: Record<string, string[]>[] = [];
  const open: Record<string, string[]>[] = [];
  for (const line of text.replaceAll("\r\n ", "").split("\r\n")) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon);
    if (name === "BEGIN") {
      const component = {};
      components.push(component);
      open.push(component);
    } else if (name === "END") open.pop();
    else if (colon > 0) ((open.at(-1) ?? {})[name] ??= []).push(line.slice(colon + 1));
  }
  return components;
}
