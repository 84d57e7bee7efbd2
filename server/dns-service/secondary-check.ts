import { sql } from "kysely";
import { jsonRows, jsonTexts, queries, type Database, type EntityManager } from "../database/database.ts";
import { serialDistance, serialOf } from "../dns/wire/serials.ts";
import type { Notifications, TypedNotice } from "../notifications/notify.ts";
import type { DnsService } from "./service.ts";
import { beforeAll, zonesAtOnce, type PrimaryService } from "./zones.ts";
import { inChunks } from "../platform/slices.ts";
import { qualifiedName } from "../dns/names/names.ts";

/** Milliseconds after which a secondary that stays behind is reported. */
const patience = 10 * 60_000;
/** A statement of the embedded database blocks the event loop until it is done. */
const statesAtOnce = 250;
/** How often what is no longer needed is deleted, in milliseconds: each time, all that is known of secondaries is read. */
const forgettingMilliseconds = 3_600_000;
/** Milliseconds after which a peer that is not notified, and asks no more, is forgotten. */
const memory = 30 * 24 * 3_600_000;
/** Milliseconds for which the serial of a deleted zone is kept: longer than secondaries serve one that they cannot transfer. */
const serialMemory = 365 * 24 * 3_600_000;
/** Milliseconds without a transfer or an answer after which a secondary is asked what it serves. */
const freshMilliseconds = 60_000;
/** Secondaries of zones that a run asks, and how many at once. More wait for the next run. */
const mostLooks = 300;
const looksAtOnce = 30;
/** How long secondaries that do not have a zone are to read its catalog anew each minute, in milliseconds. */
const rereadMilliseconds = 3_600_000;

interface Parts {
  database: Database;
  service: DnsService;
  notifications: Notifications;
  now: () => Date;
}

interface Row {
  zone_id: string;
  identity: string;
  address: string;
  serial: string | number | null;
  transferred_serial: string | number | null;
  current: string | number;
  error: string | null;
  behind_since: Date | null;
  behind_serial: string | number | null;
  behind_reported: boolean;
  may_be_foreign: boolean;
  name: string;
  view: string;
  owner_id: string | null;
}

/**
 * Follows the secondaries that are notified: asks what they serve, notifies those that are behind again, and reports those that stay behind.
 */
export class SecondaryCheck {
  readonly #parts: Parts;
  #forgotAt = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Looks once. A job calls this every minute. */
  async runOnce(signal?: AbortSignal): Promise<void> {
    const { database, service } = this.#parts;
    if (!service.enabled) return;
    await this.#forget();
    await this.#look(signal);
    await service.secondaries.written();
    let after: Place | null = { zone: beforeAll, identity: "" };
    const changed: Changed[] = [];
    const unread = new Set<PrimaryService>();
    const signing = await service.signing();
    const isStopping = () => signal?.aborted === true;
    while (after !== null && !isStopping()) {
      const { rows, last }: { rows: Row[]; last: Place | null } = await concerned(database.fork(), after, signing);
      const followed = rows.flatMap((row) => this.#follow(row, signing.has(row.identity)) ?? []);
      const [toReport, others] = partition(followed);
      await storeStates(
        database.fork(),
        others.flatMap(({ state }) => state ?? []),
      );
      for (const one of await service.remind(followed.flatMap(({ lacking }) => lacking ?? []))) unread.add(one);
      changed.push(...toReport);
      after = last;
    }
    await service.reread(unread);
    await this.#report(changed);
  }

  async #forget(): Promise<void> {
    const { secondaries } = this.#parts.service;
    const now = this.#parts.now().getTime();
    if (now - this.#forgotAt < forgettingMilliseconds) return;
    await secondaries.forgetUnseen(new Date(now - memory));
    await secondaries.forgetLeft(new Date(now - serialMemory));
    this.#forgotAt = now;
  }

  /** Stores and reports changes in one transaction: if it fails, the next run finds them again. */
  async #report(changed: readonly Changed[]): Promise<void> {
    if (changed.length === 0) return;
    const { database, notifications } = this.#parts;
    const down = await reportedDown(database.fork());
    // Zones that nobody edited are found a few hundred a minute: one notice says that their secondary is gone.
    const changes = changed
      .filter(({ change, lacksChange }) => lacksChange || change.kind !== "behind" || !down.has(change.address))
      .map(({ change }) => change);
    const notices = [...Map.groupBy(changes, ({ kind, address }) => `${kind} ${address}`).values()].flatMap((some) =>
      some.slice(0, 1).map((first) => secondaryNotice({ ...first, zones: some.length })),
    );
    const states = changed.flatMap(({ state }) => state ?? []);
    await database.fork().transactional(async (tx) => {
      await lockStates(tx, states);
      await storeStates(tx, states);
      await notifications.notifyAll(tx, notices);
    });
  }

