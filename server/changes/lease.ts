import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { queries, type EntityManager } from "../database/database.ts";
import { identityIn, stateOf, thisProcess } from "../database/process-identity.ts";
import { AppError, notFound } from "../platform/errors.ts";
import { withKeyedMutex } from "../platform/keyed-mutex.ts";

/** A lease is renewed well before its end; after a crash it frees the zone by itself, unless its holder is seen to be gone before. */
const leaseSeconds = 8;
const renewMilliseconds = 2_500;
/** Longer than a lease, so that a change outwaits one that a crash left behind instead of being refused. */
export const leaseWaitMilliseconds = 12_000;
const pollMilliseconds = 50;
/** What a process sent to a provider before it died has arrived by then. */
const stillMilliseconds = 1_000;

export interface Lease {
  token: string;
  /** False as soon as another process may have the zone. */
  isHeld(): boolean;
  /** Stops renewing; the row is freed by `release` or by the commit that ends the work. */
  stop(): void;
}

/**
 * Lets one piece of work at a time have a zone: in this process in turn, across processes by a lease on its row.
 * @throws AppError UNAVAILABLE when the zone is not free within `waitMilliseconds`, NOT_FOUND when it is gone.
 */
export async function withLease<T>(
  fork: () => EntityManager,
  domainId: string,
  work: (lease: Lease) => Promise<T>,
  waitMilliseconds = leaseWaitMilliseconds,
): Promise<T> {
  return await inZoneTurn(domainId, waitMilliseconds, (deadline) => holdLease(fork, domainId, work, deadline));
}

/** Waits for the zone's turn in this process. What had to wait past its deadline is refused, so that a queue empties fast. */
export async function inZoneTurn<T>(
  domainId: string,
  waitMilliseconds: number,
  work: (deadline: number) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + waitMilliseconds;
  return await withKeyedMutex(`zone ${domainId}`, async () => {
    if (performance.now() > deadline) throw busy();
    return await work(deadline);
  });
}

/** Takes the lease alone; the caller has the zone's turn. @param deadline as `performance.now()` counts */
export async function holdLease<T>(
  fork: () => EntityManager,
  domainId: string,
  work: (lease: Lease) => Promise<T>,
  deadline: number,
): Promise<T> {
  const lease = await take(fork, domainId, deadline);
  try {
    return await work(lease);
  } finally {
    lease.stop();
    // What was done is done: a lease that cannot be given back ends by itself.
    await release(fork(), domainId, lease).catch(() => undefined);
  }
}

function busy(): AppError {
  return new AppError("UNAVAILABLE", "Another change to this zone is still under way; try again in a few seconds.", {
    retryAfterSeconds: 3,
  });
}

async function take(fork: () => EntityManager, domainId: string, deadline: number): Promise<Lease> {
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
    stop: () => clearInterval(timer),
  };
}

/** By two clocks: one does not run on while the machine sleeps, the other one may be set. */
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

/** Why a zone is not ours any more: it is gone, or another process took the lease. */
export async function lostLease(em: EntityManager, domainId: string, message: string): Promise<AppError> {
  const row = await queries(em).selectFrom("domains").select("id").where("id", "=", domainId).executeTakeFirst();
  if (!row) return notFound("domain");
  return new AppError("UNAVAILABLE", message, { retryAfterSeconds: 5 });
}

/** @param dead a lease that has not ended and is nobody's any more. */
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

/** @returns whether the lease is still this one. */
async function renew(em: EntityManager, domainId: string, token: string): Promise<boolean> {
  const renewed = await queries(em)
    .updateTable("domains")
    .set({ lease_until: leaseEnd() })
    .where("id", "=", domainId)
    .where("lease_token", "=", token)
    .executeTakeFirst();
  return renewed.numUpdatedRows > 0n;
}

async function release(em: EntityManager, domainId: string, lease: Lease): Promise<void> {
  await queries(em)
    .updateTable("domains")
    .set(free)
    .where("id", "=", domainId)
    .where("lease_token", "=", lease.token)
    .execute();
}

function leaseEnd() {
  return sql<Date>`now() + make_interval(secs => ${leaseSeconds})`;
}

/** Frees every zone. Only for a process that has the database to itself and has just started. */
export async function clearLeases(em: EntityManager): Promise<void> {
  await queries(em).updateTable("domains").set(free).where("lease_token", "is not", null).execute();
}

/** Frees every zone whose lease a process had that is seen to be gone. */
export async function clearDeadLeases(em: EntityManager): Promise<void> {
  const leases = await queries(em)
    .selectFrom("domains")
    .select(["lease_token", "lease_holder"])
    .where("lease_token", "is not", null)
    .execute();
  const dead = leases.flatMap((row) => deadLease(row) ?? []);
  if (dead.length > 0) await queries(em).updateTable("domains").set(free).where("lease_token", "in", dead).execute();
}

/** The lease that stands in the way. @throws AppError NOT_FOUND when the domain is gone. */
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
 * The token of a lease that a process had which can write nothing any more. Only a process of this machine is seen to be gone: one that has
 * merely lost its connection to the database may still be at work. Elsewhere than on Linux, two machines may say the same of themselves.
 */
function deadLease({ lease_token: token, lease_holder: holder }: LeaseColumns): string | null {
  // An instance of an earlier version leaves what another one wrote.
  if (token === null || holder === null || !holder.includes(token) || process.platform !== "linux") return null;
  const owner = identityIn(holder);
  return owner && stateOf(owner) === "gone" ? token : null;
}
