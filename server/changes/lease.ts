import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { queries, type EntityManager } from "../database/database.ts";
import { AppError, notFound } from "../errors.ts";
import { inTurn } from "../in-turn.ts";

/** A lease is renewed well before its end; after a crash it frees the zone by itself. */
const leaseSeconds = 8;
const renewMilliseconds = 2_500;
/** Longer than a lease, so that a change outwaits one that a crash left behind instead of being refused. */
export const leaseWaitMilliseconds = 12_000;
const pollMilliseconds = 50;

export interface Lease {
  token: string;
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
  return await inTurn(`zone ${domainId}`, async () => {
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
  while (!(await tryTake(fork(), domainId, token))) {
    if (!(await domainExists(fork(), domainId))) throw notFound("domain");
    if (performance.now() > deadline) throw busy();
    await sleep(pollMilliseconds);
  }
  const timer = setInterval(() => void renew(fork(), domainId, token).catch(() => undefined), renewMilliseconds);
  timer.unref();
  return { token, stop: () => clearInterval(timer) };
}

export async function domainExists(em: EntityManager, domainId: string): Promise<boolean> {
  const row = await queries(em).selectFrom("domains").select("id").where("id", "=", domainId).executeTakeFirst();
  return row !== undefined;
}

async function tryTake(em: EntityManager, domainId: string, token: string): Promise<boolean> {
  const taken = await queries(em)
    .updateTable("domains")
    .set({ lease_token: token, lease_until: leaseEnd() })
    .where("id", "=", domainId)
    .where((eb) => eb.or([eb("lease_until", "is", null), eb("lease_until", "<", sql<Date>`now()`)]))
    .executeTakeFirst();
  return taken.numUpdatedRows > 0n;
}

async function renew(em: EntityManager, domainId: string, token: string): Promise<void> {
  await queries(em)
    .updateTable("domains")
    .set({ lease_until: leaseEnd() })
    .where("id", "=", domainId)
    .where("lease_token", "=", token)
    .execute();
}

async function release(em: EntityManager, domainId: string, lease: Lease): Promise<void> {
  await queries(em)
    .updateTable("domains")
    .set({ lease_token: null, lease_until: null })
    .where("id", "=", domainId)
    .where("lease_token", "=", lease.token)
    .execute();
}

function leaseEnd() {
  return sql<Date>`now() + make_interval(secs => ${leaseSeconds})`;
}

/** Frees every zone. Only for a process that has the database to itself and has just started. */
export async function clearLeases(em: EntityManager): Promise<void> {
  await queries(em)
    .updateTable("domains")
    .set({ lease_token: null, lease_until: null })
    .where("lease_token", "is not", null)
    .execute();
}
