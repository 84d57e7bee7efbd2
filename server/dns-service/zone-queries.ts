import { sql, type SqlBool } from "kysely";
import type { Caller } from "../access/caller.ts";
import type { KnownKey, TsigKeyCredentials } from "../access/tsig-keys.ts";
import { zoneFor, type Zone } from "../access/zone-access.ts";
import { liveAtNames } from "../zones/changes/state/live-queries.ts";
import { queries, type Database, type EntityManager } from "../database/database.ts";
import { ownerWithin } from "../dns/names/names.ts";
import { isActive, isApexNs, storedStrings, type LiveRecord } from "../dns/record.ts";
import { rcodes } from "../dns/wire/messages.ts";
import { placeholderNameServer, type Soa } from "../dns/zone-file/contents.ts";
import { typeName, types } from "../dns/zone-file/type-names.ts";
import type { RequestLimits } from "../api/limits/requests.ts";
import { AppError } from "../platform/errors.ts";
import type { Logger } from "../platform/log.ts";
import type { Question } from "./requests.ts";
import { placeholders, zoneTransfer } from "./transfer.ts";
import { entryOf, ownerOf, RecordEncoder, soaEntry, type WireEntry } from "./wire-records.ts";
import { zonesById, soaOf, type PrimaryConfigs } from "./zones.ts";

interface Parts {
  database: Database;
  configs: PrimaryConfigs;
  credentials: TsigKeyCredentials;
  limits: RequestLimits;
  log: Logger;
}

interface SignedQuestion {
  question: Question;
  key: KnownKey;
  /** The client's. */
  address: string;
  protocol: "udp" | "tcp";
}

/** The zone that a question is about. */
interface AskedZone extends Zone {
  soa: Soa;
}

/** Answers signed queries and transfers from the stored copy of a zone, narrowed to what the key may see. */
export class ZoneQueries {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Yields the messages of an answer. Throws only if a transfer breaks off. */
  async *answer(signed: SignedQuestion): AsyncGenerator<Buffer> {
    const { question, key, address } = signed;
    const { credentials, log } = this.#parts;
    let sent = false;
    try {
      for await (const message of this.#answered(signed)) {
        yield message;
        sent = true;
      }
      credentials.noteUse(key, address, null);
    } catch (error) {
      if (sent) throw error;
      const isRefusal = error instanceof AppError && error.code !== "UNAVAILABLE";
      const reason = error instanceof AppError ? error.message : "The service failed. Its log says why.";
      credentials.noteUse(key, address, reason);
      if (isRefusal) log.info({ keyName: key.tsig.name, address, reason }, "refused a DNS query");
      else log.error({ keyName: key.tsig.name, err: error }, "a DNS query failed");
      yield question.answers.empty(isRefusal ? rcodes.REFUSED : rcodes.SERVFAIL);
    }
  }

