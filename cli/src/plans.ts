import { createHash } from "node:crypto";
import type { Change, Client, DnsRecord, Plan, RouterOutputs, ZonewrightError } from "@zonewright/client";
import type { ChangeOptions } from "./command.ts";
import { asOptions, exitCodes, Failure, OutcomeUnknown, unknownOutcome } from "./failure.ts";
import { confirmed, interactive, note, print, printJson } from "./terminal.ts";
import { visible } from "./table.ts";

type RecordData = Plan["creates"][number];

/** A change of a PTR record in another zone that belongs to a plan. */
export type PointerChange = Plan["reverse"][number];

/** What every plan of the API has. */
export type Changes = Pick<Plan, "updates" | "deletes"> & {
  /** Those of a text have comments. */
  creates: readonly (RecordData & { comment?: string | null })[];
  warnings?: readonly string[];
  reverse?: readonly PointerChange[];
};

/** What is noted about a record, and not published. */
const noteFields = ["comment", "locked", "ownerId", "reviewAt"] as const;
type Notes = Partial<Pick<DnsRecord, (typeof noteFields)[number]>>;

/** A change of one record, as `--json` prints it. An update has the notes that it changes, and a create the comment that it sets. */
export interface JsonChange {
  action: "create" | "update" | "delete";
  /** The record before; null for `create`. */
  before: (RecordData & Notes) | null;
  /** The record after; null for `delete`. */
  after: (RecordData & Notes) | null;
}

/** Returns how many records a plan changes. */
export function sizeOf({ creates, updates, deletes }: Changes): number {
  return creates.length + updates.length + deletes.length;
}

/** Returns each change of a plan, with the record before and after, by name and type. */
export function changesOf({ creates, updates, deletes }: Changes): JsonChange[] {
  const changes: JsonChange[] = [
    ...deletes.map((before) => ({ action: "delete" as const, before: dataOf(before), after: null })),
    ...updates.map(({ before, after, changes: changed }) => ({
      action: "update" as const,
      before: { ...dataOf(before), ...notesAt(0, changed) },
      after: { ...dataOf(after), ...notesAt(1, changed) },
    })),
    ...creates.map((after) => ({
      action: "create" as const,
      before: null,
      after: { ...dataOf(after), ...commentOf(after) },
    })),
  ];
  const key = ({ before, after }: JsonChange) => {
    const { name = "", recordType = "" } = after ?? before ?? {};
    return `${name === "@" ? "" : name} ${recordType}`;
  };
  return changes.toSorted((one, other) => (key(one) < key(other) ? -1 : key(one) > key(other) ? 1 : 0));
}

/** Returns the notes that an update changes. @param side 0: as they were; 1: as they become */
function notesAt(side: 0 | 1, changed: Plan["updates"][number]["changes"]): Notes {
  return Object.fromEntries(
    noteFields.flatMap((field) => (changed[field] === undefined ? [] : [[field, changed[field][side]]])),
  );
}

function commentOf({ comment }: { comment?: string | null | undefined }): Notes {
  return comment ? { comment } : {};
}

function dataOf({ recordType, name, value, strings, ttl, priority, proxied, status }: RecordData): RecordData {
  return { recordType, name, value, strings, ttl, priority, proxied, status };
}

/** Returns a record as a line of a zone file would have it. */
export function recordText({ name, ttl, recordType, value, strings, proxied, status }: RecordData): string {
  const flags = [...(proxied ? ["proxied"] : []), ...(status === "disabled" ? ["disabled"] : [])];
  const data = strings ? strings.map((string) => `"${string}"`).join(" ") : value;
  return visible([name, ttl, recordType, data, ...(flags.length > 0 ? [`(${flags.join(", ")})`] : [])].join(" "));
}

const styles = { create: "green", update: "yellow", delete: "red" } as const;

/**
 * Returns a plan as a patch: `+`, `-` and `~` before each record. An update shows the record before and what becomes of it. Changes of PTR
 * records that it makes in other zones follow, with the zone.
 */
export function patchOf(changes: Changes): { text: string; action: keyof typeof styles }[] {
  return [
    ...changesOf(changes).map(lineOf),
    ...(changes.reverse ?? []).filter(({ included }) => included).map(pointerLine),
  ];
}

interface Line {
  text: string;
  action: keyof typeof styles;
}

function lineOf({ action, before, after }: JsonChange): Line {
  if (before && after) return { action, text: `~ ${recordText(before)} → ${differences(before, after)}` };
  if (after) return { action, text: `+ ${recordText(after)}` };
  return { action, text: `- ${before ? recordText(before) : ""}` };
}

