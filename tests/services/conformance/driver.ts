import { planState, withOneTtl } from "../../../server/dns/desired-state.ts";
import { noNotes, type LiveRecord, type RecordData } from "../../../server/dns/record.ts";
import { readAll } from "../../../server/zones/changes/provider-call.ts";
import { limitIssues, readOnlyReason, withoutReadOnly } from "../../../server/zones/records/provider-limits.ts";
import { asPresented, recordLines } from "../../support/records/presentation.ts";
import { base, zone, type Group, type Step, type Target, type TargetName } from "./group.ts";
import { changeGroups } from "./groups/changes.ts";
import { dataGroups } from "./groups/data.ts";
import { nameGroups } from "./groups/names.ts";
import { textGroups } from "./groups/texts.ts";
import { typeGroups } from "./groups/types.ts";

// Takes a provider through the states of a group, without a test runner: the command for webhook adapters uses it, too.

export const groups = [...nameGroups, ...textGroups, ...typeGroups, ...changeGroups, ...dataGroups];

/** A provider that did otherwise than it must. The message says what was expected. */
export class Nonconformity extends Error {}

/** Gives a zone its base. @returns the base's records that the provider stores */
export async function startFromBase(target: Target): Promise<readonly RecordData[]> {
  const own = base.filter((record) => limitIssues(record, target.kind, "example.com").length === 0);
  await carryOut(target, own);
  return own;
}

/**
 * Takes the zone through the states of a group, and back to its base.
 * @returns the steps that the provider's limits refuse, counted from 1 @throws Nonconformity
 */
export async function takeGroup(
  target: Target,
  name: TargetName,
  group: Group,
  own: readonly RecordData[],
): Promise<number[]> {
  const refused: number[] = [];
  try {
    for (const [index, step] of group.steps.entries()) {
      const wanted = [...(step.base ?? own), ...step.records];
      if (namesLimits(target, wanted)) refused.push(index + 1);
      else await takeStep(target, name, step, wanted);
    }
  } finally {
    await carryOut(target, own);
  }
  requireSame("after the zone was brought back", await recordsOf(target), own);
  return refused;
}

/** A plan refuses what the provider cannot store, and names it. @returns whether it did */
function namesLimits({ kind }: Target, wanted: readonly RecordData[]): boolean {
  const messages = wanted.flatMap((record) => limitIssues(record, kind, "example.com").map(({ message }) => message));
  const nameless = messages.find((message) => !message.includes(kind.name));
  if (nameless !== undefined) throw new Nonconformity(`A refusal does not name ${kind.name}: ${nameless}`);
  return messages.length > 0;
}

/** Applies, reads back, plans again and queries the name server. */
async function takeStep(target: Target, name: TargetName, step: Step, wanted: readonly RecordData[]): Promise<void> {
  const refusal = step.refusedBy?.[name];
  if (refusal) return await requireRefused(target, wanted, refusal);
  await requireDone(target, wanted);
  if (target.served && !step.unserved?.includes(name)) {
    const [served, asked] = [recordLines(await target.served()), recordLines(asPresented(zone, wanted))];
    requireEqual("what the name server serves", served, asked);
  }
}

async function requireRefused(target: Target, wanted: readonly RecordData[], refusal: RegExp): Promise<void> {
  const before = await recordsOf(target);
  const { changes, outcomes } = await carryOut(target, wanted);
  if (changes.length === 0) throw new Nonconformity("There was nothing to change.");
  const wrong = outcomes.find((outcome) => outcome.ok || !refusal.test(outcome.message));
  if (wrong || outcomes.length !== changes.length) {
    throw new Nonconformity(`All changes must be refused (${refusal}), but one was: ${JSON.stringify(wrong ?? null)}`);
  }
  requireSame("after a refusal", await recordsOf(target), before);
}

async function requireDone(target: Target, wanted: readonly RecordData[]): Promise<void> {
  const { changes, outcomes } = await carryOut(target, wanted);
  const refused = changes.flatMap((change, index) => {
    const outcome = outcomes[index];
    const record = change.after ?? change.before;
    return outcome?.ok ? [] : [`${change.action} ${record ? lineOf(record) : ""}: ${outcome?.message ?? "no outcome"}`];
  });
  if (refused.length > 0) throw new Nonconformity(["These changes must be made:", ...refused].join("\n"));
  const present = await recordsOf(target);
  requireSame("read back after the changes", present, wanted);
  const again = planState(present.map(asLive), wanted).changes.length;
  if (again > 0) throw new Nonconformity(`A second plan must be empty, but has ${again} changes.`);
}

async function carryOut({ provider, kind }: Target, wanted: readonly RecordData[]) {
  const live = (await readAll(provider, zone)).map(asLive);
  const { changes } = withoutReadOnly(withOneTtl(live, planState(live, wanted).changes), kind);
  if (changes.length === 0) return { changes, outcomes: [] };
  const { outcomes } = await provider.applyChanges(zone, changes, { atomic: true });
  return { changes, outcomes };
}

/** All records but those that the provider keeps as its own. */
async function recordsOf({ provider, kind }: Target): Promise<RecordData[]> {
  const records = await readAll(provider, zone);
  return records.filter((record) => readOnlyReason(record, kind) === null);
}

function requireSame(when: string, present: readonly RecordData[], wanted: readonly RecordData[]): void {
  requireEqual(`the zone ${when}`, present.map(exactly), wanted.map(exactly), (key) => {
    const record = JSON.parse(key) as RecordData;
    return `${lineOf(record)}${record.strings ? ` in the strings ${JSON.stringify(record.strings)}` : ""}`;
  });
}

/** @param shown what a line is printed as */
function requireEqual(
  what: string,
  present: readonly string[],
  wanted: readonly string[],
  shown = (line: string) => line,
): void {
  const missing = without(wanted, present).map((line) => `  missing: ${shown(line)}`);
  const unexpected = without(present, wanted).map((line) => `  not expected: ${shown(line)}`);
  if (missing.length + unexpected.length === 0) return;
  throw new Nonconformity([`There is a difference in ${what}:`, ...some(missing), ...some(unexpected)].join("\n"));
}

/** Returns as many lines as a person reads. */
function some(lines: readonly string[]): string[] {
  const most = 10;
  return lines.length > most ? [...lines.slice(0, most), `  … and ${lines.length - most} more`] : [...lines];
}

/** Returns the lines of one list that another one has less often. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count < 1;
  });
}

/** A record with all of its fields. */
function exactly(record: RecordData): string {
  return JSON.stringify(record, Object.keys(record).toSorted());
}

function lineOf({ name, ttl, recordType, value }: RecordData): string {
  return `${name} ${ttl} ${recordType} ${value}`;
}

let ids = 0;
function asLive(record: RecordData): LiveRecord {
  const at = new Date(0);
  return { ...record, id: String(++ids), version: 1, status: "active", ...noNotes, createdAt: at, updatedAt: at };
}
