import { isZonewrightError } from "@zonewright/client";
import { client, queries } from "../api.ts";
import { formatNumber } from "../ui/format.ts";
import { toast } from "../ui/toast.tsx";
import { locale } from "../words/language.ts";
import { searchWords } from "../words/search.ts";
import type { PlannedZone } from "./planned-zones.tsx";

const text = searchWords;
/** Calls at a time: a browser has six connections. */
const atOnce = 4;
const list = new Intl.ListFormat(locale);

type Named = Pick<PlannedZone, "domainId" | "domainName">;
type Planning = Pick<PlannedZone, "domainId" | "domainName" | "providerId">;

/** The plan of one of several zones. */
export interface ZonePlan extends PlannedZone {
  /** Null if the plan was refused. */
  planHash: string | null;
}

/** Makes a call for each of many things, a few at a time. Returns the answers in the order of the things. */
export async function fewAtATime<T, Answer>(
  things: readonly T[],
  call: (thing: T) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  const left = things.entries();
  const work = async () => {
    for (const [index, thing] of left) answers[index] = await call(thing);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return answers;
}

/** Returns the plan of a zone, or why it is refused. */
export async function planOf(
  { domainId, domainName, providerId }: Planning,
  plan: () => Promise<Omit<ZonePlan, keyof Planning | "error">>,
): Promise<ZonePlan> {
  const zone = { domainId, domainName, providerId };
  try {
    return { ...zone, ...(await plan()), error: null };
  } catch (error) {
    // Only the service refuses; without an answer there is no plan.
    if (!isZonewrightError(error) || error.status === null) throw error;
    const none = { creates: [], updates: [], deletes: [], warnings: [], planHash: null };
    return { ...zone, ...none, error: error.issues?.[0]?.message ?? error.message };
  }
}

/** Whether a plan has nothing to apply. */
export function isEmptyPlan({ creates, updates, deletes }: PlannedZone): boolean {
  return creates.length + updates.length + deletes.length === 0;
}

/** A zone, and the change that was made in it. */
export interface ChangedZone extends Named {
  changeSetId: string;
}

/** Reads again what shows the records of zones. */
export async function refreshZones(): Promise<void> {
  await queries.invalidateQueries({
    predicate: ({ queryKey: [first] }) => ["search", "zone", "records", "domains"].includes(String(first)),
  });
}

/** Says how many zones were changed, with a way to take that back in all of them. */
export function sayApplied(
  changed: readonly ChangedZone[],
  title = text.applied(changed.length, formatNumber(changed.length)),
): void {
  toast({
    title,
    action: { label: text.undo, run: () => void undo(changed) },
  });
}

async function undo(changed: readonly ChangedZone[]): Promise<void> {
  const failed: string[] = [];
  for (const { domainId: id, domainName, changeSetId } of changed) {
    const undone = await client.records.revert.mutate({ id, changeSetId }).catch(() => null);
    if (undone === null) failed.push(domainName);
  }
  await refreshZones();
  const done = changed.length - failed.length;
  toast({
    title: failed.length === 0 ? text.undone(done, formatNumber(done)) : text.undoFailed(list.format(failed)),
  });
}