  /** @throws AppError if the question is refused */
  async *#answered({ question, key, address, protocol }: SignedQuestion): AsyncGenerator<Buffer> {
    const { database, limits } = this.#parts;
    const { answers, name, type } = question;
    const isTransfer = type === types.AXFR || type === types.IXFR;
    // RFC 5936 §4.2: a whole transfer by UDP is not defined.
    if (type === types.AXFR && protocol === "udp") {
      yield answers.empty(rcodes.FORMERR);
      return;
    }
    const caller = key.callerAt(address);
    await limits.take(caller);
    const em = database.fork();
    const zone = await this.#zone(em, caller, key.domainId);
    const owner = ownerWithin(name, zone.name);
    if (owner === null || (isTransfer && owner !== "@"))
      throw new AppError("FORBIDDEN", `This key is for the zone ${zone.name}, not ${name}.`);
    if (type !== types.SOA && key.access === "update")
      throw new AppError("FORBIDDEN", "This key may only update. Use one that may read.");
    // RFC 1995 §2: the SOA alone has the client try TCP.
    if (isTransfer && protocol === "udp") yield* one(question, [apexSoa(zone)]);
    else if (isTransfer) yield* this.#transfer(question, zone);
    else if (type === types.SOA && owner === "@") yield* one(question, [apexSoa(zone)]);
    else yield* this.#records(em, question, zone, owner);
  }

  async #zone(em: EntityManager, caller: Caller, domainId: string): Promise<AskedZone> {
    const zone = await zoneFor(em, caller, domainId, "read");
    return { ...zone, soa: await soaOf(em, await this.#parts.configs.all(), zone) };
  }

  async *#records(em: EntityManager, question: Question, zone: AskedZone, owner: string): AsyncGenerator<Buffer> {
    const { answers, type } = question;
    const encoder = new RecordEncoder(zone.name);
    const visibleAt = async (name: string) =>
      (await liveAtNames(em, zone.id, [name])).flatMap((record) => servedRecord(record, zone, encoder) ?? []);
    const { records, last } =
      type === types.SOA
        ? { records: [], last: { name: owner, hasRecords: (await visibleAt(owner)).length > 0 } }
        : await followAliases(visibleAt, owner, {
            includes: ({ recordType }) => type === types.ANY || recordType === typeName(type),
            next: ({ value }) => {
              const target = ownerWithin(value, zone.name);
              return target !== null && isVisible({ name: target, recordType: typeName(type) }, zone) ? target : null;
            },
          });
    const withSoa = owner === "@" && type === types.ANY;
    const asksServers = owner === "@" && (type === types.NS || type === types.ANY);
    const servers = asksServers && !records.some(isApexNs) ? placeholders(await this.#copyOf(zone)) : [];
    if (last === null || withSoa || servers.length > 0)
      yield* one(question, [...(withSoa ? [apexSoa(zone)] : []), ...entriesOf(records), ...servers]);
    else {
      const exists = last.name === "@" || last.hasRecords || (await hasNamesBelow(em, zone, last.name));
      const rcode = exists ? rcodes.NOERROR : rcodes.NXDOMAIN;
      yield answers.negative(rcode, negativeSoa(zone), entriesOf(records));
    }
  }

  async *#transfer({ answers }: Question, zone: AskedZone): AsyncGenerator<Buffer> {
    const copy = await this.#copyOf(zone);
    const { entries } = zoneTransfer(this.#parts.database, copy, (row) => isVisible(row, zone));
    for await (const { message } of answers.messages(entries)) yield message;
  }

  /** Returns a zone with the name servers for its apex if it has none: clients refuse a zone without. Zone files have the same placeholder. */
  async #copyOf(zone: AskedZone) {
    const { database, configs } = this.#parts;
    const [served] = await zonesById(database.fork(), await configs.all(), [zone.id]);
    return { ...zone, nameServers: served?.service.settings.nameServers ?? [placeholderNameServer] };
  }
}

/** Answers an unsigned query for the SOA at or below a zone, whatever is there: NODATA for every name but the apex. @returns null for no zone */
export async function publicSoa(
  em: EntityManager,
  configs: PrimaryConfigs,
  { name, answers }: Question,
): Promise<Buffer | null> {
  const labels = name.split(".");
  const domain = await queries(em)
    .selectFrom("domains")
    .select(["id", "name", "revision"])
    .where(
      "name",
      "in",
      labels.map((_, index) => labels.slice(index).join(".")),
    )
    .orderBy(sql`length(name)`, "desc")
    .orderBy("view")
    .limit(1)
    .executeTakeFirst();
  if (!domain) return null;
  const soa = await soaOf(em, await configs.all(), domain);
  const zone = { name: domain.name, soa };
  if (name !== domain.name) return answers.negative(rcodes.NOERROR, negativeSoa(zone));
  return answers.single([apexSoa(zone)]);
}

