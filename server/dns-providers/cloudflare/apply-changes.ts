import { applyToRecords, allOrNone, outcomesFrom, type RecordStore } from "../applying/apply-to-records.ts";
import { inBatches, takeBack } from "../applying/batches.ts";
import { ProviderError, type ChangeOutcome, type RecordChange } from "../provider.ts";
import { refuse, type Result } from "../../platform/result.ts";
import { saysZoneMissing, type Answer, type Batch, type RecordBody, type ServedRecord } from "./client.ts";
import {
  apexCname,
  automaticTtl,
  sharedUnsupported,
  unsupported,
  ownReason,
  again,
  bodyOf,
  notesOf,
  patchOf,
  settingsOf,
} from "./records.ts";
import { recordKey, rrsetKey, type RecordData } from "../../dns/record.ts";

/**
 * Sends a batch, which Cloudflare carries out whole or not at all.
 * @param does the changes that it makes; none if it undoes others.
 * @returns the ids of what it posted. @throws ProviderError
 */
export type SendBatch = (batch: Batch, does: readonly RecordChange[]) => Promise<Answer<string[]>>;

/** Most batches to send. A refused batch changes nothing, so its parts may be tried. */
const mostCalls = 60;

/** Why a zone with a CNAME set-up does not take a record. */
export const servesProxied =
  "serves only proxied records of this zone, which has a CNAME set-up (partial): change the others at its name servers.";

/** What a zone takes, by its plan and its type. */
interface ZoneLimits {
  /** The smallest TTL of its plan. */
  minTtl: number;
  /** Whether its name servers are elsewhere (a CNAME set-up), so that Cloudflare uses only what it proxies. */
  servesProxiedOnly: boolean;
}

/** @param tooLong why RRsets must not grow, by `rrsetKey` */
function storeOf({ minTtl, servesProxiedOnly }: ZoneLimits, tooLong: ReadonlyMap<string, string>): RecordStore {
  return {
    place: "the zone at Cloudflare",
    apexCname,
    refusal(record) {
      const found = unsupported(record);
      if (found !== null) return `Cloudflare ${found.reason}`;
      if (record.ttl < minTtl && record.ttl !== automaticTtl) {
        return `Cloudflare requires a TTL of at least ${minTtl} seconds on this zone's plan.`;
      }
      if (servesProxiedOnly && !record.proxied) {
        return `Cloudflare ${servesProxied}`;
      }
      const reason = tooLong.get(rrsetKey(record));
      return reason === undefined ? null : `Cloudflare ${reason}`;
    },
  };
}

/** Returns the outcomes that the present records already decide, before anything is sent. */
function judge(records: readonly ReadRecord[], changes: readonly RecordChange[], limits: ZoneLimits): ChangeOutcome[] {
  const present = records.map(({ data }) => data);
  const first = applyToRecords(present, changes, storeOf(limits, new Map()));
  const written = new Set(changes.flatMap(({ after }) => (after ? [rrsetKey(after)] : [])));
  const rrsets = Map.groupBy(first.records, rrsetKey);
  const tooLong = new Map(
    [...rrsets].flatMap(([key, rrset]) => {
      const reason = written.has(key) ? sharedUnsupported(rrset) : null;
      return reason === null ? [] : [[key, reason] as const];
    }),
  );
  return tooLong.size === 0 ? first.outcomes : applyToRecords(present, changes, storeOf(limits, tooLong)).outcomes;
}

/**
 * Applies changes in batches. If a batch is refused without naming the change at fault, ever smaller parts are sent to find it.
 * Atomic changes go into one batch if they fit; otherwise batches already made are undone when a later one is refused.
 * @param records the records at the names that the changes touch.
 * @param largest records that a batch may touch.
 * @throws ProviderError with effect `unknown` if it is unknown what was carried out
 */
export async function applyInBatches(
  zone: string,
  records: readonly ReadRecord[],
  changes: readonly RecordChange[],
  { atomic, largest, ...limits }: { atomic: boolean; largest: number } & ZoneLimits,
  send: SendBatch,
): Promise<ChangeOutcome[]> {
  const refused = ownRecords(records, changes);
  const editable = changes.filter((change) => !refused.has(change));
  const outcomes = judge(records, editable, limits);
  for (const [index, change] of editable.entries()) {
    const outcome = outcomes[index];
    if (outcome && !outcome.ok) refused.set(change, outcome.message);
  }
  if (atomic && refused.size > 0) return allOrNone(outcomesFrom(changes, refused));
  const allowed = changes.filter((change) => !refused.has(change));
  const batches = inBatches(stepsFor(zone, records, allowed), (step) => [sizeOf(step)], [largest]);
  const more = atomic ? await sendAtomic(batches, send) : await sendEach(batches, send);
  for (const [change, reason] of more) refused.set(change, reason);
  return outcomesFrom(changes, refused);
}

