import type { Caller } from "../../access/caller.ts";
import { permitted } from "../../access/caller.ts";
import type { Database, EntityManager } from "../../database/database.ts";
import { parseZoneName } from "../../dns/names/names.ts";
import type { Domains } from "../../domains/service.ts";
import { atOnce, inSlices } from "../../platform/slices.ts";
import { Unprocessable, withinContent } from "./refusals.ts";
import { readAbsolute, wantedRrsets, type WantedRrset } from "./wanted-rrsets.ts";
import { refuseMeaning } from "./zone-settings.ts";
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
   * Creates a domain at the default provider configuration, with its records. If those are refused, the domain is deleted again.
   * @throws Unprocessable, AppError as `Domains.create` and `PowerdnsZones.change`
   */
  async create(em: EntityManager, caller: Caller, given: Readonly<Record<string, unknown>>): Promise<FoundZone> {
    const { database, domains, zones } = this.#parts;
    const name = parseZoneName(readAbsolute(given["name"], "name"));
    if (!name.ok) throw new Unprocessable("BAD_REQUEST", name.message);
    refuseMeaning(given, null);
    const rrsets = await inSlices(wantedRrsets(given["rrsets"] ?? [], name.value, false));
    const wanted = [...nameServersIn(given["nameservers"], name.value, rrsets), ...rrsets.filter(isOurs)];
    if (wanted.length > 0) permitted(caller, "records:write");
    const { id } = await domains.create(em, caller, { name: name.value });
    try {
      if (wanted.length > 0) await withinContent(zones.change(database.fork(), caller, { id }, wanted));
    } catch (error) {
      await domains.delete(database.fork(), caller, id);
      throw error;
    }
    return await zones.find(database.fork(), caller, name.value, "read");
  }
}

/** Copies of zones bring their SOA along, which is made here. */
function isOurs({ recordType }: WantedRrset): boolean {
  return recordType !== "SOA";
}

/** Returns the RRset of the zone's name servers. @throws Unprocessable */
function nameServersIn(given: unknown, zone: string, rrsets: readonly WantedRrset[]): WantedRrset[] {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) throw new Unprocessable("BAD_REQUEST", "`nameservers` must be a list of names.");
  const names = given.map((name: unknown) => readAbsolute(name, "nameservers"));
  if (names.length === 0) return [];
  if (rrsets.some(({ name, recordType }) => name === "@" && recordType === "NS"))
    throw new Unprocessable("BAD_REQUEST", "Nameservers list MUST NOT be mixed with zone-level NS in rrsets");
  const distinct = [...new Set(names.map((name) => name.toLowerCase()))];
  if (distinct.length > mostNameServers)
    throw new Unprocessable("BAD_REQUEST", `\`nameservers\` must be at most ${mostNameServers} names.`);
  const records = distinct.map((content) => ({ content }));
  const steps = wantedRrsets([{ name: `${zone}.`, type: "NS", ttl: nameServerTtl, records }], zone, false);
  return atOnce(steps);
}

const mostNameServers = 100;
