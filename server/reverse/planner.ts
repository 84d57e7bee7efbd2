import type { Caller } from "../access/caller.ts";
import type {
  Chosen,
  Follow,
  FollowedChange,
  FollowedZone,
  FollowItem,
  FollowPlan,
  FollowWarning,
} from "../changes/follows.ts";
import type { ReviewPolicy } from "../changes/review-policy.ts";
import { liveAtNames } from "../changes/state/live-queries.ts";
import type { EntityManager } from "../database/database.ts";
import type { ProviderConnections } from "../dns-providers/connections.ts";
import { absoluteName } from "../dns/names/names.ts";
import { touchedAddresses, type TouchedAddress } from "../dns/reverse/touched.ts";
import { isActive, statedDataOf, type PlannedChange, type StatedData } from "../dns/record.ts";
import { inChunks } from "../platform/slices.ts";
import { ManagedZones } from "./managed-zones.ts";
import { pointerPlaces } from "./places.ts";
import { pointerChanges, type PointerChange } from "./pointer-changes.ts";
import { Resolution, type Overlay } from "./resolution.ts";
import { beyondRights, reverseZones, seesOwner, type ReverseZone } from "./reverse-zones.ts";

const namesPerQuery = 1_000;
const defaultView = "";

/** Plans the PTR changes that follow changes of a zone's addresses. Empty if the zone's `reverse` is off, or no address is touched. */
export async function planFollows(
  em: EntityManager,
  caller: Caller,
  connections: ProviderConnections,
  {
    zone,
    changes,
    chosen,
    review,
  }: { zone: FollowedZone; changes: readonly PlannedChange[]; chosen: Chosen; review: ReviewPolicy },
): Promise<FollowPlan> {
  const plan: FollowPlan = { listed: [], warnings: [], follows: [], hashed: [] };
  const touched = zone.reverse === "off" ? [] : touchedAddresses(zone.name, changes);
  if (touched.length === 0) return plan;
  const managed = new ManagedZones();
  const addresses = touched.map(({ address }) => address);
  const places = await pointerPlaces(em, managed, addresses, [zone.view, defaultView]);
  const resolution = new Resolution(managed, await overlayOf(em, zone.id, changes));
  const ids = new Set(
    [...places.values()].flatMap(({ place, bypassed }) => [place.zone.id, bypassed?.zone.id ?? place.zone.id]),
  );
  const zones = await reverseZones(em, caller, connections, review, [...ids]);
  const isChosen = chosenBy(zone, chosen);
  const byZone = new Map<ReverseZone, FollowItem[]>();
  for (const item of touched) {
    const found = places.get(item.address);
    const reverse = found && zones.get(found.place.zone.id);
    if (!found || !reverse) continue;
    const { owner } = found.place;
    if (!seesOwner(reverse, owner) && !reverse.grants) {
      plan.listed.push(hidden(item));
    } else if (found.fault !== null) {
      const text = `${item.address} gets no PTR record: ${found.fault}.`;
      if (item.gained.length > 0) plan.warnings.push({ text, shared: text });
    } else {
      const classless = found.bypassed && zones.get(found.bypassed.zone.id);
      if (found.bypassed && classless && item.gained.length > 0)
        plan.warnings.push(bypassWarning(item, { reverse, owner, classless, inClassless: found.bypassed.owner }));
      const items = byZone.get(reverse) ?? [];
      items.push({ ...item, owner });
      byZone.set(reverse, items);
    }
  }
  for (const [reverse, items] of byZone) {
    const { changes: pointers, foreign } = await pointerChanges(em, reverse, items, resolution);
    const included = new Set<FollowItem>();
    for (const pointer of pointers) {
      const listed = listedChange(reverse, pointer, isChosen(pointer.item));
      plan.listed.push(listed);
      if (!listed.included) continue;
      included.add(pointer.item);
      plan.hashed.push(hashedChange(reverse, pointer.change));
    }
    if (included.size > 0) plan.follows.push({ domainId: reverse.id, items: [...included] } satisfies Follow);
    for (const { item, target } of foreign) plan.warnings.push(foreignWarning(reverse, item, target));
  }
  return plan;
}

