import { sql } from "kysely";
import type { Caller } from "../../../access/caller.ts";
import { visibleDomains } from "../../../access/visible-domains.ts";
import {
  accessColumns,
  outsideRights,
  rightsFrom,
  rightsIn,
  type Need,
  type Rights,
} from "../../../access/zone-access.ts";
import type { ZoneContext } from "../../../zones/changes/zone-context.ts";
import { liveAtNames, pageRows, zoneAt, type LiveNames } from "../../../zones/changes/state/live-queries.ts";
import { queries, type EntityManager } from "../../../database/database.ts";
import { escapeLike } from "../../../database/query-helpers.ts";
import { absoluteName, readOwner, withEscapes } from "../../../dns/names/names.ts";
import {
  isActive,
  isApexNs,
  proxiedLike,
  rrsetKey,
  valueOf,
  type LiveRecord,
  nameOf,
  recordKey,
  type RecordStatus,
} from "../../../dns/record.ts";
import { isServerManaged, withoutManaged, canonicalType, isWritableType } from "../../../dns/zone-file/type-names.ts";
import { serialOf } from "../../../dns/wire/serials.ts";
import { initialSoa, type Soa } from "../../../dns/zone-file/contents.ts";
import { AppError, notFound } from "../../../platform/errors.ts";
import { flatMapped, grouped, inPages, inSlices, mapped, type Steps } from "../../../platform/slices.ts";
import type { Records } from "../../../zones/records/service.ts";
import { storeComments, storedComments, textOf } from "./comments.ts";
import {
  label,
  type WantedRrset,
  otherTtl,
  shownTtl,
  type WantedData,
  shownRrsets,
  soaRrset,
  type ShownRrset,
} from "./rrsets.ts";
import { begunZone, markFinished, type ZoneSettings } from "./zone-settings.ts";
import type { Edit } from "../../../zones/records/editing/edits.ts";

/** A zone in the default view of its name. */
export interface FoundZone {
  id: string;
  name: string;
  revision: number;
  serial: number;
  /** Whether the provider signs it. */
  signed: boolean;
  /** Whether secondaries transfer it from Zonewright. */
  isPrimary: boolean;
  /** What clients set of it. */
  settings: ZoneSettings;
  rights: Rights;
}

interface Parts {
  records: Records;
  /** Returns the SOA of a zone that secondaries transfer; null for others. */
  servedSoa: (em: EntityManager, domainId: string) => Promise<Soa | null>;
  now: () => Date;
}

/** Which RRsets to show. */
export interface RrsetFilter {
  /** Absolute. */
  name?: string | undefined;
  type?: string | undefined;
  /** Whether to leave out disabled records. */
  activeOnly?: boolean;
}

/** How to change RRsets. */
interface ChangeOptions {
  /** Whether the zone was begun for them, and has not got them. */
  isNew?: boolean;
  /** Whether all other RRsets that the caller sees go. */
  whole?: boolean;
  /** Stores what belongs to the change, in its transaction. */
  alongside?: (tx: EntityManager) => Promise<void>;
}

/** How long a change with an ACME challenge waits at most for the provider's name servers: lego gives up after 30 seconds. */
const settledWithinMilliseconds = 20_000;

/** Zones and their RRsets as PowerDNS's API has them. Only the default view of a name is there. */
export class PowerdnsZones {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Yields the zones that the caller sees, by name, in pages: an installation may have 100,000. @param name only that zone, canonical */
  async *pages(em: EntityManager, caller: Caller, name?: string): AsyncGenerator<FoundZone[]> {
    const visible = await visibleDomains(em, caller);
    const pages = inPages<ZoneRow>(pageRows, (last) =>
      zoneRows(em, caller)
        .where((eb) => visible.condition(eb))
        .$if(name !== undefined, (query) => query.where("domains.name", "=", name ?? ""))
        .$if(last !== null, (query) => query.where("domains.name", ">", last?.name ?? ""))
        .orderBy("domains.name")
        .limit(pageRows)
        .execute(),
    );
    for await (const rows of pages) yield foundZones(caller, rows);
  }

  /** Returns the first zones that the caller sees and whose name has a text and is like a pattern of SQL, with its last dot or without, by name. */
  async like(
    em: EntityManager,
    caller: Caller,
    { text, pattern, most }: { text: string; pattern: string; most: number },
  ): Promise<FoundZone[]> {
    const visible = await visibleDomains(em, caller);
    const rows = await zoneRows(em, caller)
      .where((eb) => visible.condition(eb))
      .where("domains.name", "like", `%${escapeLike(text)}%`)
      .where(sql<boolean>`(domains.name like ${pattern} or domains.name || '.' like ${pattern})`)
      .orderBy("domains.name")
      .limit(most)
      .execute();
    return foundZones(caller, rows);
  }

