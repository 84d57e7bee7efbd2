import { absoluteName } from "../dns/names/names.ts";
import { WireError, writeName } from "../dns/names/wire-names.ts";
import { writeRdata } from "../dns/wire/rdata.ts";
import { unreadSplit } from "../dns/record.ts";
import type { Soa } from "../dns/zone-file/contents.ts";
import { typeNumber, types, isServerManaged } from "../dns/zone-file/type-names.ts";
import { mostRdataOctets } from "../dns-providers/primary.ts";
import type { ProviderKind } from "../dns-providers/provider.ts";

/** A record ready for a message. */
export interface WireEntry {
  /** Uncompressed wire form as Latin-1. */
  owner: string;
  type: number;
  ttl: number;
  rdata: Buffer;
}

/** The columns of a record version that make up the record. */
interface RecordRow {
  record_type: string;
  name: string;
  value: string;
  written_name: string | null;
  written_value: string | null;
  strings: string | null;
  ttl: number;
}

/** Encodes stored records of one zone. @throws WireError for a record that no message can hold */
export class RecordEncoder {
  readonly #zone: string;
  readonly #zoneOwner: string;
  /** Successive records often have the same owner. */
  #lastName = "";
  #lastOwner = "";

  constructor(zone: string) {
    this.#zone = zone;
    this.#zoneOwner = ownerOf(zone);
  }

  encode(row: RecordRow): WireEntry {
    const { record_type: recordType, strings, ttl } = row;
    const [name, value] = [row.written_name ?? row.name, row.written_value ?? row.value];
    const type = typeNumber(recordType);
    if (type === null) throw new WireError(`${recordType} is not a type that name servers exchange`);
    const split = strings === null || strings === unreadSplit ? null : (JSON.parse(strings) as string[]);
    return {
      owner: this.owner(name),
      type,
      ttl,
      rdata: fastRdata(recordType, value) ?? writeRdata(recordType, value, split),
    };
  }

  /** Returns the owner of a name relative to the zone. */
  owner(name: string): string {
    if (name !== this.#lastName) {
      // Most names are one label without escapes.
      this.#lastOwner =
        plainLabel.test(name) && name.length + this.#zoneOwner.length < longestName
          ? String.fromCharCode(name.length) + name + this.#zoneOwner
          : ownerOf(absoluteName(name, this.#zone));
      this.#lastName = name;
    }
    return this.#lastOwner;
  }
}

const plainLabel = /^[\w*-]{1,63}$/;
/** RFC 1035 §2.3.4. */
const longestName = 255;

/** Returns an absolute canonical name in wire form, as Latin-1. */
export function ownerOf(name: string): string {
  return writeName(name).toString("latin1");
}

/** Encodes the most frequent type without parsing its presentation; null for others. */
function fastRdata(recordType: string, value: string): Buffer | null {
  if (recordType !== "A") return null;
  const octets = value.split(".").map(Number);
  return octets.length === 4 && octets.every((octet) => octet >= 0 && octet <= 255) ? Buffer.from(octets) : null;
}

/** Returns a zone's SOA record. */
export function soaEntry(owner: string, soa: Soa): WireEntry {
  const numbers = Buffer.alloc(20);
  [soa.serial, soa.refresh, soa.retry, soa.expire, soa.minimum].forEach((number, index) =>
    numbers.writeUInt32BE(number, index * 4),
  );
  return {
    owner,
    type: types.SOA,
    ttl: soa.ttl,
    rdata: Buffer.concat([writeName(soa.mname), writeName(soa.rname), numbers]),
  };
}

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
  return entryOf(encoder, row.ttl === kind.automaticTtl ? { ...row, ttl: automaticSeconds } : row);
}

/** Encodes a stored record; null for one that no message can hold: a vendor's type, malformed data that was kept, or too much of it. */
export function entryOf(encoder: RecordEncoder, row: RecordRow): WireEntry | null {
  try {
    const entry = encoder.encode(row);
    return entry.rdata.length > mostRdataOctets ? null : entry;
  } catch (error) {
    if (error instanceof WireError) return null;
    throw error;
  }
}

export interface MirroredRow extends RecordRow {
  proxied: boolean;
}
