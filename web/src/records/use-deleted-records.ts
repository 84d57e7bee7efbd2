import { useEffect, useEffectEvent } from "react";
import { toast } from "../ui/toast.tsx";
import { recordsWords } from "../words/records.ts";
import { withoutDeleted, type Draft } from "./draft/draft.ts";
import type { DraftState } from "./draft/use-draft.ts";
import { presentRecords } from "./present-records.ts";

/** Brings the draft up to records that others deleted: their edits become new records, so that nothing typed is lost. */
export function useDeletedRecords(domainId: string, { draft, check, change }: DraftState): void {
  const suspects = check.state === "refused" ? check.suspects : null;
  const find = useEffectEvent(async (keys: ReadonlySet<string>, signal: AbortSignal) => {
    const edits = draft.edits.filter(({ key }) => keys.has(key));
    const present = await presentRecords(domainId, edits, signal);
    return new Set([...keys].filter((key) => !present.has(key)));
  });
  const bringUp = useEffectEvent((deleted: ReadonlySet<string>) => {
    for (const { name, recordType } of withoutDeleted(draft, deleted).clashes.map(({ key }) => placeOf(draft, key)))
      toast({ title: recordsWords.clashDeleted(name, recordType) });
    change((before) => withoutDeleted(before, deleted).draft);
  });
  useEffect(() => {
    if (suspects === null || suspects.size === 0) return undefined;
    const asking = new AbortController();
    const bringUpIfGone = async () => {
      const deleted = await find(suspects, asking.signal);
      if (!asking.signal.aborted && deleted.size > 0) bringUp(deleted);
    };
    // Without an answer, the row says that there is no such record.
    void bringUpIfGone().catch(() => undefined);
    return () => asking.abort();
  }, [suspects]);
}

function placeOf({ edits }: Draft, key: string): { name: string; recordType: string } {
  const edit = edits.find((each) => each.key === key);
  return edit && edit.kind !== "create" ? edit.before : { name: "", recordType: "" };
}