async function* one({ answers }: Question, entries: readonly WireEntry[]): AsyncGenerator<Buffer> {
  yield await Promise.resolve(answers.single(entries));
}

type VisibleZone = Pick<Zone, "rights">;

function isVisible(record: { name: string; recordType: string }, { rights }: VisibleZone): boolean {
  return isApexNs(record) || rights.sees.includes(record);
}

interface ServedRecord extends LiveRecord {
  entry: WireEntry;
}

/** Returns a record as it is answered; null for one that is not there for the key, or that no message can hold. */
function servedRecord(record: LiveRecord, zone: VisibleZone, encoder: RecordEncoder): ServedRecord | null {
  if (!isActive(record) || record.recordType === "SOA" || !isVisible(record, zone)) return null;
  const entry = entryOf(encoder, {
    record_type: record.recordType,
    name: record.name,
    value: record.value,
    written_name: record.writtenName ?? null,
    written_value: record.writtenValue ?? null,
    strings: storedStrings(record.strings),
    ttl: record.ttl,
  });
  return entry && { ...record, entry };
}

function entriesOf(records: readonly ServedRecord[]): WireEntry[] {
  return records.map(({ entry }) => entry);
}

function apexSoa({ name, soa }: Pick<AskedZone, "name" | "soa">): WireEntry {
  return soaEntry(ownerOf(name), soa);
}

/** RFC 2308 §3: the TTL of a negative answer. */
function negativeSoa({ name, soa }: Pick<AskedZone, "name" | "soa">): WireEntry {
  return { ...soaEntry(ownerOf(name), soa), ttl: Math.min(soa.ttl, soa.minimum) };
}

/** Returns whether a name without records has visible ones below it, and so exists (RFC 8020). */
async function hasNamesBelow(em: EntityManager, { id, rights }: Zone, owner: string): Promise<boolean> {
  const key = sql`(reverse(name) || '.') collate "C"`;
  // Names below begin with the owner's key; `/` follows the dot.
  const row = await queries(em)
    .selectFrom("records")
    .select("record_id")
    .where("domain_id", "=", id)
    .where("until", "is", null)
    .where("status", "=", "active")
    .where(sql<SqlBool>`${key} > (reverse(${owner}::text) || '.') collate "C"`)
    .where(sql<SqlBool>`${key} < (reverse(${owner}::text) || '/') collate "C"`)
    .where(rights.sees.condition())
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** CNAME records that one answer may have. */
const longestChain = 16;

interface Rules<Entry> {
  /** Whether the question asks for a record. */
  includes: (record: Entry) => boolean;
  /** Returns the name that a CNAME record leads to, relative to the zone; null if the answer ends there, such as outside the zone. */
  next: (alias: Entry) => string | null;
}

/** What answers a question. */
interface Followed<Entry> {
  /** The CNAME records on the way, then the records asked for. */
  records: Entry[];
  /** The name that has no such records; null if it has, or the way ends elsewhere. */
  last: { name: string; hasRecords: boolean } | null;
}

/** Follows the CNAME records of a zone to the records asked for (RFC 1034 §4.3.2). A loop is answered with its records, each once. */
async function followAliases<Entry extends { recordType: string }>(
  recordsAt: (name: string) => Promise<Entry[]>,
  owner: string,
  { includes, next }: Rules<Entry>,
): Promise<Followed<Entry>> {
  const aliases: Entry[] = [];
  const seen = new Set<string>();
  for (let name = owner; ;) {
    seen.add(name);
    const present = await recordsAt(name);
    const asked = present.filter(includes);
    if (asked.length > 0) return { records: [...aliases, ...asked], last: null };
    const alias = present.find(({ recordType }) => recordType === "CNAME");
    if (!alias) return { records: aliases, last: { name, hasRecords: present.length > 0 } };
    aliases.push(alias);
    const target = next(alias);
    if (target === null || seen.has(target) || aliases.length === longestChain) return { records: aliases, last: null };
    name = target;
  }
}
