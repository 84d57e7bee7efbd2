import { rcodes } from "../../dns/wire/messages.ts";
import { ownerWithin } from "../../dns/names/names.ts";
import type { Reach } from "../../platform/net/address-rules.ts";
import type { DnsClient, Question, QueriedType, Record, Reply, Server } from "./dns-client.ts";

/** The servers of a zone. `addresses` are those that came with the referral; empty: to be looked up. */
export interface NameServers {
  zone: string;
  servers: { name: string; addresses: string[] }[];
  reach: Reach;
}

/** The outcome of a lookup, after CNAME records. `missing`: no such records; `exists` says whether the name has others. */
type Answer = { kind: "found"; records: Record[] } | { kind: "missing"; exists: boolean } | { kind: "unknown" };

export interface Resolver {
  readonly client: DnsClient;
  /** The port of name servers. */
  readonly port: number;
  /** Whether it asks the roots, which deny a top-level domain only if there is none. */
  readonly asksRoots: boolean;
  lookup(name: string, type: QueriedType): Promise<Answer>;
  /** Returns an answer with its signatures and proofs; null if no server gives one. DS records are asked for in the parent zone. */
  signed(name: string, type: QueriedType): Promise<Reply | null>;
  /** Returns the servers of the parent zone; null if they cannot be determined. */
  parentOf(zone: string): Promise<NameServers | null>;
}

/** Limits of what one zone, or what it points to, can make the check do. */
export const mostServers = 13;
const longestChain = 8;
const mostAttempts = 8;

/**
 * Returns what a reply without the records says of their owner. A denial of the name counts only with the SOA of a zone above it, as every
 * authoritative server sends it (RFC 2308 §2.1): others invent denials, such as resolvers without a route to the Internet.
 */
function lackOf({ rcode, authorities }: Reply, owner: string): Answer {
  if (rcode === rcodes.NOERROR) return { kind: "missing", exists: true };
  const proven = authorities.some(({ type, name }) => type === "SOA" && isWithin(owner, name));
  return proven ? { kind: "missing", exists: false } : { kind: "unknown" };
}

/** The addresses of a name. `known`: all of them are known, which may be none. */
interface Addresses {
  known: boolean;
  addresses: string[];
}

export async function addressesOf(resolver: Pick<Resolver, "lookup">, name: string): Promise<Addresses> {
  const answers = await Promise.all([resolver.lookup(name, "A"), resolver.lookup(name, "AAAA")]);
  return {
    known: answers.every(({ kind }) => kind !== "unknown"),
    addresses: answers.flatMap((answer) => (answer.kind === "found" ? answer.records.map(({ value }) => value) : [])),
  };
}

/**
 * Asks the servers of a zone in turn until one gives an answer that `read` takes.
 * @param addressesFor looks up the addresses of a server that came without.
 */
export async function askServers<T>(
  { client, port }: Pick<Resolver, "client" | "port">,
  { servers, reach }: NameServers,
  question: Question,
  read: (reply: Reply) => T | null,
  addressesFor: (name: string) => Promise<string[]>,
): Promise<T | null> {
  let attempts = 0;
  const ordered = servers.toSorted(
    (one, other) => Number(other.addresses.length > 0) - Number(one.addresses.length > 0),
  );
  for (const server of ordered.slice(0, mostServers)) {
    const addresses = server.addresses.length > 0 ? server.addresses : await addressesFor(server.name);
    for (const address of addresses.slice(0, 2)) {
      if (attempts++ >= mostAttempts) return null;
      const asked = await client.ask({ address, port, reach }, question);
      const taken = "reply" in asked ? read(asked.reply) : null;
      if (taken !== null) return taken;
    }
  }
  return null;
}

