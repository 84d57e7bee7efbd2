import { absoluteName } from "../names/names.ts";
import type { RecordData } from "../record.ts";

/** What a PTR record points to. `holds`: a managed name that resolves to the address. `stale`: a managed name that does not. */
export type PointerState = "holds" | "stale" | "foreign";

/** The PTR records of one address, and what happened to the address. */
interface Pointed<Pointer extends { value: string }> {
  pointers: readonly Pointer[];
  stateOf: (target: string) => PointerState;
  /** Names that received the address and still resolve to it. */
  gained: readonly string[];
  /** Names that lost the address. */
  lost: readonly string[];
}

export interface PointerChanges<Pointer> {
  /** The name that a new PTR record points to; null for none. */
  create: string | null;
  update: { pointer: Pointer; target: string } | null;
  deletes: Pointer[];
  /** A PTR record that stays although a name received the address, because what it points to is managed elsewhere; null for none. */
  foreign: Pointer | null;
}

/**
 * Decides how the PTR records of an address follow a change of its names. A PTR stays while it points to a name that resolves to the address,
 * or to a name that is managed elsewhere. A stale one is replaced by a name that received the address, or deleted if its own name lost it.
 * Applying the decision and deciding again changes nothing.
 */
export function followAddress<Pointer extends { value: string }>({
  pointers,
  stateOf,
  gained,
  lost,
}: Pointed<Pointer>): PointerChanges<Pointer> {
  const stands = new Map(pointers.map((pointer) => [pointer, stateOf(pointer.value)]));
  const having = (wanted: PointerState) => pointers.filter((pointer) => stands.get(pointer) === wanted);
  const [target] = gained;
  const isLost = ({ value }: Pointer) => lost.includes(value);
  const stale = having("stale");
  const [foreign = null] = having("foreign");
  if (target === undefined || having("holds").length > 0 || foreign !== null) {
    return {
      create: null,
      update: null,
      deletes: stale.filter(isLost),
      foreign: target === undefined || having("holds").length > 0 ? null : foreign,
    };
  }
  // The record of a name that lost the address keeps its identity.
  const [first, ...others] = [...stale.filter(isLost), ...stale.filter((pointer) => !isLost(pointer))];
  if (!first) return { create: target, update: null, deletes: [], foreign: null };
  return { create: null, update: { pointer: first, target }, deletes: others, foreign: null };
}

/** An address that names of a zone received or lost. */
export interface TouchedAddress {
  /** The canonical value of the A or AAAA records. */
  address: string;
  /** Full names, in the order of the changes. */
  gained: string[];
  lost: string[];
  /** Those that received it as written, where they have capitals. */
  written?: Record<string, string> | undefined;
  /** Names that kept it and are written in another case now. */
  respelled?: string[] | undefined;
}

type What = "gained" | "lost" | "respelled";
type Seen = Pick<RecordData, "recordType" | "name" | "writtenName" | "value" | "proxied"> & { status?: string };

/**
 * Returns the address that a record gives to its name; null for none. Wildcards stand for no name, a disabled record is not in use, and
 * the proxy answers for a proxied one.
 */
export function addressGiven({ recordType, name, value, proxied, status = "active" }: Seen): string | null {
  if (recordType !== "A" && recordType !== "AAAA") return null;
  if (proxied || status !== "active" || name === "*" || name.startsWith("*.")) return null;
  return value;
}

/** Returns the addresses that changes give to names of a zone or take away from them. */
export function touchedAddresses(
  zone: string,
  changes: readonly { before: Seen | null; after: Seen | null }[],
): TouchedAddress[] {
  const touched = new Map<string, Record<What, Set<string>> & { written: Map<string, string> }>();
  const note = (address: string, record: Seen, what: What) => {
    const none = { gained: new Set<string>(), lost: new Set<string>(), respelled: new Set<string>() };
    const known = touched.get(address) ?? { ...none, written: new Map<string, string>() };
    const { name, writtenName } = record;
    known[what].add(absoluteName(name, zone));
    if (writtenName !== undefined) known.written.set(absoluteName(name, zone), absoluteName(writtenName, zone));
    touched.set(address, known);
  };
  for (const { before, after } of changes) {
    const [old, now] = [before && addressGiven(before), after && addressGiven(after)];
    if (before && after && old === now && before.name === after.name) {
      if (now !== null && before.writtenName !== after.writtenName) note(now, after, "respelled");
      continue;
    }
    if (before && old !== null) note(old, before, "lost");
    if (after && now !== null) note(now, after, "gained");
  }
  return [...touched].map(([address, { gained, lost, respelled, written }]) => ({
    address,
    gained: [...gained],
    lost: [...lost],
    written: written.size === 0 ? undefined : Object.fromEntries(written),
    respelled: respelled.size === 0 ? undefined : [...respelled],
  }));
}
