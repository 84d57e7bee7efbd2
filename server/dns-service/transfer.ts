import { sql } from "kysely";
import { queries, type Database, type EntityManager } from "../database/database.ts";
import { pageRows, versionRows, type LiveRow, type Versions } from "../zones/changes/state/live-queries.ts";
import { versionsAt } from "../zones/changes/state/past-zone.ts";
import { writeName } from "../dns/names/wire-names.ts";
import { serialDistance, serialOf } from "../dns/wire/serials.ts";
import { types } from "../dns/zone-file/type-names.ts";
import { isApexNs } from "../dns/record.ts";
import type { Soa } from "../dns/zone-file/contents.ts";
import { flatMapped, inPages, inSlices, sorted } from "../platform/slices.ts";
import {
  encodeFor,
  entryOf,
  ownerOf,
  RecordEncoder,
  soaEntry,
  type MirroredRow,
  type WireEntry,
} from "./wire-records.ts";
import { places, type ServedZone } from "./zones.ts";
import { writeRdata } from "../dns/wire/rdata.ts";

/** Record versions that an incremental transfer holds in memory. */
const mostDifferences = 20_000;

const leastUuid = "00000000-0000-0000-0000-000000000000";

type PageRow = MirroredRow & { record_id: string };

/** The versions that a transfer needs were deleted meanwhile. */
export class HistoryGone extends Error {}

/** A transfer's kind, and its records from the first SOA to the last. */
export interface Transfer {
  kind: "axfr" | "ixfr" | "current";
  entries: AsyncIterable<WireEntry> | Iterable<WireEntry>;
}

/** Returns a whole transfer (RFC 5936 §2.2). */
export function wholeTransfer(database: Database, zone: ServedZone): Transfer {
  return { kind: "axfr", entries: wholeZone(database, zone) };
}

/** A zone of any kind at one moment. */
interface ZoneCopy {
  id: string;
  /** Canonical name. */
  name: string;
  revision: number;
  soa: Soa;
  /** For the apex, if the zone has none there. */
  nameServers: readonly string[];
}

/** Returns a whole transfer of a zone of any kind, without what no message can hold. @param isIncluded which records it has besides the SOA */
export function zoneTransfer(
  database: Database,
  zone: ZoneCopy,
  isIncluded: (record: { name: string; recordType: string }) => boolean,
): Transfer {
  const soa = soaEntry(ownerOf(zone.name), zone.soa);
  const entries = async function* () {
    yield soa;
    yield* recordsAt(database, zone, (row, encoder) =>
      isIncluded({ name: row.name, recordType: row.record_type }) ? entryOf(encoder, row) : null,
    );
    yield soa;
  };
  return { kind: "axfr", entries: entries() };
}

/**
 * Returns what changed since a serial as one condensed difference (RFC 1995 §4), only the SOA if nothing did, and the whole zone if the
 * serial is unknown, or the difference is large.
 */
export async function incrementalTransfer(database: Database, zone: ServedZone, since: number): Promise<Transfer> {
  const soa = soaEntry(ownerOf(zone.name), zone.soa);
  if (since === zone.soa.serial) return { kind: "current", entries: [soa] };
  // RFC 1995 §2 also answers a newer serial with the SOA alone. The whole zone mends a secondary that was ahead.
  const from = zone.revision - serialDistance(since, zone.soa.serial);
  const isKnown = zone.kind === "zone" && from < zone.revision && from >= Math.max(zone.baseRevision, zone.historyFrom);
  const difference = isKnown ? await differenceSince(database.fork(), zone, from) : null;
  if (difference === null) return wholeTransfer(database, zone);
  const old = soaEntry(soa.owner, { ...zone.soa, serial: serialOf(zone.serialBase + from) });
  return { kind: "ixfr", entries: [soa, old, ...difference.removed, soa, ...difference.added, soa] };
}

