import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { queries, type Database, type EntityManager } from "../database/database.ts";
import type { Endpoint } from "../dns-providers/primary/lists.ts";
import { serialDistance } from "../dns/wire/serials.ts";
import type { TsigKey } from "../dns/wire/tsig.ts";
import type { Logger } from "../platform/log.ts";
import { type Secondaries, claimSerial, storeAnnouncements, type Announcement } from "./secondaries.ts";
import type { Reply, SecondaryClient } from "./secondary-client.ts";
import {
  catalogZone,
  countCatalogs,
  beforeAll,
  places,
  zonesAtOnce,
  zonesById,
  type ServedZone,
  identityOf,
  type PrimaryConfigs,
  type PrimaryService,
  withCatalogs,
} from "./zones.ts";

/** Changes within this time lead to one NOTIFY. The first of a series waits less. */
const coalescingMilliseconds = 100;
const leadMilliseconds = 5;
/** How long each attempt waits for an acknowledgment. The first is the NOTIFY, five repeat it (RFC 1996 §3.6). */
const attemptMilliseconds = [500, 1_000, 2_000, 4_000, 8_000, 8_000];
/** Milliseconds between questions for the serial after a NOTIFY. Then it is repeated: a busy secondary may ignore one. */
const lookMilliseconds = [10, 20, 40, 80, 150, 300, 600, 1_200];
const answerMilliseconds = 1_000;
/** Messages in flight to one secondary. */
const atOnce = 16;
/** BIND reads a catalog again no sooner than five seconds after the last time (its default `min-update-interval`). */
const rereadMilliseconds = 10_000;

interface Parts {
  database: Database;
  configs: PrimaryConfigs;
  secondaries: Secondaries;
  client: SecondaryClient;
  log: Logger;
  signal: AbortSignal;
  onNotify: (outcome: "acknowledged" | "failed") => void;
}

/**
 * Notifies secondaries of new serials. The instance that committed a change sends, after it has claimed the serial in the database, so that
 * no other sends it, too. A job finds what a crash left.
 */
