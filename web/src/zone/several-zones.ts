import { isZonewrightError, type RouterOutputs } from "@zonewright/client";
import { client, issueOf, queries } from "../api.ts";
import { forPeople } from "../ui/for-people.ts";
import { formatNumber } from "../ui/format.ts";
import { toast } from "../ui/toast.tsx";
import { locale } from "../words/language.ts";
import { searchWords } from "../words/search.ts";
import { zoneWords } from "../words/zone.ts";
import type { PlannedZone } from "./planned-zones.tsx";

const text = searchWords;
/** Calls at a time: a browser has six connections. */
const atOnce = 4;
/** PTR changes that a warning names. */
const mostNamed = 10;
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
    return refusedPlan(zone, error.issues?.[0]?.message ?? error.message);
  }
}

/** Returns the plan of a zone that is not changed. */
export function refusedPlan({ domainId, domainName, providerId }: Planning, error: string): ZonePlan {
  const none = { creates: [], updates: [], deletes: [], warnings: [], planHash: null };
  return { domainId, domainName, providerId, ...none, error };
}

type Plan = RouterOutputs["records"]["plan"];

/** Says which PTR records follow a plan, and which could but stay: a page that plans many zones shows them as warnings. */
export function reverseWarnings({ reverse }: Pick<Plan, "reverse">): string[] {
  const said = (changes: Plan["reverse"]) => {
    const named = changes.slice(0, mostNamed).map(({ address, action, record, before }) => {
      const sign = action === "delete" ? "−" : action === "create" ? "+" : "~";
      return `${sign} ${address} → ${(action === "delete" ? before : record)?.value ?? ""}`;
    });
    const left = changes.length - named.length;
    return [...named, ...(left > 0 ? [zoneWords.moreLines(formatNumber(left))] : [])].join(", ");
  };
  const follow = reverse.filter(({ included }) => included);
  const offered = reverse.filter(({ included, reason }) => !included && reason === null);
  return [
    ...(follow.length > 0 ? [text.ptrFollow(said(follow))] : []),
    ...(offered.length > 0 ? [text.ptrStay(said(offered))] : []),
  ];
}

/** Says in which reverse zones PTR records did not follow yet. */
export function reverseFailures({ reverse }: Pick<RouterOutputs["records"]["applyPlan"], "reverse">): string[] {
  return reverse.flatMap(({ domainName, error }) =>
    error === null ? [] : [text.ptrFailed(domainName, forPeople(error))],
  );
}

/** Whether a plan has nothing to apply. */
export function isEmptyPlan({ creates, updates, deletes }: PlannedZone): boolean {
  return creates.length + updates.length + deletes.length === 0;
}

/** A zone, and the change that was made in it. */
export interface ChangedZone extends Named {
  changeSetId: string;
  /** Takes back what else was stored, once the records are as before. Resolves to whether it could. */
  alsoUndo?: (() => Promise<boolean>) | undefined;
}

/** Reads again what shows the records of zones. */
export async function refreshZones(): Promise<void> {
  await queries.invalidateQueries({
    predicate: ({ queryKey: [first] }) => ["search", "zone", "records", "domains", "history"].includes(String(first)),
  });
}

/** Returns the change set that made a revision; null if there is none, or nobody answers: then there is no way to take it back. */
export async function changeSetOf(domainId: string, revision: number | null): Promise<string | null> {
  if (revision === null) return null;
  const page = await client.records.history.query({ id: domainId, revision, limit: 1 }).catch(() => null);
  return page?.entries[0]?.id ?? null;
}

/** Says that a zone was changed, with a way to take that back if there is a change set. */
export function sayChanged(
  { changeSetId, ...zone }: Omit<ChangedZone, "changeSetId"> & { changeSetId: string | null },
  title: string,
  failures: readonly string[] = [],
): void {
  if (changeSetId !== null) sayApplied([{ ...zone, changeSetId }], title, failures);
  else toast({ title, ...(failures.length > 0 && { description: failures.join(" ") }) });
}

/** Says how many zones were changed, with a way to take that back in all of them. */
export function sayApplied(
  changed: readonly ChangedZone[],
  title = text.applied(changed.length, formatNumber(changed.length)),
  failures: readonly string[] = [],
): void {
  toast({
    title,
    ...(failures.length > 0 && { description: failures.join(" ") }),
    action: { label: text.undo, run: () => void undo(changed.map((zone) => ({ ...zone, confirmed: {} }))) },
  });
}

/** A change to undo, and what of it was confirmed. */
interface Undoing extends ChangedZone {
  confirmed: { force?: true; unlock?: true; planHash?: string | null };
}

/** Records that a message names, before it counts the others. */
const mostLost = 10;

async function undo(changed: readonly Undoing[]): Promise<void> {
  const failed: string[] = [];
  const asking: Undoing[] = [];
  const losses: string[] = [];
  const halfDone: string[] = [];
  for (const { confirmed, ...zone } of changed) {
    const { domainId: id, domainName, changeSetId, alsoUndo } = zone;
    const { planHash, ...accepted } = confirmed;
    try {
      await client.records.revert.mutate({ id, changeSetId, ...accepted, ...(planHash ? { planHash } : {}) });
      if (alsoUndo && !(await alsoUndo().catch(() => false))) halfDone.push(domainName);
    } catch (error) {
      const asks = isZonewrightError(error) && error.code === "CONFIRMATION_REQUIRED";
      const next =
        asks && issueOf(error, "unlock") !== null
          ? { ...accepted, unlock: true as const }
          : { ...accepted, force: true as const };
      const anew = asks
        ? await client.records.revert.mutate({ id, changeSetId, dryRun: true, ...next }).catch(() => null)
        : null;
      if (anew === null) failed.push(domainName);
      else {
        asking.push({ ...zone, confirmed: { ...next, planHash: anew.planHash } });
        losses.push(lossOf(domainName, anew.plan));
      }
    }
  }
  await refreshZones();
  const done = changed.length - failed.length - asking.length;
  if (failed.length > 0) toast({ title: text.undoFailed(list.format(failed)) });
  else if (done > 0) toast({ title: text.undone(done, formatNumber(done)) });
  if (halfDone.length > 0) toast({ title: text.undoneRecords(list.format(halfDone)) });
  if (asking.length > 0)
    toast({
      title: text.undoAsks(asking.length, formatNumber(asking.length)),
      description: losses.join(" "),
      action: { label: text.undoAnyway, run: () => void undo(asking) },
    });
}

/** Says what undoing would delete and change in a zone. */
function lossOf(domainName: string, plan: Awaited<ReturnType<typeof client.records.revert.mutate>>["plan"]): string {
  const lost = [...(plan?.deletes ?? []), ...(plan?.updates ?? []).map(({ before }) => before)];
  const names = lost.map(({ name, recordType, value }) => `${name} ${recordType} ${value}`);
  const more = names.length - mostLost;
  return text.undoLoses(
    domainName,
    list.format([...names.slice(0, mostLost), ...(more > 0 ? [text.undoMore(more, formatNumber(more))] : [])]),
  );
}
