import type { VisibleDomains } from "../../access/visible-domains.ts";
import { type EntityManager, jsonRows, queries } from "../../database/database.ts";
import { absoluteName } from "../../dns/names/names.ts";
import { followAddress, addressGiven, type PointerState } from "../../dns/reverse/pointers.ts";
import { type Place, type ManagedZone, addressOf } from "../../dns/reverse/zones.ts";
import type { LiveRecord } from "../../dns/record.ts";
import {
  pointerPlaces,
  placeKey,
  recordsAt,
  claimKey,
  Resolution,
  type PointerPlace,
  type NameInZone,
  type ManagedZones,
} from "./places.ts";
import { seesOwner, type ReverseZone } from "./pointer-changes.ts";
import { sql } from "kysely";
import { liveColumns, liveRecord } from "../changes/state/live-queries.ts";

/** How far a report has come: a version of a record of a domain, or with null the end of a domain. */
export interface Position {
  domainId: string;
  record: Pick<LiveRecord, "id" | "version"> | null;
}

/** An address or PTR record, and its zone. */
interface ReportRow {
  domainId: string;
  domainName: string;
  view: string;
  record: LiveRecord;
}

/** Returns the next domains that the caller sees, by id. @param only the only domain asked about */
export async function domainsAfter(
  em: EntityManager,
  visible: VisibleDomains,
  { position, only }: { position: Position | null; only: string | undefined },
  limit: number,
): Promise<ManagedZone[]> {
  return await queries(em)
    .selectFrom("domains")
    .select(["domains.id", "domains.name", "domains.view"])
    .where((eb) => visible.condition(eb))
    .$if(position !== null, (query) =>
      query.where("domains.id", position?.record === null ? ">" : ">=", position?.domainId ?? ""),
    )
    .$if(only !== undefined, (query) => query.where("domains.id", "=", only ?? ""))
    .orderBy("domains.id")
    .limit(limit)
    .execute();
}

/** Before the id of every record. */
const firstId = "00000000-0000-0000-0000-000000000000";

/** Returns the next address and PTR records of some domains that the caller sees, by domain, name and type. */
export async function rowsAfter(
  em: EntityManager,
  visible: VisibleDomains,
  domains: readonly ManagedZone[],
  position: Position | null,
  limit: number,
): Promise<ReportRow[]> {
  const columns = sql.join(liveColumns.map((column) => sql.ref(`r.${column}`)));
  const rows = domains.map(({ id, name, view }) => ({
    d: id,
    n: name,
    v: view,
    after: position?.domainId === id ? position.record?.id : null,
    version: position?.domainId === id ? position.record?.version : null,
  }));
  const found = await sql<{ domain_id: string; n: string; v: string } & Parameters<typeof liveRecord>[0]>`
    select d.d as domain_id, d.n, d.v, found.*
    from ${jsonRows(rows)} as d (d uuid, n text, v text, after uuid, version int)
    left join records last on last.record_id = d.after and last.version = d.version
    cross join lateral (
      select ${columns} from records r
      where r.domain_id = d.d and r.until is null and r.record_type in ('A', 'AAAA', 'PTR') and r.status = 'active'
        -- Bounds rather than a condition, so that the index is read from here on.
        and (r.name, r.record_type, r.record_id)
          > (coalesce(last.name, ''), coalesce(last.record_type, ''), coalesce(last.record_id, ${firstId}::uuid))
        and ${visible.records("r")}
      order by r.name, r.record_type, r.record_id limit ${limit}
    ) found
    order by d.d, found.name, found.record_type, found.record_id limit ${limit}
  `.execute(queries(em));
  return found.rows.map((row) => ({
    domainId: row.domain_id,
    domainName: row.n,
    view: row.v,
    record: liveRecord(row),
  }));
}

/** An address that a caller asks about. */
interface AskedAddress {
  address: string;
  /** The view of the reverse zone. That of the default view serves all views. */
  view: string;
}

/** A name that has an address. */
interface Holder {
  address: string;
  view: string;
  recordId: string;
  domainId: string;
  domainName: string;
  name: string;
}

/** Returns the first name that has each address, of those that the caller sees: one in the view of the reverse zone if there is any. */
async function firstHolders(
  em: EntityManager,
  visible: VisibleDomains,
  asked: readonly AskedAddress[],
): Promise<Holder[]> {
  if (asked.length === 0) return [];
  const rows = asked.map(({ address, view }) => ({ a: address, v: view }));
  const { rows: found } = await sql<Holder>`
    select q.a as address, q.v as view, held.*
    from ${jsonRows(rows)} as q (a text, v text)
    cross join lateral (
      select r.record_id as "recordId", r.domain_id as "domainId", d.name as "domainName", r.name
      from records r join domains d on d.id = r.domain_id
      where r.value = q.a and r.until is null and r.record_type in ('A', 'AAAA') and r.status = 'active' and not r.proxied
        and r.name <> '*' and r.name not like '*.%' and (q.v = '' or d.view = q.v) and ${visible.records("r")}
      order by d.view <> q.v, r.record_id limit 1
    ) held
  `.execute(queries(em));
  return found;
}

