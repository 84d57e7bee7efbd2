import { recordKey, rrsetKey, type RecordData } from "../../dns/record.ts";
import type { RecordChange } from "../provider.ts";
import type { Batch, RecordBody, ServedRecord } from "./api.ts";
import { again, bodyOf, notesOf, patchOf, settingsOf } from "./record-body.ts";

/** A served record with what it says in our words. */
export interface ReadRecord {
  served: ServedRecord;
  data: RecordData;
}

/** What one change is at Cloudflare. Records that go are kept in whole, to be brought back if need be. */
export interface Step {
  change: RecordChange;
  deletes: ServedRecord[];
  patches: { served: ServedRecord; body: RecordBody }[];
  posts: RecordBody[];
}

/**
 * The changes as steps: those that only take away first, those that only bring last, so that whatever part of them is carried out leaves
 * no name with records that exclude each other. Pure.
 * @param changes that can be carried out on the records.
 */
export function stepsFor(zone: string, records: readonly ReadRecord[], changes: readonly RecordChange[]): Step[] {
  const served = Map.groupBy(records, ({ data }) => recordKey(data));
  const steps = changes.map((change): Step => {
    const { before, after } = change;
    // A text may be there twice, with quotes and without.
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

/** Whether a patch does it. Patches come one by one, so that a place which another record still has cannot be taken by one. */
function staysInPlace(before: RecordData, after: RecordData, served: ReadonlyMap<string, unknown>): boolean {
  if (rrsetKey(before) !== rrsetKey(after)) return false;
  return recordKey(before) === recordKey(after) || !served.has(recordKey(after));
}

/** Records of an RRset that no change names take over its new TTL (RFC 2181 §5.2); that of proxied ones is Cloudflare's. */
function alignTtls(records: readonly ReadRecord[], steps: readonly Step[]): void {
  const named = new Set(steps.flatMap(({ change }) => (change.before ? [recordKey(change.before)] : [])));
  const left = records.filter(({ served, data }) => {
    return !named.has(recordKey(data)) && !data.proxied && served.meta?.read_only !== true;
  });
  const others = Map.groupBy(left, ({ data }) => rrsetKey(data));
  // The last that writes to an RRset says.
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

/** How many records a step touches. */
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
 * What takes a batch back that was carried out, and no more: fields that a patch left alone, such as comments, may be other ones by now.
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

/** What the fields of a patch were. Those of the value belong together: a record may have been shown without its parts. */
function before(served: ServedRecord, patch: RecordBody): RecordBody {
  const { name, type, ttl, ...others } = again(served);
  const isRewritten = "content" in patch || "data" in patch;
  const touched = Object.entries(others).filter(([field]) => (valueFields.has(field) ? isRewritten : field in patch));
  return { name, type, ttl, ...Object.fromEntries(touched) };
}

const valueFields = new Set(["content", "data", "priority"]);
