import { absoluteName, withEscapes } from "../../dns/names/names.ts";
import {
  isApexNs,
  nameOf,
  proxiedLike,
  spellingOf,
  valueOf,
  recordKey,
  rrsetKey,
  textKey,
  type LiveRecord,
  type Spelling,
  type RecordData,
} from "../../dns/record.ts";
import { isServerManaged, isWritableType } from "../../dns/zone-file/type-names.ts";
import { rcodes } from "../../dns/wire/messages.ts";
import { serialDistance } from "../../dns/wire/serials.ts";
import type { Prerequisite, UpdateOperation, UpdateRecord } from "../../dns/wire/updates.ts";
import { badField } from "../../platform/errors.ts";
import { flatMapped, grouped, type Steps } from "../../platform/slices.ts";
import type { Edit } from "../../zones/records/editing/edits.ts";

/** The zone as the operations find it. */
interface UpdatedZone {
  /** Canonical. */
  name: string;
  /** All live records of the names that the operations name. */
  present: readonly LiveRecord[];
  /** Whether its name server signs it, and maintains the records for that. */
  signed: boolean;
  /** Null if no operation names the apex, where the SOA is. */
  serial: number | null;
}

/** A record while the operations are carried out. */
interface Entry extends PresentRecord, Spelling {
  /** At first: see `ZoneName.#ttlOf`. */
  ttl: number;
  proxied: boolean;
  /** The stored record; null for a new one. */
  before: LiveRecord | null;
}

/**
 * Returns the edits that carry out an update's operations in order (RFC 2136 §3.4.2). What the section has servers ignore, such as deleting
 * the SOA or adding a record beside a CNAME, is left out, and so is what changes nothing. The work is linear.
 * @throws AppError BAD_REQUEST for an SOA with a newer serial
 */
export function* editsFor(operations: readonly UpdateOperation[], zone: UpdatedZone): Steps<Edit[]> {
  const stored = yield* grouped(zone.present, ({ name, recordType }) =>
    recordType === "SOA" || (zone.signed && isServerManaged({ name, recordType })) ? undefined : name,
  );
  const names = new Map<string, ZoneName>();
  for (const operation of operations) {
    const name = "record" in operation ? operation.record.name : operation.name;
    let at = names.get(name);
    if (!at) {
      at = new ZoneName(name);
      names.set(name, at);
      yield* at.store(stored.get(name) ?? []);
    }
    if (operation.kind === "deleteRecord") at.deleteRecord(operation.record);
    else if (operation.kind === "deleteRrset") at.deleteRrset(operation.recordType);
    else if (operation.kind === "deleteName") at.deleteAll();
    else if (operation.record.recordType === "SOA") refuseNewer(operation.record, zone.serial);
    else at.add(operation.record);
    yield;
  }
  const edits: Edit[] = [];
  for (const name of names.values()) yield* name.addEdits(edits, zone.name);
  return edits;
}

/** The records of one name, as operations change them. */
class ZoneName {
  readonly #name: string;
  readonly #stored = new Entries();
  readonly #entries = new Entries();
  /** The TTLs that operations have set. */
  readonly #ttls = new Map<string, number>();

  constructor(name: string) {
    this.#name = name;
  }

  *store(records: readonly LiveRecord[]): Steps<void> {
    for (const record of records) {
      const entry = entryOf(record);
      this.#stored.add(entry);
      this.#entries.add(entry);
      yield;
    }
  }

  add(record: UpdateRecord): void {
    const isCname = record.recordType === "CNAME";
    const cnames = this.#entries.ofType("CNAME");
    // Nothing may be beside a CNAME, and the apex always has the SOA.
    const clashes = isCname ? this.#name === "@" || this.#entries.size > cnames.size : cnames.size > 0;
    if (clashes) return;
    const same = this.#entries.find(record);
    if (isCname) for (const other of cnames) if (other !== same) this.#entries.delete(other);
    if (same && this.#ttlOf(same) === record.ttl) return;
    const before = this.#stored.find(record)?.before ?? null;
    const entry = same ?? { ...record, proxied: before?.proxied ?? false, before };
    if (!same) this.#entries.add(entry);
    // An RRset has one TTL (RFC 2181 §5.2): the newest.
    this.#ttls.set(ttlGroup(entry), record.ttl);
  }

  /** Returns the TTL that an entry has now. Each that was added has set that of its RRset. */
  #ttlOf(entry: Entry): number {
    return this.#ttls.get(ttlGroup(entry)) ?? entry.ttl;
  }

