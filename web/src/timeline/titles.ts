import { formatDay, formatNumber } from "../ui/format.ts";
import { timelineWords } from "../words/timeline.ts";
import { madeLines, noteOf } from "../zone/patch.ts";
import type { ChangeSet } from "./may-take-back.ts";

const text = timelineWords;

/** A title has to fit on a line or two; the records show values whole. */
const longest = 80;

type Titled = Pick<ChangeSet, "message" | "kind" | "changes" | "failures" | "creates" | "updates" | "deletes">;

/**
 * What a change was, in a few words: its reason, else its first record and how many others, else the operation.
 * @param isAutomatic whether the provider means an automatic TTL by the shortest one
 */
export function titleOf(entry: Titled, isAutomatic: boolean): string {
  const { message, kind } = entry;
  // The other operations say more than their first record would.
  const byContent = kind === "edit" || kind === "bulk" ? contentOf(entry, isAutomatic) : null;
  if (kind === "revert" && message === null) {
    const content = contentOf(entry, isAutomatic);
    return content === null ? text.kinds.revert : text.because(text.kinds.revert, content);
  }
  return message ?? byContent ?? text.kinds[kind];
}

function contentOf({ changes, failures, creates, updates, deletes }: Titled, isAutomatic: boolean): string | null {
  const [line] = madeLines(changes);
  if (line) {
    const { kind, name, recordType, value, before } = line;
    const what = `${name} ${recordType}`;
    const described = {
      create: text.added(`${what} ${shortened(value)}`),
      update: before === null ? `${what}: ${noteOf(line, isAutomatic)}` : `${what} → ${shortened(value)}`,
      delete: text.removed(`${what} ${shortened(value)}`),
    }[kind];
    return withOthers(described, creates + updates + deletes - 1);
  }
  // What was refused changed no record.
  const [failure] = failures;
  if (!failure) return null;
  return withOthers(`${failure.name} ${failure.recordType} ${shortened(failure.value)}`, failures.length - 1);
}

function withOthers(first: string, others: number): string {
  return others > 0 ? text.andOthers(first, formatNumber(others)) : first;
}

function shortened(value: string): string {
  const characters = Array.from(value);
  return characters.length > longest ? `${characters.slice(0, longest).join("")}…` : value;
}

/** Groups changes by the reader's day, in the order given. */
export function byDay<Entry extends Pick<ChangeSet, "createdAt">>(entries: readonly Entry[]): [string, Entry[]][] {
  return [...Map.groupBy(entries, ({ createdAt }) => formatDay(createdAt))];
}
