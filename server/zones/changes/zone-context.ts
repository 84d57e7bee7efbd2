import { sql } from "kysely";
import { accessColumns, rightsIn, type Need, type Rights } from "../../access/zone-access.ts";
import type { Caller } from "../../access/caller.ts";
import { queries, type Database, type EntityManager } from "../../database/database.ts";
import { inOneTrip, statement, type Sent } from "../../database/statements.ts";
import type { ReverseMode, ReviewRequired } from "../../database/tables/domains.ts";
import type { ProviderConnections } from "../../dns-providers/connections.ts";
import { knownKind } from "../../dns-providers/kinds.ts";
import type { DnsProvider, ProviderKind } from "../../dns-providers/provider.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { identityIn, stateOf, thisProcess } from "../../database/lock-file.ts";
import { isKeyHeld, keyedMutex } from "../../platform/slices.ts";

/** A zone's revision, and who follows its changes. */
export interface WatchedZone {
  revision: number;
  mirrored: boolean;
  /** Whether channels hear of its changes. */
  reported: boolean;
}

const isMirrored = sql<boolean>`exists (select from mirrors where mirrors.domain_id = domains.id)`;

/** Whether a channel hears of changes. */
export const isReported = sql<boolean>`exists (
  select from notification_channels where enabled and 'zone.changed' = any (events)
)`;

/** A zone as a plan sees it, and what the caller may do in it. */
export interface ZoneContext {
  id: string;
  name: string;
  /** Empty: the default view. */
  view: string;
  /** The zone's name at its provider. */
  providerZone: string;
  /** The id of its provider configuration. */
  configId: string;
  revision: number;
  recordCount: number;
  fingerprint: string | null;
  /** Whether the provider signs the zone, as last read. */
  signed: boolean;
  /** Whether 0.1 stored TXT records of the zone and nobody has read since how they are split. */
  splitsUnread: boolean;
  /** Whether PTR records follow its addresses. */
  reverse: ReverseMode;
  /** Whose changes need a review; null: as the installation says. */
  reviewRequired: ReviewRequired | null;
  /** Whether TXT records at `_acme-challenge` need one, too. */
  reviewAcme: boolean;
  /** What the caller may do here. */
  rights: Rights;
  /** Null if its row was read without a lock. */
  locked: WatchedZone | null;
  /** The time of the call. */
  at: Date;
  kind: ProviderKind;
  /** Null for a kind without a back end. */
  provider: DnsProvider | null;
  /** Whether nothing serves the zone yet, so that its name servers may get their addresses later. */
  isUnserved?: boolean;
}

/** Who reads which zone, and what for. */
interface Reading {
  domainId: string;
  caller: Caller;
  need: Need;
  /** Whether what is stored is enough: a zone whose configuration cannot be used is read as one without a provider. */
  isStoredEnough?: boolean;
}

/** Reads a zone and what the caller may do in it. @throws AppError NOT_FOUND, FORBIDDEN */
export async function readZoneContext(
  em: EntityManager,
  connections: ProviderConnections,
  reading: Reading,
): Promise<ZoneContext> {
  const row = await zoneQuery(em, reading).executeTakeFirst();
  if (!row) throw notFound("domain");
  const rights = rightsIn(row, reading.caller, reading.need);
  return zoneContext(row, rights, reading, connections);
}

/**
 * Reads a zone, locks its row for the transaction, and sends the statements `ahead` together with that: they run when the row is locked.
 * @throws AppError as `readZoneContext`; UNAVAILABLE while the zone is being moved
 */