/** Returns changes to read-only records, with the reason. */
function ownRecords(records: readonly ReadRecord[], changes: readonly RecordChange[]): Map<RecordChange, string> {
  const own = new Map(records.map(({ served, data }) => [recordKey(data), ownReason(served)]));
  return new Map(
    changes.flatMap((change) => {
      const reason = change.before && own.get(recordKey(change.before));
      return typeof reason === "string" ? [[change, `Cloudflare ${reason}`] as const] : [];
    }),
  );
}

type Refused = ReadonlyMap<RecordChange, string>;

function all(steps: Iterable<Step>, message: string): Refused {
  return new Map([...steps].map(({ change }) => [change, message]));
}

function changesOf(steps: readonly Step[]): RecordChange[] {
  return steps.map(({ change }) => change);
}

async function sendAtomic(batches: readonly Step[][], send: SendBatch): Promise<Refused> {
  const undo: Batch[] = [];
  for (const steps of batches) {
    let reason: string;
    try {
      const answer = await send(batchOf(steps), changesOf(steps));
      if (answer.ok) {
        undo.unshift(undoOf(steps, answer.value));
        continue;
      }
      if (undo.length === 0) refuseWithoutZone(answer);
      reason = `Cloudflare refused the change: ${answer.refusal.reason}`;
    } catch (error) {
      if (!(error instanceof ProviderError) || error.effect === "unknown" || undo.length === 0) throw error;
      reason = error.message;
    }
    for (const earlier of undo) await takeBack(() => sendBack(earlier, send), reason);
    return all(batches.flat(), reason);
  }
  return new Map();
}

async function sendBack(batch: Batch, send: SendBatch): Promise<Result<unknown>> {
  const answer = await send(batch, []);
  return answer.ok ? answer : refuse(`Cloudflare: ${answer.refusal.reason}`);
}

async function sendEach(batches: readonly Step[][], send: SendBatch): Promise<Refused> {
  const refused = new Map<RecordChange, string>();
  const waiting = [...batches];
  let made = false;
  for (let calls = 0; ; calls++) {
    const steps = waiting.shift();
    if (!steps) return refused;
    const later = () => [...steps, ...waiting.flat()];
    if (calls >= mostCalls) {
      const message = "Cloudflare refused too many of the changes, so this one was not tried. Send fewer at once.";
      return new Map([...refused, ...all(later(), message)]);
    }
    try {
      const answer = await send(batchOf(steps), changesOf(steps));
      if (answer.ok) {
        made = true;
      } else if (steps.length > 1) {
        const half = Math.ceil(steps.length / 2);
        waiting.unshift(steps.slice(0, half), steps.slice(half));
      } else {
        if (!made) refuseWithoutZone(answer);
        for (const { change } of steps) refused.set(change, `Cloudflare refused the change: ${answer.refusal.reason}`);
      }
    } catch (error) {
      if (!(error instanceof ProviderError) || error.effect === "unknown" || !made) throw error;
      return new Map([...refused, ...all(later(), error.message)]);
    }
  }
}

function refuseWithoutZone({ refusal }: Extract<Answer<unknown>, { ok: false }>): void {
  if (!saysZoneMissing(refusal)) return;
  throw new ProviderError(`Cloudflare no longer has this zone: ${refusal.reason}`, "none", {
    zoneMissing: true,
  });
}

/** A record at Cloudflare, with its canonical form. */
export interface ReadRecord {
  served: ServedRecord;
  data: RecordData;
}

/** The calls that make one change. Deleted records are stored whole, so that they can be recreated. */
interface Step {
  change: RecordChange;
  deletes: ServedRecord[];
  patches: { served: ServedRecord; body: RecordBody }[];
  posts: RecordBody[];
}

/**
 * Returns the changes as steps: deletions first, creations last, so that no part of them leaves a name with records that exclude
 * each other. Pure.
 * @param changes changes that can be made on the records.
 */
