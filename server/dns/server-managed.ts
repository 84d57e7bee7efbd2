import { recordLabel, type RecordData } from "./record.ts";

type Typed = Pick<RecordData, "recordType" | "name">;

/**
 * Types that a signing server makes wherever they are: signatures, denial of existence, digests, and BIND's notes on its progress (`TYPE65535`: on that
 * of the zone that it signs inline). */
export const managedAnywhere: readonly string[] = [
  "RRSIG",
  "NSEC",
  "NSEC3",
  "NSEC3PARAM",
  "ZONEMD",
  "TYPE65534",
  "TYPE65535",
];
/** Types that it makes from its keys at the apex. Elsewhere somebody put them there, and a DS everywhere. */
export const managedAtApex: readonly string[] = ["DNSKEY", "CDS", "CDNSKEY"];

/** Whether a record is one that the server maintains, given that the zone's provider signs it. */
export function isServerManaged({ recordType, name }: Typed): boolean {
  return managedAnywhere.includes(recordType) || (name === "@" && managedAtApex.includes(recordType));
}

/** Whether a record is of a type that servers make from their keys, at whatever name. */
export function isKeyType({ recordType }: Pick<Typed, "recordType">): boolean {
  return managedAtApex.includes(recordType);
}

/** Records without those that the server maintains, where the zone's provider signs it. */
export function withoutManaged<Some extends Typed>(records: readonly Some[], signed: boolean): readonly Some[] {
  return signed ? records.filter((record) => !isServerManaged(record)) : records;
}

/** Why a record that the server maintains cannot be written. */
export function managedReason(record: Pick<RecordData, "recordType" | "name" | "value">): string {
  return `${recordLabel(record)} is maintained by the name server that signs the zone; change its signing there instead.`;
}

/** RRSIG data that begins with the covered type SOA (RFC 4034 §3.2), by name, by number or in generic form. */
export const signatureOverSoa = "^(soa|type6) |^\\\\# [0-9]+ 0006";
const overSoaPattern = new RegExp(signatureOverSoa, "i");

/** Whether a record is a signature over the zone's SOA, which only a signed zone has. */
export function isSignatureOverSoa({ recordType, name, value }: RecordData): boolean {
  return recordType === "RRSIG" && name === "@" && overSoaPattern.test(value);
}

/** What a reading of a zone tells of its signing. */
export interface ZoneSigning {
  /** Whether the provider signs the zone. */
  signed: boolean;
  /** The records that it maintains; empty where it does not sign, or does not show them. */
  managed: readonly RecordData[];
}
