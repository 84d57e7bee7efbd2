import { sql } from "kysely";
import { jsonRows, queries, type Database, type EntityManager } from "../database/database.ts";
import type { Endpoint } from "../dns-providers/primary/lists.ts";
import { serialDistance } from "../dns/wire/serials.ts";
import { isLockConflict } from "../platform/errors.ts";
import type { Logger } from "../platform/log.ts";
import type { Transfer } from "./transfer.ts";
import {
  beforeAll,
  places,
  zonesAtOnce,
  type ServedZone,
  identityOf,
  shownEndpoint,
  type Peer,
  type PrimaryService,
} from "./zones.ts";

/** The most changes that a restore from a backup may have lost. Serials further ahead are of another count, such as that of a secondary that signs. */
const mostLost = 100_000;
/** Milliseconds in which what is learned of secondaries is collected before it is written. */
const writeMilliseconds = 200;

/** A finished transfer. */
interface Transferred {
  kind: Transfer["kind"];
  records: number;
  octets: number;
  milliseconds: number;
}

/** What one event says about a secondary; undefined: nothing. */
interface Facts {
  zone_id: string;
  identity: string;
  address: string;
  key_name: string | null;
  serial?: number;
  transferred_serial?: number;
  /** It answered that it does not serve the zone, after anything else that is noted here. */
  lacks_zone?: boolean;
  served_at?: Date;
  asked_at?: Date;
  looked_at?: Date;
  notified_at?: Date;
  transferred_at?: Date;
  transfer_kind?: "axfr" | "ixfr";
  transfer_records?: number;
  transfer_octets?: number;
  transfer_milliseconds?: number;
  /** Null: it works. Queries leave it: a peer that asks may still be unreachable. */
  error?: string | null;
}

