import { absoluteName } from "../names/names.ts";
import type { RecordData } from "../record.ts";

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