/** Returns the referral in a reply to a zone below `zone` and at or above `name`; null if it is none. */
export function referralIn(reply: Reply, zone: string, name: string): NameServers | null {
  if (reply.rcode !== rcodes.NOERROR || reply.answers.length > 0) return null;
  const records = reply.authorities.filter(({ type }) => type === "NS");
  const cut = records.find((record) => isBelow(record.name, zone) && isWithin(name, record.name))?.name;
  if (cut === undefined) return null;
  const names = [...new Set(records.filter((record) => record.name === cut).map(({ value }) => value))];
  const glue = reply.additionals.filter((record) => isAddress(record) && isWithin(record.name, zone));
  return {
    zone: cut,
    reach: "public",
    servers: names.slice(0, mostServers).map((server) => ({
      name: server,
      addresses: glue.filter((record) => record.name === server).map(({ value }) => value),
    })),
  };
}

export function isAddress({ type }: Record): boolean {
  return type === "A" || type === "AAAA";
}

export function isWithin(name: string, zone: string): boolean {
  return zone === "." || ownerWithin(name, zone) !== null;
}

export function isBelow(name: string, zone: string): boolean {
  return name !== zone && isWithin(name, zone);
}

/** Returns the name without its first label; `.` above a top-level domain. */
export function nameAbove(name: string): string {
  const [label = ""] = /^(?:\\[^]|[^.\\])+/.exec(name) ?? [];
  return name.length > label.length ? name.slice(label.length + 1) : ".";
}

const mostReferrals = 16;
/** How deep lookups of servers' addresses may nest, and how many steps one lookup may take in all. */
const deepest = 4;
const mostSteps = 60;

/** What is left of a lookup, including those that it needs. */
interface Effort {
  depth: number;
  steps: { left: number };
  dnssec?: boolean;
}

/** Resolves names from the roots down. Remembers delegations, for one check. */
export class IterativeResolver implements Resolver {
  readonly client: DnsClient;
  readonly port: number;
  readonly asksRoots = true;
  readonly #zones = new Map<string, NameServers>();

  constructor(client: DnsClient, roots: readonly string[], port: number) {
    this.client = client;
    this.port = port;
    const servers = roots.map((root) => ({ name: root, addresses: [root] }));
    this.#zones.set(".", { zone: ".", reach: "inside", servers });
  }

  async lookup(name: string, type: QueriedType): Promise<Answer> {
    return await this.#lookup(name, type, { depth: 0, steps: { left: mostSteps } });
  }

  async signed(name: string, type: QueriedType): Promise<Reply | null> {
    const end = await this.#walk(name, type, { depth: 0, steps: { left: mostSteps }, dnssec: true });
    return end?.reply ?? null;
  }

  async parentOf(zone: string): Promise<NameServers | null> {
    const end = await this.#walk(zone, "DS", { depth: 0, steps: { left: mostSteps } });
    return end?.zone ?? null;
  }

  async #lookup(name: string, type: QueriedType, effort: Effort): Promise<Answer> {
    let owner = name;
    for (let links = 0; links <= longestChain; links++) {
      const reply = (await this.#walk(owner, type, effort))?.reply;
      if (!reply) return { kind: "unknown" };
      const own = reply.answers.filter((record) => record.name === owner);
      const records = own.filter((record) => record.type === type);
      if (records.length > 0) return { kind: "found", records };
      const alias = own.find((record) => record.type === "CNAME");
      if (!alias) return lackOf(reply, owner);
      owner = alias.value;
    }
    return { kind: "unknown" };
  }

