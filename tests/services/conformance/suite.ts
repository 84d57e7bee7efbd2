import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { planState, withOneTtl } from "../../../server/dns/desired-state.ts";
import { limitIssues, readOnlyReason, withoutReadOnly } from "../../../server/zones/records/provider-limits.ts";
import { readAll } from "../../../server/zones/changes/provider-call.ts";
import { noNotes, type LiveRecord, type RecordData } from "../../../server/dns/record.ts";
import { asPresented, recordLines } from "../../support/records/presentation.ts";
import { base as usualBase, zone, type Step, type Target, type TargetName } from "./group.ts";
import { changeGroups } from "./groups/changes.ts";
import { dataGroups } from "./groups/data.ts";
import { nameGroups } from "./groups/names.ts";
import { textGroups } from "./groups/texts.ts";
import { typeGroups } from "./groups/types.ts";
import { refusedSteps } from "./limits.ts";
import type { Targets } from "./targets.ts";

export const groups = [...nameGroups, ...textGroups, ...typeGroups, ...changeGroups, ...dataGroups];

/** Runs the suite against each of some targets. */
export function testConformance(some: Targets): void {
  describe.each(some)("conformance of %s", (name, start) => {
    let target: Target;
    let base: readonly RecordData[];
    /** Groups with every step within the provider's limits. */
    let whole = 0;
    beforeAll(async () => {
      target = await start();
      base = usualBase.filter((record) => limitIssues(record, target.kind, "example.com").length === 0);
      await carryOut(target, base);
    });
    afterAll(() => target.stop());

    test.each(groups)("the provider conforms: $name", async (group) => {
      try {
        const refused: number[] = [];
        for (const [index, step] of group.steps.entries()) {
          const wanted = [...(step.base ?? base), ...step.records];
          if (expectLimitsNamed(target, wanted)) refused.push(index + 1);
          else await takeStep(target, name, step, wanted);
        }
        expect(refused).toEqual(refusedSteps(name, group));
        if (refused.length === 0) whole++;
      } finally {
        await carryOut(target, base);
      }
      expect(await recordsOf(target)).toEqual(sorted(base));
    });

    test("at least sixty conformance groups are within the provider's limits", () => {
      expect(whole).toBeGreaterThanOrEqual(60);
    });
  });
}

/** A plan refuses what the provider cannot store, and names it. @returns whether it did */
function expectLimitsNamed({ kind }: Target, wanted: readonly RecordData[]): boolean {
  const messages = wanted.flatMap((record) => limitIssues(record, kind, "example.com").map(({ message }) => message));
  for (const message of messages) expect(message).toContain(kind.name);
  return messages.length > 0;
}

/** Applies, reads back, plans again and queries the name server. */
async function takeStep(target: Target, name: TargetName, step: Step, wanted: readonly RecordData[]): Promise<void> {
  const refusal = step.refusedBy?.[name];
  if (refusal) return await expectRefused(target, wanted, refusal);
  await expectDone(target, wanted);
  if (target.served && !step.unserved?.includes(name)) await expectServed(target.served, wanted);
}

async function expectRefused(target: Target, wanted: readonly RecordData[], refusal: RegExp): Promise<void> {
  const before = await recordsOf(target);
  const { changes, outcomes } = await carryOut(target, wanted);
  expect(changes.length).toBeGreaterThan(0);
  expect(outcomes).toEqual(changes.map(() => ({ ok: false, message: expect.stringMatching(refusal) })));
  expect(await recordsOf(target)).toEqual(before);
}

async function expectDone(target: Target, wanted: readonly RecordData[]): Promise<void> {
  const { changes, outcomes } = await carryOut(target, wanted);
  expect(outcomes).toEqual(changes.map(() => ({ ok: true })));
  const present = await recordsOf(target);
  expect(present).toEqual(sorted(wanted));
  expect(planState(present.map(asLive), wanted).changes).toEqual([]);
}

async function expectServed(transfer: NonNullable<Target["served"]>, wanted: readonly RecordData[]): Promise<void> {
  expect(recordLines(await transfer())).toEqual(recordLines(asPresented(zone, wanted)));
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
  return sorted(records.filter((record) => readOnlyReason(record, kind) === null));
}

function sorted(records: readonly RecordData[]): RecordData[] {
  return records.toSorted((one, other) => (lineOf(one) < lineOf(other) ? -1 : 1));
}

function lineOf({ name, recordType, value, strings }: RecordData): string {
  return `${name} ${recordType} ${value} ${JSON.stringify(strings)}`;
}

let ids = 0;
function asLive(record: RecordData): LiveRecord {
  const at = new Date(0);
  return { ...record, id: String(++ids), version: 1, status: "active", ...noNotes, createdAt: at, updatedAt: at };
}
