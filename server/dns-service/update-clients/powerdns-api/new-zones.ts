import { sql } from "kysely";
import type { Caller } from "../../../access/caller.ts";
import { zoneFor } from "../../../access/zone-access.ts";
import { permitted } from "../../../access/authenticator.ts";
import { queries, type Database, type EntityManager } from "../../../database/database.ts";
import { absoluteName, parseZoneName } from "../../../dns/names/names.ts";
import { rrsetKey } from "../../../dns/record.ts";
import { readZoneFile } from "../../../dns/zone-file/parse.ts";
import type { ZoneContext } from "../../../zones/changes/zone-context.ts";
import type { Domains } from "../../../zones/domains/service.ts";
import { AppError } from "../../../platform/errors.ts";
import { atOnce, grouped, inSlices } from "../../../platform/slices.ts";
import { Unprocessable, withinContent } from "./refusals.ts";
import { readAbsolute, wantedRrsets, type WantedRrset } from "./rrsets.ts";
import { begunZone, markBegun, settingsIn, storeSettings, type ZoneSettings } from "./zone-settings.ts";
import type { FoundZone, PowerdnsZones } from "./zones.ts";

/** The TTL of name servers that a client lists without one, as PowerDNS's default (`default-ttl`). */
const nameServerTtl = 3_600;

interface Parts {
  database: Database;
  domains: Domains;
  zones: PowerdnsZones;
}

/** Creates domains as PowerDNS's clients ask for zones. */
export class NewZones {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Creates a domain at the default provider configuration, with its records. Refused records are refused before anything is made, unless
   * the provider finds the fault: then the domain is deleted again. A zone file that is not as a deleted domain left it stays as it is.
   * @throws Unprocessable, AppError as `Domains.create` and `PowerdnsZones.change`
   */
  async create(em: EntityManager, caller: Caller, given: Readonly<Record<string, unknown>>): Promise<FoundZone> {
    const { database, domains, zones } = this.#parts;
    const name = parseZoneName(readAbsolute(given["name"], "name"));
    if (!name.ok) throw new Unprocessable("BAD_REQUEST", name.message);
    const settings = settingsIn(given, null);
    const rrsets = await rrsetsIn(given, name.value);
    const wanted = [...nameServersIn(given["nameservers"], name.value, rrsets), ...rrsets.flatMap(withoutSoa)];
    if (wanted.length > 0) permitted(caller, "records:write");
    const begun = await begunZone(em, { name: name.value });
    // Whoever may not manage it gets the refusal of a name that is taken.
    const isOwn = begun !== null && (await managed(em, caller, begun));
    const { id, isMarked } = isOwn
      ? { id: begun, isMarked: true }
      : await this.#begin(em, caller, { name: name.value, wanted, settings });
    if (!isMarked) return await zones.find(database.fork(), caller, name.value, "read");
    permitted(caller, "records:write");
    try {
      const alongside = async (tx: EntityManager) => await storeSettings(tx, caller, id, settings);
      const options = { isNew: true, whole: true, alongside };
      await withinContent(zones.change(database.fork(), caller, { id }, wanted, options));
    } catch (error) {
      // Another call may have finished it, and only the call that made a domain takes it back.
      if (!isOwn && (await begunZone(database.fork(), { id })) !== null)
        await domains.delete(database.fork(), caller, id);
      throw error;
    }
    return await zones.find(database.fork(), caller, name.value, "read");
  }

  /**
   * Creates the domain with its settings, and with a mark if it is to get other records than it has. A process that ends before they are
   * written leaves the mark, with which the same call goes on.
   */
  async #begin(em: EntityManager, caller: Caller, { name, wanted, settings }: Begun) {
    const { domains, zones } = this.#parts;
    const wish = { name };
    const { zone, live } = await created(domains.planned(em, caller, wish, () => Promise.resolve()));
    // A zone that is made stays at its provider. One that is there already is judged with what it has, when its records are here.
    if (live.length === 0) await withinContent(zones.refuseNew(em, caller, zone, wanted));
    else {
      permitted(caller, "records:write");
      if (!(await isAsLeft(em, zone))) throw new AppError("CONFLICT", notOurs);
    }
    let isMarked = false;
    const store = async (tx: EntityManager, domain: { id: string; revision: number }) => {
      await storeSettings(tx, caller, domain.id, settings);
      // Its provider may still have the zone of a domain that was deleted. In PowerDNS, a new zone has nothing but what the call has.
      isMarked = wanted.length > 0 || domain.revision > 0;
      if (isMarked) await markBegun(tx, domain);
    };
    const { id } = await created(domains.create(em, caller, wish, store));
    return { id, isMarked };
  }
}