function chosenBy({ reverse }: FollowedZone, chosen: Chosen): (item: TouchedAddress) => boolean {
  if (reverse === "follow") return () => true;
  if (typeof chosen === "boolean") return () => chosen;
  const addresses = new Set(chosen);
  return ({ address }) => addresses.has(address);
}

/** Returns the records of the changed names as they will be. */
async function overlayOf(em: EntityManager, domainId: string, changes: readonly PlannedChange[]): Promise<Overlay> {
  const names = new Set(changes.flatMap(({ before, after }) => [before?.name ?? [], after?.name ?? []].flat()));
  const live = await inChunks([...names], namesPerQuery, (some) => liveAtNames(em, domainId, some));
  const changed = new Set(changes.map(({ id }) => id));
  const staying: StatedData[] = live.filter(({ id }) => !changed.has(id));
  const coming = changes.flatMap(({ after }) => after ?? []);
  const records = Map.groupBy([...staying, ...coming].filter(isActive), ({ name }) => name);
  return { domainId, records: new Map([...names].map((name) => [name, records.get(name) ?? []])) };
}

/** An address in a reverse zone that the caller may not see: says nothing about its PTR records. */
function hidden({ address }: TouchedAddress): FollowedChange {
  const nothing = { domainId: null, domainName: null, action: null, recordId: null, record: null, before: null };
  const reason = `Others manage the reverse zone of ${address}. Ask an administrator for its PTR record.`;
  return { address, ...nothing, included: false, reason };
}

function listedChange(zone: ReverseZone, { item, change, refusal }: PointerChange, isChosen: boolean): FollowedChange {
  const { action, before, after } = change;
  const reason = beyondRights(zone, item.owner) ?? refusal;
  // A grant lets people write here, not read: they see only names of their own change.
  const isShown = (record: StatedData) =>
    seesOwner(zone, item.owner) || item.lost.includes(record.value) || item.gained.includes(record.value);
  const shown = (record: StatedData | null) => (record && isShown(record) ? statedDataOf(record) : null);
  return {
    address: item.address,
    domainId: zone.id,
    domainName: zone.shownName,
    action,
    recordId: before && isShown(before) ? before.id : null,
    record: shown(after ?? before),
    before: action === "update" ? shown(before) : null,
    included: isChosen && reason === null,
    reason,
  };
}

function hashedChange({ id: domainId }: ReverseZone, { action, id, before, after }: PlannedChange): string {
  return JSON.stringify([domainId, action, action === "create" ? null : id, before?.version, after]);
}

/** Says that the PTR record is not in a classless zone, and which CNAME record would have it there. */
function bypassWarning(
  { address }: TouchedAddress,
  {
    reverse,
    owner,
    classless,
    inClassless,
  }: { reverse: ReverseZone; owner: string; classless: ReverseZone; inClassless: string },
): FollowWarning {
  const shared = `The PTR record of ${address} goes to ${reverse.shownName}, which has no CNAME record to a classless zone for it.`;
  if (!seesOwner(classless, inClassless)) return { text: shared, shared };
  const target = absoluteName(inClassless, classless.name);
  const text =
    `The PTR record of ${address} goes to ${reverse.shownName}, not to ${classless.shownName}: there is no CNAME record that leads there. ` +
    `To have it there, create CNAME ${owner} to ${target} in ${reverse.shownName} first.`;
  return { text, shared };
}

function foreignWarning(zone: ReverseZone, { address, owner }: FollowItem, target: string): FollowWarning {
  const pointing = (name: string) =>
    `The PTR record of ${address} stays: it points to ${name}, which is not managed here.`;
  const shared = pointing("a name");
  return { text: seesOwner(zone, owner) ? pointing(target) : shared, shared };
}