async function* wholeZone(database: Database, zone: ServedZone): AsyncGenerator<WireEntry> {
  const soa = soaEntry(ownerOf(zone.name), zone.soa);
  yield soa;
  if (zone.kind === "catalog") yield* catalogEntries(database, zone);
  else yield* recordsAt(database, copyOf(zone), (row, encoder) => encodeFor(zone.mirrored, encoder, row));
  yield soa;
}

function copyOf(zone: ServedZone): ZoneCopy {
  return { ...zone, nameServers: zone.service.settings.nameServers };
}

/** @param encode returns null for a record to leave out */
async function* recordsAt(
  database: Database,
  zone: ZoneCopy,
  encode: (row: PageRow, encoder: RecordEncoder) => WireEntry | null,
): AsyncGenerator<WireEntry> {
  const encoder = new RecordEncoder(zone.name);
  let hasNameServers = false;
  for await (const rows of inPages<PageRow>(pageRows, (last) => pageAfter(database.fork(), zone, last))) {
    for (const row of rows) {
      hasNameServers ||= isApexNs({ name: row.name, recordType: row.record_type });
      const entry = encode(row, encoder);
      if (entry) yield entry;
    }
    // Checked after reading: versions are deleted after `historyFrom` was raised.
    await requireHistory(database.fork(), zone, zone.revision);
  }
  if (!hasNameServers) yield* placeholders(zone);
}

/** Every version that was alive at the revision stays so, whatever changes meanwhile. So pages are consistent without a transaction. */
async function pageAfter(em: EntityManager, { id, revision }: ZoneCopy, last: PageRow | null): Promise<PageRow[]> {
  const { rows } = await sql<PageRow>`
    select * from transfer_page(
      ${id}::uuid, ${revision}, ${last?.name ?? ""}, ${last?.record_type ?? ""}, ${last?.record_id ?? leastUuid}::uuid, ${pageRows}
    )
  `.execute(queries(em));
  return rows;
}

interface Difference {
  removed: WireEntry[];
  added: WireEntry[];
}

/** @returns null if the history is gone, or a whole transfer is shorter */
async function differenceSince(em: EntityManager, zone: ServedZone, from: number): Promise<Difference | null> {
  const { id, revision, recordCount } = zone;
  const most = Math.min(mostDifferences, Math.max(100, recordCount));
  const active = (versions: Versions) => versions.where("domain_id", "=", id).where("status", "=", "active");
  const ended = (versions: Versions) =>
    active(versions).where("until", ">", from).where("until", "<=", revision).where("since", "<=", from);
  const begun = (versions: Versions) =>
    active(versions)
      .where("since", ">", from)
      .where("since", "<=", revision)
      .where((eb) => eb.or([eb("until", "is", null), eb("until", ">", revision)]));
  if ((await countUpTo(em, ended, most + 1)) + (await countUpTo(em, begun, most + 1)) > most) return null;
  const removedRows = await versionRows(em, ended);
  const addedRows = await versionRows(em, begun);
  if (!(await isStored(em, zone, from))) return null;
  const encoder = new RecordEncoder(zone.name);
  const keyedEntry = (row: MirroredRow) => {
    const entry = encodeFor(zone.mirrored, encoder, row);
    return entry ? [keyed(entry)] : [];
  };
  const entries = async (rows: readonly LiveRow[]) =>
    new Map(await inSlices(flatMapped(await inSlices(sorted(rows, byName)), keyedEntry)));
  const removed = await entries(removedRows);
  const added = await entries(addedRows);
  // A record that ended and began again, or whose comment changed, is the same to a secondary.
  for (const key of added.keys()) if (removed.delete(key)) added.delete(key);
  if (!(await hasNameServers(em, id, from)))
    for (const entry of placeholders(copyOf(zone))) removed.set(...keyed(entry));
  if (!(await hasNameServers(em, id, revision)))
    for (const entry of placeholders(copyOf(zone))) added.set(...keyed(entry));
  for (const key of added.keys()) if (removed.delete(key)) added.delete(key);
  return { removed: [...removed.values()], added: [...added.values()] };
}

