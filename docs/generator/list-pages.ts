import { describedVariables } from "../../server/ops/config/environment.ts";
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
    "Configure Zonewright with environment variables, read once at startup. An invalid value stops the start with a message that names the variable; an empty one counts as unset.",
    table(["variable", "default", "meaning", "read in"], rows),
    "To trust certificates of your own authority, set Node's `NODE_EXTRA_CA_CERTS`.",
  );
}

/** The events that users and channels are notified of. */
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
    return `## ${event}\n\n${when} Level \`${level}\`. Notifies ${to}.\n\n${json(metadata)}`;
  });
  return page(
    generatedNote,
    "# Events",
    "Users are notified of these events in the application and, if they choose, by email. Channels receive every event they subscribe to, whoever it concerns. Each example is the `metadata` of a [Notification](api/objects.md#notification); new fields may appear.",
    table(["event", "level", "notifies"], rows),
    ...sections,
  );
}

/** The error codes. */
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
    "Every error is a [Problem](api/objects.md#problem) (`application/problem+json`, RFC 9457). `code` is for programs, `detail` for people. Over tRPC, the same fields are in `error.data`.",
    table(["code", "status", "title", "when", "what to do"], rows),
  );
}
