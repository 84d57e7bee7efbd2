import { rcodeName, rcodes } from "../../dns/wire/messages.ts";
import type { Reply, QueriedType } from "./dns-client.ts";
import { readDs, readKey, type Ds, type ZoneKey } from "../../dns/dnssec/keys.ts";
import {
  addressesOf,
  askServers,
  isBelow,
  isWithin,
  mostServers,
  referralIn,
  isAddress,
  type NameServers,
  type Resolver,
} from "./resolver.ts";

/** What the parent zone says. `hidden`: its servers serve this zone too, and show only its own NS records. */
export type ParentSeen =
  | {
      kind: "delegated";
      zone: string;
      nameServers: string[];
      glue: { name: string; address: string }[];
      /** Null: not known. */
      ds: Ds[] | null;
    }
  | { kind: "hidden"; zone: string; ds: Ds[] | null }
  | { kind: "not_delegated"; zone: string }
  | { kind: "unknown"; message: string };

/** What the zone says at its apex. Null: no server answered. */
interface ApexSeen {
  nameServers: string[] | null;
  keys: ZoneKey[] | null;
}

export type ServerState = "authoritative" | "lame" | "unreachable" | "no_address" | "not_checked";

/** One address of a name server; null if it has none, or none is known. */
export interface ServerSeen {
  name: string;
  address: string | null;
  state: ServerState;
  serial: number | null;
  /** The primary server that its SOA record names (MNAME), in lower case. Left out: not known. */
  primary?: string;
  /** What went wrong; null if nothing did. */
  detail: string | null;
  /** Whether the rules, or a missing route, keep this machine from asking it. Default: false. */
  barred?: boolean;
}

/** `missing`: the name does not exist; `no_address`: it exists, without an address. */
export type TargetState = "exists" | "missing" | "no_address" | "unknown";

/** A record that points to a name. */
export interface Pointer {
  /** Relative to the zone. */
  name: string;
  recordType: string;
  target: string;
}

/** All that a check saw. */
export interface Observation {
  zone: string;
  parent: ParentSeen;
  apex: ApexSeen;
  servers: ServerSeen[];
  /** The addresses of name servers within the zone, as the zone says; null: not known. */
  ownAddresses: Record<string, string[] | null>;
  pointers: Pointer[];
  targets: ReadonlyMap<string, TargetState>;
  /** Names pointed to beyond the limit. */
  skipped: number;
}

/** The parent zone, and the name servers of a zone. */
export type Delegation = Pick<Observation, "parent" | "apex" | "servers" | "ownAddresses">;

const nothing = { apex: { nameServers: null, keys: null }, servers: [], ownAddresses: {} };

/** Looks at the parent zone and at the name servers of a zone. Asks each server of both NS sets, at each address. */
export async function observeDelegation(resolver: Resolver, zone: string): Promise<Delegation> {
  const above = await resolver.parentOf(zone);
  if (!above) {
    const message = "The servers of the parent zone did not answer.";
    return { parent: { kind: "unknown", message }, ...nothing };
  }
  const { parent, child } = await observeParent(resolver, zone, above);
  if (!child) return { parent, ...nothing };
  const glue = new Map(child.servers.map(({ name, addresses }) => [name, addresses]));
  const first = await observeServers(resolver, zone, [...glue.keys()], glue);
  const apex = await observeApex(resolver, zone, first.authoritative);
  const further = (apex.nameServers ?? []).filter((name) => !glue.has(name)).slice(0, mostServers);
  const [server] = first.authoritative;
  const ownAddresses = server === undefined ? {} : await ownAddressesOf(resolver, zone, server, [...glue.keys()]);
  const second = await observeServers(resolver, zone, further, new Map());
  const corrected = await observeServers(
    resolver,
    zone,
    Object.keys(ownAddresses),
    addressesBeyond(ownAddresses, first.servers),
    {
      only: true,
    },
  );
  return { parent, apex, servers: [...first.servers, ...second.servers, ...corrected.servers], ownAddresses };
}

/** Returns the addresses that the zone has for its servers and that were not asked yet. */
function addressesBeyond(own: Record<string, string[] | null>, asked: readonly ServerSeen[]) {
  return new Map(
    Object.entries(own).map(([name, addresses]) => {
      const known = new Set(asked.filter((server) => server.name === name).map(({ address }) => address));
      return [name, (addresses ?? []).filter((address) => !known.has(address))];
    }),
  );
}

interface FoundParent {
  parent: ParentSeen;
  /** The servers that lead to the zone; null if there are none. */
  child: NameServers | null;
}

type NsReply = { referral: NameServers } | { own: string[] } | { none: true };

