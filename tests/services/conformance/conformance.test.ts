import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { planState, withOneTtl } from "../../../server/records/desired-state.ts";
import type { LiveRecord } from "../../../server/records/live-record.ts";
import { readAll } from "../../../server/changes/read-back.ts";
import type { RecordData } from "../../../server/records/record.ts";
import { typeNumber } from "../../../server/zone-file/type-names.ts";
import { asPresented, recordLines } from "../../support/presentation.ts";
import { base, zone, type Step, type TargetName } from "./group.ts";
import { changeGroups } from "./groups/changes.ts";
import { keptGroups } from "./groups/kept.ts";
import { nameGroups } from "./groups/names.ts";
import { textGroups } from "./groups/texts.ts";
import { typeGroups } from "./groups/types.ts";
import { targets, type Target } from "./targets.ts";

const groups = [...nameGroups, ...textGroups, ...typeGroups, ...changeGroups, ...keptGroups];

test("at least sixty groups hold for every provider", () => {
  expect(groups.length).toBeGreaterThanOrEqual(60);
  expect(new Set(groups.map(({ name }) => name)).size).toBe(groups.length);
});

describe.each(targets)("%s", (name, start) => {
  let target: Target;
  beforeAll(async () => {
    target = await start();
    await carryOut(target, base);
  });
  afterAll(() => target.stop());

  test.each(groups)("$name", async ({ steps }) => {
    try {
      for (const step of steps) await takeStep(target, name, step);
    } finally {
      await carryOut(target, base);
    }
    expect(await recordsOf(target)).toEqual(sorted(base));
  });
});

/** Apply, read back, plan again, ask the name server. */
async function takeStep(target: Target, name: TargetName, step: Step): Promise<void> {
  const refusal = step.refusedBy?.[name];
  const wanted = [...(step.base ?? base), ...step.records];
  if (refusal) return await expectRefused(target, wanted, refusal);
  await expectDone(target, wanted);
  if (!step.unserved?.includes(name)) await expectServed(target, wanted);
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

async function expectServed(target: Target, wanted: readonly RecordData[]): Promise<void> {
  const opaque = wanted.filter(isOpaque);
  const owners = new Set(asPresented(zone, opaque).map((record) => `${record.name} ${record.type}`));
  const served = (await target.served()).filter(({ name, type }) => !owners.has(`${name} ${type}`));
  const plain = wanted.filter((record) => !isOpaque(record));
  expect(recordLines(served)).toEqual(recordLines(asPresented(zone, plain)));
  const generic = opaque.length === 0 ? [] : await target.served("+unknownformat");
  const data = generic.filter(({ name }) => opaque.some((record) => name === `${record.name}.${zone}.`));
  expect(data.map(({ rdata }) => inOnePiece(rdata))).toEqual(opaque.map(({ value }) => value));
}

/** `dig` cuts hexadecimal into pieces. */
function inOnePiece(rdata: string): string {
  const [mark, count, ...hex] = rdata.toLowerCase().split(" ");
  return [mark, count, hex.join("")].join(" ");
}

/** Data in generic form of a type that `dig` prints in a form of its own. */
function isOpaque({ recordType, value }: RecordData): boolean {
  return value.startsWith("\\#") && recordType !== "TXT" && (typeNumber(recordType) ?? 0) < 65_280;
}

async function carryOut({ provider }: Target, wanted: readonly RecordData[]) {
  const live = (await readAll(provider, zone)).map(asLive);
  const changes = withOneTtl(live, planState(live, wanted).changes);
  if (changes.length === 0) return { changes, outcomes: [] };
  const { outcomes } = await provider.applyChanges(zone, changes, { together: true });
  return { changes, outcomes };
}

async function recordsOf({ provider }: Target): Promise<RecordData[]> {
  return sorted(await readAll(provider, zone));
}

function sorted(records: readonly RecordData[]): RecordData[] {
  return records.toSorted((one, other) => (lineOf(one) < lineOf(other) ? -1 : 1));
}

function lineOf({ name, recordType, value }: RecordData): string {
  return `${name} ${recordType} ${value}`;
}

let ids = 0;
function asLive(record: RecordData): LiveRecord {
  const at = new Date(0);
  return { ...record, id: String(++ids), version: 1, status: "active", comment: null, createdAt: at, updatedAt: at };
}