/** A PTR record that the user may not see is named by its address. */
function pointerLine({ address, domainName, action, record, before }: PointerChange): Line {
  const known = action ?? "update";
  const isWhole = record !== null && (known !== "update" || before !== null);
  const line: Line = isWhole
    ? lineOf({ action: known, before: known === "delete" ? record : before, after: known === "delete" ? null : record })
    : { action: known, text: `${{ create: "+", update: "~", delete: "-" }[known]} PTR of ${address}` };
  return { ...line, text: domainName === null ? line.text : `${line.text} (in ${domainName})` };
}

/** What makes the PTR changes that a command without `--reverse` does not make. */
export const mendPointers = "`zonewright reverse mend` makes them, afterwards.";

/** Returns what to say of the PTR changes that a plan could make, and does not. @param how what makes those that are offered */
export function offeredPointers(changes: readonly PointerChange[], how: string): string[] {
  const open = changes.filter(({ included }) => !included);
  const offered = open.filter(({ reason }) => reason === null).length;
  const refused = open.flatMap(({ reason }) => reason ?? []);
  return [
    ...(offered === 0 ? [] : [`${offered === 1 ? "1 PTR change is" : `${offered} PTR changes are`} offered: ${how}`]),
    ...new Set(refused),
  ];
}

/**
 * Returns the plan of a text, with what it does in other zones. Servers of earlier versions do not say that.
 * @throws Failure if there is none
 */
export function filePlan({
  plan,
  warnings,
}: {
  plan: Changes | null;
  warnings: readonly string[];
}): Changes & { warnings: readonly string[] } {
  if (plan === null) throw new Failure("The server returned no plan. Upgrade it.");
  return { ...plan, warnings: [...warnings, ...offeredPointers(plan.reverse ?? [], mendPointers)] };
}

/** The outcome in a reverse zone whose PTR records follow. */
export type ReverseOutcome = RouterOutputs["records"]["applyPlan"]["reverse"][number];

/** Returns a sentence for each reverse zone whose PTR records could not be changed yet. */
export function lateReverse(reverse: readonly ReverseOutcome[] = []): string[] {
  return reverse.flatMap(({ domainName, error }) =>
    error === null ? [] : [`${domainName}: PTR records not changed yet: ${error} The server retries.`],
  );
}

function differences(before: RecordData, after: RecordData): string {
  const parts: string[] = [];
  if (before.name !== after.name) parts.push(after.name);
  if (before.ttl !== after.ttl) parts.push(String(after.ttl));
  if (before.recordType !== after.recordType) parts.push(after.recordType);
  if (before.value !== after.value || JSON.stringify(before.strings) !== JSON.stringify(after.strings)) {
    parts.push(after.strings ? after.strings.map((string) => `"${string}"`).join(" ") : after.value);
  }
  if (before.proxied !== after.proxied) parts.push(after.proxied ? "proxied" : "not proxied");
  if (before.status !== after.status) parts.push(after.status);
  // What else an update changes, such as a note, is not published.
  return parts.length === 0 ? "(only its notes)" : parts.join(" ");
}

/** Returns `1 to create, 2 to delete`. */
export function countsOf({ creates, updates, deletes }: Changes): string {
  const parts = Object.entries({ create: creates, update: updates, delete: deletes }).flatMap(([verb, { length }]) =>
    length === 0 ? [] : [`${length} to ${verb}`],
  );
  return parts.length === 0 ? "no changes" : parts.join(", ");
}

/** Prints a plan as a patch with its counts and warnings. @param say where to: the answer, or beside it */
export function printPlan(
  domain: string,
  plan: Changes,
  say: (text: string, style?: (typeof styles)[keyof typeof styles]) => void = print,
): void {
  say(`${domain}: ${countsOf(plan)}`);
  for (const { text, action } of patchOf(plan)) say(text, styles[action]);
  for (const warning of plan.warnings ?? []) note(`Warning: ${asOptions(warning)}`);
}

/** What `--json` prints of a change. */
export interface ChangeReport {
  domain: string;
  changes: JsonChange[];
  /** The changes of PTR records that belong to the plan. */
  reverseChanges: readonly PointerChange[];
  warnings: readonly string[];
  /** Whether changes were made. */
  applied: boolean;
  /** The revision that they made; null if none was made, or it is not known. */
  revision: number | null;
  /** Changes that were refused, when others were made or not. */
  failed: readonly FailedChange[];
  /** The outcome in each reverse zone whose PTR records follow. */
  reverse: readonly ReverseOutcome[];
  /** The number of the change request that asks for it instead; null for none. */
  request: number | null;
}

/** How the warning about a loss ends that the server refuses without `force`. */
const needsForce = "Review the plan, then repeat the call with force: true.";

/** The user answered no. */
export class Declined extends Failure {}

/** A change that current rules forbid or the provider refused, as answers name it. */
type FailedChange = Pick<RecordData, "recordType" | "name" | "value" | "strings"> & { error: string };

