import { applyToRecords, allOrNone, outcomesFrom, type RecordStore } from "../applying/apply-to-records.ts";
import { inBatches } from "../applying/batches.ts";
import { ProviderError, type ChangeOutcome, type RecordChange } from "../provider.ts";
import { takeBack } from "../applying/undo-applied.ts";
import { refuse, type Result } from "../../platform/result.ts";
import type { Batch } from "./api.ts";
import { saysZoneMissing, type Answer } from "./client.ts";
import { apexCname, automaticTtl, sharedUnsupported, unsupported, ownReason } from "./records.ts";
import { batchOf, sizeOf, stepsFor, undoOf, type ReadRecord, type Step } from "./steps.ts";
import { recordKey, rrsetKey } from "../../dns/record.ts";

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
