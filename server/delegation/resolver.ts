import { ownerWithin } from "../dns/names/names.ts";
import type { Reach } from "../net/address-rules.ts";
import type { DnsClient, Question, QueriedType, Record, Reply } from "./dns-client.ts";

/** The servers of a zone. `addresses` are those that came with the referral; empty: to be looked up. */
export interface NameServers {
  zone: string;
  servers: { name: string; addresses: string[] }[];
  reach: Reach;
}

/** The outcome of a lookup, after CNAME records. `missing`: no such records; `exists` says whether the name has others. */
export type Answer = { kind: "found"; records: Record[] } | { kind: "missing"; exists: boolean } | { kind: "unknown" };

export interface Resolver {
  readonly client: DnsClient;
  /** The port of name servers. */
  readonly port: number;
  /** Whether it asks the roots, which deny a top-level domain only if there is none. */
  readonly asksRoots: boolean;
  lookup(name: string, type: QueriedType): Promise<Answer>;
  /** Returns the servers of the zone above; null if they cannot be determined. */
  parentOf(zone: string): Promise<NameServers | null>;
}

/** Limits of what one zone, or what it points to, can make the check do. */
export const mostServers = 13;
export const longestChain = 8;
const mostAttempts = 8;

export const noError = 0;
export const noSuchName = 3;

/**
 * Returns what a reply without the records says of their owner. A denial of the name counts only with the SOA of a zone above it, as every
 * authoritative server sends it (RFC 2308 §2.1): others invent denials, such as resolvers without a route to the Internet.
 */
export function lackOf({ rcode, authorities }: Reply, owner: string): Answer {
  if (rcode === noError) return { kind: "missing", exists: true };
  const proven = authorities.some(({ type, name }) => type === "SOA" && isWithin(owner, name));
  return proven ? { kind: "missing", exists: false } : { kind: "unknown" };
}

/** The addresses of a name. `known`: all of them are known, which may be none. */
export interface Addresses {
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
  if (reply.rcode !== noError || reply.answers.length > 0) return null;
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
