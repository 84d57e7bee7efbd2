import { describedVariables } from "../../server/config/environment.ts";
import { errorCodes } from "../../server/platform/errors.ts";
import { eventNotes, notificationEvents } from "../../server/platform/events.ts";
import { generatedNote, json, page, table } from "./markdown.ts";
import { exampleNotices } from "./notices.ts";

/** The environment variables. */
export function configurationPage(): string {
  const rows = describedVariables().map(({ name, fallback, notes }) => [
    `\`${name}\``,
    notes.otherwise ?? (fallback === null ? "unset" : `\`${fallback}\``),
    `${notes.meaning}${notes.more === undefined ? "" : ` [More](../${notes.more})`}`,
    `[${notes.readIn}](../../server/${notes.readIn})`,
  ]);
  return page(
    generatedNote,
    "# Configuration",
    "All configuration is by environment variables, read once at the start. A bad value stops the start with a sentence that names the variable; an empty one counts as unset.",
    table(["variable", "default", "meaning", "read in"], rows),
    "Certificates of an authority of your own are trusted by Node's own `NODE_EXTRA_CA_CERTS`.",
  );
}

/** What users and channels are told of. */
export function eventsPage(): string {
  const notices = exampleNotices();
  const rows = notificationEvents.map((event) => [
    `[${event}](#${event.replaceAll(".", "")})`,
    `\`${notices[event].level}\``,
    eventNotes[event].to,
  ]);
  const sections = notificationEvents.map((event) => {
    const { level, metadata } = notices[event];
    const { when, to } = eventNotes[event];
    return `## ${event}\n\n${when} Level \`${level}\`, told to ${to}.\n\n${json(metadata)}`;
  });
  return page(
    generatedNote,
    "# Events",
    "What users are told in the application and, where they wish, by e-mail. Channels are told of every event that they subscribe to, whoever it concerns. Each example is the `metadata` of a [Notification](api/objects.md#notification); new fields may come.",
    table(["event", "level", "told to"], rows),
    ...sections,
  );
}

/** The codes of error answers. */
export function errorsPage(): string {
  const rows = Object.entries(errorCodes).map(([code, { status, title, when, advice }]) => [
    `\`${code}\``,
    String(status),
    title,
    when,
    advice,
  ]);
  return page(
    generatedNote,
    "# Errors",
    "Every error is a [Problem](api/objects.md#problem) (`application/problem+json`, RFC 9457). Programs look at `code`, people at `detail`. Over tRPC the same is under `error.data`.",
    table(["code", "status", "title", "when", "what to do"], rows),
  );
}