  /** Asks secondaries that neither transferred nor answered for a minute, the one that was not asked for longest first. */
  async #look(signal?: AbortSignal): Promise<void> {
    const { database, service, now } = this.#parts;
    await service.secondaries.written();
    await this.lookAtNew(signal);
    const rows = await unseen(database.fork(), new Date(now().getTime() - freshMilliseconds));
    await this.#lookAt(rows, signal);
  }

  /** Asks newly added secondaries, which have no stored state yet. */
  async lookAtNew(signal?: AbortSignal): Promise<void> {
    const { service } = this.#parts;
    if (!service.enabled) return;
    await this.#lookAt(await service.unknownSecondaries(mostLooks), signal);
    await service.secondaries.written();
  }

  async #lookAt(rows: readonly { domainId: string; identity: string }[], signal?: AbortSignal): Promise<void> {
    const { service } = this.#parts;
    for (let start = 0; start < rows.length; start += looksAtOnce) {
      if (signal?.aborted) return;
      await service.lookAt(rows.slice(start, start + looksAtOnce));
    }
  }

  /**
   * Returns what follows from a secondary's serial; null: nothing.
   * @param signs whether the secondary answers with serials of its own, so that only its transfers count
   */
  #follow(row: Row, signs: boolean): Followed | null {
    const now = this.#parts.now();
    const current = serialOf(Number(row.current));
    const theirs = signs ? row.transferred_serial : row.serial;
    const distance = theirs === null ? null : serialDistance(current, Number(theirs));
    const answers = row.error === null;
    if (distance === 0 && answers && row.behind_since === null) return null;
    const lacked = row.behind_serial === null ? current : Number(row.behind_serial);
    // The zone has come up to a serial that was ahead of it. Until a transfer, it is that of other contents.
    const isForeign = distance === 0 && row.may_be_foreign && Number(row.transferred_serial) !== Number(theirs);
    const isAhead = isForeign || (distance !== null && distance > 0);
    // A busy zone always has a change that a secondary lacks. What counts is whether it has reached the one that it lacked first.
    const hasReached = answers && !isAhead && theirs !== null && serialDistance(lacked, Number(theirs)) >= 0;
    const kind = isAhead ? "ahead" : hasReached ? "recovered" : "behind";
    const since = (hasReached ? null : row.behind_since) ?? now;
    const isDue = isAhead || now.getTime() - since.getTime() >= patience;
    const reported = !hasReached && (row.behind_reported || isDue);
    const { zone_id: domainId, identity, address, error } = row;
    const isSync = distance === 0 && answers && !isForeign;
    const state: State = {
      zone_id: domainId,
      identity,
      behind_since: isSync ? null : since,
      behind_serial: isSync ? null : hasReached ? current : lacked,
      behind_reported: reported,
    };
    // Without an error it was only just notified.
    const hasZone = theirs !== null || error === null || now.getTime() - since.getTime() > rereadMilliseconds;
    const domain = { id: domainId, name: row.name, view: row.view, ownerId: row.owner_id };
    return {
      state: isStored(row, state) ? null : state,
      lacking: distance === null || distance < 0 || !answers ? { domainId, identity, hasZone } : null,
      change: reported === row.behind_reported ? null : { kind, address, domain, zones: 1, error },
      lacksChange: error === null || (distance !== null && distance !== 0),
    };
  }
}

/** What follows from a secondary's serial. */
interface Followed {
  /** To store; null: it is stored already. */
  state: State | null;
  /** The secondary if it has to be notified again; null: it need not. */
  lacking: Lacking | null;
  /** To report; null: nothing. */
  change: SecondaryChange | null;
  /** Whether it answers, or had another serial than the zone when it last did. */
  lacksChange: boolean;
}

interface Lacking {
  domainId: string;
  identity: string;
  /** Whether it has the zone, or seems to be unable to get it from a catalog. */
  hasZone: boolean;
}

type Changed = Followed & { change: SecondaryChange };

/** Returns those that are to be reported, and the others. */
function partition(followed: readonly Followed[]): [Changed[], Followed[]] {
  const isChanged = (one: Followed): one is Changed => one.change !== null;
  return [followed.filter(isChanged), followed.filter((one) => !isChanged(one))];
}

interface State {
  zone_id: string;
  identity: string;
  behind_since: Date | null;
  behind_serial: number | null;
  behind_reported: boolean;
}

function isStored(row: Row, { behind_since: since, behind_serial: serial, behind_reported: reported }: State): boolean {
  const stored = row.behind_serial === null ? null : Number(row.behind_serial);
  const isSince = row.behind_since?.getTime() === since?.getTime();
  return isSince && stored === serial && row.behind_reported === reported;
}

/** Locks all rows of a transaction in the order in which they are written, so that nobody waits for one and holds another. */
async function lockStates(em: EntityManager, states: readonly State[]): Promise<void> {
  await sql`
    select from primary_secondaries as s
    where (s.zone_id, s.identity) in (
      select f.zone_id, f.identity from ${jsonRows(states)} as f (zone_id uuid, identity text)
    )
    order by s.zone_id, s.identity for no key update
  `.execute(queries(em));
}