async function countUpTo(em: EntityManager, where: (versions: Versions) => Versions, most: number): Promise<number> {
  const some = where(queries(em).selectFrom("records"))
    .select(sql<number>`1`.as("one"))
    .limit(most);
  const { count } = await queries(em)
    .selectFrom(some.as("some"))
    .select((eb) => eb.fn.countAll<string>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Keeps the records of a name together, so that it is compressed. */
function byName(one: LiveRow, other: LiveRow): number {
  const [a, b] = [one, other].map(({ name, record_type: type }) => `${name}\0${type}`);
  return a === b ? 0 : (a ?? "") < (b ?? "") ? -1 : 1;
}

function keyed(entry: WireEntry): [string, WireEntry] {
  return [`${entry.owner}\0${entry.type}\0${entry.ttl}\0${entry.rdata.toString("latin1")}`, entry];
}

async function hasNameServers(em: EntityManager, domainId: string, revision: number): Promise<boolean> {
  const { rows } = await sql`
    select 1 from ${versionsAt(domainId, revision)} as alive where name = '@' and record_type = 'NS' and status = 'active' limit 1
  `.execute(queries(em));
  return rows.length > 0;
}

/** Returns the name servers of a zone without any at its apex, which would not be loaded. */
export function placeholders({ name, nameServers, soa }: Pick<ZoneCopy, "name" | "nameServers" | "soa">): WireEntry[] {
  const owner = ownerOf(name);
  return nameServers.map((host) => ({ owner, type: types.NS, ttl: soa.ttl, rdata: writeName(host) }));
}

async function isStored(em: EntityManager, { id }: { id: string }, revision: number): Promise<boolean> {
  const row = await queries(em).selectFrom("domains").select("history_from").where("id", "=", id).executeTakeFirst();
  return row !== undefined && row.history_from <= revision;
}

async function requireHistory(em: EntityManager, zone: { id: string }, revision: number): Promise<void> {
  if (!(await isStored(em, zone, revision))) throw new HistoryGone(`revision ${revision} is no longer stored`);
}

/** Members of a catalog read at once. */
const mostMembers = 1_000;
/** RFC 9432 §4.1: TTLs in a catalog have no meaning. */
const memberTtl = 0;

/** RFC 1035 §3.3: a character-string has at most 255 octets. */
const mostOctets = 255;

/** Yields the records of a catalog zone between its SOAs (RFC 9432 §4). The group of its members is the configuration's name (§4.3.2). */
async function* catalogEntries(database: Database, { id, name }: ServedZone): AsyncGenerator<WireEntry> {
  yield { owner: ownerOf(name), type: types.NS, ttl: memberTtl, rdata: writeName("invalid") };
  yield { owner: ownerOf(`version.${name}`), type: types.TXT, ttl: memberTtl, rdata: writeRdata("TXT", "2") };
  let last = "";
  for (;;) {
    const { rows } = await sql<{ provider_zone: string; catalog_label: string; group_name: string }>`
      select place.provider_zone, primary_zones.catalog_label, provider_configs.name as group_name
      from ${places} as place
      join primary_zones on primary_zones.domain_id = place.domain_id
      join provider_configs on provider_configs.id = place.provider_config_id
      where place.provider_config_id = ${id}::uuid and place.provider_zone > ${last}
      order by place.provider_zone limit ${mostMembers}
    `.execute(queries(database.fork()));
    for (const { provider_zone: zone, catalog_label: label, group_name: group } of rows) {
      const member = `${label}.zones.${name}`;
      yield { owner: ownerOf(member), type: types.PTR, ttl: memberTtl, rdata: writeName(zone) };
      yield { owner: ownerOf(`group.${member}`), type: types.TXT, ttl: memberTtl, rdata: characterString(group) };
    }
    const end = rows.at(-1);
    if (rows.length < mostMembers || !end) return;
    last = end.provider_zone;
  }
}

function characterString(text: string): Buffer {
  const octets = Buffer.from(text).subarray(0, mostOctets);
  return Buffer.concat([Buffer.of(octets.length), octets]);
}
