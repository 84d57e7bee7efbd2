import { jsonRows, queries, type EntityManager, jsonTexts } from "../../database/database.ts";
import {
  type ManagedZone,
  type Place,
  classlessParent,
  namesFrom,
  ZoneIndex,
  reverseName,
} from "../../dns/reverse/zones.ts";
import type { LiveRecord, RecordData } from "../../dns/record.ts";
import { sql, type SqlBool } from "kysely";
import { liveColumns, liveRecord, pageRows } from "../changes/state/live-queries.ts";
import { inChunks } from "../../platform/slices.ts";

/** Where the PTR records of an address belong, or why they belong nowhere here. */
export interface PointerPlace {
  place: Place;
  fault: string | null;
  /** A classless zone for the address that the zone above does not lead to. */
  bypassed: Place | null;
}

/**
 * Returns where the PTR records of addresses belong, for those under a managed zone. Follows one CNAME, as RFC 2317 uses it to delegate
 * single addresses. A classless zone counts if the zone above it leads there, gives its whole network away, or is not managed here.
 * @param views in order of preference
 */
export async function pointerPlaces(
  em: EntityManager,
  zones: ManagedZones,
  addresses: readonly string[],
  views: readonly string[],
): Promise<Map<string, PointerPlace>> {
  await zones.readAddresses(em, addresses);
  const candidates = new Map(addresses.map((address) => [address, zones.index.candidatesFor(address, views)]));
  const asked = [...candidates.values()].flatMap(({ holder }) => (holder ? cutsFor(holder.zone, holder.owner) : []));
  const stored = await recordsAt(em, asked, ["CNAME", "NS", "DNAME"]);
  const recordsOf = (name: NameInZone) =>
    (stored.get(placeKey(name)) ?? []).filter(({ status }) => status === "active");
  const aliases = new Map<string, string>();
  for (const [address, { holder }] of candidates) {
    const alias = holder && recordsOf({ domainId: holder.zone.id, name: holder.owner }).find(isAlias);
    if (alias) aliases.set(address, alias.value);
  }
  await zones.readNames(em, aliases.values());
  const places = new Map<string, PointerPlace>();
  for (const [address, { holder, classless }] of candidates) {
    const target = aliases.get(address);
    if (!holder) {
      if (classless) places.set(address, { place: classless, fault: null, bypassed: null });
    } else if (target === undefined) {
      const isCut = (name: NameInZone) => recordsOf(name).some((record) => cuts(record, holder.owner));
      const cut = cutsFor(holder.zone, holder.owner).find(isCut);
      places.set(address, atHolder(holder, classless, cut ?? null));
    } else places.set(address, throughAlias(holder, target, zones, views));
  }
  return places;
}

function atHolder(place: Place, classless: Place | null, cut: NameInZone | null): PointerPlace {
  if (cut === null) return { place, fault: null, bypassed: classless };
  // Others have the zone above the classless one, and may lead there.
  if (classless && cut.name !== place.owner) return { place: classless, fault: null, bypassed: null };
  return { place, fault: delegated(cut.name, place.zone), bypassed: classless };
}

function throughAlias(place: Place, target: string, zones: ManagedZones, views: readonly string[]): PointerPlace {
  const other = zones.index.placeOfName(target, views);
  if (other && (other.zone.id !== place.zone.id || other.owner !== place.owner))
    return { place: other, fault: null, bypassed: null };
  return { place, fault: `its reverse name is a CNAME to ${target}, which is managed elsewhere`, bypassed: null };
}

function delegated(name: string, { name: zone }: ManagedZone): string {
  return `${zone} delegates ${name} to other name servers`;
}

/** Returns an owner and the names above it within its zone, where records may give it away. */
function cutsFor(zone: ManagedZone, owner: string): NameInZone[] {
  if (owner === "@") return [];
  const labels = owner.split(".");
  return labels.map((_, index) => ({ domainId: zone.id, name: labels.slice(index).join(".") }));
}

function isAlias({ recordType }: LiveRecord): boolean {
  return recordType === "CNAME";
}

/** Returns whether a record gives an owner away: NS all names from its own on, DNAME those below its own (RFC 6672 §2.3). */
function cuts({ recordType, name }: LiveRecord, owner: string): boolean {
  return recordType === "NS" || (recordType === "DNAME" && name !== owner);
}

