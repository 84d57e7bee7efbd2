import type { Change, ResourceRecordSet } from "@aws-sdk/client-route-53";
import { recordKey, rrsetKey, type RecordData } from "../../dns/record.ts";
import { inBatches, connectedComponents } from "../applying/batches.ts";
import type { RecordChange } from "../provider.ts";
import { recordsOf, touchedNames } from "../applying/apply-to-records.ts";
import { dnsName } from "./hosted-zones.ts";
import { printValue, readValue } from "./octal-text.ts";
import type { ServedRrset } from "./rrsets.ts";

/** Changes that share a name and are made whole or not at all, and their steps at Route 53. */
export interface ChangeGroup {
  changes: RecordChange[];
  /** The names as Route 53 prints them. */
  names: Set<string>;
  /** RRsets to delete, as Route 53 has them, and RRsets to create. A changed RRset is deleted and created. */
  steps: Change[];
}

/** Limits of a batch (Developer Guide, "Quotas"): records in all its changes, and characters in their values. */
const mostInBatch = [1_000, 32_000];

/**
 * Groups changes by independent names and returns their steps. An RRset is deleted by its exact content, so that Route 53 refuses
 * the batch if somebody changed it since. Pure.
 * @param present the RRsets of all names that the changes touch
 * @param after the records of those names afterwards
 */
export function groupsOf(
  zone: string,
  present: readonly ServedRrset[],
  after: readonly RecordData[],
  changes: readonly RecordChange[],
): ChangeGroup[] {
  const served = new Map(present.filter(({ own }) => !own).map((rrset) => [rrsetKey(rrset), rrset]));
  const wanted = Map.groupBy(after, rrsetKey);
  const parts = connectedComponents(changes, (change) => [...touchedNames([change])]);
  return parts.map((group) => {
    const touched = new Map(group.flatMap(recordsOf).map((record) => [rrsetKey(record), record]));
    const ttls = new Map(group.flatMap((change) => (change.after ? [[rrsetKey(change.after), change.after.ttl]] : [])));
    const deletions: Change[] = [];
    const creations: Change[] = [];
    for (const [key, { name, recordType }] of touched) {
      const before = served.get(key);
      const set = rrsetOf(zone, name, recordType, wanted.get(key) ?? [], before, ttls.get(key));
      if (before && set && sameRrset(before.set, set)) continue;
      if (before) deletions.push({ Action: "DELETE", ResourceRecordSet: before.set });
      if (set) creations.push({ Action: "CREATE", ResourceRecordSet: set });
    }
    const names = new Set([...touchedNames(group)].map((name) => dnsNameIn(zone, name)));
    return { changes: group, names, steps: [...deletions, ...creations] };
  });
}

function dnsNameIn(zone: string, name: string): string {
  return dnsName(name === "@" ? zone : `${name}.${zone}`);
}

/** Returns an RRset of the wanted records; existing values stay as they are written. Null without records. */
function rrsetOf(
  zone: string,
  name: string,
  recordType: string,
  records: readonly RecordData[],
  before: ServedRrset | undefined,
  ttl: number | undefined,
): ResourceRecordSet | null {
  const [first] = records;
  if (!first) return null;
  const wordings = new Map(
    before?.set.ResourceRecords?.map(
      ({ Value = "" }) => [recordKey({ name, recordType, ...readValue(recordType, Value) }), Value] as const,
    ),
  );
  return {
    Name: before?.set.Name ?? dnsNameIn(zone, name),
    Type: recordType as NonNullable<ResourceRecordSet["Type"]>,
    TTL: ttl ?? first.ttl,
    ResourceRecords: records.map((record) => ({
      Value: wordings.get(recordKey(record)) ?? printValue(recordType, record.value, record.strings) ?? record.value,
    })),
  };
}

function sameRrset(one: ResourceRecordSet, other: ResourceRecordSet): boolean {
  const [values, others] = [valuesOf(one), valuesOf(other)];
  return one.TTL === other.TTL && values.size === others.size && [...values].every((value) => others.has(value));
}

function valuesOf({ ResourceRecords = [] }: ResourceRecordSet): Set<string | undefined> {
  return new Set(ResourceRecords.map(({ Value }) => Value));
}

/** Packs groups into batches, in order. Groups too large for any batch get their own. */
export function batchesOf(groups: readonly ChangeGroup[]): ChangeGroup[][] {
  return inBatches(groups, sizesOf, mostInBatch);
}

/** Returns whether a group exceeds the limits of a batch. */
export function isTooLarge(group: ChangeGroup): boolean {
  return sizesOf(group).some((size, measure) => size > (mostInBatch[measure] ?? 0));
}

/** Returns a group's size in the measures of `mostInBatch`. */
function sizesOf({ steps }: ChangeGroup): number[] {
  const values = steps.flatMap(({ ResourceRecordSet: set }) => set?.ResourceRecords ?? []);
  return [values.length, values.reduce((sum, { Value }) => sum + (Value?.length ?? 0), 0)];
}

/** Returns the steps of a batch: all deletions, then all creations. */
export function stepsOf(batch: readonly ChangeGroup[]): Change[] {
  const steps = batch.flatMap((group) => group.steps);
  return [...steps.filter(({ Action }) => Action === "DELETE"), ...steps.filter(({ Action }) => Action !== "DELETE")];
}

/** Returns the steps that undo a batch. */
export function reversed(batch: readonly ChangeGroup[]): Change[] {
  const steps = stepsOf(batch).map(({ Action, ResourceRecordSet }): Change => ({
    Action: Action === "DELETE" ? "CREATE" : "DELETE",
    ResourceRecordSet,
  }));
  return steps.toReversed();
}
