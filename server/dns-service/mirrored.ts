import { WireError } from "../dns/names/wire-names.ts";
import { isServerManaged } from "../dns/server-managed.ts";
import { mostRdataOctets } from "../dns-providers/primary.ts";
import type { ProviderKind } from "../dns-providers/provider.ts";
import type { RecordEncoder, RecordRow, WireEntry } from "./wire-records.ts";

/** The main provider of a domain that is mirrored here. */
export interface Mirrored {
  kind: ProviderKind;
  /** Whether it signs the zone. */
  signed: boolean;
}

/**
 * Encodes a stored record; null if a mirror leaves it out, as the list of mirrors counts: what the main provider maintains or proxies, what
 * no message can hold, and an alias at the apex. @throws WireError for a record of a zone that is not mirrored
 */
export function encodeFor(mirrored: Mirrored | null, encoder: RecordEncoder, row: MirroredRow): WireEntry | null {
  if (mirrored === null) return encoder.encode(row);
  const { kind, signed } = mirrored;
  const recordType = row.record_type;
  if (row.proxied || (row.name === "@" && recordType === "CNAME")) return null;
  if (signed && isServerManaged({ recordType, name: row.name })) return null;
  const { automaticSeconds = row.ttl } = kind;
  try {
    const entry = encoder.encode(row.ttl === kind.automaticTtl ? { ...row, ttl: automaticSeconds } : row);
    return entry.rdata.length > mostRdataOctets ? null : entry;
  } catch (error) {
    if (error instanceof WireError) return null;
    throw error;
  }
}

export interface MirroredRow extends RecordRow {
  proxied: boolean;
}