/** A name in a zone. */
export interface NameInZone {
  domainId: string;
  /** Relative to the zone. */
  name: string;
}

export function placeKey({ domainId, name }: NameInZone): string {
  return `${domainId}\0${name}`;
}

/** Returns the live records that DNS has of names in any zones, by `placeKey`. @param types only records of these types */
export async function recordsAt(
  em: EntityManager,
  places: Iterable<NameInZone>,
  types: readonly string[] | null = null,
): Promise<Map<string, LiveRecord[]>> {
  const distinct = new Map<string, NameInZone>();
  for (const place of places) distinct.set(placeKey(place), place);
  const columns = sql.join(liveColumns.map((column) => sql.ref(`r.${column}`)));
  const ofTypes = types === null ? sql`true` : sql`r.record_type in (${sql.join(types.map((type) => sql.lit(type)))})`;
  const found = await inChunks([...distinct.values()], pageRows, async (some) => {
    const rows = some.map(({ domainId, name }) => ({ d: domainId, n: name }));
    const { rows: records } = await sql<{ domain_id: string } & Parameters<typeof liveRecord>[0]>`
      select r.domain_id, ${columns}
      from ${jsonRows(rows)} as p (d uuid, n text)
      join records r on r.domain_id = p.d and r.name = p.n collate "C" and r.until is null and r.status = 'active' and ${ofTypes}
      order by r.record_id
    `.execute(queries(em));
    return records;
  });
  const byPlace = new Map<string, LiveRecord[]>();
  for (const row of found) {
    const key = placeKey({ domainId: row.domain_id, name: row.name });
    const known = byPlace.get(key);
    if (known) known.push(liveRecord(row));
    else byPlace.set(key, [liveRecord(row)]);
  }
  return byPlace;
}

/** A longer chain of CNAME records is not followed. */
const longestChain = 8;

type Answer = Pick<RecordData, "recordType" | "value" | "proxied"> & { status?: string };

/** Records as they will be after a change, in one zone. They replace the stored ones. */
export interface Overlay {
  domainId: string;
  /** By name. Names that do not change are left out. */
  records: ReadonlyMap<string, readonly Answer[]>;
}

/** A name and an address that it may have. */
export interface Claim {
  name: string;
  address: string;
}

export function claimKey({ name, address }: Claim): string {
  return `${name}\0${address}`;
}

/** Answers which managed names resolve to which addresses. Views do not matter: a name resolves if it does in one of them. */
export class Resolution {
  readonly #zones: ManagedZones;
  readonly #overlay: Overlay | null;

  constructor(zones: ManagedZones, overlay: Overlay | null = null) {
    this.#zones = zones;
    this.#overlay = overlay;
  }

  /** Returns the keys of the claims that are true: the name has the address, by itself, by CNAME records or by a wildcard. */
  async trueOf(em: EntityManager, claims: readonly Claim[]): Promise<Set<string>> {
    const holding = new Set<string>();
    let open = [...new Map(claims.map((claim) => [claimKey(claim), { ...claim, root: claimKey(claim) }])).values()];
    for (let hop = 0; hop < longestChain && open.length > 0; hop++) {
      const names = open.map(({ name }) => name);
      await this.#zones.readNames(em, names);
      const answers = await this.#answers(em, new Set(names));
      open = open.flatMap(({ name, address, root }) => {
        const given = answers.get(name) ?? [];
        if (given.some((record) => gives(record, address))) holding.add(root);
        if (holding.has(root)) return [];
        return given.flatMap(({ recordType, value }) =>
          recordType === "CNAME" ? [{ name: value, address, root }] : [],
        );
      });
    }
    return holding;
  }

  /** Returns whether a name lies in a managed zone. Only for names that were read. */
  isManaged(name: string): boolean {
    return this.#zones.index.placesOfName(name).length > 0;
  }

