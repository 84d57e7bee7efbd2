import type { NotificationContent, ZoneChanged } from "../platform/events.ts";
import { changeLines, madeBy, recordCount } from "./changes.ts";

/** In UTF-16 code units, as other notifications. */
const longestContent = 1_000;

/** Returns the message about one change. */
export function changeMessage(changed: ZoneChanged, now: Date): NotificationContent {
  const { domainName, message, url } = changed;
  const head = `${madeBy(changed)} changed ${recordCount(changed)}${message === null ? "." : `: “${message}”`}`;
  return {
    event: "zone.changed",
    title: `${domainName} changed`,
    content: fitting([head, ...changeLines(changed)], url),
    level: "info",
    metadata: { ...changed },
    createdAt: now,
  };
}

/** Returns the message about the changes since the last one. @param total all of them; `listed` are the first */
export function digestMessage(
  listed: readonly ZoneChanged[],
  total: number,
  now: Date,
  siteUrl: string,
): NotificationContent {
  const names = [...new Set(listed.map(({ domainName }) => domainName))];
  const [first = ""] = names;
  const lines = listed.map((changed) => {
    const why = changed.message === null ? "" : `: “${changed.message}”`;
    return `${changed.at.slice(0, 16).replace("T", " ")} ${changed.domainName}: ${recordCount(changed)} by ${madeBy(changed)}${why}`;
  });
  const where = names.length === 1 ? first : `${names.length}${total > listed.length ? " or more" : ""} zones`;
  return {
    event: "zone.changed",
    title: total === 1 ? `1 change in ${where}` : `${total} changes in ${where}`,
    content: fitting(lines, siteUrl),
    level: "info",
    metadata: { digest: true, total, changes: listed },
    createdAt: now,
  };
}

/** Joins as many lines as fit, says how many are left out, and ends with the address. */
function fitting(lines: readonly string[], url: string): string {
  const room = longestContent - url.length - 40;
  const shown: string[] = [];
  let length = 0;
  for (const line of lines) {
    if (length + line.length + 1 > room) break;
    shown.push(line);
    length += line.length + 1;
  }
  const left = lines.length - shown.length;
  return [...shown, ...(left > 0 ? [`And ${left} more.`] : []), url].join("\n");
}