export class Notifier {
  readonly #parts: Parts;
  #changed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #flushedAt = -coalescingMilliseconds;
  #flushing: Promise<void> = Promise.resolve();
  /** Catalogs that changed together, to be read once more. */
  #moved = new Set<PrimaryService>();
  #rereading: NodeJS.Timeout | undefined;
  /** The newest serial on its way, by zone, configuration and secondary. */
  readonly #newest = new Map<string, number>();
  /** The newest state of each zone that waits for its turn, by the same. */
  readonly #waiting = new Map<string, ServedZone>();
  /** The key that a secondary accepted, by configuration and secondary. */
  readonly #accepted = new Map<string, TsigKey>();
  readonly #lanes = new Map<string, Lane>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Handles a committed change of a domain, of any kind of provider. */
  changed(domainId: string): void {
    this.#changed.add(domainId);
    const wait = Math.max(leadMilliseconds, this.#flushedAt + coalescingMilliseconds - performance.now());
    this.#timer ??= setTimeout(() => this.#soon(), wait);
  }

  /** Notifies of everything that no instance has claimed yet. */
  async sweep(): Promise<void> {
    const { database, configs } = this.#parts;
    const services = await configs.all();
    for (let after: string | null = beforeAll; after !== null && !this.#parts.signal.aborted;) {
      const { ids, last } = await unclaimed(database.fork(), after);
      await this.#announce(services, ids);
      after = last;
    }
    await this.#remindOfCatalogs(await this.#announceCatalogs(services));
  }

  /** Waits until no message is on its way. */
  async settled(): Promise<void> {
    clearTimeout(this.#timer);
    clearTimeout(this.#rereading);
    await this.#flushing;
    await Promise.all([...this.#lanes.values()].map((lane) => lane.settled()));
  }

  #soon(): void {
    this.#timer = undefined;
    this.#flushedAt = performance.now();
    const ids = [...this.#changed];
    this.#changed = new Set();
    const before = this.#flushing;
    this.#flushing = this.#flush(ids, before);
  }

  async #flush(ids: readonly string[], before: Promise<void>): Promise<void> {
    await before;
    try {
      const services = await this.#parts.configs.all();
      if (services.length === 0) return;
      await this.#announce(services, ids);
      await this.#announceCatalogs(services);
    } catch (error) {
      this.#parts.log.warn({ err: error }, "secondaries could not be notified; a job retries");
    }
  }

  /** @returns how many zones this instance claimed */
  async #announce(services: readonly PrimaryService[], ids: readonly string[]): Promise<number> {
    const { database } = this.#parts;
    const byDomain = Map.groupBy(await zonesById(database.fork(), services, ids), ({ id }) => id);
    const claimed: Announcement[] = [];
    for (const zones of byDomain.values()) {
      const [zone] = zones;
      const since = zone ? await claimSerial(database.fork(), zone) : null;
      if (since !== null) claimed.push({ zones, since });
    }
    await storeAnnouncements(database.fork(), claimed);
    for (const { zones } of claimed) for (const zone of zones) this.#notifyAll(zone);
    return claimed.length;
  }

  /** Has secondaries read the catalogs of configurations anew: they lack a member. */
  async reread(services: ReadonlySet<PrimaryService>): Promise<void> {
    const { database, configs } = this.#parts;
    await countCatalogs(database.fork(), services);
    await this.#announceCatalogs(await configs.all(), { isRepeated: true });
  }

  /** @returns all catalogs */
  async #announceCatalogs(services: readonly PrimaryService[], { isRepeated = false } = {}): Promise<ServedZone[]> {
    const { database } = this.#parts;
    const catalogs: ServedZone[] = [];
    const changed: PrimaryService[] = [];
    for (const service of await withCatalogs(database.fork(), services)) {
      const zone = await catalogZone(database.fork(), service);
      if (!zone) continue;
      catalogs.push(zone);
      const { numUpdatedRows } = await queries(database.fork())
        .updateTable("primary_catalogs")
        .set({ notified_serial: zone.revision })
        .where("provider_config_id", "=", service.configId)
        .where((eb) => eb.or([eb("notified_serial", "is", null), eb("notified_serial", "!=", zone.revision)]))
        .executeTakeFirst();
      if (numUpdatedRows === 0n) continue;
      changed.push(service);
      this.#notifyAll(zone);
    }
    if (changed.length > 1 && !isRepeated) this.#rereadLater(changed);
    return catalogs;
  }

  /**
   * Has catalogs that changed together read once more. A zone may have moved from one to another, and a secondary that still has it in the
   * first when it reads the second refuses it there (RFC 9432 §5.2), and looks again only at a higher serial.
   */
  #rereadLater(services: readonly PrimaryService[]): void {
    for (const service of services) this.#moved.add(service);
    clearTimeout(this.#rereading);
    this.#rereading = setTimeout(() => {
      this.#flushing = this.#rereadNow(this.#flushing);
    }, rereadMilliseconds).unref();
  }

  async #rereadNow(before: Promise<void>): Promise<void> {
    await before;
    const moved = this.#moved;
    this.#moved = new Set();
    try {
      if (!this.#parts.signal.aborted) await this.reread(moved);
    } catch (error) {
      this.#parts.log.warn({ err: error }, "catalogs could not be announced again; a job finds what is missing");
    }
  }

