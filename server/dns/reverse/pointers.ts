/** What a PTR record points to. `holds`: a managed name that resolves to the address. `stale`: a managed name that does not. */
export type PointerState = "holds" | "stale" | "foreign";

/** The PTR records of one address, and what happened to the address. */
export interface Pointed<Pointer extends { value: string }> {
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