  /** Follows referrals to the zone that answers. The DS records of a zone are in the zone above it (RFC 4035 §3.1.4.1). */
  async #walk(name: string, type: QueriedType, effort: Effort): Promise<{ zone: NameServers; reply: Reply } | null> {
    const isDs = type === "DS";
    let zone = this.#closest(isDs ? nameAbove(name) : name);
    for (let referrals = 0; referrals <= mostReferrals; referrals++) {
      if (effort.steps.left-- <= 0) return null;
      const current = zone;
      const step = await askServers(
        this,
        current,
        { name, type, dnssec: effort.dnssec ?? false },
        (reply) => stepIn(reply, current.zone, name),
        (server) => this.#addresses(server, effort),
      );
      if (!step) return null;
      if (!step.next || (isDs && step.next.zone === name)) return { zone: current, reply: step.reply };
      zone = step.next;
      this.#zones.set(zone.zone, zone);
    }
    return null;
  }

  #closest(name: string): NameServers {
    for (let zone = name; ; zone = nameAbove(zone)) {
      const known = this.#zones.get(zone);
      if (known) return known;
      if (zone === ".") return { zone, reach: "inside", servers: [] };
    }
  }

  async #addresses(server: string, { depth, steps }: Effort): Promise<string[]> {
    if (depth >= deepest) return [];
    for (const type of ["A", "AAAA"] as const) {
      const answer = await this.#lookup(server, type, { depth: depth + 1, steps });
      if (answer.kind === "found") return answer.records.map(({ value }) => value);
    }
    return [];
  }
}

/** Reads an answer or a referral; null for a server that gives neither. */
function stepIn(reply: Reply, zone: string, name: string): { reply: Reply; next: NameServers | null } | null {
  const next = reply.authoritative ? null : referralIn(reply, zone, name);
  if (next) return { reply, next };
  const answers = reply.authoritative && (reply.rcode === rcodes.NOERROR || reply.rcode === rcodes.NXDOMAIN);
  return answers ? { reply, next: null } : null;
}

/** Resolves names through recursive servers, such as the system's. */
export class StubResolver implements Resolver {
  readonly client: DnsClient;
  readonly port: number;
  readonly asksRoots = false;
  readonly #servers: readonly Server[];

  /** @param port the port of authoritative servers */
  constructor(client: DnsClient, servers: readonly Server[], port = 53) {
    this.client = client;
    this.port = port;
    this.#servers = servers;
  }

  async lookup(name: string, type: QueriedType): Promise<Answer> {
    let owner = name;
    let reply = await this.#ask(owner, type);
    for (let asked = owner, links = 0; reply && links <= longestChain;) {
      const own = reply.answers.filter((record) => record.name === owner);
      const records = own.filter((record) => record.type === type);
      if (records.length > 0) return { kind: "found", records };
      const alias = own.find((record) => record.type === "CNAME");
      if (alias) {
        owner = alias.value;
        links++;
      } else if (asked === owner || reply.rcode === rcodes.NXDOMAIN) {
        return lackOf(reply, owner);
      } else {
        // The answer ends within the chain.
        asked = owner;
        reply = await this.#ask(owner, type);
      }
    }
    return { kind: "unknown" };
  }

  async signed(name: string, type: QueriedType): Promise<Reply | null> {
    return await this.#ask(name, type, true);
  }

  async parentOf(zone: string): Promise<NameServers | null> {
    const above = nameAbove(zone);
    const reply = await this.#ask(above, "SOA");
    const soa = [...(reply?.answers ?? []), ...(reply?.authorities ?? [])].find(({ type }) => type === "SOA");
    if (!soa || !isWithin(above, soa.name)) return null;
    const servers = await this.lookup(soa.name, "NS");
    if (servers.kind !== "found") return null;
    const names = servers.records.slice(0, mostServers).map(({ value }) => value);
    return { zone: soa.name, reach: "public", servers: names.map((name) => ({ name, addresses: [] })) };
  }

  async #ask(name: string, type: QueriedType, dnssec = false): Promise<Reply | null> {
    for (const server of this.#servers) {
      const asked = await this.client.ask(server, { name, type, recursive: true, dnssec });
      if (!("reply" in asked)) continue;
      const { rcode } = asked.reply;
      if (rcode === rcodes.NOERROR || rcode === rcodes.NXDOMAIN) return asked.reply;
    }
    return null;
  }
}
