import { ProviderError, type BeforeCall, type ChangeOutcome, type RecordChange } from "../provider.ts";
import { notDone, outcomesFrom, recordsOf, touchedNames } from "../applying/apply-to-records.ts";
import type { BatchAnswer, Refusal, Route53Api } from "./client.ts";
import type { Change, ResourceRecordSet } from "@aws-sdk/client-route-53";
import { recordKey, rrsetKey, type RecordData } from "../../dns/record.ts";
import { inBatches, connectedComponents, takeBack } from "../applying/batches.ts";
import { dnsName } from "./hosted-zones.ts";
import { type ServedRrset, printValue, readValue } from "./rrsets.ts";

/** Sends groups of changes to a hosted zone and records which ones Route 53 refuses. */
export class Sending {
  readonly #api: Route53Api;
  readonly #zoneId: string;
  readonly #beforeCall: BeforeCall;
  readonly #refusals = new Map<RecordChange, string>();
  readonly changeIds: string[] = [];

  constructor(api: Route53Api, zoneId: string, beforeCall: BeforeCall) {
    this.#api = api;
    this.#zoneId = zoneId;
    this.#beforeCall = beforeCall;
  }

  /** Returns the outcomes of changes that were sent; a change that was not refused was made. */
  outcomesOf(changes: readonly RecordChange[]): ChangeOutcome[] {
    return outcomesFrom(changes, this.#refusals);
  }

  /**
   * Sends each group on its own. Batches are refused whole, so the group at fault is left out and the rest sent again. @throws
   * ProviderError
   */
  async sendEach(groups: readonly ChangeGroup[]): Promise<void> {
    for (const group of groups.filter(isTooLarge)) this.#refuse([group], tooLarge(this.#api));
    const queue = batchesOf(groups.filter((group) => !isTooLarge(group) && group.steps.length > 0));
    let sent = false;
    for (let batch = queue.shift(); batch; batch = queue.shift()) {
      try {
        const answer = await this.#send(batch);
        if (answer.ok) sent = true;
        else queue.unshift(...this.#refusePart(batch, answer));
      } catch (error) {
        if (!(error instanceof ProviderError) || error.effect !== "none" || !sent) throw error;
        // Earlier batches stand; the rest was not made.
        this.#refuse([batch, ...queue].flat(), error.message);
        return;
      }
    }
  }

  /** Refuses the groups that a refusal names. @returns the batches to send again; the halves of the batch if none is named. */
  #refusePart(batch: readonly ChangeGroup[], refused: Refusal): ChangeGroup[][] {
    const named = batch.length === 1 ? batch : batch.filter((group) => isNamed(group, refused));
    this.#refuse(named, reasonOf(this.#api, refused));
    const rest = batch.filter((group) => !named.includes(group));
    const middle = named.length > 0 ? 0 : rest.length / 2;
    return [rest.slice(0, middle), rest.slice(middle)].filter((part) => part.length > 0);
  }

  /**
   * Sends all groups or none: if they need several batches, earlier ones are undone when a later one is refused. @throws
   * ProviderError
   */
  async sendAtomic(groups: readonly ChangeGroup[]): Promise<void> {
    const large = groups.filter(isTooLarge);
    if (large.length > 0) {
      this.#refuseAtomic(groups, large, tooLarge(this.#api));
      return;
    }
    const batches = batchesOf(groups.filter(({ steps }) => steps.length > 0));
    for (const [index, batch] of batches.entries()) {
      const done = batches.slice(0, index);
      const answer = await this.#change(batch, done);
      if (answer.ok) continue;
      const reason = reasonOf(this.#api, answer);
      await this.#takeBack(done, reason);
      const named = batch.filter((group) => isNamed(group, answer));
      this.#refuseAtomic(groups, named.length > 0 ? named : batch, reason);
      return;
    }
  }

  async #send(batch: readonly ChangeGroup[]): Promise<BatchAnswer> {
    await this.#beforeCall(batch.flatMap(({ changes }) => changes));
    const answer = await this.#api.change(this.#zoneId, stepsOf(batch));
    if (answer.ok && answer.id !== undefined) this.changeIds.push(answer.id);
    return answer;
  }

  async #sendBack(batch: readonly ChangeGroup[]): Promise<BatchAnswer> {
    await this.#beforeCall([]);
    return await this.#api.change(this.#zoneId, reversed(batch));
  }

  /** Sends one more batch of a set. If it certainly was not made, earlier batches are undone. @throws ProviderError */
  async #change(batch: readonly ChangeGroup[], done: readonly ChangeGroup[][]): Promise<BatchAnswer> {
    try {
      return await this.#send(batch);
    } catch (error) {
      if (error instanceof ProviderError && error.effect === "none") await this.#takeBack(done, error.message);
      throw error;
    }
  }

  async #takeBack(done: readonly ChangeGroup[][], reason: string): Promise<void> {
    for (const batch of done.toReversed()) await takeBack(() => this.#sendBack(batch), reason);
  }

  #refuse(groups: readonly ChangeGroup[], message: string): void {
    for (const change of groups.flatMap(({ changes }) => changes)) this.#refusals.set(change, message);
  }

  #refuseAtomic(groups: readonly ChangeGroup[], atFault: readonly ChangeGroup[], reason: string): void {
    this.#refuse(groups, notDone(reason));
    this.#refuse(atFault, reason);
  }
}

function isNamed(group: ChangeGroup, { names }: Refusal): boolean {
  return [...group.names].some((name) => names.has(name));
}

function reasonOf({ name }: Route53Api, { message }: Refusal): string {
  const elsewhere = /do not match the current values|was not found|already exists/.test(message);
  const advice = elsewhere ? " Someone else changed the record there; sync the zone first." : "";
  return `${name} refused the change: ${message}${advice}`;
}

function tooLarge({ name }: Route53Api): string {
  return `${name} accepts at most 1,000 records and 32,000 characters per call, and this change to one name needs more. Change fewer of its records at once.`;
}

/** Changes that share a name and are made whole or not at all, and their steps at Route 53. */
interface ChangeGroup {
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
function batchesOf(groups: readonly ChangeGroup[]): ChangeGroup[][] {
  return inBatches(groups, sizesOf, mostInBatch);
}

/** Returns whether a group exceeds the limits of a batch. */
function isTooLarge(group: ChangeGroup): boolean {
  return sizesOf(group).some((size, measure) => size > (mostInBatch[measure] ?? 0));
}

/** Returns a group's size in the measures of `mostInBatch`. */
function sizesOf({ steps }: ChangeGroup): number[] {
  const values = steps.flatMap(({ ResourceRecordSet: set }) => set?.ResourceRecords ?? []);
  return [values.length, values.reduce((sum, { Value }) => sum + (Value?.length ?? 0), 0)];
}

/** Returns the steps of a batch: all deletions, then all creations. */
function stepsOf(batch: readonly ChangeGroup[]): Change[] {
  const steps = batch.flatMap((group) => group.steps);
  return [...steps.filter(({ Action }) => Action === "DELETE"), ...steps.filter(({ Action }) => Action !== "DELETE")];
}

/** Returns the steps that undo a batch. */
function reversed(batch: readonly ChangeGroup[]): Change[] {
  const steps = stepsOf(batch).map(({ Action, ResourceRecordSet }): Change => ({
    Action: Action === "DELETE" ? "CREATE" : "DELETE",
    ResourceRecordSet,
  }));
  return steps.toReversed();
}