/** A change in the form that a plan of the reverse zone takes. */
type Mend =
  | { action: "create"; record: { recordType: "PTR" | "CNAME"; name: string; value: string } }
  | { action: "update"; recordId: string; record: { value: string } }
  | { action: "delete"; recordId: string };

/** A PTR record that is missing or wrong, or that nobody is led to. */
export interface Finding {
  problem: "missing" | "stale" | "mismatched" | "unreachable";
  address: string;
  zone: ReverseZone;
  owner: string;
  /** Null if it is missing. */
  pointer: LiveRecord | null;
  /** A name that has the address; null if none has. */
  expected: string | null;
  /** The domain of that name. */
  source: string | null;
  /** Null if it points to a name that is managed elsewhere, or if the zone above a classless one has other records there. */
  mend: Mend | null;
  /** Where to make the mending change, if not at the record itself. */
  mendAt?: { zone: ReverseZone; owner: string };
}

/** Reads reverse zones by id. */
export type ReadZones = (ids: readonly string[]) => Promise<ReadonlyMap<string, ReverseZone>>;

interface Batch {
  rows: readonly ReportRow[];
  visible: VisibleDomains;
  managed: ManagedZones;
  readZones: ReadZones;
}

/** A row, the address that it is about, and where the PTR records of that address belong. */
interface Placed {
  row: ReportRow;
  address: string;
  place: NameInZone & { view: string };
  /** The classless zone that the place, in its parent, does not lead to; null if there is none. */
  bypassed: NameInZone | null;
  /** For a PTR record in a classless zone to which the zone above does not lead: where it leads instead. */
  instead: PointerPlace | null;
}

/** Returns one finding per row, null where all is well. Asks a fixed number of questions, however many rows there are. */
export async function findingsAmong(
  em: EntityManager,
  { rows, visible, managed, readZones }: Batch,
): Promise<(Finding | null)[]> {
  const placed = await placesOf(em, managed, rows);
  const all = [...placed.values()];
  const involved = all.flatMap(({ place, bypassed, instead }) => [
    place.domainId,
    ...(bypassed ? [bypassed.domainId] : []),
    ...(instead ? [instead.place.zone.id] : []),
  ]);
  const zones = await readZones([...new Set(involved)]);
  const isSeen = ({ domainId, name }: NameInZone) => {
    const zone = zones.get(domainId);
    return zone !== undefined && seesOwner(zone, name);
  };
  const [unreachable, seen] = parted(
    all.filter(({ place }) => isSeen(place)),
    ({ instead }) => instead !== null,
  );
  const atParents = await recordsAt(
    em,
    unreachable.flatMap(({ instead }) => (instead ? [nameAt(instead.place)] : [])),
  );
  const pointers = await recordsAt(
    em,
    seen.flatMap(({ place, bypassed }) => [place, ...(bypassed && isSeen(bypassed) ? [bypassed] : [])]),
    ["PTR"],
  );
  const pointersAt = (place: NameInZone) =>
    (pointers.get(placeKey(place)) ?? []).filter(({ status }) => status === "active");
  const resolution = new Resolution(managed);
  const claims = seen.flatMap(({ address, place }) => pointersAt(place).map(({ value }) => ({ name: value, address })));
  const holding = await resolution.trueOf(em, claims);
  const isDoubtful = ({ row, address, place }: Placed) =>
    row.record.recordType === "PTR"
      ? !holding.has(claimKey({ name: row.record.value, address }))
      : pointersAt(place).length === 0;
  const doubtful = seen.filter(isDoubtful);
  const asked = new Map(
    doubtful.map(({ address, place: { view } }) => [holderKey({ address, view }), { address, view }]),
  );
  const holders = new Map(
    (await firstHolders(em, visible, [...asked.values()])).map((holder) => [holderKey(holder), holder]),
  );
  const found = new Map<ReportRow, Finding | null>(
    doubtful.map((each) => {
      const { row, address, place, bypassed } = each;
      const zone = zones.get(place.domainId);
      const holder = holders.get(holderKey({ address, view: place.view })) ?? null;
      if (!zone) return [row, null];
      const about = { address, zone, owner: place.name };
      // A PTR record in the classless zone is a finding of its own.
      if (bypassed && pointersAt(bypassed).length > 0) return [row, null];
      if (row.record.recordType !== "PTR") return [row, missing(about, row, holder)];
      const stateOf = (name: string): PointerState => {
        if (holding.has(claimKey({ name, address }))) return "holds";
        return resolution.isManaged(name) ? "stale" : "foreign";
      };
      return [row, wrong(about, row.record, holder, pointersAt(place), stateOf)];
    }),
  );
  for (const { row, address, place, instead } of unreachable) {
    const [zone, parent] = [zones.get(place.domainId), instead && zones.get(instead.place.zone.id)];
    if (!zone || !parent || !instead) continue;
    const isFree = instead.fault === null && (atParents.get(placeKey(nameAt(instead.place))) ?? []).length === 0;
    found.set(row, {
      address,
      zone,
      owner: place.name,
      problem: "unreachable",
      pointer: row.record,
      expected: null,
      source: null,
      mend: isFree ? aliasTo(absoluteName(place.name, zone.name), instead.place.owner) : null,
      mendAt: { zone: parent, owner: instead.place.owner },
    });
  }
  return rows.map((row) => found.get(row) ?? null);
}

