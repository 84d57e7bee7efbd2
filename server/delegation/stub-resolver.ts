import type { DnsClient, QueriedType, Reply, Server } from "./dns-client.ts";
import {
  isWithin,
  lackOf,
  longestChain,
  mostServers,
  nameAbove,
  noError,
  noSuchName,
  type Answer,
  type NameServers,
  type Resolver,
} from "./resolver.ts";

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
      } else if (asked === owner || reply.rcode === noSuchName) {
        return lackOf(reply, owner);
      } else {
        // The answer ends within the chain.
        asked = owner;
        reply = await this.#ask(owner, type);
      }
    }
    return { kind: "unknown" };
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

  async #ask(name: string, type: QueriedType): Promise<Reply | null> {
    for (const server of this.#servers) {
      const asked = await this.client.ask(server, { name, type, recursive: true });
      if (!("reply" in asked)) continue;
      const { rcode } = asked.reply;
      if (rcode === noError || rcode === noSuchName) return asked.reply;
    }
    return null;
  }
}