async function observeParent(resolver: Resolver, zone: string, above: NameServers): Promise<FoundParent> {
  const addressesFor = async (name: string) => (await addressesOf(resolver, name)).addresses;
  const ask = async <T>(type: QueriedType, read: (reply: Reply) => T | null, overTcp = false) =>
    await askServers(resolver, above, { name: zone, type, overTcp }, read, addressesFor);

  let hidden: string[] | null = null;
  const found = await ask("NS", (reply) => {
    const read = readNsReply(reply, above.zone, zone);
    // A server of both zones shows the NS records of the lower one. Others may show those of the upper one.
    if (read && "own" in read) hidden ??= read.own;
    return read && "own" in read ? null : read;
  });
  const ofAbove = { zone: above.zone };
  if (found && "none" in found) return { parent: { kind: "not_delegated", ...ofAbove }, child: null };
  if (!found && !hidden) {
    const message = `The servers of ${above.zone === "." ? "the root" : above.zone} did not answer.`;
    return { parent: { kind: "unknown", message }, child: null };
  }
  const ds = await ask("DS", (reply) => dsIn(reply, zone));
  if (!found || !("referral" in found)) {
    const names: string[] = hidden ?? [];
    const servers = names.slice(0, mostServers).map((name) => ({ name, addresses: [] }));
    return { parent: { kind: "hidden", ...ofAbove, ds }, child: { zone, reach: "public", servers } };
  }
  // Glue may be left out of a UDP message that would be too long.
  const child = lacksGlue(found.referral)
    ? ((await ask("NS", (reply) => wholeReferral(reply, above.zone, zone), true)) ?? found.referral)
    : found.referral;
  const glue = child.servers
    .filter(({ name }) => isWithin(name, zone))
    .flatMap(({ name, addresses }) => addresses.map((address) => ({ name, address })));
  return {
    parent: { kind: "delegated", ...ofAbove, nameServers: child.servers.map(({ name }) => name), glue, ds },
    child: { ...child, servers: child.servers.map(inDomainOnly(zone)) },
  };
}

function lacksGlue({ zone, servers }: NameServers): boolean {
  return servers.some(({ name, addresses }) => addresses.length === 0 && isWithin(name, zone));
}

function wholeReferral(reply: Reply, above: string, zone: string): NameServers | null {
  const read = readNsReply(reply, above, zone);
  return read && "referral" in read ? read.referral : null;
}

/** Drops addresses of servers outside the zone: they may be out of date, and are looked up instead. */
function inDomainOnly(zone: string) {
  return (server: NameServers["servers"][number]) =>
    isWithin(server.name, zone) ? server : { ...server, addresses: [] };
}

function readNsReply(reply: Reply, above: string, zone: string): NsReply | null {
  const referral = reply.authoritative ? null : referralIn(reply, above, zone);
  if (referral) return referral.zone === zone ? { referral } : null;
  if (!reply.authoritative) return null;
  const own = reply.answers.filter(({ name, type }) => name === zone && type === "NS").map(({ value }) => value);
  if (own.length > 0) return { own };
  const negative = reply.rcode === rcodes.NXDOMAIN || (reply.rcode === rcodes.NOERROR && reply.answers.length === 0);
  return negative ? { none: true } : null;
}

function dsIn(reply: Reply, zone: string): Ds[] | null {
  if (!reply.authoritative || reply.rcode !== rcodes.NOERROR) return null;
  // A server of the zone itself that answers instead of the parent zone.
  const soa = reply.authorities.find(({ type }) => type === "SOA");
  if (soa && !isBelow(zone, soa.name)) return null;
  const records = reply.answers.filter(({ name, type }) => name === zone && type === "DS");
  return records.map(({ rdata }) => readDs(rdata)).filter((ds) => ds !== null);
}

async function observeApex(resolver: Resolver, zone: string, authoritative: readonly string[]): Promise<ApexSeen> {
  const first = async <T>(ask: (address: string) => Promise<T | null>): Promise<T | null> => {
    for (const address of authoritative.slice(0, 3)) {
      const found = await ask(address);
      if (found !== null) return found;
    }
    return null;
  };
  return {
    nameServers: await first(
      async (address) => (await recordsAt(resolver, zone, address, "NS"))?.map(({ value }) => value) ?? null,
    ),
    keys: await first((address) => keysAt(resolver, zone, address)),
  };
}

/** Asks one address for records of the zone's apex; null if it does not answer with authority. */
async function recordsAt({ client, port }: Resolver, zone: string, address: string, wanted: QueriedType) {
  const asked = await client.ask({ address, port, reach: "public" }, { name: zone, type: wanted });
  if (!("reply" in asked) || !asked.reply.authoritative || asked.reply.rcode !== rcodes.NOERROR) return null;
  return asked.reply.answers.filter(({ name, type }) => name === zone && type === wanted);
}

async function keysAt(resolver: Resolver, zone: string, address: string): Promise<ZoneKey[] | null> {
  const records = await recordsAt(resolver, zone, address, "DNSKEY");
  return records?.map(({ rdata }) => readKey(rdata)).filter((key) => key !== null) ?? null;
}

const mostAddresses = 4;

interface SeenServers {
  servers: ServerSeen[];
  /** The addresses that answered with authority. */
  authoritative: string[];
}