  /** Notifies secondaries that neither acknowledged the newest serial of a catalog nor transferred it. */
  async #remindOfCatalogs(catalogs: readonly ServedZone[]): Promise<void> {
    for (const zone of catalogs) {
      const known = await this.#parts.secondaries.serialsOf(zone);
      for (const endpoint of zone.service.settings.notify)
        if (known.get(identityOf(endpoint)) !== zone.soa.serial) this.notify(zone, endpoint);
    }
  }

  #notifyAll(zone: ServedZone): void {
    for (const endpoint of zone.service.settings.notify) this.notify(zone, endpoint);
  }

  /**
   * Notifies one secondary, and then looks when it serves the zone. A newer serial replaces one that waits or is on its way. The same one
   * changes nothing, so that no more waits for a secondary than it has zones.
   */
  notify(zone: ServedZone, endpoint: Endpoint): void {
    const id = `${zone.id} ${zone.service.configId} ${identityOf(endpoint)}`;
    if (this.#newest.get(id) === zone.soa.serial) return;
    this.#newest.set(id, zone.soa.serial);
    const waits = this.#waiting.has(id);
    this.#waiting.set(id, zone);
    if (waits) return;
    const lane = this.#lanes.get(identityOf(endpoint)) ?? new Lane(atOnce);
    this.#lanes.set(identityOf(endpoint), lane);
    lane.run(async () => {
      const latest = this.#waiting.get(id) ?? zone;
      this.#waiting.delete(id);
      const isNewest = () => this.#newest.get(id) === latest.soa.serial && !this.#parts.signal.aborted;
      try {
        await this.#notifyOne(latest, endpoint, isNewest);
      } catch (error) {
        this.#parts.log.warn({ err: error, zoneId: zone.id }, "a secondary could not be notified");
      } finally {
        if (isNewest()) this.#newest.delete(id);
      }
    });
  }

  /** Asks a secondary once what it serves, and stores the answer. */
  async look(zone: ServedZone, endpoint: Endpoint): Promise<void> {
    const { client, secondaries } = this.#parts;
    const { reply, key } = await this.#withKey(zone, endpoint, async (one) =>
      client.serial(zone, endpoint, one, answerMilliseconds),
    );
    if (reply.ok) secondaries.serves(zone, endpoint, key?.name ?? null, reply.answer);
    else if (!this.#parts.signal.aborted) secondaries.failed(zone, endpoint, key?.name ?? null, reply);
  }

  async #notifyOne(zone: ServedZone, endpoint: Endpoint, isNewest: () => boolean): Promise<void> {
    const { client, secondaries } = this.#parts;
    for (const milliseconds of attemptMilliseconds) {
      if (!isNewest()) return;
      const ends = performance.now() + milliseconds;
      const { reply, key } = await this.#withKey(zone, endpoint, async (one) => {
        const sent = await client.notify(zone, endpoint, one, milliseconds);
        this.#parts.onNotify(sent.ok ? "acknowledged" : "failed");
        return sent;
      });
      if (reply.ok) {
        secondaries.notified(zone, endpoint, key?.name ?? null);
        if (zone.kind === "catalog" || (await this.#serves(zone, endpoint, key, isNewest))) return;
        continue;
      }
      // Some servers refuse a NOTIFY of a zone that they serve. What they serve is asked for later.
      secondaries.failed(zone, endpoint, key?.name ?? null, { message: reply.message, lacksZone: null });
      if (!reply.retry) return;
      // A closed port and SERVFAIL are heard of at once (RFC 1996 §3.6: a server that restarts needs a while).
      await this.#pause(ends - performance.now());
    }
  }

  async #pause(milliseconds: number): Promise<void> {
    const { signal } = this.#parts;
    await sleep(Math.max(0, milliseconds), undefined, { signal, ref: false }).catch(() => undefined);
  }

  /**
   * Sends a message with the key that the secondary accepted before, else with one key after another until it knows one.
   * @returns the last reply, and the key that the secondary knows; null for none
   */
  async #withKey<Answer>(
    { service: { configId, settings } }: ServedZone,
    endpoint: Endpoint,
    send: (key: TsigKey | null) => Promise<Reply<Answer>>,
  ): Promise<{ reply: Reply<Answer>; key: TsigKey | null }> {
    const { keys } = settings;
    const place = `${configId} ${identityOf(endpoint)}`;
    const accepted = keys.find((key) => key === this.#accepted.get(place)) ?? keys[0] ?? null;
    let reply = await send(accepted);
    let key = accepted;
    for (const other of keys) {
      if (reply.ok || !reply.wrongKey || this.#parts.signal.aborted) break;
      if (other === accepted) continue;
      key = other;
      reply = await send(key);
    }
    if (reply.ok && key) this.#accepted.set(place, key);
    return { reply, key: reply.ok || !reply.wrongKey ? key : null };
  }

  /** Returns the serial that a secondary answers with, or that it transferred if it signs; null if it is unknown. */
  async #serialOf(zone: ServedZone, endpoint: Endpoint, key: TsigKey | null): Promise<number | null> {
    const { client, secondaries } = this.#parts;
    if (zone.service.settings.signs(endpoint)) return await secondaries.transferredSerial(zone, endpoint);
    const reply = await client.serial(zone, endpoint, key, answerMilliseconds);
    return reply.ok ? reply.answer : null;
  }

  /** Asks for a few seconds whether the secondary serves the serial, and stores the answer: a secondary may transfer a zone that it cannot load. */
  async #serves(zone: ServedZone, endpoint: Endpoint, key: TsigKey | null, isNewest: () => boolean): Promise<boolean> {
    const { secondaries } = this.#parts;
    let older: number | null = null;
    for (const milliseconds of lookMilliseconds) {
      await this.#pause(milliseconds);
      if (!isNewest()) return true;
      const serial = await this.#serialOf(zone, endpoint, key);
      if (serial === null) continue;
      if (serialDistance(zone.soa.serial, serial) >= 0) {
        secondaries.serves(zone, endpoint, key?.name ?? null, serial);
        return true;
      }
      older = serial;
    }
    if (older !== null) secondaries.serves(zone, endpoint, key?.name ?? null, older);
    return false;
  }
}

