import { setMaxListeners } from "node:events";
import type { TsigKeyCredentials } from "../access/tsig-keys.ts";
import type { Audit } from "../notifications/audit/audit.ts";
import type { Config } from "../ops/config/config.ts";
import type { Database, EntityManager } from "../database/database.ts";
import type { ConfigSecrets } from "../dns-providers/connections.ts";
import type { Endpoint } from "../dns-providers/primary/lists.ts";
import type { Egress } from "../platform/net/egress.ts";
import type { RequestLimits } from "../api/limits/requests.ts";
import type { Records } from "../zones/records/service.ts";
import { listenBoth, type ListenAddress, type Listener } from "../platform/net/listeners.ts";
import type { Logger } from "../platform/log.ts";
import { hearZoneChanges } from "../zones/changes/zone-watchers.ts";
import { Connections, type ConnectionLimits, Datagrams } from "./connections.ts";
import { Notifier } from "./notifier.ts";
import { Responder, StrangerLimit, UnknownKeys } from "./responder.ts";
import { Secondaries } from "./secondaries.ts";
import { SecondaryClient } from "./secondary-client.ts";
import { zonesById, type ServedZone, PrimaryConfigs, type PrimaryService, identityOf } from "./zones.ts";
import { ZoneQueries } from "./zone-queries.ts";
import { DynamicUpdates } from "./updates/dynamic-updates.ts";
import { UpdateAnswers } from "./updates/update-answers.ts";

/** SOAs a second for one address by UDP without a signature. A secondary that looks after each of many zones gets the rest by TCP. */
const unprovenPerSecond = 200;

interface Parts {
  config: Pick<Config, "dnsListen" | "dnsAnswerSoa">;
  database: Database;
  secrets: ConfigSecrets;
  egress: Egress;
  credentials: TsigKeyCredentials;
  requestLimits: RequestLimits;
  records: Records;
  audit: Audit;
  log: Logger;
  now: () => Date;
  limits?: Partial<ConnectionLimits>;
  /** Called for the metrics. */
  onTransfer: (kind: "axfr" | "ixfr" | "current") => void;
  onNotify: (outcome: "acknowledged" | "failed") => void;
}