  /** Returns what each name answers with, from all zones that hold it. */
  async #answers(em: EntityManager, names: ReadonlySet<string>): Promise<Map<string, Answer[]>> {
    const places = new Map([...names].map((name) => [name, this.#zones.index.placesOfName(name)]));
    const asked = [...places.values()].flat().flatMap((place) => ownersFor(place));
    const stored = await recordsAt(
      em,
      asked.filter(({ domainId, name }) => !this.#overlaid(domainId, name)),
    );
    const at = (domainId: string, name: string) =>
      this.#overlaid(domainId, name) ?? stored.get(placeKey({ domainId, name })) ?? [];
    return new Map(
      [...places].map(([name, each]) => [
        name,
        each.flatMap((place) => {
          // A name that exists is not answered by a wildcard (RFC 4592 §2.2.1).
          const owners = ownersFor(place).map((owner) => at(owner.domainId, owner.name));
          return owners.find((records) => records.length > 0) ?? [];
        }),
      ]),
    );
  }

  #overlaid(domainId: string, name: string): readonly Answer[] | undefined {
    return this.#overlay?.domainId === domainId ? this.#overlay.records.get(name) : undefined;
  }
}

function gives({ recordType, value, proxied, status = "active" }: Answer, address: string): boolean {
  return (recordType === "A" || recordType === "AAAA") && value === address && !proxied && status === "active";
}

/** Returns the owners whose records answer for a name, in order: itself, then wildcards, the closest first. */
function ownersFor({ zone, owner }: Place): { domainId: string; name: string }[] {
  const labels = owner === "@" ? [] : owner.split(".");
  const wildcards = labels.map((_, index) => ["*", ...labels.slice(index + 1)].join("."));
  return [owner, ...wildcards].map((name) => ({ domainId: zone.id, name }));
}

const namesPerQuery = 10_000;
const ipv6Tree = ".ip6.arpa";

/** The managed zones above some addresses and names, read when they are first asked for. */
export class ManagedZones {
  readonly index = new ZoneIndex<ManagedZone>();
  readonly #known = new Set<string>();
  readonly #asked = new Set<string>();
  readonly #askedParents = new Set<string>();
  /** The lengths of the managed zones' names under `ip6.arpa`. An address has 32 names above it there, and few of them can be zones. */
  #ipv6Lengths: ReadonlySet<number> | null = null;

  /** Reads the zones that hold the reverse names of addresses. */
  async readAddresses(em: EntityManager, addresses: Iterable<string>): Promise<void> {
    const names = new Set<string>();
    const parents = new Set<string>();
    for (const address of addresses) {
      const name = reverseName(address);
      if (name === null) continue;
      const isIPv6 = name.endsWith(ipv6Tree);
      const lengths = isIPv6 ? (this.#ipv6Lengths ??= await lengthsOf(em)) : null;
      for (const above of namesFrom(name)) if (!lengths || lengths.has(above.length)) names.add(above);
      const parent = classlessParent(address);
      if (parent !== null && !this.#askedParents.has(parent)) parents.add(parent);
    }
    await this.#read(em, names);
    await inChunks([...parents], namesPerQuery, async (some) => {
      const rows = await selected(em)
        .where(sql<SqlBool>`name ~ '^[0-9]+[-/][0-9]+[.]'`)
        .where(sql<string>`substr(name, strpos(name, '.') + 1)`, "in", textsOf(some))
        .execute();
      for (const parent of some) this.#askedParents.add(parent);
      this.#add(rows);
      return [];
    });
  }

  /** Reads the zones that hold names. */
  async readNames(em: EntityManager, names: Iterable<string>): Promise<void> {
    const above = new Set<string>();
    for (const name of names) for (const zone of namesFrom(name)) above.add(zone);
    await this.#read(em, above);
  }

  async #read(em: EntityManager, names: ReadonlySet<string>): Promise<void> {
    const unasked = [...names].filter((name) => !this.#asked.has(name));
    await inChunks(unasked, namesPerQuery, async (some) => {
      this.#add(await selected(em).where("name", "in", textsOf(some)).execute());
      for (const name of some) this.#asked.add(name);
      return [];
    });
  }

  #add(rows: readonly ManagedZone[]): void {
    for (const row of rows) {
      if (this.#known.has(row.id)) continue;
      this.#known.add(row.id);
      this.index.add(row);
    }
  }
}

function selected(em: EntityManager) {
  return queries(em).selectFrom("domains").select(["id", "name", "view"]);
}

function textsOf(texts: readonly string[]) {
  return sql<string>`(select value collate "C" from ${jsonTexts(texts)})`;
}

async function lengthsOf(em: EntityManager): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ length: number }>`
    select distinct length(name) as length from domains where name like ${sql.lit(`%${ipv6Tree}`)}
  `.execute(queries(em));
  // The tree itself may be a zone.
  return new Set([ipv6Tree.length - 1, ...rows.map(({ length }) => length)]);
}