  deleteRecord(record: UpdateRecord): void {
    const isLastNameServer = isApexNs(record) && this.#entries.ofType("NS").size === 1;
    if (!isLastNameServer) for (const entry of this.#entries.allOf(record)) this.#entries.delete(entry);
  }

  deleteRrset(recordType: string): void {
    if (isApexNs({ name: this.#name, recordType })) return;
    for (const entry of this.#entries.ofType(recordType)) this.#entries.delete(entry);
  }

  deleteAll(): void {
    for (const recordType of this.#entries.types()) this.deleteRrset(recordType);
  }

  /** Adds the edits. A record whose value is replaced stays that record, with its notes and its proxy. */
  *addEdits(edits: Edit[], zone: string): Steps<void> {
    // A relative name that ends in the zone's name would be taken for another one.
    const absolute = (entry: Entry) => `${withEscapes(absoluteName(nameOf(entry), zone))}.`;
    const { staying, coming } = yield* this.#matched();
    for (const { before } of this.#stored) {
      yield;
      if (!before) continue;
      const entry = staying.get(before.id);
      if (!entry) {
        edits.push({ action: "delete", recordId: before.id });
        continue;
      }
      const { strings } = entry;
      const [value, ttl] = [valueOf(entry), this.#ttlOf(entry)];
      const patch = {
        ...(ttl === before.ttl ? {} : { ttl }),
        // Deleted and added again in another case: RFC 2136 §3.4.2.2 ignores only what is added beside it.
        ...(nameOf(entry) === nameOf(before) ? {} : { name: absolute(entry) }),
        ...(entry.before === null ? { value, strings } : value === valueOf(before) ? {} : { value }),
      };
      if (Object.keys(patch).length > 0)
        edits.push({ action: "update", recordId: before.id, patch: { door: "dns", ...patch } });
    }
    const present = yield* flatMapped(this.#stored, ({ before }) => (before ? [before] : []));
    const proxied = new Map<string, boolean>();
    for (const entry of coming) {
      yield;
      const { recordType, strings } = entry;
      const split = strings === null ? {} : { strings };
      const isProxied = proxied.get(recordType) ?? proxiedLike(recordType, present);
      proxied.set(recordType, isProxied);
      const input = { recordType, name: absolute(entry), value: valueOf(entry), ...split, ttl: this.#ttlOf(entry) };
      edits.push({ action: "create", input: { door: "dns", ...input, ...(isProxied && { proxied: true }) } });
    }
  }

  /** Returns what each stored record becomes, by id, and what is new beside them. What a proxy hid is replaced first. */
  *#matched(): Steps<{ staying: Map<string, Entry>; coming: Set<Entry> }> {
    const staying = new Map<string, Entry>();
    const coming = new Set<Entry>();
    for (const entry of this.#entries) {
      if (entry.before) staying.set(entry.before.id, entry);
      else coming.add(entry);
      yield;
    }
    const ofType = yield* grouped(coming, ({ recordType }) => recordType);
    const left = new Map([...ofType].map(([recordType, some]) => [recordType, some.values()]));
    for (const isHidden of [true, false]) {
      for (const { before } of this.#stored) {
        yield;
        if (!before || before.proxied !== isHidden || staying.has(before.id)) continue;
        const entry = left.get(before.recordType)?.next().value;
        if (!entry) continue;
        staying.set(before.id, entry);
        coming.delete(entry);
      }
    }
    return { staying, coming };
  }
}

/** Entries in the order in which they were added, found by type and by content without a look at the others. */
class Entries implements Iterable<Entry> {
  readonly #all = new Set<Entry>();
  readonly #ofType = new Map<string, Set<Entry>>();
  readonly #ofContent = new Map<string, Set<Entry>>();

  get size(): number {
    return this.#all.size;
  }

  [Symbol.iterator](): Iterator<Entry> {
    return this.#all.values();
  }

  types(): Iterable<string> {
    return this.#ofType.keys();
  }

  ofType(recordType: string): ReadonlySet<Entry> {
    return this.#ofType.get(recordType) ?? none;
  }

  /** Yields the entries with the content of a record, first those whose split into strings is known. */
  *allOf(record: UpdateRecord): Iterable<Entry> {
    for (const content of contentsLike(record)) yield* this.#ofContent.get(content) ?? none;
  }

  /** Returns the first of `allOf`. */
  find(record: UpdateRecord): Entry | undefined {
    for (const entry of this.allOf(record)) return entry;
    return undefined;
  }

  add(entry: Entry): void {
    this.#all.add(entry);
    addTo(this.#ofType, entry.recordType, entry);
    addTo(this.#ofContent, contentOf(entry), entry);
  }

  delete(entry: Entry): void {
    this.#all.delete(entry);
    deleteFrom(this.#ofType, entry.recordType, entry);
    deleteFrom(this.#ofContent, contentOf(entry), entry);
  }
}

const none: ReadonlySet<Entry> = new Set();

function addTo(sets: Map<string, Set<Entry>>, key: string, entry: Entry): void {
  const known = sets.get(key);
  if (known) known.add(entry);
  else sets.set(key, new Set([entry]));
}

function deleteFrom(sets: Map<string, Set<Entry>>, key: string, entry: Entry): void {
  const known = sets.get(key);
  known?.delete(entry);
  if (known?.size === 0) sets.delete(key);
}

function ttlGroup({ recordType, proxied }: Entry): string {
  return `${recordType} ${proxied}`;
}

function entryOf(before: LiveRecord): Entry {
  const { recordType, name, value, strings, ttl, proxied, splitUnread } = before;
  const read = splitUnread ? { splitUnread } : {};
  return { recordType, name, value, ...spellingOf(before), strings, ttl, proxied, before, ...read };
}

/** @throws AppError BAD_REQUEST */
function refuseNewer({ name, value }: UpdateRecord, serial: number | null): void {
  // An SOA below the apex is ignored (RFC 2136 §3.4.2.2), as is an older one.
  const given = Number(value.split(" ")[2]);
  if (name !== "@" || serial === null || serialDistance(serial, given) <= 0) return;
  throw badField(["SOA"], "The SOA cannot be set by an update: its serial rises with each change. Leave it out.");
}

/** Returns why an update adds a record that nobody can write here; null if it adds none. */
export function unwritable(operations: readonly UpdateOperation[]): string | null {
  for (const operation of operations) {
    if (operation.kind !== "add") continue;
    const { recordType, name } = operation.record;
    if (recordType !== "SOA" && !isWritableType(recordType))
      return `Records of type ${recordType} cannot be written, such as that of ${name}. Leave it out.`;
  }
  return null;
}

/** A record of the zone. `splitUnread` as in `LiveRecord`. */
type PresentRecord = Pick<RecordData, "recordType" | "name" | "value" | "strings"> & { splitUnread?: true };

/** Returns a key of a record's owner, type and data. How a TXT is split counts, unless nobody has read it. */
function contentOf(record: PresentRecord): string {
  return record.splitUnread ? unreadContent(record) : recordKey(record);
}

/** Returns the keys, as of `contentOf`, that records of the zone may have which are the same as one of an update. */
function contentsLike(record: UpdateRecord): string[] {
  return record.recordType === "TXT" ? [recordKey(record), unreadContent(record)] : [recordKey(record)];
}

function unreadContent(record: PresentRecord): string {
  return `${textKey(record)}\u0000unread`;
}

/**
 * Returns the RCODE of the first prerequisite that the zone does not meet (RFC 2136 §3.2.5), or null if it meets all. The work is linear.
 * @param present all records of the names that the prerequisites name, the zone's SOA included
 */
export function* failedPrerequisite(
  prerequisites: readonly Prerequisite[],
  present: readonly PresentRecord[],
): Steps<number | null> {
  const names = yield* grouped(present, ({ name }) => name);
  const rrsets = yield* grouped(present, rrsetKey);
  const wanted = new Map<string, Map<string, UpdateRecord>>();
  for (const prerequisite of prerequisites) {
    switch (prerequisite.kind) {
      case "nameInUse":
        if (!names.has(prerequisite.name)) return rcodes.NXDOMAIN;
        break;
      case "nameUnused":
        if (names.has(prerequisite.name)) return rcodes.YXDOMAIN;
        break;
      case "rrsetExists":
        if (!rrsets.has(rrsetKey(prerequisite))) return rcodes.NXRRSET;
        break;
      case "rrsetAbsent":
        if (rrsets.has(rrsetKey(prerequisite))) return rcodes.YXRRSET;
        break;
      case "rrsetHas": {
        const { record } = prerequisite;
        const records = wanted.get(rrsetKey(record)) ?? new Map<string, UpdateRecord>();
        wanted.set(rrsetKey(record), records.set(recordKey(record), record));
      }
    }
    yield;
  }
  for (const [key, records] of wanted) {
    if (!(yield* isWhole(records, rrsets.get(key) ?? []))) return rcodes.NXRRSET;
  }
  return null;
}

/** Returns whether an RRset has exactly the wanted records. */
function* isWhole(wanted: ReadonlyMap<string, UpdateRecord>, rrset: readonly PresentRecord[]): Steps<boolean> {
  if (wanted.size !== rrset.length) return false;
  const left = new Set<string>();
  for (const record of rrset) {
    left.add(contentOf(record));
    yield;
  }
  for (const record of wanted.values()) {
    if (!contentsLike(record).some((content) => left.delete(content))) return false;
    yield;
  }
  return true;
}