  /** Returns a zone. @param name canonical @throws AppError NOT_FOUND, FORBIDDEN if `need` exceeds the caller's rights */
  async find(em: EntityManager, caller: Caller, name: string, need: Need): Promise<FoundZone> {
    const row = await zoneRows(em, caller).where("domains.name", "=", name).executeTakeFirst();
    if (!row) throw notFound("domain");
    return foundZone(row, rightsIn(row, caller, need));
  }

  /** Returns the RRsets of a zone that the caller sees, beginning with its SOA. */
  async rrsets(em: EntityManager, zone: FoundZone, filter: RrsetFilter = {}): Promise<ShownRrset[]> {
    const { name: given, type: givenType, activeOnly = false } = filter;
    const type = givenType === undefined ? undefined : (canonicalType(givenType) ?? givenType.toUpperCase());
    const name = given === undefined ? undefined : readOwner(given, "", zone.name);
    if (name?.ok === false) return [];
    const live =
      name === undefined
        ? await zoneAt(em, zone.id, zone.revision, zone.rights.sees)
        : (await liveAtNames(em, zone.id, [name.value.name]))
            .filter((record) => zone.rights.sees.includes(record))
            .toSorted((one, another) => (one.recordType < another.recordType ? -1 : 1));
    const records = withoutManaged(activeOnly ? live.filter(isActive) : live, zone.signed);
    const stored = await storedComments(em, zone.id, name?.value.name);
    const sets = await inSlices(shownRrsets(zone.name, records, stored));
    const isSoaWanted = name === undefined || name.value.name === "@";
    const soaNotes = zone.rights.sees.includes(soaPlace) ? stored.get(rrsetKey(soaPlace))?.notes : [];
    const all = isSoaWanted ? [soaRrset(zone.name, await this.#soa(em, zone, records), soaNotes), ...sets] : sets;
    return type === undefined ? all : all.filter((rrset) => rrset.type === type);
  }

  /** Returns the SOA of a zone. Elsewhere than with our own secondaries it is the provider's matter, and made up here. */
  async #soa(em: EntityManager, zone: FoundZone, records: readonly LiveRecord[]): Promise<Soa> {
    const { servedSoa, now } = this.#parts;
    const served = zone.isPrimary ? await servedSoa(em, zone.id) : null;
    if (served) return { ...served, serial: zone.serial };
    const server = records.find(isApexNs);
    const soa = initialSoa(zone.name, now());
    return { ...soa, mname: server ? valueOf(server) : soa.mname, serial: zone.serial };
  }

  /** Refuses the RRsets of a zone that does not exist yet, as `change` would once it is there. @throws AppError as `change` */
  async refuseNew(em: EntityManager, caller: Caller, zone: ZoneContext, wanted: readonly WantedRrset[]): Promise<void> {
    refuseBeyond(wanted, zone);
    const edits = await inSlices(rrsetEdits(wanted, []));
    const sent = edits.map(({ edit }) => edit);
    await namingRrsets(this.#parts.records.refuseNew(em, caller, zone, sent), () => edits);
  }

  /**
   * Makes RRsets what is wanted, all or none, in one change. Without differences there is no change, but comments get their account and time.
   * @throws AppError as `Records.edit`; the message names the RRset that is refused
   */
  async change(
    em: EntityManager,
    caller: Caller,
    { id }: Pick<FoundZone, "id">,
    wanted: readonly WantedRrset[],
    { isNew = false, whole = false, alongside: more }: ChangeOptions = {},
  ): Promise<void> {
    let edits: RrsetEdit[] = [];
    let commented: WantedRrset[] = [];
    const derive = async (tx: EntityManager, zone: ZoneContext, live: LiveNames) => {
      if (isNew && (await begunZone(tx, { id })) === null) throw new AppError("CONFLICT", begunTwice);
      const present = whole
        ? withoutManaged(await zoneAt(tx, id, zone.revision, zone.rights.sees), zone.signed)
        : await live.at([...new Set(wanted.map(({ name }) => name))]);
      const all = whole ? [...(await inSlices(deletions(zone.name, present, wanted))), ...wanted] : wanted;
      refuseBeyond(all, zone);
      commented = await inSlices(withComments(all, present));
      edits = await inSlices(rrsetEdits(all, present));
      return edits.map(({ edit }) => edit);
    };
    const alongside = async (tx: EntityManager) => {
      await storeComments(tx, id, commented, this.#parts.now());
      if (isNew) await markFinished(tx, id);
      await more?.(tx);
    };
    const challengesWithin = settledWithinMilliseconds;
    const wish = { derive, alongside, isUnserved: isNew, challengesWithin };
    await namingRrsets(this.#parts.records.edit(em, caller, id, wish), () => edits);
  }
}

const begunTwice = "Conflict: Another call has created this zone at the same time.";
const soaPlace = { name: "@", recordType: "SOA" };

/** Returns the deletion of each RRset that is not wanted. */
function* deletions(
  zone: string,
  present: readonly LiveRecord[],
  wanted: readonly WantedRrset[],
): Steps<WantedRrset[]> {
  const staying = new Set(wanted.map(rrsetKey));
  const going = yield* grouped(present, (record) => (staying.has(rrsetKey(record)) ? undefined : rrsetKey(record)));
  return yield* flatMapped(going.values(), ([first]): WantedRrset[] => {
    if (!first) return [];
    const { name, recordType } = first;
    const nothing = { records: [], added: [], removed: [], ttl: null, comments: undefined };
    return [{ owner: `${absoluteName(name, zone)}.`, name, recordType, ...nothing }];
  });
}

/** Returns the RRsets whose comments are to be stored, or deleted because the RRset goes. */
function* withComments(wanted: readonly WantedRrset[], present: readonly LiveRecord[]): Steps<WantedRrset[]> {
  const counts = yield* grouped(present, rrsetKey);
  return yield* flatMapped(wanted, (rrset) => {
    const { recordType, records, added, comments } = rrset;
    const staying = records ?? [...added, ...(counts.get(rrsetKey(rrset)) ?? [])];
    if (staying.length === 0 && recordType !== "SOA") return [{ ...rrset, comments: [] }];
    return comments === undefined ? [] : [rrset];
  });
}

function zoneRows(em: EntityManager, caller: Caller) {
  return queries(em)
    .selectFrom("domains")
    .select(["domains.id", "domains.name", "domains.revision", "domains.provider_signed"])
    .select([
      sql<boolean>`exists (
        select from provider_configs where id = domains.provider_config_id and kind = 'primary'
      )`.as("is_primary"),
      // A driver may return a bigint as text.
      sql<string | null>`(select serial_base::text from primary_zones where domain_id = domains.id)`.as("serial_base"),
      sql<ZoneSettings | null>`(select settings from powerdns_zones where domain_id = domains.id)`.as("settings"),
    ])
    .select(accessColumns(caller))
    .where("domains.view", "=", "");
}

type ZoneRow = Awaited<ReturnType<ReturnType<typeof zoneRows>["execute"]>>[number];

function foundZones(caller: Caller, rows: readonly ZoneRow[]): FoundZone[] {
  return rows.flatMap((row) => {
    const rights = rightsFrom(caller, row);
    return rights === null ? [] : [foundZone(row, rights)];
  });
}

function foundZone(row: ZoneRow, rights: Rights): FoundZone {
  const { id, name, revision, provider_signed: signed, is_primary: isPrimary, serial_base: base } = row;
  const serial = isPrimary && base !== null ? serialOf(Number(base) + revision) : Math.max(1, revision);
  return { id, name, revision, serial, signed, isPrimary, settings: row.settings ?? {}, rights };
}

/** Refuses RRsets that nobody, or not this caller, may change, whether they exist or not. @throws AppError BAD_REQUEST, FORBIDDEN */
function refuseBeyond(wanted: readonly WantedRrset[], { rights, signed }: ZoneContext): void {
  for (const rrset of wanted) {
    if (rrset.recordType === "SOA" && (rrset.records !== null || rrset.added.length + rrset.removed.length > 0))
      throw new AppError("BAD_REQUEST", `${label(rrset)}: Zonewright makes the SOA itself. Leave it out.`);
    const beyond = outsideRights(rrset, rights);
    if (beyond !== null) throw new AppError("FORBIDDEN", `${label(rrset)}: ${beyond}`);
    if (signed && isServerManaged(rrset))
      throw new AppError("BAD_REQUEST", `${label(rrset)}: The name server that signs the zone maintains it.`);
  }
}

/** Waits for a change. @throws AppError that names the RRset that is refused */
async function namingRrsets(change: Promise<unknown>, edits: () => readonly RrsetEdit[]): Promise<void> {
  try {
    await change;
  } catch (error) {
    throw error instanceof AppError ? naming(error, edits()) : error;
  }
}

/**
 * Returns a refusal with the first RRset that it concerns in its message, in PowerDNS's form. A rule of names concerns each change of a name,
 * but no deletion breaks it.
 */
function naming(error: AppError, edits: readonly RrsetEdit[]): AppError {
  const { code, retryAfterSeconds, note, issues } = error;
  const named = (issues ?? []).flatMap(({ path, message }) => {
    const edit = path[0] === "changes" ? edits[Number(path[1])] : undefined;
    return edit ? [{ ...edit, message }] : [];
  });
  const first = named.find(({ edit }) => edit.action !== "delete") ?? named[0];
  if (!first) return error;
  const options = { ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }), ...(note ? { note } : {}) };
  return new AppError(code, `${label(first.of)}: ${first.message}`, { ...options, cause: error.cause });
}

interface RrsetEdit {
  edit: Edit;
  of: WantedRrset;
}

/**
 * Returns the edits that turn the present records into what is wanted. A replaced value is an update, so that the record keeps its identity
 * and notes. Pure.
 * @param present the records at the names of the RRsets @throws Unprocessable for a record to add whose TTL is another than its RRset's
 */
export function* rrsetEdits(wanted: readonly WantedRrset[], present: readonly LiveRecord[]): Steps<RrsetEdit[]> {
  const sets = yield* grouped(present, rrsetKey);
  const names = yield* grouped(present, ({ name }) => name);
  const edits: RrsetEdit[] = [];
  for (const of of wanted) {
    const proxied = proxiedLike(of.recordType, names.get(of.name) ?? []);
    for (const edit of yield* editsOf(of, sets.get(rrsetKey(of)) ?? [], proxied)) {
      edits.push({ edit, of });
      yield;
    }
    yield;
  }
  return edits;
}

/** @param proxied whether new records are */
function* editsOf(wanted: WantedRrset, present: readonly LiveRecord[], proxied: boolean): Steps<Edit[]> {
  const { recordType, records, ttl, comments } = wanted;
  const owner = withEscapes(wanted.owner);
  const noted = comments === undefined ? {} : { comment: textOf(comments) || null };
  if (records === null) return yield* adjustments(wanted, present, { noted, proxied });
  const written = ttl === null ? noted : { ...noted, ttl };
  const { staying, coming } = yield* matched(wanted, records, present);
  // Disabled records have TTLs of their own, which are not shown beside another.
  const isTtlNew = present.length > 0 && ttl !== shownTtl(present);
  const edits = yield* flatMapped(present, (record) => {
    const data = staying.get(record);
    if (!data) return [];
    const isOff = data.disabled && !isActive(record) && !isTtlNew;
    const patch = { ...(isOff ? noted : written), status: statusOf(data), ...spelledAs(wanted, data, record) };
    return updateOf(record, patch);
  });
  const going = present.filter((record) => !staying.has(record));
  // Nobody may change the value of other types, but delete and create them.
  const replaceable = isWritableType(recordType) ? hiddenFirst(going) : [];
  const shared = sharedComment(present);
  for (const [index, data] of coming.entries()) {
    const { strings } = data;
    const value = valueOf(data);
    const before = replaceable[index];
    const content = { door: "dns" as const, value, strings, status: statusOf(data), ...written };
    if (before) edits.push({ action: "update", recordId: before.id, patch: content });
    else edits.push({ action: "create", input: { name: owner, recordType, proxied, comment: shared, ...content } });
    yield;
  }
  const deleted = replaceable.length > 0 ? replaceable.slice(coming.length) : going;
  return [...edits, ...deleted.map(({ id }): Edit => ({ action: "delete", recordId: id }))];
}

/** Returns records with those that a proxy hides first, so that these get new values rather than go. */
function hiddenFirst(records: readonly LiveRecord[]): LiveRecord[] {
  return [...records.filter(({ proxied }) => proxied), ...records.filter(({ proxied }) => !proxied)];
}

/** Which records stay, and which of the wanted ones have to come. */
interface Matched {
  staying: Map<LiveRecord, WantedData>;
  coming: WantedData[];
}

/**
 * Returns which records stay for which of the wanted ones, and the wanted ones that have to come. Of a content there may be a disabled record
 * beside an active one, so a record first stays for one that is as active as itself.
 */
function* matched(
  { name, recordType }: WantedRrset,
  records: readonly WantedData[],
  present: readonly LiveRecord[],
): Steps<Matched> {
  const left = yield* grouped(records, (data) => switchedKey({ name, recordType, ...data }, data.disabled));
  const staying = new Map<LiveRecord, WantedData>();
  for (const isSwitched of [false, true]) {
    for (const record of present) {
      yield;
      if (staying.has(record)) continue;
      const data = left.get(switchedKey(record, isActive(record) === isSwitched))?.pop();
      if (data) staying.set(record, data);
    }
  }
  return { staying, coming: [...left.values()].flat() };
}

function switchedKey(record: Parameters<typeof recordKey>[0], disabled: boolean): string {
  return `${disabled} ${recordKey(record)}`;
}

/** Returns the edits that add, switch and remove single records, and leave the others as they are but for their comment. */
function* adjustments(
  wanted: WantedRrset,
  present: readonly LiveRecord[],
  { noted, proxied }: { noted: Pick<Patch, "comment">; proxied: boolean },
): Steps<Edit[]> {
  const { name, recordType, added, removed, ttl } = wanted;
  const keyOf = (data: WantedData) => recordKey({ name, recordType, ...data });
  const going = new Set(yield* mapped(removed, keyOf));
  const there = yield* grouped(present, recordKey);
  const leaving = [...going].flatMap((key) => there.get(key) ?? []);
  const left = new Set(leaving);
  const staying = present.filter((record) => !left.has(record));
  const switched = new Map<LiveRecord, WantedData>();
  const coming: WantedData[] = [];
  for (const data of added) {
    const key = keyOf(data);
    const same = going.has(key) ? [] : (there.get(key) ?? []);
    const [first] = same;
    if (!first) coming.push(data);
    else if (same.every((record) => isActive(record) === data.disabled)) switched.set(first, data);
    yield;
  }
  const joins = coming.length > 0 || [...switched.values()].some(({ disabled }) => !disabled);
  const other = staying.find((record) => isActive(record) && !record.proxied && record.ttl !== ttl);
  if (other && joins) throw otherTtl(wanted, other.ttl);
  const timed = ttl === null ? {} : { ttl };
  const kept = yield* flatMapped(staying, (record) => {
    const data = switched.get(record);
    const enabled = data?.disabled === false ? timed : {};
    return updateOf(record, data ? { ...noted, ...enabled, status: statusOf(data) } : noted);
  });
  const comment = sharedComment(present);
  const created = yield* mapped(coming, (data): Edit => {
    const content = { door: "dns" as const, value: valueOf(data), strings: data.strings, status: statusOf(data) };
    const input = { name: withEscapes(wanted.owner), recordType, proxied, comment, ...content };
    return { action: "create", input: { ...input, ...noted, ...timed } };
  });
  return [...leaving.map(({ id }): Edit => ({ action: "delete", recordId: id })), ...kept, ...created];
}

function statusOf({ disabled }: WantedData): RecordStatus {
  return disabled ? "disabled" : "active";
}

/** Returns the name and the value of a record, if a client writes them with other capitals than they have. */
function spelledAs(wanted: WantedRrset, data: WantedData, record: LiveRecord): { name?: string; value?: string } {
  return {
    ...(nameOf(wanted) === nameOf(record) ? {} : { name: withEscapes(wanted.owner) }),
    ...(valueOf(data) === valueOf(record) ? {} : { value: valueOf(data) }),
  };
}

/** What an update of a record changes, if it is not so already. */
interface Patch {
  ttl?: number;
  status?: RecordStatus;
  comment?: string | null;
  name?: string;
  value?: string;
}

/** Returns the update of a record; none if it is so already. A proxied record's TTL is the proxy's. */
function updateOf(record: LiveRecord, patch: Patch): Edit[] {
  const { ttl = record.ttl, status = record.status, comment = record.comment, name, value } = patch;
  const isSpelled = name === undefined && value === undefined;
  const isNoted = status === record.status && comment === record.comment;
  const isSame = (record.proxied || ttl === record.ttl) && isNoted && isSpelled;
  return isSame ? [] : [{ action: "update", recordId: record.id, patch }];
}

/** Returns the comment that all records have, which in PowerDNS belongs to the RRset. */
function sharedComment([first, ...others]: readonly LiveRecord[]): string | null {
  return first && others.every(({ comment }) => comment === first.comment) ? first.comment : null;
}
