import type { TypedNotice } from "../../notifications/notify.ts";
import type { Batch, ItemCounts } from "./batch.ts";

function metadataOf({ id, kind, revertsId, message }: Batch, counts: ItemCounts) {
  const { total, done, failed, skipped } = counts;
  return { jobId: id, kind, revertsId, message, total, done, failed, skipped };
}

function toStarter({ actor }: Batch) {
  return { userIds: actor.userId === null ? [] : [actor.userId] };
}

/** Returns the notice that a part of the domains is done, for the user who started it. @param title names the batch */
export function progressNotice(
  title: string,
  batch: Batch,
  counts: ItemCounts,
  percent: number,
): TypedNotice<"replacement.progress"> {
  const failed = counts.failed === 0 ? "" : ` ${counts.failed} failed.`;
  return {
    event: "replacement.progress",
    title: `${title}: ${percent} %`,
    content: `${counts.done} of ${counts.total} domains changed.${failed}`,
    level: "info",
    metadata: { ...metadataOf(batch, counts), percent },
    to: toStarter(batch),
    // Mail is for the end only.
    mailed: "separately",
  };
}

/** Returns the notice that a batch has ended. @param title names the batch */
export function finishedNotice(title: string, batch: Batch, counts: ItemCounts): TypedNotice<"replacement.finished"> {
  const { done, failed, skipped, total } = counts;
  const ended = batch.state === "stopped" ? "was stopped" : failed > 0 ? "ended with failures" : "is done";
  const parts = [
    `${done} of ${total} domains changed.`,
    failed === 0 ? "" : `${failed} failed; the job lists why.`,
    skipped === 0 ? "" : `${skipped} were not started.`,
    batch.reason ?? "",
  ];
  return {
    event: "replacement.finished",
    title: `${title} ${ended}`,
    content: parts.filter((part) => part !== "").join(" "),
    level: batch.state === "stopped" || failed > 0 ? "warning" : "success",
    metadata: { ...metadataOf(batch, counts), state: batch.state === "stopped" ? "stopped" : "done" },
    to: toStarter(batch),
  };
}

/** Returns the title of a batch that reverts another one. */
export function revertTitle(title: string): string {
  return `Revert of the ${title.charAt(0).toLowerCase()}${title.slice(1)}`;
}
