import type { DnsClient, QueriedType, Reply } from "./dns-client.ts";
import {
  askServers,
  lackOf,
  longestChain,
  nameAbove,
  noError,
  noSuchName,
  referralIn,
  type Answer,
  type NameServers,
  type Resolver,
} from "./resolver.ts";

const mostReferrals = 16;
/** How deep lookups of servers' addresses may nest, and how many steps one lookup may take in all. */
const deepest = 4;
const mostSteps = 60;

/** What is left of a lookup, including those that it needs. */
interface Effort {
  depth: number;
  steps: { left: number };
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
        { name, type },
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
  const answers = reply.authoritative && (reply.rcode === noError || reply.rcode === noSuchName);
  return answers ? { reply, next: null } : null;
}
