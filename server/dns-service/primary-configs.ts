import { queries, type Database } from "../database/database.ts";
import type { ConfigSecrets } from "../dns-providers/connections.ts";
import { primary, settingsOf, type PrimaryConfig, type PrimarySettings } from "../dns-providers/primary.ts";
import type { TsigKey } from "../dns/wire/tsig.ts";
import type { Logger } from "../platform/log.ts";
import type { Endpoint } from "../dns-providers/primary/lists.ts";

/** A configuration of kind `primary`. */
export interface PrimaryService {
  configId: string;
  settings: PrimarySettings;
}

/** How long a change of a configuration by another instance may go unnoticed. */
const freshMilliseconds = 1_000;

interface Parts {
  database: Database;
  secrets: ConfigSecrets;
  log: Logger;
}

/** Reads the configurations of kind `primary`, at most once a second, so that strangers cost no query. */
export class PrimaryConfigs {
  readonly #parts: Parts;
  #known: Promise<readonly PrimaryService[]> | null = null;
  #readAt = 0;
  readonly #parsed = new Map<string, { text: string; service: PrimaryService | null }>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns all configurations that can be used. */
  async all(): Promise<readonly PrimaryService[]> {
    if (this.#known === null || performance.now() - this.#readAt > freshMilliseconds) {
      this.#readAt = performance.now();
      this.#known = this.#read();
      this.#known.catch(() => this.refresh());
    }
    return await this.#known;
  }

  /** Forgets what was read, because a configuration changed. */
  refresh(): void {
    this.#known = null;
  }

  async #read(): Promise<readonly PrimaryService[]> {
    const rows = await queries(this.#parts.database.fork())
      .selectFrom("provider_configs")
      .select(["id", "kind", "config"])
      .where("kind", "=", primary.kind)
      .orderBy("id")
      .execute();
    return rows.flatMap((row) => this.#parse(row) ?? []);
  }

  #parse(row: { id: string; kind: string; config: unknown }): PrimaryService | null {
    const text = JSON.stringify(row.config);
    const known = this.#parsed.get(row.id);
    if (known?.text === text) return known.service;
    const service = this.#opened(row);
    this.#parsed.set(row.id, { text, service });
    return service;
  }

  #opened({ id, kind, config }: { id: string; kind: string; config: unknown }): PrimaryService | null {
    try {
      const opened = this.#parts.secrets.open({ id, kind, config: config as PrimaryConfig });
      return { configId: id, settings: settingsOf(primary.configSchema.parse(opened)) };
    } catch (error) {
      this.#parts.log.error(
        { err: error, providerConfigId: id },
        "a configuration cannot be used, so its zones are not transferred",
      );
      return null;
    }
  }
}

/** Who asks: the address, and the key that signed the request. */
export interface Peer {
  address: string;
  key: TsigKey | null;
}

/** Returns the keys of a name in all configurations. */
export function keysNamed(services: readonly PrimaryService[], name: string): TsigKey[] {
  return services.flatMap(({ settings }) => settings.keys.filter((key) => key.name === name));
}

/** Returns whether a configuration has the peer's key. Several may have the same one. */
function holds({ settings }: PrimaryService, { key }: Peer): boolean {
  return (
    key !== null &&
    settings.keys.some(
      ({ name, algorithm, secret }) => name === key.name && algorithm === key.algorithm && secret.equals(key.secret),
    )
  );
}

/** Returns whether a peer may transfer a configuration's zones: with keys, an address alone is not enough. */
export function mayTransfer(service: PrimaryService, peer: Peer): boolean {
  const { keys, hasAllowList, knows } = service.settings;
  if (keys.length === 0) return peer.key === null && knows(peer.address);
  return holds(service, peer) && (!hasAllowList || knows(peer.address));
}

/** Returns whether a peer may ask for the SOA: a configured secondary, or one with a key. */
export function mayAskSoa(service: PrimaryService, peer: Peer): boolean {
  return mayTransfer(service, peer) || (peer.key === null && service.settings.knows(peer.address));
}

/** Returns what identifies a secondary that is notified. */
export function identityOf({ address, port }: Endpoint): string {
  return `notify:${address}:${port}`;
}

/** Returns an address with its port if that is not 53. */
export function shownEndpoint({ address, port }: Endpoint): string {
  if (port === 53) return address;
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}
