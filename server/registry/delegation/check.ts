import { getServers } from "node:dns";
import type { Egress } from "../../platform/net/egress.ts";
import { DnsClient, type Server } from "./dns-client.ts";
import { IterativeResolver, isWithin, nameAbove, StubResolver, type Resolver } from "./resolver.ts";
import {
  observeDelegation,
  observeNamed,
  type Delegation,
  type Observation,
  type Pointer,
  type TargetState,
} from "./observe.ts";
import { askAll, servedIn, type Replies, type Served, type Wanted } from "./served.ts";
import { AppError } from "../../platform/errors.ts";
import { specialUseAbove } from "../../dns/names/special-use.ts";

const longestMilliseconds = 60_000;
const mostQuestions = 10_000;
/** Limits of looking at one RRset, which somebody waits for. */
const longestOfOne = 20_000;
const mostQuestionsOfOne = 500;
const targetsAtOnce = 8;
/** Targets whose addresses do not matter: they may hold other records, such as a key or a text. */
const aliasType = "CNAME";

/** The servers from which names are resolved. `system`: those of this machine. */
type Roots = { kind: "system" } | { kind: "roots"; hosts: readonly string[]; port: number };

export interface Pointers {
  pointers: Pointer[];
  /** Names beyond the limit. */
  skipped: number;
}

/** Looks at zones from outside. */
export class DelegationCheck {
  readonly #egress: Egress;
  readonly #roots: Roots;
  readonly #healthy: HealthyDelegations;
  readonly #asking = new SharedQuestions<Replies>();

  constructor(egress: Egress, roots: Roots, now: () => Date) {
    this.#egress = egress;
    this.#roots = roots;
    this.#healthy = new HealthyDelegations(now);
  }

  /** Takes a minute at most; what is not known by then stays unknown. @throws the signal's reason */
  async observe(zone: string, { pointers, skipped }: Pointers, stop?: AbortSignal): Promise<Observation> {
    const late = AbortSignal.timeout(longestMilliseconds);
    const client = new DnsClient(this.#egress, stop ? AbortSignal.any([stop, late]) : late, mostQuestions);
    const resolver = this.#resolver(client);
    const delegation = await observeDelegation(resolver, zone);
    const targets = await observeTargets(resolver, targetsOf(pointers, zone, delegation.parent.kind));
    stop?.throwIfAborted();
    return { zone, ...delegation, pointers, targets, skipped };
  }

  /**
   * Asks all name servers of a zone for one RRset. Takes 20 seconds at most; servers that were not asked by then are `not_checked`.
   * @throws AppError UNAVAILABLE while too many are asked for
   */
  async served(zone: string, wanted: Wanted): Promise<Served> {
    const { name, type } = wanted;
    const replies = await this.#asking.share(JSON.stringify([zone, name, type]), async () => {
      const late = AbortSignal.timeout(longestOfOne);
      const resolver = this.#resolver(new DnsClient(this.#egress, late, mostQuestionsOfOne));
      const delegation = this.#healthy.get(zone) ?? (await observeDelegation(resolver, zone));
      this.#healthy.offer(zone, delegation);
      return await askAll(resolver, delegation, { name, type });
    });
    return servedIn(replies, wanted);
  }

  /** Lends a resolver for at most 20 seconds. */
  async resolve<T>(use: (resolver: Resolver) => Promise<T>, stop?: AbortSignal): Promise<T> {
    const late = AbortSignal.timeout(longestOfOne);
    const signal = stop ? AbortSignal.any([stop, late]) : late;
    return await use(this.#resolver(new DnsClient(this.#egress, signal, mostQuestionsOfOne)));
  }

  /** Asks named servers about a zone, before it is delegated to them. Takes 20 seconds at most. */
  async probe(zone: string, names: readonly string[]) {
    const client = new DnsClient(this.#egress, AbortSignal.timeout(longestOfOne), mostQuestionsOfOne);
    return await observeNamed(this.#resolver(client), zone, names);
  }

  #resolver(client: DnsClient): Resolver {
    if (this.#roots.kind === "roots") return new IterativeResolver(client, this.#roots.hosts, this.#roots.port);
    return new StubResolver(client, getServers().flatMap(serverFrom));
  }
}

/** Parses an address as Node prints it: `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1` or `[2001:db8::1]:5353`. */
function serverFrom(text: string): Server[] {
  const [, bracketed, bracketedPort] = /^\[(.+)\]:(\d+)$/.exec(text) ?? [];
  const [, plain, plainPort] = /^([^:]+):(\d+)$/.exec(text) ?? [];
  return [{ address: bracketed ?? plain ?? text, port: Number(bracketedPort ?? plainPort ?? 53), reach: "inside" }];
}

/** Returns the names to look up, and whether they need an address. Names in a zone that is not delegated do not resolve. */
function targetsOf(pointers: readonly Pointer[], zone: string, parent: string): Map<string, boolean> {
  const needed = new Map<string, boolean>();
  for (const { recordType, target } of pointers) {
    if (parent !== "delegated" && parent !== "hidden" && isWithin(target, zone)) continue;
    needed.set(target, needed.get(target) === true || recordType !== aliasType);
  }
  return needed;
}

async function observeTargets(resolver: Resolver, needed: ReadonlyMap<string, boolean>) {
  const states = new Map<string, TargetState>();
  const waiting = [...needed];
  const work = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [target, needsAddress] = next;
      states.set(target, await stateOf(resolver, target, needsAddress));
    }
  };
  await Promise.all(Array.from({ length: targetsAtOnce }, work));
  return states;
}

