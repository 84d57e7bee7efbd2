import { isApexNs, isEditableType } from "../../dns/record.ts";
import { typeNumber } from "../../dns/zone-file/type-names.ts";
import { classes, types, wireRecord } from "./messages.ts";

interface WireValue {
  ttl: number;
  rdata: Buffer;
}

/** What one RRset is, and what it is to become. */
export interface RrsetStep {
  /** Relative to the zone. */
  name: string;
  /** The same, absolute and on the wire. */
  owner: Buffer;
  recordType: string;
  type: number;
  before: WireValue[];
  after: WireValue[];
  /** Whether the server signs the zone, so that signatures lie at the name. */
  signed: boolean;
}

/** Types that somebody may add to a name by hand while a CNAME is put there. */
const besideTypes = ["A", "AAAA", "NS", "MX", "TXT", "SRV", "CAA", "PTR", "DNAME", "HTTPS", "SVCB", "TLSA", "SSHFP"];

/**
 * What must hold before the steps are taken (RFC 2136 §2.4): each RRset is exactly as it was read, and nothing has come that the server
 * would let a CNAME, or the absence of one, win over (§3.4.2.2).
 * @param exact false: RRsets must merely exist.
 */
export function prerequisitesOf(
  steps: readonly RrsetStep[],
  inUse: (name: string) => boolean,
  exact: boolean,
): Buffer[] {
  const told = new Set(steps.map(({ name, type }) => `${name} ${type}`));
  return steps.flatMap((step) => {
    const { name, owner, type, before, after } = step;
    const own =
      before.length === 0
        ? [absent(owner, type)]
        : exact
          ? before.map(({ rdata }) => wireRecord(owner, type, classes.in, 0, rdata))
          : [wireRecord(owner, type, classes.any, 0, null)];
    if (after.length === 0 || before.length > 0) return own;
    if (type !== types.cname) {
      if (told.has(`${name} ${types.cname}`)) return own;
      told.add(`${name} ${types.cname}`);
      return [...own, absent(owner, types.cname)];
    }
    if (!inUse(name)) return [absent(owner, types.any)];
    const others = besideTypes.map((other) => typeNumber(other) ?? 0).filter((other) => !told.has(`${name} ${other}`));
    return [...own, ...others.map((other) => absent(owner, other))];
  });
}

/**
 * The updates of the steps (RFC 2136 §2.5): what goes, goes first, except at the apex, where a name server must stay.
 * @param exact whether the prerequisites tell every record, so that an RRset may be replaced as a whole.
 */
export function updatesOf(steps: readonly RrsetStep[], exact: boolean): Buffer[] {
  const apexNs = steps.filter(isApexNs);
  const others = steps.filter((step) => !isApexNs(step));
  const whole = others.filter((step) => exact && isReplaced(step));
  const single = others.filter((step) => !whole.includes(step));
  const cleared = others.filter((step) => isCleared(step, steps));
  return [
    ...cleared.map(({ owner }) => wireRecord(owner, types.any, classes.any, 0, null)),
    ...whole.map(({ owner, type }) => wireRecord(owner, type, classes.any, 0, null)),
    ...single.flatMap(deletions),
    ...apexNs.flatMap(additions),
    ...apexNs.flatMap(deletions),
    ...whole.flatMap(replacement),
    ...single.flatMap(additions),
  ];
}

/**
 * Whether the name is emptied before a CNAME comes to it, its signatures and NSEC too (RFC 2136 §2.5.3): Knot ignores a CNAME where anything
 * else is, and BIND lets nobody name these.
 */
function isCleared({ name, type, before, after, signed }: RrsetStep, steps: readonly RrsetStep[]): boolean {
  if (!signed || type !== types.cname || before.length > 0 || after.length === 0) return false;
  return steps.some((other) => other.name === name && other.before.length > 0);
}

/**
 * Whether the RRset is deleted as a whole: one that goes, and one of a type that is kept. PowerDNS does not find single records of such
 * types to delete (HTTPS, SVCB, NAPTR), and says that it did.
 */
function isReplaced({ recordType, before, after }: RrsetStep): boolean {
  if (before.length === 0) return false;
  return after.length === 0 || (!isEditableType(recordType) && !sameValues(before, after));
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

/** What goes; all of it where the TTL changes, because some servers keep the TTL of an RRset that they have (RFC 2181 §5.2). */
function deletions(step: RrsetStep): Buffer[] {
  const { owner, type, before, after } = step;
  // One CNAME takes the place of another by itself (RFC 2136 §3.4.2.2).
  if (type === types.cname && after.length > 0) return [];
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

/** The TTL that the RRset is to have, where it had another; the last change counts. */
function newTtl({ before, after }: RrsetStep): number | null {
  const changed = after.findLast(
    (value) => !before.some(({ rdata, ttl }) => ttl === value.ttl && rdata.equals(value.rdata)),
  );
  if (changed === undefined || before.length === 0) return null;
  return before.every(({ ttl }) => ttl === changed.ttl) ? null : changed.ttl;
}

/** What holds once the step is taken: the RRset is exactly as it was to become. For an update that asks and changes nothing. */
export function resultOf({ owner, type, after }: RrsetStep): Buffer[] {
  return after.length === 0
    ? [absent(owner, type)]
    : after.map(({ rdata }) => wireRecord(owner, type, classes.in, 0, rdata));
}

/** There is no such RRset, or with type ANY no such name (RFC 2136 §2.4.3, §2.4.5). */
function absent(owner: Buffer, type: number): Buffer {
  return wireRecord(owner, type, classes.none, 0, null);
}