/** The DNS service: a hidden primary for zones of kind `primary`, and updates and queries with keys for any zone. Off without DNS_LISTEN. */
export class DnsService {
  readonly secondaries: Secondaries;
  readonly #parts: Parts;
  readonly #configs: PrimaryConfigs;
  readonly #responder: Responder;
  readonly #datagrams: Datagrams;
  readonly #notifier: Notifier;
  readonly #stopping = new AbortController();
  #listeners: Listener[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
    const { egress, now, database, requestLimits } = parts;
    const configs = new PrimaryConfigs(parts);
    this.#configs = configs;
    this.secondaries = new Secondaries(parts);
    const answers = new UpdateAnswers(database, now);
    const milliseconds = () => now().getTime();
    this.#responder = new Responder({
      ...parts,
      configs,
      secondaries: this.secondaries,
      strangers: new StrangerLimit({ now: milliseconds }),
      unproven: new StrangerLimit({ perSecond: unprovenPerSecond, now: milliseconds }),
      unknownKeys: new UnknownKeys(),
      updates: new DynamicUpdates({ ...parts, configs, answers, limits: requestLimits }),
      zoneQueries: new ZoneQueries({ ...parts, configs, limits: requestLimits }),
      answersSoa: parts.config.dnsAnswerSoa,
    });
    this.#datagrams = new Datagrams(this.#responder, parts.log);
    const { signal } = this.#stopping;
    // One for each message in flight.
    setMaxListeners(0, signal);
    const client = new SecondaryClient(egress, now, signal);
    this.#notifier = new Notifier({ ...parts, configs: this.#configs, secondaries: this.secondaries, client, signal });
    hearZoneChanges(database.fork(), ({ domainId }) => this.#changed(domainId));
  }

  get enabled(): boolean {
    return this.#parts.config.dnsListen.length > 0;
  }

  /** The ports that it listens on, in the order of DNS_LISTEN. */
  get ports(): number[] {
    return this.#listeners.filter((_, index) => index % 2 === 0).map(({ port }) => port);
  }

  /** Listens by UDP and TCP. @throws DnsListenError */
  async listen(): Promise<void> {
    for (const place of this.#parts.config.dnsListen) {
      try {
        await this.#listenAt(place);
      } catch (error) {
        await this.#close();
        throw new DnsListenError(place, error);
      }
    }
  }

  async #listenAt(place: ListenAddress): Promise<void> {
    const connections = new Connections(this.#responder, this.#parts.limits);
    const listeners = await listenBoth(
      place,
      (socket, from) => connections.accept(socket, from),
      (message, from, reply) => void this.#datagrams.receive(message, from, reply),
    );
    this.#listeners.push(...listeners);
  }

  /** Handles a committed change of a domain. */
  #changed(domainId: string): void {
    if (this.enabled && !this.#stopping.signal.aborted) this.#notifier.changed(domainId);
  }

  /** Reads the configurations anew before the next answer. */
  refresh(): void {
    this.#configs.refresh();
  }

  /** Notifies secondaries of changes that no instance has notified of. */
  async sweep(): Promise<void> {
    if (this.enabled) await this.#notifier.sweep();
  }

  /** Returns a domain's zones, one for each configuration of the kind that serves it, its main one first. */
  async zones(em: EntityManager, domainId: string): Promise<ServedZone[]> {
    return await this.zonesOf(em, [domainId]);
  }

  /** Returns the zones of several domains; those that are served elsewhere have none. */
  async zonesOf(em: EntityManager, domainIds: readonly string[]): Promise<ServedZone[]> {
    return await zonesById(em, await this.#configs.all(), domainIds);
  }

  /** Returns which secondaries sign by themselves, by `identityOf`. */
  async signing(): Promise<ReadonlySet<string>> {
    const services = await this.#configs.all();
    return new Set(
      services.flatMap(({ settings }) => settings.notify.filter((one) => settings.signs(one)).map(identityOf)),
    );
  }

  /** Returns the secondaries without stored state that configurations list, as `identityOf` names them, for each of their domains. */
  async unknownSecondaries(most: number): Promise<{ domainId: string; identity: string }[]> {
    return await this.secondaries.unknown(await this.#configs.all(), most);
  }

  /** Asks a secondary what it serves, and stores the answer. Does nothing if the service is off. */
  async look(zone: ServedZone, endpoint: Endpoint): Promise<void> {
    if (this.enabled) await this.#notifier.look(zone, endpoint);
  }

  /** Asks secondaries what they serve of domains, by their `identityOf`. Forgets those that the configuration no longer lists. */
  async lookAt(places: readonly { domainId: string; identity: string }[]): Promise<void> {
    const em = this.#parts.database.fork();
    const ids = [...new Set(places.map(({ domainId }) => domainId))];
    const zones = await zonesById(em, await this.#configs.all(), ids);
    const listed = zones.flatMap((zone) =>
      zone.service.settings.notify.map((endpoint) => ({ zone, endpoint, identity: identityOf(endpoint) })),
    );
    await Promise.all(
      places.map(async ({ domainId, identity }) => {
        const place = listed.find((one) => one.zone.id === domainId && one.identity === identity);
        if (place) await this.look(place.zone, place.endpoint);
        else await this.secondaries.forget(em.fork(), domainId, identity);
      }),
    );
  }

  /**
   * Notifies secondaries of domains' zones again, by their `identityOf`. Forgets those that the configuration no longer lists.
   * @returns the configurations whose catalogs should give secondaries zones that they do not have
   */
  async remind(places: readonly { domainId: string; identity: string; hasZone: boolean }[]): Promise<PrimaryService[]> {
    const em = this.#parts.database.fork();
    const zones = await this.zonesOf(em, [...new Set(places.map(({ domainId }) => domainId))]);
    const byDomain = Map.groupBy(zones, ({ id }) => id);
    const unread = new Set<PrimaryService>();
    for (const { domainId, identity, hasZone } of places) {
      const listed = (byDomain.get(domainId) ?? []).flatMap((zone) =>
        zone.service.settings.notify.map((endpoint) => ({ zone, endpoint })),
      );
      const place = listed.find(({ endpoint }) => identityOf(endpoint) === identity);
      if (place) this.#notifier.notify(place.zone, place.endpoint);
      else await this.secondaries.forget(em, domainId, identity);
      if (place && !hasZone && place.zone.service.settings.catalogZone !== null) unread.add(place.zone.service);
    }
    return [...unread];
  }

  /** Has secondaries read the catalogs of configurations anew. */
  async reread(services: ReadonlySet<PrimaryService>): Promise<void> {
    if (services.size > 0) await this.#notifier.reread(services);
  }

  /** Refuses new messages and ends transfers, which secondaries repeat elsewhere or later. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#close();
    await this.#notifier.settled();
    await this.secondaries.written();
  }

  async #close(): Promise<void> {
    const listeners = this.#listeners;
    this.#listeners = [];
    await Promise.all(listeners.map((listener) => listener.close()));
  }
}

/** An address of DNS_LISTEN that cannot be used. */
export class DnsListenError extends Error {
  constructor({ address, port }: ListenAddress, cause: unknown) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    const place = `${address.includes(":") ? `[${address}]` : address}:${port}`;
    super(`DNS_LISTEN: ${place} ${reasons[code] ?? `cannot be used (${code})`}.`, { cause });
    this.name = "DnsListenError";
  }
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: "is taken by another program; choose another port",
  EACCES: "needs privileges that this user does not have; grant CAP_NET_BIND_SERVICE, or choose a port above 1023",
  EADDRNOTAVAIL: "is not an address of this machine; use one of its addresses, or 0.0.0.0",
};