export async function lockZone(
  tx: EntityManager,
  connections: ProviderConnections,
  { ahead, ...reading }: Reading & { ahead?: ((tx: EntityManager) => readonly Sent[]) | undefined },
): Promise<ZoneContext> {
  const sent = ahead?.(tx) ?? [];
  // A statement that waits for a lock sees other rows as they were before it waited. What is read by the next one is true while the lock is held.
  const lock = () => statement`select id from domains where id = ${reading.domainId} for update`;
  const read = () =>
    zoneQuery(tx, reading)
      .select([isMirrored.as("mirrored"), isReported.as("reported")])
      .compile();
  const [, found, ...answers] = await inOneTrip(tx, [lock, read, ...sent.map((each) => each.statement)]);
  for (const [index, { answered }] of sent.entries()) answered(answers[index] ?? { rows: [], numAffectedRows: 0n });
  const [row] = (found?.rows ?? []) as (ZoneRow & { leased: boolean; mirrored: boolean; reported: boolean })[];
  if (!row) throw notFound("domain");
  const rights = rightsIn(row, reading.caller, reading.need);
  const zone = zoneContext(row, rights, reading, connections);
  // Without a provider, only a move holds a lease, or a change of the registration.
  if (!zone.provider && row.leased) throw moving();
  return { ...zone, locked: { revision: row.revision, mirrored: row.mirrored, reported: row.reported } };
}

type ZoneRow = NonNullable<Awaited<ReturnType<ReturnType<typeof zoneQuery>["executeTakeFirst"]>>>;

function zoneQuery(em: EntityManager, { domainId, caller }: Reading) {
  return queries(em)
    .selectFrom("domains")
    .innerJoin("provider_configs", "provider_configs.id", "domains.provider_config_id")
    .select([
      "domains.id",
      "domains.name",
      "domains.view",
      "domains.provider_zone",
      "domains.revision",
      "domains.record_count",
      "domains.provider_fingerprint",
      "domains.provider_signed",
      "domains.splits_unread",
      "domains.reverse",
      "domains.review_required",
      "domains.review_acme",
      "provider_configs.id as config_id",
      "provider_configs.kind",
      "provider_configs.config",
    ])
    .select(sql<boolean>`coalesce(domains.lease_until > now(), false)`.as("leased"))
    .select(
      sql<{ name: string; kind: string }[] | null>`(
        select json_agg(json_build_object('name', c.name, 'kind', c.kind) order by m.id) from mirrors m
        join provider_configs c on c.id = m.provider_config_id where m.domain_id = domains.id and m.strict
      )`.as("strict_mirrors"),
    )
    .select(accessColumns(caller))
    .where("domains.id", "=", domainId);
}

function zoneContext(
  row: ZoneRow,
  rights: Rights,
  { caller: { at }, isStoredEnough }: Omit<Reading, "domainId">,
  connections: ProviderConnections,
): ZoneContext {
  const config = { ...row, id: row.config_id };
  const connection = isStoredEnough ? connections.tryConnect(config) : connections.connect(config);
  const { kind: ownKind, provider } =
    connection instanceof AppError ? { kind: knownKind(row.kind), provider: null } : connection;
  const strictMirrors = row.strict_mirrors?.map((mirror) => ({ name: mirror.name, kind: knownKind(mirror.kind) }));
  const kind = strictMirrors ? { ...ownKind, strictMirrors } : ownKind;
  return {
    id: row.id,
    name: row.name,
    view: row.view,
    providerZone: row.provider_zone,
    configId: row.config_id,
    revision: row.revision,
    recordCount: row.record_count,
    fingerprint: row.provider_fingerprint,
    signed: row.provider_signed,
    splitsUnread: row.splits_unread,
    reverse: row.reverse,
    reviewRequired: row.review_required,
    reviewAcme: row.review_acme,
    rights,
    locked: null,
    at,
    kind,
    provider,
  };
}

function moving(): AppError {
  return new AppError(
    "UNAVAILABLE",
    "The zone is being moved to another provider, or its registration is being changed. Try again in a few seconds.",
    {
      retryAfterSeconds: 3,
    },
  );
}

/** A lease is renewed well before it expires. After a crash it expires by itself, or is freed earlier if its holder is seen to be gone. */
const leaseSeconds = 8;
const renewMilliseconds = 2_500;
/** Longer than a lease, so that a change waits out one that a crash left behind. */
const leaseWaitMilliseconds = 12_000;
const pollMilliseconds = 50;
/** By then, whatever a process sent to a provider before it died has arrived. */
const stillMilliseconds = 1_000;

