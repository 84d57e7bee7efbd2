import { recordKey, rrsetKey, type RecordData } from "../../dns/record.ts";
import type { RecordChange } from "../provider.ts";
import type { Batch, RecordBody, ServedRecord } from "./api.ts";
import { again, bodyOf, notesOf, patchOf, settingsOf } from "./records.ts";

/** A record at Cloudflare, with its canonical form. */
export interface ReadRecord {
  served: ServedRecord;
  data: RecordData;
}

/** The calls that make one change. Deleted records are stored whole, so that they can be recreated. */
export interface Step {
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
export function stepsFor(zone: string, records: readonly ReadRecord[], changes: readonly RecordChange[]): Step[] {
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
export function sizeOf({ deletes, patches, posts }: Step): number {
  return deletes.length + patches.length + posts.length;
}

export function batchOf(steps: readonly Step[]): Batch {
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
export function undoOf(steps: readonly Step[], posted: readonly string[]): Batch {
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
