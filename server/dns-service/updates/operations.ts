import { absoluteName, withEscapes } from "../../dns/names/names.ts";
import {
  isApexNs,
  nameOf,
  sameSpelling,
  spellingOf,
  valueOf,
  recordKey,
  textKey,
  type LiveRecord,
  type Spelling,
  type RecordData,
} from "../../dns/record.ts";
import { isServerManaged, isWritableType } from "../../dns/zone-file/type-names.ts";
import { serialDistance } from "../../dns/wire/serials.ts";
import type { UpdateOperation, UpdateRecord } from "../../dns/wire/updates.ts";
import { badField } from "../../platform/errors.ts";
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
  ttl: number;
  proxied: boolean;
  /** The stored record; null for a new one. */
  before: LiveRecord | null;
}

/**
 * Returns the edits that carry out an update's operations in order (RFC 2136 §3.4.2). What the section has servers ignore, such as deleting
 * the SOA or adding a record beside a CNAME, is left out, and so is what changes nothing.
 * @throws AppError BAD_REQUEST for an SOA with a newer serial
 */
export function editsFor(operations: readonly UpdateOperation[], zone: UpdatedZone): Edit[] {
  const names = new Map<string, ZoneName>();
  const at = (name: string) => {
    const known = names.get(name) ?? new ZoneName(name, zone);
    names.set(name, known);
    return known;
  };
  for (const operation of operations) {
    if (operation.kind === "add") {
      if (operation.record.recordType === "SOA") refuseNewer(operation.record, zone.serial);
      else at(operation.record.name).add(operation.record);
    } else if (operation.kind === "deleteRecord") at(operation.record.name).deleteRecord(operation.record);
    else if (operation.kind === "deleteRrset") at(operation.name).deleteRrset(operation.recordType);
    else at(operation.name).deleteAll();
  }
  return [...names.values()].flatMap((name) => name.edits(zone.name));
}

/** The records of one name, as operations change them. */
class ZoneName {
  readonly #name: string;
  readonly #stored: readonly Entry[];
  #entries: Entry[];

  constructor(name: string, { present, signed }: UpdatedZone) {
    this.#name = name;
    this.#stored = present
      .filter((record) => record.name === name && record.recordType !== "SOA" && !(signed && isServerManaged(record)))
      .map(entryOf);
    this.#entries = [...this.#stored];
  }

  add(record: UpdateRecord): void {
    const isCname = record.recordType === "CNAME";
    // Nothing may be beside a CNAME, and the apex always has the SOA.
    const clashes = isCname
      ? this.#name === "@" || this.#entries.some(({ recordType }) => recordType !== "CNAME")
      : this.#entries.some(({ recordType }) => recordType === "CNAME");
    if (clashes) return;
    if (isCname) this.#entries = this.#entries.filter((entry) => isSameRecord(entry, record));
    const same = this.#entries.find((entry) => isSameRecord(entry, record));
    if (same?.ttl === record.ttl) return;
    const before = this.#stored.find((entry) => isSameRecord(entry, record))?.before ?? null;
    const entry = same ?? { ...record, proxied: before?.proxied ?? false, before };
    if (!same) this.#entries.push(entry);
    // An RRset has one TTL (RFC 2181 §5.2): the newest.
    for (const other of this.#entries) {
      if (other.recordType === record.recordType && other.proxied === entry.proxied) other.ttl = record.ttl;
    }
  }

  deleteRecord(record: UpdateRecord): void {
    const isLastNameServer = isApexNs(record) && this.#entries.filter(isApexNs).length === 1;
    if (!isLastNameServer) this.#entries = this.#entries.filter((entry) => !isSameRecord(entry, record));
  }

  deleteRrset(recordType: string): void {
    if (isApexNs({ name: this.#name, recordType })) return;
    this.#entries = this.#entries.filter((entry) => entry.recordType !== recordType);
  }

  deleteAll(): void {
    this.#entries = this.#entries.filter(isApexNs);
  }

  edits(zone: string): Edit[] {
    // A relative name that ends in the zone's name would be taken for another one.
    const absolute = (entry: Entry) => `${withEscapes(absoluteName(nameOf(entry), zone))}.`;
    const kept = new Map(this.#entries.flatMap((entry) => (entry.before ? [[entry.before.id, entry] as const] : [])));
    const edits = this.#stored.flatMap(({ before }): Edit[] => {
      if (!before) return [];
      const entry = kept.get(before.id);
      if (!entry) return [{ action: "delete", recordId: before.id }];
      // Deleted and added again in another case: RFC 2136 §3.4.2.2 ignores only what is added beside it.
      const written = sameSpelling(entry, before)
        ? {}
        : { name: absolute(entry), ...(valueOf(entry) === valueOf(before) ? {} : { value: valueOf(entry) }) };
      const patch = { ...(entry.ttl === before.ttl ? {} : { ttl: entry.ttl }), ...written };
      return Object.keys(patch).length === 0
        ? []
        : [{ action: "update", recordId: before.id, patch: { door: "dns", ...patch } }];
    });
    for (const entry of this.#entries) {
      const { recordType, strings, ttl, before } = entry;
      if (before) continue;
      const split = strings === null ? {} : { strings };
      const value = valueOf(entry);
      edits.push({ action: "create", input: { door: "dns", recordType, name: absolute(entry), value, ...split, ttl } });
    }
    return edits;
  }
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
export type PresentRecord = Pick<RecordData, "recordType" | "name" | "value" | "strings"> & { splitUnread?: true };

/** Returns whether two records have the same owner, type and data. How a TXT is split counts, unless nobody has read it. */
export function isSameRecord(one: PresentRecord, other: PresentRecord): boolean {
  return one.splitUnread || other.splitUnread ? textKey(one) === textKey(other) : recordKey(one) === recordKey(other);
}