function stepsFor(zone: string, records: readonly ReadRecord[], changes: readonly RecordChange[]): Step[] {
  const served = Map.groupBy(records, ({ data }) => recordKey(data));
  const steps = changes.map((change): Step => {
    const { before, after } = change;
    // Cloudflare may hold a text twice, with and without quotes.
    const [first, ...doubles] = before ? (served.get(recordKey(before)) ?? []) : [];
    const [others, step] = [doubles.map((one) => one.served), { change, patches: [], posts: [] }];
    if (!before || !first) return { ...step, deletes: [], posts: after ? [bodyOf(zone, after)] : [] };
    if (!after) return { ...step, deletes: [first.served, ...others] };
    if (staysInPlace(before, after, served)) {
      const patch = { served: first.served, body: patchOf(zone, before, after) };
      return { ...step, deletes: others, patches: [patch] };
    }
    const settings = before.recordType === after.recordType ? settingsOf(first.served) : {};
    const posts = [{ ...bodyOf(zone, after), ...notesOf(first.served), ...settings }];
    return { ...step, deletes: [first.served, ...others], posts };
  });
  alignTtls(records, steps);
  return steps.toSorted((one, other) => rank(one) - rank(other));
}

/**
 * Returns whether a patch suffices. Patches are applied one by one, so a value that another record still has cannot be taken by
 * one.
 */
function staysInPlace(before: RecordData, after: RecordData, served: ReadonlyMap<string, unknown>): boolean {
  if (rrsetKey(before) !== rrsetKey(after)) return false;
  return recordKey(before) === recordKey(after) || !served.has(recordKey(after));
}

/** Gives the new TTL of an RRset to its other records (RFC 2181 §5.2), except proxied ones, whose TTL Cloudflare sets. */
function alignTtls(records: readonly ReadRecord[], steps: readonly Step[]): void {
  const named = new Set(steps.flatMap(({ change }) => (change.before ? [recordKey(change.before)] : [])));
  const left = records.filter(({ served, data }) => {
    return !named.has(recordKey(data)) && !data.proxied && served.meta?.read_only !== true;
  });
  const others = Map.groupBy(left, ({ data }) => rrsetKey(data));
  // The last change to an RRset decides.
  for (const { change, patches } of steps.toReversed()) {
    const { after } = change;
    if (!after || after.proxied) continue;
    for (const { served, data } of others.get(rrsetKey(after)) ?? []) {
      if (data.ttl === after.ttl) continue;
      patches.push({ served, body: { name: served.name, type: served.type, ttl: after.ttl } });
    }
    others.delete(rrsetKey(after));
  }
}

function rank({ deletes, posts, patches }: Step): number {
  if (posts.length === 0 && patches.length === 0) return 0;
  return deletes.length === 0 && patches.length === 0 ? 2 : 1;
}

/** Returns how many records a step touches. */
function sizeOf({ deletes, patches, posts }: Step): number {
  return deletes.length + patches.length + posts.length;
}

function batchOf(steps: readonly Step[]): Batch {
  return {
    deletes: steps.flatMap(({ deletes }) => deletes.map(({ id }) => ({ id }))),
    patches: steps.flatMap(({ patches }) => patches.map(({ served, body }) => ({ id: served.id, ...body }))),
    posts: steps.flatMap(({ posts }) => posts),
  };
}

/**
 * Returns the batch that undoes a batch, and nothing else: fields that a patch left alone, such as comments, may have changed
 * since.
 * @param posted ids of what it posted.
 */
function undoOf(steps: readonly Step[], posted: readonly string[]): Batch {
  return {
    deletes: posted.map((id) => ({ id })),
    patches: steps.flatMap(({ patches }) =>
      patches.map(({ served, body }) => ({ id: served.id, ...before(served, body) })),
    ),
    posts: steps.flatMap(({ deletes }) => deletes.map((served) => again(served))),
  };
}

/**
 * Returns the previous values of a patch's fields. Content, data and priority belong together, because a record may be shown
 * without some of them.
 */
function before(served: ServedRecord, patch: RecordBody): RecordBody {
  const { name, type, ttl, ...others } = again(served);
  const isRewritten = "content" in patch || "data" in patch;
  const touched = Object.entries(others).filter(([field]) => (valueFields.has(field) ? isRewritten : field in patch));
  return { name, type, ttl, ...Object.fromEntries(touched) };
}

const valueFields = new Set(["content", "data", "priority"]);
