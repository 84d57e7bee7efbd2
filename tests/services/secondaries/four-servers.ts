import { untilServed, type Secondary, type SecondaryOptions } from "../../support/name-servers/secondary.ts";
import { startBindSecondary } from "../../support/name-servers/secondary-bind.ts";
import { startKnotSecondary } from "../../support/name-servers/secondary-knot.ts";
import { startNsdSecondary } from "../../support/name-servers/secondary-nsd.ts";
import { startPowerdnsSecondary } from "../../support/name-servers/secondary-powerdns.ts";
import { freshKey, type ServerKey } from "../../support/name-servers/update-server.ts";
import { freePorts } from "../../support/programs.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { listed, must } from "./random-edits.ts";

type Start = (options: SecondaryOptions) => Promise<Secondary>;

export const kinds: readonly Start[] = [
  startBindSecondary,
  startKnotSecondary,
  startNsdSecondary,
  startPowerdnsSecondary,
];

/** Zones at BIND, Knot, NSD and PowerDNS at once. BIND, Knot and PowerDNS learn of new ones from a catalog zone, NSD from its operator. */
export class FourServers {
  readonly #admin: RestClient;
  readonly #notifyAgain: () => void;
  readonly #catalog: string;
  readonly #ports: readonly number[];
  readonly #keys: readonly (ServerKey | null)[];
  readonly #configIds = { listed: "", inCatalog: "" };
  readonly #ids = new Map<string, string>();
  readonly #deleted = new Set<string>();
  #secondaries: Secondary[] = [];

  private constructor(
    admin: RestClient,
    notifyAgain: () => void,
    { catalog, ports, signed }: { catalog: string; ports: readonly number[]; signed: boolean },
  ) {
    this.#admin = admin;
    this.#notifyAgain = notifyAgain;
    this.#catalog = catalog;
    this.#ports = ports;
    this.#keys = kinds.map((_, index) => (signed ? { ...freshKey(), name: `xfr${index}` } : null));
  }

  /**
   * Creates the configurations.
   * @param notifyAgain has the service notify those that are behind, which it does once a minute by itself
   * @param signed whether each server has a key of its own
   */
  static async configure(
    admin: RestClient,
    notifyAgain: () => void,
    { catalog, signed }: { catalog: string; signed: boolean },
  ): Promise<FourServers> {
    const four = new FourServers(admin, notifyAgain, { catalog, signed, ports: await freePorts(kinds.length) });
    four.#configIds.listed = await four.#configuration({});
    four.#configIds.inCatalog = await four.#configuration({ catalogZone: catalog });
    return four;
  }

  /** Starts the servers with the zones that exist. */
  async start(primaryPort: number): Promise<void> {
    const common = { primaryPort, zones: [...this.#ids.keys()], catalog: this.#catalog };
    this.#secondaries = await Promise.all(
      kinds.map((start, index) => start({ ...common, port: this.#ports[index], key: this.#keys[index] ?? null })),
    );
  }

  /** Adds a domain that the servers are configured with. @returns its id */
  async create(zone: string): Promise<string> {
    return await this.#add(zone, this.#configIds.listed);
  }

  /** Adds a domain while the servers run. */
  async addMember(zone: string): Promise<string> {
    const id = await this.#add(zone, this.#configIds.inCatalog);
    await this.each((secondary) => secondary.add(zone));
    return id;
  }

  async deleteMember(zone: string): Promise<void> {
    await must(this.#admin.delete(`/api/domains/${this.id(zone)}?force=true`), [200]);
    this.#ids.delete(zone);
    this.#deleted.add(zone);
    await this.each((secondary) => secondary.drop(zone));
  }

  get zones(): string[] {
    return [...this.#ids.keys()];
  }

  id(zone: string): string {
    const id = this.#ids.get(zone);
    if (id === undefined) throw new Error(`There is no ${zone}.`);
    return id;
  }

  async each<Result>(work: (secondary: Secondary) => Promise<Result>): Promise<Result[]> {
    return await Promise.all(this.#secondaries.map(work));
  }

  /** Returns what the API lists of each zone. Nothing is left of deleted ones. */
  async listed(): Promise<Map<string, string[]>> {
    const lines = new Map<string, string[]>([...this.#deleted].map((zone) => [zone, []]));
    for (const [zone, id] of this.#ids) lines.set(zone, await listed(this.#admin, zone, id));
    return lines;
  }

  /** Waits until all servers serve exactly this, by zone: by default, what the API lists. */
  async untilServed(lines?: ReadonlyMap<string, readonly string[]>): Promise<void> {
    const wanted = lines ?? (await this.listed());
    // A server that starts may refuse a NOTIFY of a zone that it does not know yet.
    const notifying = setInterval(this.#notifyAgain, 1_000);
    try {
      await this.each(async (secondary) => {
        for (const [zone, some] of wanted) await untilServed(secondary, zone, some, 150_000);
      });
    } finally {
      clearInterval(notifying);
    }
  }

  async remove(): Promise<void> {
    await this.each((secondary) => secondary.remove());
  }

  async #configuration(more: object): Promise<string> {
    const tsigKeys = this.#keys.flatMap((key) => (key ? [`${key.name}:${key.algorithm}:${key.secret}`] : []));
    const config = {
      nameServers: "ns1.example.net, ns2.example.net",
      contact: "hostmaster@example.net",
      notify: this.#ports.map((port) => `127.0.0.1:${port}`).join(","),
      ...(tsigKeys.length > 0 ? { tsigKeys: tsigKeys.join(",") } : {}),
      ...more,
    };
    const name = `${this.#catalog} ${Object.keys(more).length}`;
    const made = await must(this.#admin.post("/api/provider-configs", { kind: "primary", name, config }), [201]);
    return made.id;
  }

  async #add(name: string, providerConfigId: string): Promise<string> {
    const { id } = await must(this.#admin.post("/api/domains", { name, providerConfigId }), [201]);
    this.#ids.set(name, id);
    this.#deleted.delete(name);
    return id;
  }
}