/** Returns the CNAME record by which the zone above leads to a classless zone (RFC 2317 §4). */
function aliasTo(value: string, name: string): Mend {
  return { action: "create", record: { recordType: "CNAME", name, value } };
}

function nameAt({ zone, owner }: Place): NameInZone {
  return { domainId: zone.id, name: owner };
}

function parted<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter((item) => isFirst(item)), items.filter((item) => !isFirst(item))];
}

function holderKey({ address, view }: { address: string; view: string }): string {
  return `${address}\0${view}`;
}

async function placesOf(
  em: EntityManager,
  managed: ManagedZones,
  rows: readonly ReportRow[],
): Promise<Map<ReportRow, Placed>> {
  const placed = new Map<ReportRow, Placed>();
  const given = rows.flatMap((row) => {
    const address = addressGiven(row.record);
    return address === null ? [] : [{ row, address }];
  });
  for (const [view, some] of Map.groupBy(given, ({ row }) => row.view)) {
    const addresses = [...new Set(some.map(({ address }) => address))];
    const places = await pointerPlaces(em, managed, addresses, [view, ""]);
    for (const { row, address } of some) {
      const found = places.get(address);
      if (!found || found.fault !== null) continue;
      const place = { ...nameAt(found.place), view: found.place.zone.view };
      placed.set(row, { row, address, place, bypassed: found.bypassed && nameAt(found.bypassed), instead: null });
    }
  }
  const pointing = rows.flatMap((row) => {
    const { recordType, name } = row.record;
    const address = recordType === "PTR" ? addressOf(absoluteName(name, row.domainName)) : null;
    return address === null ? [] : [{ row, address }];
  });
  for (const [view, some] of Map.groupBy(pointing, ({ row }) => row.view)) {
    const addresses = [...new Set(some.map(({ address }) => address))];
    const views = [view, ""];
    const places = await pointerPlaces(em, managed, addresses, views);
    for (const { row, address } of some) {
      const found = places.get(address);
      const own = { domainId: row.domainId, name: row.record.name };
      const isOwn = (place: Place | null | undefined) => place?.zone.id === own.domainId && place.owner === own.name;
      const { classless } = managed.index.candidatesFor(address, views);
      // Other PTR records below a longer zone are not answered with.
      if (!found || (!isOwn(found.place) && !isOwn(classless))) continue;
      const instead = isOwn(found.place) ? null : found;
      placed.set(row, { row, address, place: { ...own, view }, bypassed: null, instead });
    }
  }
  return placed;
}

type About = Pick<Finding, "address" | "zone" | "owner">;

/** Only the first name of an address misses its PTR record: one is enough. */
function missing(about: About, { record }: ReportRow, holder: Holder | null): Finding | null {
  if (holder?.recordId !== record.id) return null;
  const value = nameOf(holder);
  const mend: Mend = { action: "create", record: { recordType: "PTR", name: about.owner, value } };
  return { ...about, problem: "missing", pointer: null, expected: value, source: holder.domainId, mend };
}

function wrong(
  about: About,
  pointer: LiveRecord,
  holder: Holder | null,
  pointers: readonly LiveRecord[],
  stateOf: (name: string) => PointerState,
): Finding | null {
  const expected = holder && nameOf(holder);
  const source = holder?.domainId ?? null;
  const found = { ...about, pointer, expected, source };
  const holds = pointers.some(({ value }) => stateOf(value) === "holds");
  if (stateOf(pointer.value) === "foreign")
    return expected === null || holds ? null : { ...found, problem: "mismatched", mend: null };
  const gained = expected === null ? [] : [expected];
  const lost = pointers.map(({ value }) => value);
  const { update, deletes } = followAddress({ pointers, stateOf, gained, lost });
  if (update?.pointer.id === pointer.id) {
    const mend: Mend = { action: "update", recordId: pointer.id, record: { value: update.target } };
    return { ...found, problem: "mismatched", mend };
  }
  return deletes.some(({ id }) => id === pointer.id)
    ? { ...found, problem: "stale", mend: { action: "delete", recordId: pointer.id } }
    : null;
}

function nameOf({ name, domainName }: Holder): string {
  return absoluteName(name, domainName);
}
