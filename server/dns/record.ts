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
  /**
   * TXT: its character-strings where the value is not cut at every 255 octets (values/character-strings.ts). Null where it is, and for other
   * types.
   */
  strings: string[] | null;
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
export function recordKey(record: Pick<RecordData, "recordType" | "name" | "value" | "strings">): string {
  const key = textKey(record);
  return record.strings === null ? key : `${key}\u0000${JSON.stringify(record.strings)}`;
}

/** What two TXT records share that differ in nothing but how they are cut. */
export function textKey(record: Pick<RecordData, "recordType" | "name" | "value">): string {
  return `${record.name}\u0000${record.recordType}\u0000${record.value}`;
}

/** RRset identity: all records with one owner and type share a TTL (RFC 2181 §5.2). */
export function rrsetKey(record: Pick<RecordData, "recordType" | "name">): string {
  return `${record.name}\u0000${record.recordType}`;
}

/**
 * RRset identity with signatures apart: an RRSIG belongs to the RRset that it covers and has its TTL, so a name has several RRsets of them
 * (RFC 4034 §3).
 */
export function rrsetOf(record: Pick<RecordData, "recordType" | "name" | "value">): string {
  if (record.recordType !== "RRSIG" && record.recordType !== "SIG") return rrsetKey(record);
  return `${rrsetKey(record)}\u0000${record.value.split(" ", 1)[0]}`;
}

/** The records that share a TTL: those of an RRset, of which proxied ones have one of the proxy's. */
export function ttlKey(record: Pick<RecordData, "recordType" | "name" | "value" | "proxied">): string {
  return `${rrsetOf(record)}\u0000${record.proxied}`;
}
