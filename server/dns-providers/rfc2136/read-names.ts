import { absoluteName, ownerNameWithin } from "../../dns/names/names.ts";
import { rrsetKey, recordKey, spellingOf, type RecordData } from "../../dns/record.ts";
import { isSignatureOverSoa, typeNumber, types, typeName } from "../../dns/zone-file/type-names.ts";
import { rcodes, queryMessage, typeQueryMessage, type WireMessage, type WireRecord } from "../../dns/wire/messages.ts";
import type { NameServerSession } from "./session.ts";
import { expandRdata, readRdata } from "../../dns/wire/rdata.ts";
import { WireError } from "../../dns/names/wire-names.ts";

/** Above this number of names, a transfer is faster than one query per name. */
const mostQuestions = 500;

/**
 * Queries the records of some names. Returns null if an answer may differ from the zone's content: below a delegation, under a
 * DNAME, or from a server that does not answer ANY in full (RFC 8482). Records of a wildcard look like a name's own, so the result
 * is a guess that an update's prerequisites must confirm. @throws ProviderError
 */
export async function guessNames(
  session: NameServerSession,
  zone: string,
  names: readonly string[],
): Promise<ServedRecord[] | null> {
  if (names.length > mostQuestions) return null;
  const absolute = names.map((name) => absoluteName(name, zone));
  const answers = await session.ask(
    absolute.map((name) => (id) => queryMessage(id, name, "ANY")),
    "none",
  );
  if (!answers.every((answer, index) => isPlain(answer, absolute[index]))) return null;
  const served = new ServedRecords(zone);
  for (const answer of answers) for (const record of answer.answers) served.add(answer, record);
  return served.all();
}

/**
 * Queries some RRsets. Returns null if an answer may differ from the zone's content, or if there are too many to query. The name
 * servers of a delegation come as a referral (RFC 1034 §4.3.2). @throws ProviderError
 */
export async function askForRrsets(
  session: NameServerSession,
  zone: string,
  records: readonly RecordData[],
): Promise<ServedRecord[] | null> {
  const questions = [...new Map(records.map((record) => [rrsetKey(record), record])).values()].map(
    ({ name, recordType }) => ({ name: absoluteName(name, zone), type: typeNumber(recordType) ?? 0 }),
  );
  if (questions.length > mostQuestions) return null;
  const answers = await session.ask(
    questions.map(
      ({ name, type }) =>
        (id) =>
          typeQueryMessage(id, name, type),
    ),
    "none",
  );
  const served = new ServedRecords(zone);
  for (const [index, { name, type }] of questions.entries()) {
    const answer = answers[index];
    if (!answer) return null;
    const referred = answer.authorities.filter((record) => record.name === name && record.type === types.NS);
    const isReferral =
      type === types.NS && answer.rcode === rcodes.NOERROR && answer.answers.length === 0 && referred.length > 0;
    if (!isReferral && !isPlain(answer, name)) return null;
    for (const record of isReferral ? referred : answer.answers) served.add(answer, record);
  }
  return served.all();
}

interface TransferredNames {
  served: ServedRecord[];
  /** Whether the transfer contains a signature over the SOA, so that the server signs the zone. */
  signed: boolean;
}

/** Returns the records of some names from a transfer of the whole zone. @throws ProviderError */
export async function transferNames(
  session: NameServerSession,
  zone: string,
  names: readonly string[],
): Promise<TransferredNames> {
  const wanted = new Set(names.map((name) => absoluteName(name, zone)));
  const served = new ServedRecords(zone);
  let signed = false;
  for await (const message of session.transfer(zone)) {
    for (const wire of message.answers) {
      if (wanted.has(wire.name)) served.add(message, wire);
      if (signed || wire.type !== types.RRSIG || wire.name !== zone) continue;
      const record = recordOf(message, wire, zone);
      signed = record !== null && isSignatureOverSoa(record);
    }
  }
  return { served: served.all(), signed };
}

function isPlain(answer: WireMessage, name: string | undefined): boolean {
  if (
    !answer.authoritative ||
    answer.truncated ||
    (answer.rcode !== rcodes.NOERROR && answer.rcode !== rcodes.NXDOMAIN)
  )
    return false;
  // RFC 8482 §4.2: a synthesized HINFO instead of all records.
  return answer.answers.every((record) => record.name === name && record.type !== types.HINFO);
}

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
class ServedRecords {
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