/** A turn to change a zone, before other work of this process. */
interface ZoneTurn extends Disposable {
  /** When to give up waiting for other processes, as `performance.now()` counts. */
  deadline: number;
}

/** The right to change a zone, held by one process at a time. Disposing it releases the zone. */
export interface Lease extends AsyncDisposable {
  token: string;
  /** Returns false as soon as another process may hold the zone. */
  isHeld(): boolean;
}

/**
 * Queues for a zone within this process. Work that waited past its deadline is refused, so that a long queue empties fast.
 * @throws AppError UNAVAILABLE
 */
export async function zoneTurn(domainId: string, waitMilliseconds = leaseWaitMilliseconds): Promise<ZoneTurn> {
  const deadline = performance.now() + waitMilliseconds;
  const held = await keyedMutex(`zone ${domainId}`);
  const turn = { deadline, [Symbol.dispose]: () => held[Symbol.dispose]() };
  if (performance.now() <= deadline) return turn;
  turn[Symbol.dispose]();
  throw busy();
}

/** Returns whether a change of a zone is in flight, waits for its turn in this process, or has an unknown outcome. */
export async function isBeingChanged(em: EntityManager, domainId: string): Promise<boolean> {
  if (isKeyHeld(`zone ${domainId}`)) return true;
  const { rows } = await sql<{ busy: boolean }>`
    select exists (select from domains where id = ${domainId} and lease_until > now())
      or exists (select from change_sets where domain_id = ${domainId} and state = 'pending') as busy
  `.execute(queries(em));
  return rows[0]?.busy === true;
}

function busy(): AppError {
  return new AppError("UNAVAILABLE", "Another change to this zone is in progress. Try again in a few seconds.", {
    retryAfterSeconds: 3,
  });
}

/**
 * Takes a lease on the zone's row, which excludes other processes. The caller has its `zoneTurn`.
 * @param deadline as `performance.now()` counts
 * @throws AppError UNAVAILABLE when the zone is busy until then, NOT_FOUND when the domain is gone
 */
export async function takeLease(fork: () => EntityManager, domainId: string, deadline: number): Promise<Lease> {
  const token = randomUUID();
  let asked = moment();
  let dead: string | null = null;
  let deadSince = 0;
  const left = () => (dead !== null && performance.now() - deadSince > stillMilliseconds ? dead : null);
  while (!(await tryTake(fork(), domainId, token, left()))) {
    const found = deadLease(await leaseOn(fork(), domainId));
    if (found !== dead) [dead, deadSince] = [found, performance.now()];
    if (performance.now() > deadline) throw busy();
    await sleep(pollMilliseconds);
    asked = moment();
  }
  const held = { since: asked, lost: false };
  const renewal = async () => {
    const now = moment();
    if (await renew(fork(), domainId, token)) held.since = now;
    else held.lost = true;
  };
  const timer = setInterval(() => void renewal().catch(() => undefined), renewMilliseconds);
  timer.unref();
  return {
    token,
    isHeld: () => !held.lost && millisecondsSince(held.since) < leaseSeconds * 1_000,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      // The work is done: a lease that cannot be released now expires by itself.
      await release(fork(), domainId, token).catch(() => undefined);
    },
  };
}

/**
 * Runs `work` while no other call, of any instance, changes the zone, its signing or its registration.
 * @param work is given what returns false as soon as another call may
 * @throws AppError UNAVAILABLE when the zone is busy for long, NOT_FOUND when the domain is gone
 */
export async function withZone<T>(
  database: Database,
  domainId: string,
  work: (isHeld: () => boolean) => Promise<T>,
): Promise<T> {
  using turn = await zoneTurn(domainId);
  await using lease = await takeLease(() => database.fork(), domainId, turn.deadline);
  return await work(() => lease.isHeld());
}

/** A time on two clocks: one stands still while the machine sleeps, the other may be set. */
interface Moment {
  running: number;
  wall: number;
}