/**
 * Returns those of the next zones whose serial no instance has claimed.
 * @param after the domain's id of the last zone before them
 * @returns last: the id of the last zone that was looked at; null after all
 */
export async function unclaimed(em: EntityManager, after: string): Promise<{ ids: string[]; last: string | null }> {
  const { rows } = await sql<{ id: string; is_last: boolean }>`
    with part as materialized (
      select domain_id, notified_serial, serial_base from primary_zones
      where domain_id > ${after}::uuid order by domain_id limit ${zonesAtOnce}
    )
    (select domain_id as id, true as is_last from part order by domain_id desc limit 1)
    union all
    select part.domain_id, false from part
    -- Plain joins may read all of these tables for each part.
    cross join lateral (select revision from domains where id = part.domain_id limit 1) as domain
    where part.notified_serial is distinct from part.serial_base + domain.revision
      and (
        select true from ${places} as place
        join provider_configs on provider_configs.id = place.provider_config_id and provider_configs.kind = 'primary'
        where place.domain_id = part.domain_id limit 1
      )
  `.execute(queries(em));
  return {
    ids: rows.flatMap(({ id, is_last: isLast }) => (isLast ? [] : [id])),
    last: rows.find(({ is_last: isLast }) => isLast)?.id ?? null,
  };
}

/** Runs some tasks at a time, the others in order. */
class Lane {
  readonly #most: number;
  readonly #waiting: (() => Promise<void>)[] = [];
  readonly #running = new Set<Promise<void>>();

  constructor(most: number) {
    this.#most = most;
  }

  /** @param task must not throw */
  run(task: () => Promise<void>): void {
    this.#waiting.push(task);
    this.#next();
  }

  async settled(): Promise<void> {
    this.#waiting.length = 0;
    await Promise.all(this.#running);
  }

  #next(): void {
    while (this.#running.size < this.#most) {
      const task = this.#waiting.shift();
      if (!task) return;
      const run = task().finally(() => {
        this.#running.delete(run);
        this.#next();
      });
      this.#running.add(run);
    }
  }
}
