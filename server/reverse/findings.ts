import type { VisibleDomains } from "../access/visible-domains.ts";
import type { EntityManager } from "../database/database.ts";
import { absoluteName } from "../dns/names/names.ts";
import { addressOf } from "../dns/reverse/addresses.ts";
import { followAddress, type PointerState } from "../dns/reverse/pointers.ts";
import { addressGiven } from "../dns/reverse/touched.ts";
import type { LiveRecord } from "../dns/record.ts";
import type { ManagedZones } from "./managed-zones.ts";
import { pointerPlaces } from "./places.ts";
import { placeKey, recordsAt, type NameInZone } from "./records-at.ts";
import { firstHolders, type Holder, type ReportRow } from "./report-rows.ts";
import { claimKey, Resolution } from "./resolution.ts";
import { seesOwner, type ReverseZone } from "./reverse-zones.ts";

/** A change in the form that a plan of the reverse zone takes. */
type Mend =
  | { action: "create"; record: { recordType: "PTR"; name: string; value: string } }
  | { action: "update"; recordId: string; record: { value: string } }
  | { action: "delete"; recordId: string };

/** A PTR record that is missing or wrong. */
export interface Finding {
  problem: "missing" | "stale" | "mismatched";
  address: string;
  zone: ReverseZone;
  owner: string;
  /** Null if it is missing. */
  pointer: LiveRecord | null;
  /** A name that has the address; null if none has. */
  expected: string | null;
  /** The domain of that name. */
  source: string | null;
  /** Null if it points to a name that is managed elsewhere. */
  mend: Mend | null;
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
}

/** Returns one finding per row, null where all is well. Asks a fixed number of questions, however many rows there are. */
export async function findingsAmong(
  em: EntityManager,
  { rows, visible, managed, readZones }: Batch,
): Promise<(Finding | null)[]> {
  const placed = await placesOf(em, managed, rows);
  const all = [...placed.values()];
  const zones = await readZones([...new Set(all.map(({ place }) => place.domainId))]);
  const seen = all.filter(({ place }) => {
    const zone = zones.get(place.domainId);
    return zone !== undefined && seesOwner(zone, place.name);
  });
  const pointers = await recordsAt(
    em,
    seen.map(({ place }) => place),
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
      const { row, address, place } = each;
      const zone = zones.get(place.domainId);
      const holder = holders.get(holderKey({ address, view: place.view })) ?? null;
      if (!zone) return [row, null];
      const about = { address, zone, owner: place.name };
      if (row.record.recordType !== "PTR") return [row, missing(about, row, holder)];
      const stateOf = (name: string): PointerState => {
        if (holding.has(claimKey({ name, address }))) return "holds";
        return resolution.isManaged(name) ? "stale" : "foreign";
      };
      return [row, wrong(about, row.record, holder, pointersAt(place), stateOf)];
    }),
  );
  return rows.map((row) => found.get(row) ?? null);
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
      const { zone, owner } = found.place;
      placed.set(row, { row, address, place: { domainId: zone.id, name: owner, view: zone.view } });
    }
  }
  const pointing = rows.flatMap((row) => {
    const { recordType, name } = row.record;
    const address = recordType === "PTR" ? addressOf(absoluteName(name, row.domainName)) : null;
    return address === null ? [] : [{ row, address }];
  });
  await managed.readAddresses(
    em,
    pointing.map(({ address }) => address),
  );
  for (const { row, address } of pointing) {
    const { domainId, view, record } = row;
    const place = managed.index.placeOf(address, [view]);
    // A PTR record below a longer zone is not answered with.
    if (place?.zone.id !== domainId || place.owner !== record.name) continue;
    placed.set(row, { row, address, place: { domainId, name: record.name, view } });
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
