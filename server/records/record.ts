/**
 * A DNS record without identity: what plans, providers and zone files exchange.
 * All fields are canonical (see `values/`), so two records are the same exactly when their fields are.
 */
export interface RecordData {
  /** Type mnemonic in upper case, e.g. `MX`; types beyond the eight editable ones are kept as they came (`TYPE65280`, RFC 3597). */
  recordType: string;
  /** Owner relative to the zone: `@` for the apex, else lower-case A-labels without a trailing dot. */
  name: string;
  /** Canonical value of the type. */
  value: string;
  /** Time to live in seconds, 0 to 2^31-1 (RFC 2181 §8). */
  ttl: number;
  /** MX and SRV: the priority, which the value carries too. Else null. */
  priority: number | null;
  /** Whether the provider's proxy answers for this record. False where the provider has none. */
  proxied: boolean;
}

/** A record as a provider shows it. */
export interface ReadRecord extends RecordData {
  /** True where the provider signs the zone and maintains this record itself. */
  serverManaged?: true;
}

/** The types that clients may create. Others are kept, shown and exported, but come only from providers and zone files. */
export const editableTypes = ["A", "AAAA", "CNAME", "NS", "MX", "TXT", "SRV", "CAA"] as const;
export type EditableType = (typeof editableTypes)[number];

export function isEditableType(type: string): type is EditableType {
  return (editableTypes as readonly string[]).includes(type);
}

/** Whether a record names a name server of the zone itself. */
export function isApexNs({ recordType, name }: Pick<RecordData, "recordType" | "name">): boolean {
  return recordType === "NS" && name === "@";
}

/** A record as messages name it. */
export function recordLabel({ name, recordType, value }: Pick<RecordData, "recordType" | "name" | "value">): string {
  return `${name} ${recordType} ${shortValue(value)}`;
}

/** A value as messages show it: not endless. */
export function shortValue(value: string): string {
  return value.length > 60 ? `${value.slice(0, 60)}…` : value;
}

/** What makes a record itself within a zone: no two live records may share it. */
export function recordKey(record: Pick<RecordData, "recordType" | "name" | "value">): string {
  return `${record.name}\u0000${record.recordType}\u0000${record.value}`;
}

/** RRset identity: all records with one owner and type share a TTL (RFC 2181 §5.2). */
export function rrsetKey(record: Pick<RecordData, "recordType" | "name">): string {
  return `${record.name}\u0000${record.recordType}`;
}

/** The records that share a TTL: those of an RRset, of which proxied ones have one of the proxy's. */
export function ttlKey(record: Pick<RecordData, "recordType" | "name" | "proxied">): string {
  return `${rrsetKey(record)}\u0000${record.proxied}`;
}