function moment(): Moment {
  return { running: performance.now(), wall: Date.now() };
}

function millisecondsSince({ running, wall }: Moment): number {
  return Math.max(performance.now() - running, Date.now() - wall);
}

/** Returns the error for a lost lease: the domain is gone, or another process took the lease. */
export async function lostLease(em: EntityManager, domainId: string, message: string): Promise<AppError> {
  const row = await queries(em).selectFrom("domains").select("id").where("id", "=", domainId).executeTakeFirst();
  if (!row) return notFound("domain");
  return new AppError("UNAVAILABLE", message, { retryAfterSeconds: 5 });
}

/** @param dead the token of a lease whose holder is gone, which may be taken before it expires. @returns whether the lease was taken */
async function tryTake(em: EntityManager, domainId: string, token: string, dead: string | null): Promise<boolean> {
  const taken = await queries(em)
    .updateTable("domains")
    .set({ lease_token: token, lease_until: leaseEnd(), lease_holder: holderOf(token) })
    .where("id", "=", domainId)
    .where((eb) =>
      eb.or([eb("lease_until", "is", null), eb("lease_until", "<", sql<Date>`now()`), eb("lease_token", "=", dead)]),
    )
    .executeTakeFirst();
  return taken.numUpdatedRows > 0n;
}

/** @returns whether the lease is still held. */
async function renew(em: EntityManager, domainId: string, token: string): Promise<boolean> {
  const renewed = await queries(em)
    .updateTable("domains")
    .set({ lease_until: leaseEnd() })
    .where("id", "=", domainId)
    .where("lease_token", "=", token)
    .executeTakeFirst();
  return renewed.numUpdatedRows > 0n;
}

async function release(em: EntityManager, domainId: string, token: string): Promise<void> {
  await queries(em)
    .updateTable("domains")
    .set(free)
    .where("id", "=", domainId)
    .where("lease_token", "=", token)
    .execute();
}

function leaseEnd() {
  return sql<Date>`now() + make_interval(secs => ${leaseSeconds})`;
}

/** Frees every zone. Only for a process that has just started and has the database to itself. */
export async function clearLeases(em: EntityManager): Promise<void> {
  await queries(em).updateTable("domains").set(free).where("lease_token", "is not", null).execute();
}

/** Frees every zone whose lease belongs to a process that is gone. */
export async function clearDeadLeases(em: EntityManager): Promise<void> {
  const leases = await queries(em)
    .selectFrom("domains")
    .select(["lease_token", "lease_holder"])
    .where("lease_token", "is not", null)
    .execute();
  const dead = leases.flatMap((row) => deadLease(row) ?? []);
  if (dead.length > 0) await queries(em).updateTable("domains").set(free).where("lease_token", "in", dead).execute();
}

/** Returns the present lease of a zone. @throws AppError NOT_FOUND when the domain is gone. */
async function leaseOn(em: EntityManager, domainId: string): Promise<LeaseColumns> {
  const row = await queries(em)
    .selectFrom("domains")
    .select(["lease_token", "lease_holder"])
    .where("id", "=", domainId)
    .executeTakeFirst();
  if (!row) throw notFound("domain");
  return row;
}

interface LeaseColumns {
  lease_token: string | null;
  lease_holder: string | null;
}

const free = { lease_token: null, lease_until: null, lease_holder: null };

const self = thisProcess();

function holderOf(token: string): string {
  return JSON.stringify({ ...self, lease: token });
}

/**
 * Returns the lease's token if the process that held it is gone; else null. Only processes of this machine count: one that has lost its
 * connection to the database may still be working. Linux only, because elsewhere two machines may identify themselves alike.
 */
function deadLease({ lease_token: token, lease_holder: holder }: LeaseColumns): string | null {
  // An earlier version takes a lease without changing the holder, so the holder may be another lease's.
  if (token === null || holder === null || !holder.includes(token) || process.platform !== "linux") return null;
  const owner = identityIn(holder);
  return owner && stateOf(owner) === "gone" ? token : null;
}