/** What calls that change records answer. */
export interface ChangeOutcome {
  /** The revision that the call made; null if it changed no record. Servers of earlier versions do not say it of every call. */
  revision?: number | null;
  /** Null if the changes left every record as it was. */
  changeSetId?: string | null;
  created?: number;
  updated?: number;
  deleted?: number;
  failed?: readonly FailedChange[];
  reverse?: readonly ReverseOutcome[];
}

/** What a report says of changes that were not made. */
export const noneApplied = {
  reverseChanges: [],
  applied: false,
  revision: null,
  failed: [],
  reverse: [],
  request: null,
} satisfies Partial<ChangeReport>;

/** A planned change of one domain. */
export interface PlannedChange {
  /** The domain's name with its view. */
  domain: string;
  plan: Changes;
  options: ChangeOptions;
  /** Asks even if nothing is deleted. */
  alwaysAsk?: boolean;
  /** Makes exactly these changes. */
  apply: () => Promise<ChangeOutcome>;
  /** Requests a review of these changes. */
  request?: (title: string) => Promise<Requested>;
  /** Takes the document of `--json`, for commands that change several domains. Default: prints it. */
  report?: (report: ChangeReport) => void;
}

/**
 * Shows a plan, asks if it deletes something, applies it and says how to undo it.
 * @returns whether it was applied
 * @throws Failure if nobody can be asked
 */
export async function carryOut({
  domain,
  plan,
  options,
  alwaysAsk = false,
  ...calls
}: PlannedChange): Promise<boolean> {
  const { json, yes, dryRun, request: title } = options;
  const report = (fields: Partial<ChangeReport>) => {
    if (!json) return;
    const { warnings = [], reverse: reverseChanges = [] } = plan;
    const whole = { domain, changes: changesOf(plan), warnings, ...noneApplied, reverseChanges, ...fields };
    (calls.report ?? printJson)(whole);
  };
  if (!json) printPlan(domain, plan);
  if (sizeOf(plan) === 0) {
    report({});
    return false;
  }
  if (dryRun) {
    report({});
    process.exitCode = exitCodes.pending;
    return false;
  }
  if (title !== undefined && calls.request) {
    const look = "`zonewright requests` shows whether the request was made.";
    const asked = await uninterrupted(calls.request(title), look);
    const { number } = asked;
    report({ request: number });
    if (!json) print(`Request ${number} ${requestText(asked)} See it with \`zonewright requests show ${number}\`.`);
    return false;
  }
  if (!yes && (alwaysAsk || plan.deletes.length > 0)) {
    // No answer would help.
    const loss = options.force ? undefined : plan.warnings?.find((warning) => warning.endsWith(needsForce));
    if (loss !== undefined) throw new Failure(`${asOptions(loss)} Nothing was changed.`, exitCodes.refused);
    if (json && interactive) printPlan(domain, plan, note);
    if (!(await confirmed("Apply?", `This changes ${domain}: ${countsOf(plan)}.`)))
      throw new Declined("Nothing was changed.");
  }
  const look = `\`zonewright history ${domain}\` shows whether it was applied.`;
  const { failed = [], reverse = [], ...made } = await uninterrupted(calls.apply(), look);
  const { created = 0, updated = 0, deleted = 0, changeSetId } = made;
  const revision = changeSetId === null ? null : (made.revision ?? null);
  const applied = failed.length === 0 || revision !== null || created + updated + deleted > 0;
  for (const { recordType, name, error } of failed) note(`Not changed: ${name} ${recordType}: ${error}`);
  const late = lateReverse(reverse);
  if (failed.length + late.length > 0) process.exitCode = exitCodes.error;
  report({ applied, revision, failed, reverse });
  if (!json) {
    print(!applied ? "Nothing was applied." : revision === null ? "Applied." : `Applied as revision ${revision}.`);
    for (const sentence of late) note(sentence);
    if (interactive && revision !== null) note(`To undo it: zonewright history undo ${domain} ${revision}`);
  }
  return applied;
}

/** {@link answered} for commands: Ctrl-C does not take back a call that is on its way, so it says where the outcome stands. */
export async function uninterrupted<Result>(call: Promise<Result>, look: string): Promise<Result> {
  const interrupted = () => {
    note(`Interrupted before the server answered. ${look}`);
    process.exit(exitCodes.interrupted);
  };
  process.once("SIGINT", interrupted);
  try {
    return await answered(call, look);
  } finally {
    process.off("SIGINT", interrupted);
  }
}

/** Awaits a call. @param look where its outcome stands @throws OutcomeUnknown */
export async function answered<Result>(call: Promise<Result>, look: string): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    const unknown = await unknownOutcome(error);
    throw unknown ? new OutcomeUnknown(`Outcome unknown. ${unknown.why} ${look}`, unknown.cause) : error;
  }
}

