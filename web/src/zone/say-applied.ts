import { queries } from "../api.ts";
import { formatNumber } from "../ui/format.ts";
import { toast } from "../ui/toast.tsx";
import { locale } from "../words/language.ts";
import { searchWords } from "../words/search.ts";
import { revert } from "./draft/revert.ts";

const text = searchWords;
const list = new Intl.ListFormat(locale);

/** A zone as a change left it. */
export interface ChangedZone {
  domainId: string;
  domainName: string;
  revision: number;
}

/** Reads again what shows the records of zones. */
export async function refreshZones(): Promise<void> {
  await queries.invalidateQueries({
    predicate: ({ queryKey: [first] }) => ["search", "zone", "records", "domains"].includes(String(first)),
  });
}

/** Says how many zones were changed, with a way to take that back in all of them. */
export function sayApplied(changed: readonly ChangedZone[]): void {
  toast({
    title: text.applied(changed.length, formatNumber(changed.length)),
    action: { label: text.undo, run: () => void undo(changed) },
  });
}

async function undo(changed: readonly ChangedZone[]): Promise<void> {
  const failed: string[] = [];
  for (const { domainId, domainName, revision } of changed) {
    const undone = await revert(domainId, revision).catch(() => null);
    if (undone === null) failed.push(domainName);
  }
  await refreshZones();
  const done = changed.length - failed.length;
  toast({
    title: failed.length === 0 ? text.undone(done, formatNumber(done)) : text.undoFailed(list.format(failed)),
  });
}