/**
 * Returns whether a name exists. It is unknown where its top-level domain cannot be found, as behind a resolver of internal names only. Only
 * the roots are believed that there is no such top-level domain.
 */
export async function stateOf(
  resolver: Pick<Resolver, "lookup" | "asksRoots">,
  target: string,
  needsAddress: boolean,
): Promise<TargetState> {
  const ipv4 = await resolver.lookup(target, "A");
  if (ipv4.kind !== "missing") return ipv4.kind === "found" ? "exists" : "unknown";
  if (!ipv4.exists) {
    const above = await resolver.lookup(topLevelOf(target), "SOA");
    return above.kind === "found" || (above.kind === "missing" && resolver.asksRoots) ? "missing" : "unknown";
  }
  if (!needsAddress) return "exists";
  const ipv6 = await resolver.lookup(target, "AAAA");
  if (ipv6.kind !== "missing") return ipv6.kind === "found" ? "exists" : "unknown";
  return "no_address";
}

function topLevelOf(name: string): string {
  for (let zone = name; ; zone = nameAbove(zone)) if (nameAbove(zone) === ".") return zone;
}

const mostAtOnce = 32;
const lifetimeMilliseconds = 5_000;

/** Answers the same question, asked several times at once, once. Limits how many are under way in this process. */
class SharedQuestions<T> {
  readonly #underWay = new Map<string, Promise<T>>();

  /** @throws AppError UNAVAILABLE while too many others are under way */
  async share(key: string, ask: () => Promise<T>): Promise<T> {
    const present = this.#underWay.get(key);
    if (present) return await present;
    if (this.#underWay.size >= mostAtOnce)
      throw new AppError("UNAVAILABLE", "Too many DNS queries are in progress. Try again shortly.", {
        retryAfterSeconds: 3,
      });
    const asked = ask().finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, asked);
    return await asked;
  }
}

/** Remembers for a few seconds where zones are served, for clients that repeat a question. What may soon be better is looked at again. */
class HealthyDelegations {
  readonly #now: () => Date;
  /** Oldest first. */
  readonly #seen = new Map<string, { delegation: Delegation; at: number }>();

  constructor(now: () => Date) {
    this.#now = now;
  }

  get(zone: string): Delegation | null {
    const now = this.#now().getTime();
    for (const [name, { at }] of this.#seen) {
      if (at <= now && now - at < lifetimeMilliseconds) break;
      this.#seen.delete(name);
    }
    return this.#seen.get(zone)?.delegation ?? null;
  }

  /** Remembers a delegation all of whose servers have authority, or cannot be asked from here. */
  offer(zone: string, delegation: Delegation): void {
    if (this.#seen.has(zone) || !isHealthy(delegation)) return;
    this.#seen.set(zone, { delegation, at: this.#now().getTime() });
  }
}

function isHealthy({ parent, apex, servers }: Delegation): boolean {
  if (parent.kind === "unknown" || parent.kind === "not_delegated" || apex.nameServers === null) return false;
  return servers.every(({ state, barred = false }) => state === "authoritative" || state === "no_address" || barred);
}

/** Top-level domains of private networks. */
const customary = ["corp", "home", "lan", "localdomain", "mail", "private", "intranet"];

/** Reverse zones of addresses that are not public (RFC 6303, RFC 7793). */
const privateReverse = [
  ...["0", "10", "127", "254.169", "168.192"].map((prefix) => `${prefix}.in-addr.arpa`),
  ...range(16, 31).map((octet) => `${octet}.172.in-addr.arpa`),
  ...range(64, 127).map((octet) => `${octet}.100.in-addr.arpa`),
  ...["c.f", "d.f", "8.e.f", "9.e.f", "a.e.f", "b.e.f", "8.b.d.0.1.0.0.2"].map((prefix) => `${prefix}.ip6.arpa`),
];

/** Returns why the public DNS cannot have a domain, so that it is not checked; null if it can. */
export function whyNotPublic({ name, view }: { name: string; view: string }): string | null {
  if (view !== "") return `It is in the view ${view}. Only domains in the default view are public.`;
  const reserved = specialUseAbove(name) ?? customary.find((above) => isWithin(name, above));
  if (reserved !== undefined) return `${reserved} and the names below it are not in the public DNS.`;
  const reverse = privateReverse.find((above) => isWithin(name, above));
  return reverse === undefined ? null : `It is a reverse zone of addresses that are not public (${reverse}).`;
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
