import type { RecordChange } from "../provider.ts";

/** Returns the change that undoes a change. */
export function inverse({ before, after }: RecordChange): RecordChange {
  if (before === null) return { action: "delete", before: after, after: null };
  if (after === null) return { action: "create", before: null, after: before };
  return { action: "update", before: after, after: before };
}
