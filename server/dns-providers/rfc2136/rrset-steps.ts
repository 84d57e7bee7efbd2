import { isApexNs, isCommonType } from "../../dns/record.ts";
import { typeNumber, types } from "../../dns/zone-file/type-names.ts";
import { classes, wireRecord } from "../../dns/wire/messages.ts";

interface WireValue {
  ttl: number;
  rdata: Buffer;
}

/** An RRset before and after a change. */
export interface RrsetStep {
  /** Relative to the zone. */
  name: string;
  /** The absolute name in wire format. */
  owner: Buffer;
  recordType: string;
  type: number;
  before: WireValue[];
  after: WireValue[];
  /** Whether the server signs the zone, so that the name has signatures. */
  signed: boolean;
}

/** Types that somebody may add to a name while a CNAME is created there. */
const besideTypes = ["A", "AAAA", "NS", "MX", "TXT", "SRV", "CAA", "PTR", "DNAME", "HTTPS", "SVCB", "TLSA", "SSHFP"];

/**
 * Returns the prerequisites of the steps (RFC 2136 §2.4): each RRset is exactly as read, and nothing was added that makes the
 * server ignore a CNAME, or anything beside one (§3.4.2.2).
 * @param exact false: RRsets must merely exist.
 */
export function prerequisitesOf(
  steps: readonly RrsetStep[],
  inUse: (name: string) => boolean,
  exact: boolean,
): Buffer[] {
  const checked = new Set(steps.map(({ name, type }) => `${name} ${type}`));
  return steps.flatMap((step) => {
    const { name, owner, type, before, after } = step;
    const own =
      before.length === 0
        ? [absent(owner, type)]
        : exact
          ? before.map(({ rdata }) => wireRecord(owner, type, classes.in, 0, rdata))
          : [wireRecord(owner, type, classes.any, 0, null)];
    if (after.length === 0 || before.length > 0) return own;
    if (type !== types.CNAME) {
      if (checked.has(`${name} ${types.CNAME}`)) return own;
      checked.add(`${name} ${types.CNAME}`);
      return [...own, absent(owner, types.CNAME)];
    }
    if (!inUse(name)) return [absent(owner, types.ANY)];
    const others = besideTypes
      .map((other) => typeNumber(other) ?? 0)
      .filter((other) => !checked.has(`${name} ${other}`));
    return [...own, ...others.map((other) => absent(owner, other))];
  });
}

/**
 * Returns the updates of the steps (RFC 2136 §2.5): deletions first, except at the apex, where a name server must remain.
 * @param exact whether the prerequisites cover every record, so that an RRset may be replaced as a whole.
 */
export function updatesOf(steps: readonly RrsetStep[], exact: boolean): Buffer[] {
  const apexNs = steps.filter(isApexNs);
  const others = steps.filter((step) => !isApexNs(step));
  const whole = others.filter((step) => exact && isReplaced(step));
  const single = others.filter((step) => !whole.includes(step));
  const cleared = others.filter((step) => isCleared(step, steps));
  return [
    ...cleared.map(({ owner }) => wireRecord(owner, types.ANY, classes.any, 0, null)),
    ...whole.map(({ owner, type }) => wireRecord(owner, type, classes.any, 0, null)),
    ...single.flatMap(deletions),
    ...apexNs.flatMap(additions),
    ...apexNs.flatMap(deletions),
    ...whole.flatMap(replacement),
    ...single.flatMap(additions),
  ];
}

/**
 * Returns whether a name is emptied before a CNAME is created, with its signatures and NSEC (RFC 2136 §2.5.3): Knot ignores a CNAME
 * beside other records, and BIND does not let anyone delete these by name.
 */
function isCleared({ name, type, before, after, signed }: RrsetStep, steps: readonly RrsetStep[]): boolean {
  if (!signed || type !== types.CNAME || before.length > 0 || after.length === 0) return false;
  return steps.some((other) => other.name === name && other.before.length > 0);
}

/**
 * Returns whether an RRset is deleted as a whole: if it disappears, or has a type that is stored as is. PowerDNS does not find
 * single records of such types to delete (HTTPS, SVCB, NAPTR), yet reports success.
 */
function isReplaced({ recordType, before, after }: RrsetStep): boolean {
  if (before.length === 0) return false;
  return after.length === 0 || (!isCommonType(recordType) && !sameValues(before, after));
}

function sameValues(one: readonly WireValue[], other: readonly WireValue[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ ttl, rdata }) => other.some((value) => value.ttl === ttl && value.rdata.equals(rdata)))
  );
}

function replacement(step: RrsetStep): Buffer[] {
  const { owner, type, after } = step;
  const ttl = newTtl(step);
  return after.map((value) => wireRecord(owner, type, classes.in, ttl ?? value.ttl, value.rdata));
}

/**
 * Returns the deletions; of the whole RRset if its TTL changes, because some servers keep the TTL of an existing RRset (RFC 2181
 * §5.2).
 */
function deletions(step: RrsetStep): Buffer[] {
  const { owner, type, before, after } = step;
  // A CNAME replaces another by itself (RFC 2136 §3.4.2.2).
  if (type === types.CNAME && after.length > 0) return [];
  const staying = isApexNs(step) || newTtl(step) === null ? after : [];
  return before
    .filter(({ rdata }) => !staying.some((value) => value.rdata.equals(rdata)))
    .map(({ rdata }) => wireRecord(owner, type, classes.none, 0, rdata));
}

function additions(step: RrsetStep): Buffer[] {
  const { owner, type, before, after } = step;
  const ttl = newTtl(step);
  return after
    .filter(({ rdata }) => ttl !== null || !before.some((value) => value.rdata.equals(rdata)))
    .map((value) => wireRecord(owner, type, classes.in, ttl ?? value.ttl, value.rdata));
}

/** Returns the new TTL of an RRset if it changes; the last change decides. */
function newTtl({ before, after }: RrsetStep): number | null {
  const changed = after.findLast(
    (value) => !before.some(({ rdata, ttl }) => ttl === value.ttl && rdata.equals(value.rdata)),
  );
  if (changed === undefined || before.length === 0) return null;
  return before.every(({ ttl }) => ttl === changed.ttl) ? null : changed.ttl;
}

/** Returns prerequisites that hold once the step is made: the RRset is exactly as intended. For an update that only checks. */
export function resultOf({ owner, type, after }: RrsetStep): Buffer[] {
  return after.length === 0
    ? [absent(owner, type)]
    : after.map(({ rdata }) => wireRecord(owner, type, classes.in, 0, rdata));
}

/** Requires that an RRset does not exist; with type ANY, that the name does not (RFC 2136 §2.4.3, §2.4.5). */
function absent(owner: Buffer, type: number): Buffer {
  return wireRecord(owner, type, classes.none, 0, null);
}