/** Stores what is known of each secondary of each zone. Facts are collected for a moment and written together. */
export class Secondaries {
  readonly #database: Database;
  readonly #log: Logger;
  readonly #now: () => Date;
  #facts = new Map<string, Facts>();
  #reached: Reached[] = [];
  readonly #unknown = new Map<string, UnknownSerials>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor({ database, log, now }: { database: Database; log: Logger; now: () => Date }) {
    this.#database = database;
    this.#log = log;
    this.#now = now;
  }

  /**
   * Notes a query for the SOA. Anybody can forge the address of an unsigned one by UDP: such queries count only for the secondaries that the
   * configuration lists. @param isProven whether it came by TCP or is signed
   */
  asked(zone: ServedZone, peer: Peer, isProven: boolean): void {
    if (!isProven && !zone.service.settings.notify.some(({ address }) => address === peer.address)) return;
    this.#note({ ...this.#subject(zone, peer), asked_at: this.#now() });
  }

  /** Notes a transfer, or that the secondary is up to date. */
  transferred(zone: ServedZone, peer: Peer, { kind, records, octets, milliseconds }: Transferred): void {
    const at = this.#now();
    const subject = this.#subject(zone, peer);
    this.#reach(zone, subject.identity, zone.soa.serial, { at, answered: false });
    this.#note({
      ...subject,
      serial: zone.soa.serial,
      transferred_serial: zone.soa.serial,
      lacks_zone: false,
      served_at: at,
      error: null,
      ...(kind === "current"
        ? { asked_at: at }
        : {
            transferred_at: at,
            transfer_kind: kind,
            transfer_records: records,
            transfer_octets: octets,
            transfer_milliseconds: milliseconds,
          }),
    });
  }

  /** Notes that a secondary acknowledged a NOTIFY. Nobody looks which serial of a catalog it serves, so that this counts for it. */
  notified(zone: ServedZone, endpoint: Endpoint, keyName: string | null): void {
    const at = this.#now();
    const facts = { ...ofEndpoint(zone, endpoint, keyName), notified_at: at, error: null };
    this.#note(zone.kind === "catalog" ? { ...facts, serial: zone.soa.serial, served_at: at } : facts);
  }

  /** Returns the newest serials of a zone that are known of secondaries, by `identityOf`, from any instance. */
  async serialsOf(zone: ServedZone): Promise<ReadonlyMap<string, number>> {
    await this.written();
    const rows = await queries(this.#database.fork())
      .selectFrom("primary_secondaries")
      .select(["identity", sql<string>`serial`.as("serial")])
      .where("zone_id", "=", zone.id)
      .where("identity", "like", "notify:%")
      .where("serial", "is not", null)
      .execute();
    return new Map(rows.map(({ identity, serial }) => [identity, Number(serial)]));
  }

  /** Notes the serial that a secondary answers with. One that signs by itself has serials of its own, which say nothing. */
  serves(zone: ServedZone, endpoint: Endpoint, keyName: string | null, serial: number): void {
    const at = this.#now();
    const facts = { ...ofEndpoint(zone, endpoint, keyName), looked_at: at };
    if (zone.service.settings.signs(endpoint)) {
      this.#note({ ...facts, error: null });
      return;
    }
    this.hasSerial(zone, serial);
    this.#reach(zone, facts.identity, serial, { at, answered: true });
    this.#note({ ...facts, serial, lacks_zone: false, served_at: at, error: null });
  }

  /**
   * Notes a serial that a secondary has. If it is ahead of the zone's, the serials up to it were given out before, for contents that are gone. They count as unknown:
   * who asks for what changed since one of them gets the whole zone, also once the zone has passed it. They are stored by the next write.
   */
  hasSerial(zone: ServedZone, serial: number): void {
    const distance = serialDistance(zone.soa.serial, serial);
    if (zone.kind === "catalog" || distance <= 0 || distance > mostLost) return;
    const until = zone.revision + distance + 1;
    if (until > Math.max(this.#unknown.get(zone.id)?.base_revision ?? 0, zone.baseRevision))
      this.#unknown.set(zone.id, { domain_id: zone.id, serial_base: zone.serialBase, base_revision: until });
  }

  /** Returns the newest serial of a zone that a secondary transferred, from any instance; null if none. */
  async transferredSerial(zone: ServedZone, endpoint: Endpoint): Promise<number | null> {
    await this.written();
    const row = await queries(this.#database.fork())
      .selectFrom("primary_secondaries")
      .select(sql<string | null>`transferred_serial`.as("serial"))
      .where("zone_id", "=", zone.id)
      .where("identity", "=", identityOf(endpoint))
      .executeTakeFirst();
    const serial = row?.serial ?? null;
    return serial === null ? null : Number(serial);
  }

  /**
   * Notes why a secondary could not be reached, or that it answered that it does not serve the zone: then it has no serial of it.
   * @param failure.lacksZone null: it was notified, and not asked what it serves
   */
  failed(
    zone: ServedZone,
    endpoint: Endpoint,
    keyName: string | null,
    { message, lacksZone }: { message: string; lacksZone: boolean | null },
  ): void {
    const facts = { ...ofEndpoint(zone, endpoint, keyName), error: message };
    this.#note({
      ...facts,
      ...(lacksZone === null ? {} : { looked_at: this.#now() }),
      ...(lacksZone === true ? { lacks_zone: true } : {}),
    });
  }

  /**
   * Returns the notified secondaries without stored state, for each of their domains. They were added to a configuration after the last change
   * of the domain, so no NOTIFY has reached them.
   */
  async unknown(services: readonly PrimaryService[], most: number): Promise<Unknown[]> {
    const listed = services.flatMap(({ configId, settings }) =>
      settings.notify.map((endpoint) => ({ config_id: configId, identity: identityOf(endpoint) })),
    );
    const found: Unknown[] = [];
    if (listed.length === 0) return found;
    for (let after: string | null = beforeAll; after !== null && found.length < most;) {
      const part = await unknownOf(this.#database.fork(), listed, after);
      found.push(...part.unknown);
      after = part.last;
    }
    return found.slice(0, most);
  }

  /** Deletes what is known of peers that are not notified and were not seen since a time. */
  async forgetUnseen(before: Date): Promise<void> {
    await queries(this.#database.fork())
      .deleteFrom("primary_secondaries")
      .where("identity", "not like", "notify:%")
      .where((eb) => eb.or([eb("asked_at", "is", null), eb("asked_at", "<", before)]))
      .where((eb) => eb.or([eb("transferred_at", "is", null), eb("transferred_at", "<", before)]))
      .execute();
  }

  /** Deletes the last serials of zones whose domains were deleted before a time. */
  async forgetLeft(before: Date): Promise<void> {
    await queries(this.#database.fork()).deleteFrom("primary_last_serials").where("left_at", "<", before).execute();
  }

  /** Deletes what is known of a secondary. */
  async forget(em: EntityManager, zoneId: string, identity: string): Promise<void> {
    await queries(em)
      .deleteFrom("primary_secondaries")
      .where("zone_id", "=", zoneId)
      .where("identity", "=", identity)
      .execute();
  }

  /** Writes everything learned so far. */
  async written(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    await this.#writing;
  }

  /** A peer is the only endpoint with its address, otherwise it is told apart by its key, else by its address. */
  #subject(zone: ServedZone, { address, key }: Peer): Facts {
    const [endpoint, ...others] = zone.service.settings.notify.filter((one) => one.address === address);
    if (endpoint && others.length === 0) return ofEndpoint(zone, endpoint, key?.name ?? null);
    const identity = key ? `key:${key.name}` : `address:${address}`;
    return { zone_id: zone.id, identity, address, key_name: key?.name ?? null };
  }

  #reach(zone: ServedZone, identity: string, serial: number, seen: { at: Date; answered: boolean }): void {
    if (zone.kind === "catalog") return;
    const revision = zone.revision + serialDistance(zone.soa.serial, serial);
    // Who has just transferred the present serial certainly has it.
    if (revision >= zone.baseRevision || (revision === zone.revision && !seen.answered))
      this.#reached.push({ domain_id: zone.id, identity, revision, ...seen });
  }

  #note(facts: Facts): void {
    const id = `${facts.zone_id} ${facts.identity}`;
    this.#facts.set(id, { ...this.#facts.get(id), ...facts });
    this.#timer ??= setTimeout(() => void this.written(), writeMilliseconds);
  }

  async #write(): Promise<void> {
    const facts = [...this.#facts.values()];
    const reached = this.#reached;
    const unknown = [...this.#unknown.values()];
    this.#facts = new Map();
    this.#reached = [];
    this.#unknown.clear();
    if (facts.length === 0 && unknown.length === 0) return;
    try {
      if (facts.length > 0) await upsert(this.#database, facts);
    } catch (error) {
      if (isLockConflict(error)) this.#keep({ facts, reached, unknown });
      this.#log.warn({ err: error }, "what is known of secondaries could not be stored");
      return;
    }
    try {
      await storeUnknown(this.#database.fork(), unknown);
      await storeReached(this.#database.fork(), reached);
    } catch (error) {
      this.#log.warn({ err: error }, "what is known of secondaries could not be stored");
    }
  }

  /** Keeps what could not be stored for the next write. What was learned meanwhile counts. */
  #keep({ facts, reached, unknown }: Unwritten): void {
    const later = this.#facts;
    this.#facts = new Map(facts.map((each) => [`${each.zone_id} ${each.identity}`, each]));
    for (const [id, each] of later) this.#facts.set(id, { ...this.#facts.get(id), ...each });
    this.#reached = [...reached, ...this.#reached];
    for (const each of unknown) {
      const since = this.#unknown.get(each.domain_id)?.base_revision ?? 0;
      if (each.base_revision > since) this.#unknown.set(each.domain_id, each);
    }
  }
}

/** A secondary of a domain without stored state. */
interface Unknown {
  domainId: string;
  identity: string;
}

/**
 * Returns those of the next zones' listed secondaries that have no stored state.
 * @param after the domain's id of the last zone before them
 * @returns last: the id of the last zone that was looked at; null after all
 */
export async function unknownOf(
  em: EntityManager,
  listed: readonly { config_id: string; identity: string }[],
  after: string,
): Promise<{ unknown: Unknown[]; last: string | null }> {
  const { rows } = await sql<{ domainId: string; identity: string | null }>`
    with part as materialized (
      select domain_id from primary_zones where domain_id > ${after}::uuid order by domain_id limit ${zonesAtOnce}
    )
    (select domain_id as "domainId", null as identity from part order by domain_id desc limit 1)
    union all
    select distinct part.domain_id, listed.identity from part
    -- Plain joins may read all of these tables for each part.
    cross join lateral (select provider_config_id from ${places} as one where one.domain_id = part.domain_id offset 0) as place
    join ${jsonRows(listed)} as listed (config_id uuid, identity text) on listed.config_id = place.provider_config_id
    where (
      select true from primary_secondaries as known
      where known.zone_id = part.domain_id and known.identity = listed.identity
    ) is null
  `.execute(queries(em));
  return {
    unknown: rows.flatMap(({ domainId, identity }) => (identity === null ? [] : [{ domainId, identity }])),
    last: rows.find(({ identity }) => identity === null)?.domainId ?? null,
  };
}

interface Unwritten {
  facts: readonly Facts[];
  reached: readonly Reached[];
  unknown: readonly UnknownSerials[];
}

function ofEndpoint(zone: ServedZone, endpoint: Endpoint, keyName: string | null): Facts {
  return { zone_id: zone.id, identity: identityOf(endpoint), address: shownEndpoint(endpoint), key_name: keyName };
}

/**
 * A fact that is left out keeps its stored value, as it is when the row is written: another instance may just have changed it. `served_at` is when the serial was first seen: what another instance saw later counts. Rows are written in the order in which others lock several.
 */
async function upsert(database: Database, facts: readonly Facts[]): Promise<void> {
  const rows = facts.map((each) => ({ ...each, says_error: each.error !== undefined }));
  const lacks = sql`(excluded.zone_id, excluded.identity) in (select f.zone_id, f.identity from f where f.lacks_zone)`;
  await sql`
    with f as (
      select * from ${jsonRows(rows)} as f (
        zone_id uuid, identity text, address text, key_name text, serial bigint, transferred_serial bigint, served_at timestamptz,
        asked_at timestamptz, looked_at timestamptz, notified_at timestamptz, transferred_at timestamptz, transfer_kind text,
        transfer_records int, transfer_octets bigint, transfer_milliseconds int, error text, says_error boolean, lacks_zone boolean
      )
    )
    insert into primary_secondaries (
      zone_id, identity, address, key_name, serial, transferred_serial, served_at, asked_at, looked_at, notified_at,
      transferred_at, transfer_kind, transfer_records, transfer_octets, transfer_milliseconds, error
    )
    select
      f.zone_id, f.identity, f.address, f.key_name, case when f.lacks_zone then null else f.serial end,
      f.transferred_serial, f.served_at, f.asked_at, f.looked_at, f.notified_at,
      f.transferred_at, f.transfer_kind, f.transfer_records, f.transfer_octets, f.transfer_milliseconds, f.error
    from f
    -- Who asked may hear the answer only after the zone is gone.
    where exists (select from domains where domains.id = f.zone_id)
      or exists (select from provider_configs where provider_configs.id = f.zone_id)
    order by f.zone_id, f.identity
    on conflict (zone_id, identity) do update set
      address = excluded.address,
      key_name = coalesce(excluded.key_name, primary_secondaries.key_name),
      served_at = case
        when excluded.served_at < primary_secondaries.served_at then primary_secondaries.served_at
        when excluded.serial is distinct from primary_secondaries.serial
          then coalesce(excluded.served_at, primary_secondaries.served_at)
        else coalesce(primary_secondaries.served_at, excluded.served_at)
      end,
      serial = case
        when ${lacks} and excluded.looked_at >= coalesce(primary_secondaries.served_at, '-infinity') then null
        when excluded.served_at < primary_secondaries.served_at then primary_secondaries.serial
        else coalesce(excluded.serial, primary_secondaries.serial)
      end,
      transferred_serial = coalesce(excluded.transferred_serial, primary_secondaries.transferred_serial),
      asked_at = coalesce(excluded.asked_at, primary_secondaries.asked_at),
      looked_at = coalesce(excluded.looked_at, primary_secondaries.looked_at),
      notified_at = coalesce(excluded.notified_at, primary_secondaries.notified_at),
      transferred_at = coalesce(excluded.transferred_at, primary_secondaries.transferred_at),
      transfer_kind = coalesce(excluded.transfer_kind, primary_secondaries.transfer_kind),
      transfer_records = coalesce(excluded.transfer_records, primary_secondaries.transfer_records),
      transfer_octets = coalesce(excluded.transfer_octets, primary_secondaries.transfer_octets),
      transfer_milliseconds = coalesce(excluded.transfer_milliseconds, primary_secondaries.transfer_milliseconds),
      error = case
        when (excluded.zone_id, excluded.identity) in (select f.zone_id, f.identity from f where f.says_error) then excluded.error
        else primary_secondaries.error
      end
  `.execute(queries(database.fork()));
}

/** Serials that secondaries have and this database never gave out: all below that of a revision to come. */
interface UnknownSerials {
  domain_id: string;
  /** Of the serials that were seen. A serial that was raised meanwhile has passed them. */
  serial_base: number;
  base_revision: number;
}

async function storeUnknown(em: EntityManager, unknown: readonly UnknownSerials[]): Promise<void> {
  if (unknown.length === 0) return;
  await sql`
    update primary_zones as z set base_revision = greatest(z.base_revision, f.base_revision)
    from ${jsonRows(unknown)} as f (domain_id uuid, serial_base bigint, base_revision int)
    join domains d on d.id = f.domain_id
    where z.domain_id = f.domain_id and z.serial_base = f.serial_base
      -- Who asked may not have known of a change that the secondary had already.
      and f.base_revision > d.revision + 1
  `.execute(queries(em));
}

/** Announcements of a domain that stay stored, in revisions. */
const storedRevisions = 100;
/** Seconds after a transfer in which the answer with its serial still says when the secondary began to serve it. */
const confirmSeconds = 60;

/** A revision of a domain to announce, at each configuration that serves it. */
export interface Announcement {
  zones: readonly ServedZone[];
  /** The first revision that it covers. */
  since: number;
}

/** A serial that was seen at a secondary. */
interface Reached {
  domain_id: string;
  identity: string;
  revision: number;
  at: Date;
  /** Whether it answered with it. Otherwise it transferred it, and may not serve it yet. */
  answered: boolean;
}

/**
 * Claims the announcement of a zone's serial, so that no other instance sends it, too. Whoever read the zone before a newer serial was claimed
 * comes too late. Stored serials do not wrap around, so that they compare as numbers; one beyond the zone's own is of a base that was reset.
 * @returns the first revision that was not announced before; null if it, or a newer one, was claimed
 */
export async function claimSerial(em: EntityManager, { id, serialBase, revision }: ServedZone): Promise<number | null> {
  const serial = serialBase + revision;
  // A driver may return a bigint as text.
  const { rows } = await sql<{ before: string | null }>`
    with known as (
      select z.notified_serial, z.serial_base + d.revision as present from primary_zones z join domains d on d.id = z.domain_id
      where z.domain_id = ${id}::uuid for update of z
    )
    update primary_zones set notified_serial = ${serial} from known
    where domain_id = ${id}::uuid
      and (known.notified_serial is null or known.notified_serial < ${serial} or known.notified_serial > known.present)
    returning known.notified_serial as before
  `.execute(queries(em));
  const [row] = rows;
  if (!row) return null;
  const before = row.before === null ? null : Number(row.before) - serialBase;
  return before !== null && before < revision && revision - before < storedRevisions ? before + 1 : revision;
}

/** Stores the revisions that each secondary is notified of. Deletes all but the newest 100 of a domain. */
export async function storeAnnouncements(em: EntityManager, announcements: readonly Announcement[]): Promise<void> {
  const rows = announcements.flatMap(({ zones, since }) =>
    zones.flatMap(({ id, revision, service }) =>
      service.settings.notify.map((endpoint) => ({
        domain_id: id,
        revision,
        identity: identityOf(endpoint),
        since,
      })),
    ),
  );
  if (rows.length === 0) return;
  await sql`
    with announced as (
      select * from ${jsonRows(rows)} as a (domain_id uuid, revision int, identity text, since int)
    ), old as (
      delete from secondary_revisions r using (select domain_id, max(revision) as newest from announced group by domain_id) as n
      where r.domain_id = n.domain_id and r.revision <= n.newest - ${storedRevisions}
    )
    insert into secondary_revisions (domain_id, revision, identity, since)
      select domain_id, revision, identity, since from announced
      where exists (select from domains where domains.id = announced.domain_id)
      on conflict do nothing
  `.execute(queries(em));
}

/**
 * Stores when secondaries reached revisions. The time of an answer replaces that of the transfer right before it. A revision that was only
 * transferred no longer counts once the secondary answers with an older one.
 */
async function storeReached(em: EntityManager, reached: readonly Reached[]): Promise<void> {
  if (reached.length === 0) return;
  const rows = sql`${jsonRows(reached)} as f (domain_id uuid, identity text, revision int, at timestamptz, answered boolean)`;
  await sql`
    update secondary_revisions as r set reached_at = null
    from (
      select distinct on (domain_id, identity) domain_id, identity, revision, at from ${rows}
      where answered order by domain_id, identity, at desc
    ) as n
    where r.domain_id = n.domain_id and r.identity = n.identity and r.revision > n.revision
      and not r.answered and r.reached_at < n.at
  `.execute(queries(em));
  await sql`
    update secondary_revisions as r set
      reached_at = case when r.reached_at is null or n.answered then n.at else r.reached_at end,
      answered = r.answered or n.answered
    from (
      select r.domain_id, r.revision, r.identity, bool_or(f.answered) as answered,
        coalesce(min(f.at) filter (where f.answered), min(f.at)) as at
      from ${rows}
      join domains d on d.id = f.domain_id and f.revision <= d.revision
      join secondary_revisions r
        on r.domain_id = f.domain_id and r.identity = f.identity and r.revision <= f.revision and not r.answered
      group by r.domain_id, r.revision, r.identity
    ) as n
    where r.domain_id = n.domain_id and r.revision = n.revision and r.identity = n.identity
      and (r.reached_at is null or (n.answered and n.at < r.reached_at + make_interval(secs => ${confirmSeconds})))
  `.execute(queries(em));
}
