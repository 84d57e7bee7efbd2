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
import { liveAtNames, zoneAt, type LiveNames } from "../../../zones/changes/state/live-queries.ts";
import { queries, type EntityManager } from "../../../database/database.ts";
import { escapeLike } from "../../../database/query-helpers.ts";
import { absoluteName, readOwner } from "../../../dns/names/names.ts";
import { isActive, isApexNs, rrsetKey, valueOf, type LiveRecord } from "../../../dns/record.ts";
import { isServerManaged, withoutManaged, canonicalType } from "../../../dns/zone-file/type-names.ts";
import { serialOf } from "../../../dns/wire/serials.ts";
import { initialSoa, type Soa } from "../../../dns/zone-file/contents.ts";
import { AppError, notFound } from "../../../platform/errors.ts";
import { flatMapped, grouped, inSlices, type Steps } from "../../../platform/slices.ts";
import type { Records } from "../../../zones/records/service.ts";
import { storeComments, storedComments } from "./comments.ts";
import { rrsetEdits, type RrsetEdit } from "./rrset-edits.ts";
import { shownRrsets, soaRrset, type ShownRrset } from "./shown-rrsets.ts";
import { label, type WantedRrset } from "./wanted-rrsets.ts";
import type { ZoneSettings } from "./zone-settings.ts";

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

/** Which zones to list. */
export interface ZoneFilter {
  /** Only that zone, canonical. */
  name?: string | undefined;
  /** Only zones whose name has this text. */
  containing?: string | undefined;
  most?: number;
}

/** How to change RRsets. */
interface ChangeOptions {
  /** Whether the zone has just been created for them. */
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

  /** Returns the zones that the caller sees, by name. */
  async list(em: EntityManager, caller: Caller, { name, containing, most }: ZoneFilter = {}): Promise<FoundZone[]> {
    const visible = await visibleDomains(em, caller);
    const rows = await zoneRows(em, caller)
      .where((eb) => visible.condition(eb))
      .$if(name !== undefined, (query) => query.where("domains.name", "=", name ?? ""))
      .$if(containing !== undefined, (query) =>
        query.where("domains.name", "like", `%${escapeLike(containing ?? "")}%`),
      )
      .orderBy("domains.name")
      .$if(most !== undefined, (query) => query.limit(most ?? 0))
      .execute();
    return rows.flatMap((row) => {
      const rights = rightsFrom(caller, row);
      return rights === null ? [] : [foundZone(row, rights)];
    });
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
      await more?.(tx);
    };
    try {
      const challengesWithin = settledWithinMilliseconds;
      await this.#parts.records.edit(em, caller, id, { derive, alongside, isUnserved: isNew, challengesWithin });
    } catch (error) {
      throw error instanceof AppError ? naming(error, edits) : error;
    }
  }
}

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
