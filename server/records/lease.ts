import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { queries, type EntityManager } from "../database/database.ts";
import { AppError } from "../errors.ts";

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

const queues = new Map<string, Promise<unknown>>();

/**
 * Lets one piece of work at a time have a zone: in this process by a queue, across processes by a lease on its row.
 * @throws AppError UNAVAILABLE when another process keeps the zone for longer than `waitMilliseconds`.
 */
export async function withLease<T>(
  fork: () => EntityManager,
  domainId: string,
  work: (lease: Lease) => Promise<T>,
  waitMilliseconds = leaseWaitMilliseconds,
): Promise<T> {
  return await inTurn(domainId, async () => {
    const lease = await take(fork, domainId, waitMilliseconds);
    try {
      return await work(lease);
    } finally {
      lease.stop();
      await release(fork(), domainId, lease);
    }
  });
}

async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
  const before = queues.get(key) ?? Promise.resolve();
  const mine = before.then(work, work);
  const settled = mine.then(
    () => undefined,
    () => undefined,
  );
  queues.set(key, settled);
  try {
    return await mine;
  } finally {
    if (queues.get(key) === settled) queues.delete(key);
  }
}

async function take(fork: () => EntityManager, domainId: string, waitMilliseconds: number): Promise<Lease> {
  const token = randomUUID();
  const deadline = performance.now() + waitMilliseconds;
  while (!(await tryTake(fork(), domainId, token))) {
    if (performance.now() > deadline) {
      throw new AppError("UNAVAILABLE", "Another change to this zone is still under way; try again in a few seconds.", {
        retryAfterSeconds: 3,
      });
    }
    await sleep(pollMilliseconds);
  }
  const timer = setInterval(() => void renew(fork(), domainId, token).catch(() => undefined), renewMilliseconds);
  timer.unref();
  return { token, stop: () => clearInterval(timer) };
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
