import { checkValue } from "./values.ts";

/** An RRset as the API has it; settings beyond these four are an alias, a routing policy, a health check. */
export interface Rrset {
  Name: string;
  Type: string;
  TTL?: number;
  values: string[];
  settings: Record<string, unknown>;
}

export interface RrsetChange {
  action: string;
  set: Rrset;
}

export interface Zone {
  id: string;
  /** As the API prints it, with a trailing dot. */
  name: string;
  reference: string;
  isPrivate: boolean;
  rrsets: Map<string, Rrset>;
}

const assigned = [1, 2, 3, 4].map((index) => `ns-${index * 17}.awsdns-0${index}.example.`);

/** A new zone has a SOA and the name servers that it was assigned. */
export function newZone(id: string, name: string, reference: string, isPrivate: boolean, servers = assigned): Zone {
  const zone: Zone = { id, name, reference, isPrivate, rrsets: new Map() };
  const soa = `${servers[0]} awsdns-hostmaster.amazon.com. 1 7200 900 1209600 86400`;
  put(zone, { Name: name, Type: "NS", TTL: 172_800, values: servers, settings: {} });
  put(zone, { Name: name, Type: "SOA", TTL: 900, values: [soa], settings: {} });
  return zone;
}

export function put(zone: Zone, set: Rrset): void {
  zone.rrsets.set(keyOf(set), set);
}

/** What distinguishes RRsets of one name and type; null for the only one. */
export function identifierOf({ SetIdentifier }: Rrset["settings"]): string | null {
  return typeof SetIdentifier === "string" ? SetIdentifier : null;
}

function keyOf({ Name, Type, settings }: Rrset): string {
  return JSON.stringify([Name, Type, identifierOf(settings)]);
}

/** By name with the labels reversed, then by type and set identifier. */
export function inOrder(zone: Zone): Rrset[] {
  return [...zone.rrsets.values()].toSorted((one, other) => compare(orderOf(one), orderOf(other)));
}

export function orderOf({ Name, Type, settings }: Pick<Rrset, "Name" | "Type" | "settings">): string {
  const reversed = Name.split(".").toReversed().join(".");
  return [reversed, Type, identifierOf(settings) ?? ""].join("\u0000");
}

export function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

/** Carries a change batch out, whole or not at all. @returns the reasons for a refusal; empty on success. */
export function changeZone(zone: Zone, changes: readonly RrsetChange[]): string[] {
  const limits = limitsBroken(changes);
  if (limits.length > 0) return limits;
  const values = changes.flatMap(({ set }) => faultsOf(zone, set));
  if (values.length > 0) return values;
  const next = new Map(zone.rrsets);
  const messages = changes.flatMap((change) => step(next, change));
  const broken = messages.length > 0 ? messages : conflicts(zone, next, changes);
  if (broken.length === 0) zone.rrsets = next;
  return broken;
}

function limitsBroken(changes: readonly RrsetChange[]): string[] {
  const weighed = changes.map(({ action, set }) => ({ times: action === "UPSERT" ? 2 : 1, values: set.values }));
  const records = weighed.reduce((sum, { times, values }) => sum + times * Math.max(1, values.length), 0);
  const characters = weighed.reduce((sum, { times, values }) => sum + times * values.join("").length, 0);
  if (changes.length === 0) return ["The request must contain at least one change."];
  if (records > 1_000) return ["Number of records limit of 1000 exceeded."];
  return characters > 32_000 ? ["Number of characters limit of 32000 exceeded."] : [];
}

function faultsOf(zone: Zone, { Name, Type, TTL, values, settings }: Rrset): string[] {
  if (Name !== zone.name && !Name.endsWith(`.${zone.name}`)) {
    return [`RRSet with DNS name ${Name} is not permitted in zone ${zone.name}`];
  }
  if (settings["AliasTarget"] !== undefined) return [];
  if (TTL === undefined || !Number.isInteger(TTL) || TTL < 0 || TTL > 2_147_483_647) return [`Invalid TTL for ${Name}`];
  if (values.length === 0 || values.length > 400) return [`Invalid number of resource records for ${Name} ${Type}`];
  if (new Set(values).size < values.length) return [`Duplicate Resource Record: '${Name}' ${Type}`];
  if (Type === "CNAME" && values.length > 1) return [`Only one value is permitted for ${Name} CNAME`];
  return values.flatMap((value) => checkValue(Type, value) ?? []);
}

function step(rrsets: Map<string, Rrset>, { action, set }: RrsetChange): string[] {
  const key = keyOf(set);
  const present = rrsets.get(key);
  const identifier = identifierOf(set.settings);
  const label = `[name='${set.Name}', type='${set.Type}'${identifier === null ? "" : `, set-identifier='${identifier}'`}]`;
  if (action === "DELETE") {
    if (!present) return [`Tried to delete resource record set ${label} but it was not found`];
    if (!sameRrset(present, set)) {
      return [`Tried to delete resource record set ${label} but the values provided do not match the current values`];
    }
    rrsets.delete(key);
    return [];
  }
  if (action === "CREATE" && present) return [`Tried to create resource record set ${label} but it already exists`];
  rrsets.set(key, set);
  return [];
}

function sameRrset(one: Rrset, other: Rrset): boolean {
  const plain = ({ TTL, values, settings }: Rrset) => JSON.stringify([TTL, values.toSorted(compare), settings]);
  return plain(one) === plain(other);
}

/** Checks which RRsets must not coexist after a batch. */
function conflicts(zone: Zone, next: ReadonlyMap<string, Rrset>, changes: readonly RrsetChange[]): string[] {
  const all = [...next.values()];
  const apex = (type: string) => all.filter((set) => set.Name === zone.name && set.Type === type).length;
  if (apex("NS") === 0) return ["A HostedZone must contain at least one NS record for the zone itself."];
  if (apex("SOA") !== 1) return ["A HostedZone must contain exactly one SOA record."];
  const byName = Map.groupBy(all, ({ Name }) => Name);
  return changes.flatMap(({ action, set: { Name, Type } }) => {
    if (action === "DELETE") return [];
    const others = (byName.get(Name) ?? []).filter((set) => set.Type !== Type);
    if (Type === "CNAME" && Name === zone.name) {
      return [`RRSet of type CNAME with DNS name ${Name} is not permitted at apex in zone ${zone.name}`];
    }
    if (Type === "CNAME" && others.length > 0) {
      return [
        `RRSet of type CNAME with DNS name ${Name} is not permitted as it conflicts with other records with the same DNS name in zone ${zone.name}`,
      ];
    }
    if (others.some((set) => set.Type === "CNAME")) {
      return [
        `RRSet of type ${Type} with DNS name ${Name} is not permitted because a conflicting RRSet of type CNAME with the same DNS name already exists in zone ${zone.name}`,
      ];
    }
    const routed = (byName.get(Name) ?? []).filter((set) => set.Type === Type).map((set) => identifierOf(set.settings));
    return routed.length > 1 && routed.includes(null)
      ? [
          `RRSet with DNS name ${Name}, type ${Type} cannot be created as other RRSets exist with the same name and type.`,
        ]
      : [];
  });
}
