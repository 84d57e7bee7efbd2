import { ownerNameWithin } from "../../dns/names/names.ts";
import { recordKey, spellingOf, type RecordData } from "../../dns/record.ts";
import { typeName, types } from "../../dns/zone-file/type-names.ts";
import type { WireMessage, WireRecord } from "../../dns/wire/messages.ts";
import { expandRdata, readRdata } from "../../dns/wire/rdata-read.ts";
import { WireError } from "../../dns/names/wire-names.ts";

/**
 * A record on a server. Different RDATA may be the same record, such as a host name in capitals; an update must name the one that
 * is there.
 */
export interface ServedRecord {
  record: RecordData;
  rdatas: Buffer[];
}

/** Returns a record of a message in canonical form; null for the SOA. @throws WireError for a record outside the zone. */
export function recordOf(message: WireMessage, wire: WireRecord, zone: string): RecordData | null {
  if (wire.type === types.SOA) return null;
  const owner = ownerNameWithin(wire.written, zone);
  if (owner === null) throw new WireError(`${wire.name} lies outside ${zone}`);
  const recordType = typeName(wire.type);
  const read = readRdata(message.octets, recordType, wire.rdataStart, wire.rdataEnd);
  const { value, writtenValue, strings = null, priority } = read;
  // RFC 2181 §8: a TTL with the highest bit set counts as 0.
  const ttl = wire.ttl > 0x7fff_ffff ? 0 : wire.ttl;
  return { recordType, ...owner, value, ...spellingOf({ writtenValue }), strings, ttl, priority, proxied: false };
}

/** Collects the records of messages in canonical form, with all RDATA of each. */
export class ServedRecords {
  readonly #zone: string;
  readonly #byKey = new Map<string, ServedRecord>();

  constructor(zone: string) {
    this.#zone = zone;
  }

  add(message: WireMessage, wire: WireRecord): void {
    const record = recordOf(message, wire, this.#zone);
    if (record === null) return;
    // Copied, because a slice would keep the much larger message in memory.
    const rdata = Buffer.from(expandRdata(message.octets, record.recordType, wire.rdataStart, wire.rdataEnd));
    const known = this.#byKey.get(recordKey(record));
    if (known) known.rdatas.push(rdata);
    else this.#byKey.set(recordKey(record), { record, rdatas: [rdata] });
  }

  all(): ServedRecord[] {
    return [...this.#byKey.values()];
  }
}