/** Stores what changed. Of many secondaries that stay behind, most change nothing. */
async function storeStates(em: EntityManager, states: readonly State[]): Promise<void> {
  await inChunks(states, statesAtOnce, async (some) => {
    await sql`
      update primary_secondaries as s
      set behind_since = f.behind_since, behind_serial = f.behind_serial, behind_reported = f.behind_reported
      from ${jsonRows(some)} as f (
        zone_id uuid, identity text, behind_since timestamptz, behind_serial bigint, behind_reported boolean
      )
      where s.zone_id = f.zone_id and s.identity = f.identity
    `.execute(queries(em));
    return [];
  });
}

/** Returns the addresses of secondaries that are reported and could not be reached. */
async function reportedDown(em: EntityManager): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ address: string }>`
    select distinct address from primary_secondaries where behind_reported and error is not null
  `.execute(queries(em));
  return new Set(rows.map(({ address }) => address));
}

/** Returns the notified secondaries that were neither asked nor have transferred since a time. */
async function unseen(em: EntityManager, before: Date): Promise<{ domainId: string; identity: string }[]> {
  const { rows } = await sql<{ domainId: string; identity: string }>`
    select s.zone_id as "domainId", s.identity from primary_secondaries s
    join domains d on d.id = s.zone_id
    where s.identity like 'notify:%' and (s.looked_at is null or s.looked_at < ${before}::timestamptz)
      and (s.transferred_at is null or s.transferred_at < ${before}::timestamptz)
    order by s.looked_at nulls first limit ${mostLooks}
  `.execute(queries(em));
  return rows;
}

/** A secondary's place in the order in which all are looked at. */
interface Place {
  zone: string;
  identity: string;
}

/**
 * Returns those of the next notified secondaries that are not in sync, or were not, and those that sign.
 * @returns last: the place of the last secondary that was looked at; null after all
 */
export async function concerned(
  em: EntityManager,
  after: Place,
  signing: ReadonlySet<string>,
): Promise<{ rows: Row[]; last: Place | null }> {
  const { rows } = await sql<{ last_zone: string; last_identity: string } & (Row | { zone_id: null })>`
    with part as materialized (
      select * from primary_secondaries
      where identity like 'notify:%' and (zone_id, identity) > (${after.zone}::uuid, ${after.identity})
      order by zone_id, identity limit ${zonesAtOnce}
    ), found as (
      select s.zone_id, s.identity, s.address, s.serial, s.transferred_serial, z.serial_base + d.revision as current, s.error,
        s.behind_since, s.behind_serial, s.behind_reported, z.base_revision > d.revision as may_be_foreign, d.name, d.view, d.owner_id
      from part s
      -- A plain join may read all of these tables for each part.
      cross join lateral (select serial_base, base_revision from primary_zones where domain_id = s.zone_id limit 1) as z
      cross join lateral (select revision, name, view, owner_id from domains where id = s.zone_id limit 1) as d
      where s.behind_since is not null or s.error is not null
        or s.serial is distinct from mod(z.serial_base + d.revision, 4294967296)
        or s.identity in (select value from ${jsonTexts([...signing])})
    )
    select last.zone_id as last_zone, last.identity as last_identity, found.* from (select zone_id, identity from part order by zone_id desc, identity desc limit 1) as last
    left join found on true order by found.zone_id, found.identity
  `.execute(queries(em));
  const [first] = rows;
  return {
    rows: rows.flatMap((row) => (row.zone_id === null ? [] : [row])),
    last: first ? { zone: first.last_zone, identity: first.last_identity } : null,
  };
}

/** A secondary that fell behind, is ahead, or recovered. */
interface SecondaryChange {
  kind: "behind" | "ahead" | "recovered";
  address: string;
  /** The first zone by name. */
  domain: { id: string; name: string; view: string; ownerId: string | null };
  /** How many zones it concerns. */
  zones: number;
  /** Why the secondary could not be reached; null: it answered. */
  error: string | null;
}

type SecondaryEvent = "zone.secondary_behind" | "zone.secondary_ahead" | "zone.secondary_recovered";

/** Returns the notice of a change, one for all zones of a secondary. */
export function secondaryNotice({ kind, address, domain, zones, error }: SecondaryChange): TypedNotice<SecondaryEvent> {
  const name = qualifiedName(domain);
  const which = zones === 1 ? name : `${name} and ${zones - 1} more zones`;
  const text = {
    behind: {
      title: `${address} is behind with ${which}`,
      content: `For ten minutes, the secondary ${address} has not answered with the newest serial of ${which}. ${error ?? "It answers, but with an older one or none."} Check its log, its key, and the firewall in both directions.`,
    },
    ahead: {
      title: `${address} is ahead with ${which}`,
      content: `The secondary ${address} serves a newer serial of ${which} than Zonewright has, as after a restore from a backup. It will not transfer changes. Raise the serial of the zone. If it signs the zone by itself, list it in \`signingSecondaries\` first.`,
    },
    recovered: {
      title: `${address} serves ${which} again`,
      content: `The secondary ${address} has caught up with ${which}.`,
    },
  }[kind];
  return {
    event: `zone.secondary_${kind}`,
    ...text,
    level: kind === "recovered" ? "success" : "warning",
    metadata: { domainId: domain.id, domainName: name, address, zones },
    to: { userIds: zones === 1 && domain.ownerId !== null ? [domain.ownerId] : [], administrators: true },
  };
}