/**
 * Asks each name server for the SOA of the zone, at each of its addresses.
 * @param given addresses that need no lookup
 * @param options.only asks at the given addresses only
 */
async function observeServers(
  resolver: Resolver,
  zone: string,
  names: readonly string[],
  given: ReadonlyMap<string, string[]>,
  { only = false } = {},
): Promise<SeenServers> {
  const seen = await Promise.all(
    names.map(async (name): Promise<ServerSeen[]> => {
      const known = given.get(name) ?? [];
      const lookedUp = known.length > 0 || only ? null : await addressesOf(resolver, name);
      const addresses = lookedUp?.addresses ?? known;
      if (addresses.length === 0) return only ? [] : [withoutAddress(name, lookedUp?.known === true)];
      return await Promise.all(
        addresses.slice(0, mostAddresses).map((address) => observeServer(resolver, zone, name, address)),
      );
    }),
  );
  const servers = seen.flat();
  const answering = servers.filter(({ state }) => state === "authoritative");
  return { servers, authoritative: answering.flatMap(({ address }) => (address === null ? [] : [address])) };
}

/** The keys that one address of a name server has for a zone; null if it does not say. */
export interface ServedKeys {
  name: string;
  keys: ZoneKey[] | null;
}

/**
 * Asks named servers about a zone, whatever the parent zone says: whether each serves it, and which keys it has there. Each address that serves
 * the zone is asked for them: any of them may be the one that a resolver asks.
 */
export async function observeNamed(resolver: Resolver, zone: string, names: readonly string[]) {
  const { servers } = await observeServers(resolver, zone, names.slice(0, mostServers), new Map());
  const served = servers.map(async ({ name, address, state }): Promise<ServedKeys[]> => {
    if (state !== "authoritative" || address === null) return [];
    return [{ name, keys: await keysAt(resolver, zone, address) }];
  });
  return { servers, served: (await Promise.all(served)).flat() };
}

function withoutAddress(name: string, known: boolean): ServerSeen {
  const detail = known ? "It has no address." : "Its addresses could not be looked up.";
  return { name, address: null, state: known ? "no_address" : "not_checked", serial: null, detail };
}

async function observeServer(resolver: Resolver, zone: string, name: string, address: string): Promise<ServerSeen> {
  const { client, port } = resolver;
  const asked = await client.ask({ address, port, reach: "public" }, { name: zone, type: "SOA" });
  const seen = { name, address, serial: null };
  if (!("reply" in asked)) {
    const { failure, message: detail } = asked;
    if (failure === "silent") return { ...seen, state: "unreachable", detail };
    return { ...seen, state: "not_checked", detail, barred: failure === "barred" };
  }
  const soa = soaIn(asked.reply, zone);
  if (soa !== null) return { ...seen, ...soa, state: "authoritative", detail: null };
  return { ...seen, state: "lame", detail: lameness(asked.reply) };
}

function soaIn({ authoritative, rcode, answers }: Reply, zone: string): Pick<ServerSeen, "serial" | "primary"> | null {
  if (!authoritative || rcode !== rcodes.NOERROR) return null;
  const soa = answers.find(({ name, type }) => name === zone && type === "SOA");
  const fields = soa?.value.split(" ") ?? [];
  const [primary] = fields;
  const serial = fields.at(-5);
  if (primary === undefined || serial === undefined || !/^\d+$/.test(serial)) return null;
  return { serial: Number(serial), primary: primary.toLowerCase() };
}

/** Says why an answer does not count. */
export function lameness({ authoritative, rcode }: Reply): string {
  if (rcode !== rcodes.NOERROR) return `It answers ${rcodeName(rcode)}.`;
  return authoritative ? "It has no SOA record for the zone." : "Its answer is not authoritative.";
}

/** Asks a server of the zone for the addresses of the name servers within the zone. */
async function ownAddressesOf(
  { client, port }: Resolver,
  zone: string,
  address: string,
  names: readonly string[],
): Promise<Record<string, string[] | null>> {
  const found = await Promise.all(
    names
      .filter((name) => isWithin(name, zone))
      .map(async (name) => {
        const asked = await Promise.all(
          (["A", "AAAA"] as const).map((type) => client.ask({ address, port, reach: "public" }, { name, type })),
        );
        const sets = asked.map((answer) => ("reply" in answer ? addressesIn(answer.reply, name) : null));
        const known = sets.every((set) => set !== null);
        return [name, known ? sets.flat().toSorted() : null] as const;
      }),
  );
  return Object.fromEntries(found);
}

/** Returns the addresses of a name; null if the server does not answer for it, such as in a delegated part. */
function addressesIn({ authoritative, rcode, answers }: Reply, owner: string): string[] | null {
  if (!authoritative || (rcode !== rcodes.NOERROR && rcode !== rcodes.NXDOMAIN)) return null;
  if (answers.some(({ name, type }) => name === owner && type === "CNAME")) return null;
  return answers.filter((record) => record.name === owner && isAddress(record)).map(({ value }) => value);
}
