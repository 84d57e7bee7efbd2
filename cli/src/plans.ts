import type { Change, Client, Plan } from "@zonewright/client";
import type { ChangeOptions } from "./command.ts";
import { asOptions, exitCodes, Failure } from "./failure.ts";
import { confirmed, interactive, note, print, printJson } from "./terminal.ts";
import { visible } from "./table.ts";

type RecordData = Plan["creates"][number];

/** What every plan of the API has. */
export type Changes = Pick<Plan, "creates" | "updates" | "deletes"> & { warnings?: readonly string[] };

/** A change of one record, as `--json` prints it. */
export interface JsonChange {
  action: "create" | "update" | "delete";
  /** The record before; null for `create`. */
  before: RecordData | null;
  /** The record after; null for `delete`. */
  after: RecordData | null;
}

/** Returns how many records a plan changes. */
export function sizeOf({ creates, updates, deletes }: Changes): number {
  return creates.length + updates.length + deletes.length;
}

/** Returns each change of a plan, with the record before and after, by name and type. */
export function changesOf({ creates, updates, deletes }: Changes): JsonChange[] {
  const changes: JsonChange[] = [
    ...deletes.map((before) => ({ action: "delete" as const, before: dataOf(before), after: null })),
    ...updates.map(({ before, after }) => ({ action: "update" as const, before, after })),
    ...creates.map((after) => ({ action: "create" as const, before: null, after })),
  ];
  const key = ({ before, after }: JsonChange) => {
    const { name = "", recordType = "" } = after ?? before ?? {};
    return `${name === "@" ? "" : name} ${recordType}`;
  };
  return changes.toSorted((one, other) => (key(one) < key(other) ? -1 : key(one) > key(other) ? 1 : 0));
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

/** Returns a plan as a patch: `+`, `-` and `~` before each record. An update shows the record before and what becomes of it. */
export function patchOf(changes: Changes): { text: string; action: keyof typeof styles }[] {
  return changesOf(changes).map(({ action, before, after }) => {
    if (before && after) return { action, text: `~ ${recordText(before)} → ${differences(before, after)}` };
    if (after) return { action, text: `+ ${recordText(after)}` };
    return { action, text: `- ${before ? recordText(before) : ""}` };
  });
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
  warnings: readonly string[];
  /** Whether changes were made. */
  applied: boolean;
  /** The revision that they made; null if none was made, or it is not known. */
  revision: number | null;
  /** Changes that were refused, when others were made or not. */
  failed: readonly FailedChange[];
  /** The number of the change request that was made instead; null for none. */
  request: number | null;
}

/** The user answered no. */
export class Declined extends Failure {}

/** A change that current rules forbid or the provider refused, as answers name it. */
type FailedChange = Pick<RecordData, "recordType" | "name" | "value" | "strings"> & { error: string };

/** What calls that change records answer. */
interface Outcome {
  /** The revision that the call made; null if it changed no record. Servers of earlier versions do not say it of every call. */
  revision?: number | null;
  /** Null if the changes left every record as it was. */
  changeSetId?: string | null;
  created?: number;
  updated?: number;
  deleted?: number;
  failed?: readonly FailedChange[];
}

/** A planned change of one domain. */
export interface PlannedChange {
  /** The domain's name with its view. */
  domain: string;
  plan: Changes;
  options: ChangeOptions;
  /** Asks even if nothing is deleted. */
  alwaysAsk?: boolean;
  /** Makes exactly these changes. */
  apply: () => Promise<Outcome>;
  /** Requests a review of these changes. @returns the request's number */
  request?: (title: string) => Promise<number>;
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
    const none = { applied: false, revision: null, failed: [], request: null };
    const whole = { domain, changes: changesOf(plan), warnings: plan.warnings ?? [], ...none, ...fields };
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
    const number = await calls.request(title);
    report({ request: number });
    if (!json) print(`Request ${number} waits for a review. See it with \`zonewright requests show ${number}\`.`);
    return false;
  }
  if (!yes && (alwaysAsk || plan.deletes.length > 0)) {
    if (json && interactive) printPlan(domain, plan, note);
    if (!(await confirmed("Apply?", `This changes ${domain}: ${countsOf(plan)}.`)))
      throw new Declined("Nothing was changed.");
  }
  const { failed = [], ...made } = await uninterrupted(domain, calls.apply);
  const { created = 0, updated = 0, deleted = 0, changeSetId } = made;
  const revision = changeSetId === null ? null : (made.revision ?? null);
  const applied = failed.length === 0 || revision !== null || created + updated + deleted > 0;
  for (const { recordType, name, error } of failed) note(`Not changed: ${name} ${recordType}: ${error}`);
  if (failed.length > 0) process.exitCode = exitCodes.error;
  report({ applied, revision, failed });
  if (!json) {
    print(!applied ? "Nothing was applied." : revision === null ? "Applied." : `Applied as revision ${revision}.`);
    if (interactive && revision !== null) note(`To undo it: zonewright history undo ${domain} ${revision}`);
  }
  return applied;
}

/** Ctrl-C does not take back a call that is on its way. Says so, and where the outcome stands. */
async function uninterrupted<Result>(domain: string, call: () => Promise<Result>): Promise<Result> {
  const interrupted = () => {
    note(`Interrupted while the change was being made. \`zonewright history ${domain}\` shows whether it was.`);
    process.exit(exitCodes.interrupted);
  };
  process.once("SIGINT", interrupted);
  try {
    return await call();
  } finally {
    process.off("SIGINT", interrupted);
  }
}

/** Returns a plan's changes as `records.plan` and change requests take them. */
export function inputOf({ creates, updates, deletes }: Changes): Change[] {
  return [
    ...creates.map((record) => ({ action: "create" as const, record: writable(record) })),
    ...updates.map(({ id, after }) => ({ action: "update" as const, recordId: id, record: writable(after) })),
    ...deletes.map(({ id }) => ({ action: "delete" as const, recordId: id })),
  ];
}

/** The priority is part of the value. */
function writable({ recordType, name, value, strings, ttl, proxied, status }: RecordData) {
  return { recordType, name, value, ttl, proxied, status, ...(strings ? { strings } : {}) };
}

/** Makes a change request. @returns its number */
export async function requested(
  client: Client,
  input: { id: string; changes: Change[]; reverse?: boolean },
  title: string,
  { message, force, unlock }: ChangeOptions,
): Promise<number> {
  const { number } = await client.changeRequests.create.mutate({
    ...input,
    title,
    ...(message === undefined ? {} : { note: message }),
    ...(force ? { force } : {}),
    ...(unlock ? { unlock } : {}),
  });
  return number;
}