/** What a new zone is to have. */
interface Begun {
  name: string;
  wanted: readonly WantedRrset[];
  settings: ZoneSettings;
}

/** Returns whether a caller may manage a domain. */
async function managed(em: EntityManager, caller: Caller, id: string): Promise<boolean> {
  try {
    await zoneFor(em, caller, id, "manage");
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

const notOurs =
  "Conflict: The zone files already have this zone, which is not as a deleted domain left it. Create the domain in Zonewright: it keeps the records.";

/** Returns whether a zone is as the last domain with it left it at this provider: what is still there is Zonewright's own, and in its history. */
async function isAsLeft(em: EntityManager, { name, view, configId, fingerprint }: ZoneContext): Promise<boolean> {
  if (fingerprint === null) return false;
  const last = await queries(em)
    .selectFrom("audit_entries")
    .select(sql<string | null>`before ->> 'providerFingerprint'`.as("fingerprint"))
    .where("action", "=", "domain.delete")
    .where(sql<string>`before ->> 'name'`, "=", name)
    .where(sql<string>`before ->> 'view'`, "=", view)
    .where(sql<string>`before ->> 'providerConfigId'`, "=", configId)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return last?.fingerprint === fingerprint;
}

/** Returns the RRsets that a new zone is to have, given one by one or as the text of a zone file. @throws Unprocessable */
async function rrsetsIn(given: Readonly<Record<string, unknown>>, zone: string): Promise<WantedRrset[]> {
  const { zone: text = null, rrsets = null } = given;
  if (text === null || text === "") return await inSlices(wantedRrsets(rrsets ?? [], zone, false));
  if (rrsets !== null && !(Array.isArray(rrsets) && rrsets.length === 0))
    throw new Unprocessable("BAD_REQUEST", "You cannot give rrsets AND zone data as text");
  if (typeof text !== "string") throw new Unprocessable("BAD_REQUEST", "`zone` must be the text of a zone file.");
  const parsed = await inSlices(readZoneFile(text, { zone }));
  if (!parsed.ok) {
    const faults = parsed.errors.map(({ line, message }) => `Line ${line}: ${message}`);
    throw new Unprocessable("BAD_REQUEST", `Failed to parse \`zone\`. ${faults.join(" ")}`);
  }
  const sets = await inSlices(grouped(parsed.records, rrsetKey));
  return [...sets.values()].flatMap(([first, ...others]): WantedRrset[] => {
    if (!first) return [];
    const { name, recordType, ttl } = first;
    const records = [first, ...others].map(({ value, strings }) => ({ value, strings, disabled: false }));
    return [
      {
        owner: `${absoluteName(name, zone)}.`,
        name,
        recordType,
        records,
        ttl,
        added: [],
        removed: [],
        comments: undefined,
      },
    ];
  });
}

/** Waits for a domain. A name that is taken is said so in PowerDNS's word. @throws AppError */
async function created<T>(creation: Promise<T>): Promise<T> {
  try {
    return await creation;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "CONFLICT") throw error;
    throw new AppError("CONFLICT", `Conflict: ${error.message}`, { cause: error });
  }
}

/** Copies of zones bring their SOA along, which is made here; its comments stay. */
export function withoutSoa(rrset: WantedRrset): WantedRrset[] {
  if (rrset.recordType !== "SOA") return [rrset];
  return rrset.comments === undefined ? [] : [{ ...rrset, records: null }];
}

/** Returns the RRset of the zone's name servers. @throws Unprocessable */
function nameServersIn(given: unknown, zone: string, rrsets: readonly WantedRrset[]): WantedRrset[] {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) throw new Unprocessable("BAD_REQUEST", "`nameservers` must be a list of names.");
  const names = given.map((name: unknown) => readAbsolute(name, "nameservers"));
  if (names.length === 0) return [];
  if (rrsets.some(({ name, recordType }) => name === "@" && recordType === "NS"))
    throw new Unprocessable("BAD_REQUEST", "Nameservers list MUST NOT be mixed with zone-level NS in rrsets");
  // As first written: clients compare what they read with what they wrote.
  const distinct = [...new Map(names.toReversed().map((name) => [name.toLowerCase(), name])).values()].toReversed();
  if (distinct.length > mostNameServers)
    throw new Unprocessable("BAD_REQUEST", `\`nameservers\` must be at most ${mostNameServers} names.`);
  const records = distinct.map((content) => ({ content }));
  const steps = wantedRrsets([{ name: `${zone}.`, type: "NS", ttl: nameServerTtl, records }], zone, false);
  return atOnce(steps);
}

const mostNameServers = 100;
