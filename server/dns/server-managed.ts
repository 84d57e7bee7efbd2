import { editableTypes, isEditableType, recordLabel, type RecordData } from "./record.ts";
import { canonicalType, knownTypes, typeNumber, unstorableReason } from "./zone-file/type-names.ts";

type Typed = Pick<RecordData, "recordType" | "name">;

/**
 * Types that a signing server generates at any name: signatures, denial of existence, digests, and BIND's private records about signing
 * progress (`TYPE65535` for inline signing).
 */
export const managedAnywhere: readonly string[] = [
  "RRSIG",
  "NSEC",
  "NSEC3",
  "NSEC3PARAM",
  "ZONEMD",
  "TYPE65534",
  "TYPE65535",
];
/** Types that a signing server generates from its keys at the apex. Elsewhere they were added by hand, as is a DS anywhere. */
export const managedAtApex: readonly string[] = ["DNSKEY", "CDS", "CDNSKEY"];

/** Types whose records name servers make themselves. They come only from providers and zone files; they are stored, shown and exported. */
export const madeByServers: ReadonlySet<string> = new Set(["SOA", ...managedAnywhere]);

/**
 * Returns whether clients may create records of a type: one with a rule of its own, or any other that a zone can hold and that name servers
 * do not make themselves. Its value is then in its type's presentation form, or in that of RFC 3597 if its grammar is not known.
 * @param type canonical, as of `canonicalType`
 */
export function isWritableType(type: string): boolean {
  if (isEditableType(type)) return true;
  return (
    canonicalType(type) === type &&
    typeNumber(type) !== null &&
    unstorableReason(type) === null &&
    !madeByServers.has(type)
  );
}

/** The types that clients may create: those with a form or rules of their own, then all others by name. */
export const writableTypes: readonly string[] = [
  ...editableTypes,
  ...knownTypes.filter((type) => isWritableType(type) && !isEditableType(type)).toSorted(),
];

/** Returns whether a signing provider maintains this record itself. */
export function isServerManaged({ recordType, name }: Typed): boolean {
  return managedAnywhere.includes(recordType) || (name === "@" && managedAtApex.includes(recordType));
}

/** Returns whether servers generate this type from their keys, regardless of the name. */
export function isKeyType({ recordType }: Pick<Typed, "recordType">): boolean {
  return managedAtApex.includes(recordType);
}

/** Returns the records without server-maintained ones if the provider signs the zone. */
export function withoutManaged<Some extends Typed>(records: readonly Some[], signed: boolean): readonly Some[] {
  return signed ? records.filter((record) => !isServerManaged(record)) : records;
}

/** Returns the error message for writing a server-maintained record. */
export function managedReason(record: Pick<RecordData, "recordType" | "name" | "value">): string {
  return `${recordLabel(record)} is maintained by the name server that signs the zone; change its signing there instead.`;
}

/** Matches RRSIG data that covers the SOA (RFC 4034 §3.2), by name, by number or in generic form. */
export const signatureOverSoa = "^(soa|type6) |^\\\\# [0-9]+ 0006";
const overSoaPattern = new RegExp(signatureOverSoa, "i");

/** Returns whether a record is a signature over the zone's SOA, which only a signed zone has. */
export function isSignatureOverSoa({ recordType, name, value }: RecordData): boolean {
  return recordType === "RRSIG" && name === "@" && overSoaPattern.test(value);
}

/** The signing status of a zone, as read from its provider. */
export interface ZoneSigning {
  /** Whether the provider signs the zone. */
  signed: boolean;
  /** The records that the provider maintains; empty if it does not sign or does not list them. */
  managed: readonly RecordData[];
}