/** Plans changes by the call whose rights are those of what comes next: making them, or requesting them. */
export async function planFor(
  client: Client,
  input: Parameters<Client["records"]["plan"]["mutate"]>[0],
  { request }: ChangeOptions,
): Promise<Plan> {
  return await (request === undefined ? client.records.plan : client.changeRequests.plan).mutate(input);
}

/** Compares a domain with a text, as `planFor` plans changes. @throws Failure if there is no plan */
export async function planFileFor(
  client: Client,
  input: Parameters<Client["records"]["planZonefile"]["mutate"]>[0],
  { request }: ChangeOptions,
): Promise<ReturnType<typeof filePlan> & { planHash: string }> {
  const call = request === undefined ? client.records.planZonefile : client.changeRequests.planZonefile;
  const { planHash, ...answer } = await call.mutate(input);
  if (planHash === null) throw new Failure("The server returned no plan. Upgrade it.");
  return { ...filePlan(answer), planHash };
}

/** Returns a plan's changes as `records.plan` and change requests take them. */
export function inputOf({ creates, updates, deletes }: Changes): Change[] {
  return [
    ...creates.map((record) => ({ action: "create" as const, record: writable(record) })),
    ...updates.map(({ id, after }) => ({ action: "update" as const, recordId: id, record: writable(after) })),
    ...deletes.map(({ id }) => ({ action: "delete" as const, recordId: id })),
  ];
}

/** The priority is part of the value. A file may have comments; one that it does not have stays. */
function writable({
  recordType,
  name,
  value,
  strings,
  ttl,
  proxied,
  status,
  comment,
}: RecordData & { comment?: string | null }) {
  const more = { ...(strings ? { strings } : {}), ...commentOf({ comment }) };
  return { recordType, name, value, ttl, proxied, status, ...more };
}

/** A change request for what a command wants. */
export interface Requested {
  number: number;
  /** An earlier run made it. */
  isEarlier: boolean;
}

/** Returns what a command says of a request, after its number. */
export function requestText({ isEarlier }: Requested): string {
  return isEarlier ? "already asks for this." : "waits for a review.";
}

/**
 * Makes a change request, unless the same one is still open: the answer to an earlier run may have been lost. If that run still goes on, its
 * call has the same key.
 */
export async function requested(
  client: Client,
  input: { id: string; changes: Change[]; reverse?: boolean },
  title: string,
  { message, force, unlock }: ChangeOptions,
): Promise<Requested> {
  const wish = {
    ...input,
    title,
    ...(message === undefined ? {} : { note: message }),
    ...(force ? { force } : {}),
    ...(unlock ? { unlock } : {}),
  };
  const own = await ownRequests(client, input.id);
  const alike = (own?.requests ?? []).filter(
    (one) => one.title === title && (one.state === "open" || one.state === "approved"),
  );
  for (const { id, number } of alike.slice(0, mostAlike)) {
    if (asWished(await client.changeRequests.get.query({ id })) === asWished(wish)) return { number, isEarlier: true };
  }
  // A request that was made and closed meanwhile counts, so that it does not answer for this one.
  const key =
    own &&
    createHash("sha256")
      .update(`${own.total} ${sorted(wish)}`)
      .digest("hex");
  const headers = key === null ? {} : { "idempotency-key": key };
  const { number } = await client.changeRequests.create.mutate(wish, { context: { headers } });
  return { number, isEarlier: false };
}

/** Of so many requests with the same title, the newest are compared. */
const mostAlike = 10;

/** Returns the newest of the caller's requests for a domain, and how many there are; null for a token that may not read them. */
async function ownRequests(client: Client, domain: string) {
  try {
    return await client.changeRequests.list.query({ domain, mine: true, limit: 100 });
  } catch (error) {
    if ((error as Partial<ZonewrightError>).code === "FORBIDDEN") return null;
    throw error;
  }
}

type Wish = Parameters<Client["changeRequests"]["create"]["mutate"]>[0];

/** A change as it is sent, or as a request shows it. */
interface WishedChange {
  action: string;
  recordId?: string | null | undefined;
  record?: object | null | undefined;
}

/** Returns what a request wants as a text that only the same one has. Of PTR changes, it says whether there are any. */
function asWished(request: Wish | RouterOutputs["changeRequests"]["get"]): string {
  const { note, reverse, force = false, unlock = false } = request;
  const changes: readonly WishedChange[] = request.changes ?? [];
  const wanted = changes.map(({ action, recordId = null, record = null }) => ({ action, recordId, record }));
  const isReverse = Array.isArray(reverse) ? reverse.length > 0 : (reverse ?? false);
  return sorted({ note: note ?? null, wanted, isReverse, force, unlock });
}

/** JSON whose objects have their keys in order. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}
