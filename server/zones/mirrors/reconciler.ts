import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { lockDomain } from "../../access/locks.ts";
import type { Database } from "../../database/database.ts";
import type { ProviderConnections } from "../../dns-providers/connections.ts";
import { ProviderError } from "../../dns-providers/provider.ts";
import type { Purpose } from "../../dns-providers/vendor-api/accounts.ts";
import type { Notifications, TypedNotice } from "../../notifications/notify.ts";
import { AppError } from "../../platform/errors.ts";
import type { Logger } from "../../platform/log.ts";
import { attemptMirror, loadMirror, type LoadedMirror } from "./comparison.ts";
import {
  claimMirror,
  claimOldest,
  noteCall,
  releaseClaim,
  renewClaim,
  renewMilliseconds,
  restMilliseconds,
  retryTime,
  scheduleChecks,
  setReported,
  storeEarly,
  storeOutcome,
  wakeUnreachable,
  type Attempt,
  type Claimed,
  type Outcome,
} from "./store.ts";
import { qualifiedName } from "../../dns/names/names.ts";

/** The job that reconciles what is due, after failures and crashes too. */
export const mirrorJobName = "mirrors.reconcile";

/** Wakings soon after another are one. */
const coalescingMilliseconds = 100;
/** Mirrors wait for a pause in the changes: reading them in between would slow down the edits, for a state that soon is an old one. */
const pauseMilliseconds = 250;
/** They do not wait longer than this. */
const longestPostponement = 2_000;
/** Failures in a row after which a mirror is reported, and how long a pause is after which one is enough. */
const failuresBeforeNotice = 3;
const pauseBeforeNotice = 3_600_000;
/** How long a run of the job takes on new work. */
const longestRun = 60_000;
/** How long a call waits for an attempt that is under way. */
const longestWait = 20_000;
const pollMilliseconds = 100;
/** How often a success has those mirrors tried that failed at the same configuration. One that always fails is not an outage. */
const wakingMilliseconds = 60_000;
/** Later attempts are left to the job. */
const longestTimer = 60_000;
const checkPeriods = { hourly: 3_600_000, daily: 24 * 3_600_000 };

interface Parts {
  database: Database;
  connections: ProviderConnections;
  notifications: Notifications;
  log: Logger;
  now: () => Date;
  /** How often mirrors are compared with their domains without a change. */
  every: "hourly" | "daily" | "off";
  /** Whether this instance does background work. */
  works: boolean;
}

/**
 * Brings mirrors to the newest revision of their domains. Each attempt reads the mirror, compares and applies, so that it can be repeated
 * after any interruption. One process at a time works at a mirror; edits never wait for one.
 */
export class MirrorReconciler {
  readonly #parts: Parts;
  readonly #workers: Workers<Claimed & { token: string }>;
  /** When mirrors of a configuration were last made due by the success of another. */
  readonly #wokenAt = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  /** When a worker starts at the latest, as `performance.now()` counts. */
  #latest: number | undefined;
  #stopped = false;
  readonly #isStopped = (): boolean => this.#stopped;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { database, log, now } = parts;
    this.#workers = new Workers<Claimed & { token: string }>({
      claim: async (except) => {
        const token = randomUUID();
        const claimed = await claimOldest(database.fork(), token, now(), except);
        return claimed && { ...claimed, token };
      },
      carryOut: (task) => this.#reconcile(task, "mirror"),
      onError: (error) => log.warn({ err: error }, "mirrors could not be reconciled; a job retries"),
    });
  }

  /** Reconciles what is due by now, shortly. */
  soon(): void {
    if (this.#timer === undefined) this.#startAfter(coalescingMilliseconds);
  }

  /** Reconciles what is due by now, once no change has followed for a moment. */
  afterChange(): void {
    this.#startAfter(pauseMilliseconds);
  }

  /** Starts a worker in some time instead of when it was to start before, but not later than two seconds after it was first asked for. */
  #startAfter(milliseconds: number): void {
    if (this.#stopped || !this.#parts.works) return;
    this.#latest ??= performance.now() + longestPostponement;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#latest = undefined;
        void this.#workers.start(this.#isStopped);
      },
      Math.max(0, Math.min(milliseconds, this.#latest - performance.now())),
    );
    this.#timer.unref();
  }

  /** Reconciles what is due, and compares mirrors that were not compared for a period. Ends after a minute, so that the next run compares. */
  async run(signal: AbortSignal): Promise<void> {
    const { database, every, now } = this.#parts;
    if (every !== "off") await scheduleChecks(database.fork(), new Date(now().getTime() - checkPeriods[every]), now());
    const ends = performance.now() + longestRun;
    await this.#workers.start(() => this.#stopped || signal.aborted || performance.now() > ends);
    // For what is still due.
    if (!signal.aborted) this.soon();
  }

  /**
   * Reconciles one mirror now, or after the attempt that is under way. Gives up if that takes too long. Its calls wait no longer than those
   * of an edit: a person waits, and a move keeps its zone from changing.
   */
  async reconcile(id: string): Promise<void> {
    const { database, now } = this.#parts;
    const ends = performance.now() + longestWait;
    do {
      const token = randomUUID();
      const claimed = await claimMirror(database.fork(), token, now(), id);
      if (claimed !== null) {
        await this.#reconcile({ ...claimed, token }, "person");
        return;
      }
      if ((await loadMirror(database.fork(), id)) === null) return;
      await sleep(pollMilliseconds);
    } while (!this.#stopped && performance.now() < ends);
  }

  /** Ends after the attempts that are under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#workers.idle();
  }

  /** @returns whether the mirror has the newest records now */
  async #reconcile({ id, token }: Claimed & { token: string }, purpose: Purpose): Promise<boolean> {
    const { database, connections, log, now } = this.#parts;
    const loadedAt = now();
    const loaded = await loadMirror(database.fork(), id);
    if (!loaded) return true;
    let outcome: Outcome;
    const renewing = setInterval(() => {
      renewClaim(database.fork(), id, token, now()).catch((error: unknown) => {
        log.warn({ err: error, mirrorId: id }, "the claim of a mirror could not be renewed");
      });
    }, renewMilliseconds);
    try {
      const beforeCall = this.#whileClaimed(id, token);
      outcome = await attemptMirror(database.fork(), connections, loaded, { now, beforeCall, purpose });
    } catch (error) {
      const known = error instanceof AppError || error instanceof ProviderError;
      if (!known) log.error({ err: error, mirrorId: id }, "a mirror could not be reconciled");
      const message = known ? error.message : "An internal error occurred; the server log has the details.";
      const nothing = { revision: null, differences: 0, foreign: 0, unsupported: 0 };
      outcome = { ...nothing, error: message, unreachable: true, retryAt: endOfPause(error, now()) };
    } finally {
      clearInterval(renewing);
    }
    if (this.#stopped && outcome.error !== null) {
      // It was interrupted, which says nothing about the mirror.
      await releaseClaim(database.fork(), id, token, now());
      return false;
    }
    await this.#store({ id, token, loadedAt, now: now(), forced: loaded.force }, loaded, outcome);
    if (outcome.error !== null) return false;
    await this.#wakeOthers(loaded.config.id, now());
    // For changes that came meanwhile.
    this.#lookAgain(restMilliseconds);
    return true;
  }

  /** Has mirrors tried that failed while their provider was away. */
  async #wakeOthers(configId: string, now: Date): Promise<void> {
    const wokenAt = this.#wokenAt.get(configId) ?? -Infinity;
    if (now.getTime() - wokenAt < wakingMilliseconds) return;
    if (!(await wakeUnreachable(this.#parts.database.fork(), configId, now))) return;
    this.#wokenAt.set(configId, now.getTime());
    this.soon();
  }

  /** Looks again at a time of which the job may know only a minute later. */
  #lookAgain(milliseconds: number): void {
    setTimeout(() => this.soon(), milliseconds).unref();
  }

  /** Lets no call out once another process may work at the mirror, or it was deleted. */
  #whileClaimed(id: string, token: string): (settlesAt: Date) => Promise<void> {
    const { database, now } = this.#parts;
    return async (settlesAt) => {
      if (this.#stopped || !(await noteCall(database.fork(), { id, token }, now(), settlesAt)))
        throw new ProviderError("The mirror was deleted, or the service is stopping. Nothing more was sent.", "none");
    };
  }

  async #store(attempt: Attempt, { domain, config }: LoadedMirror, outcome: Outcome): Promise<void> {
    const { database, notifications } = this.#parts;
    const { id, now } = attempt;
    await database.fork().transactional(async (tx) => {
      // Before the mirror, as a change of the domain locks them.
      if ((await lockDomain(tx, domain.id)) === null) return;
      const { error, revision, settlesAt = null } = outcome;
      if (outcome.isEarly && revision !== null && settlesAt) {
        await storeEarly(tx, attempt, { revision, settlesAt });
        this.#lookAgain(Math.min(settlesAt.getTime() - now.getTime(), longestTimer));
        return;
      }
      const retryAt = error === null ? null : latest(await retryTime(tx, id, now), outcome.retryAt);
      const stored = await storeOutcome(tx, attempt, { ...outcome, retryAt });
      if (!stored) return;
      if (retryAt) this.#lookAgain(Math.min(retryAt.getTime() - now.getTime(), longestTimer));
      const isLong = retryAt !== null && retryAt.getTime() - now.getTime() > pauseBeforeNotice;
      const fails = error !== null && (isLong || stored.failures >= failuresBeforeNotice);
      if (stored.reported ? error !== null : !fails) return;
      await setReported(tx, id, fails);
      await notifications.notify(tx, mirrorNotice({ mirrorId: id, domain, configName: config.name }, error));
    });
  }
}

/** Returns when a provider accepts calls again, if it said so; null if not. Attempts before then would only fail. */
function endOfPause(error: unknown, now: Date): Date | null {
  const milliseconds = error instanceof ProviderError ? error.pauseMilliseconds : null;
  return milliseconds === null ? null : new Date(now.getTime() + milliseconds);
}

function latest(one: Date, other: Date | null): Date {
  return other !== null && other > one ? other : one;
}

/** A mirror whose state changed. */
interface MirrorSubject {
  mirrorId: string;
  domain: { id: string; name: string; view: string; ownerId: string | null };
  /** The name of its provider configuration. */
  configName: string;
}

/** Returns the notice that a mirror fails, or that it follows its domain again. @param error why it fails; null: it recovered */
export function mirrorNotice(
  { mirrorId, domain, configName }: MirrorSubject,
  error: string | null,
): TypedNotice<"mirror.failing" | "mirror.recovered"> {
  const name = qualifiedName(domain);
  const failing = error !== null;
  return {
    event: failing ? "mirror.failing" : "mirror.recovered",
    title: failing ? `${configName} does not follow ${name}` : `${configName} follows ${name} again`,
    content: failing
      ? `Changes to ${name} are not reaching its mirror ${configName}: ${error} Zonewright keeps retrying.`
      : `The mirror ${configName} has the newest records of ${name}.`,
    level: failing ? "warning" : "success",
    metadata: { domainId: domain.id, domainName: name, mirrorId, configName, error },
    to: { userIds: domain.ownerId === null ? [] : [domain.ownerId], administrators: true },
  };
}

/** A task, and the provider configuration that it calls. */
export interface Task {
  configId: string;
}

interface MirrorWorkersParts<T extends Task> {
  /** Claims the next task; null if none is due. @param except configurations that have no place left */
  claim: (except: readonly string[]) => Promise<T | null>;
  /** Carries a task out. @returns whether its provider did what it was asked for */
  carryOut: (task: T) => Promise<boolean>;
  onError: (error: unknown) => void;
}

/** Tasks at once. */
const places = 6;
/**
 * A configuration whose last task succeeded gets a second place, but not of the last two. All others have one. So three providers that
 * stop answering leave a place, and providers that are away take one each.
 */
const sharedPlaces = places - 2;

/** Carries out tasks at several provider configurations side by side. A slow configuration does not hold up the others. */
export class Workers<T extends Task> {
  readonly #parts: MirrorWorkersParts<T>;
  readonly #running = new Set<Promise<void>>();
  readonly #taken = new Map<string, number>();
  /** Configurations whose last task in this process succeeded. */
  readonly #proven = new Set<string>();
  /** One claim at a time, so that each sees the places that the one before took. */
  #claiming: Promise<unknown> = Promise.resolve();
  /** Those that announced work which no worker may have seen, as functions that say whether they are stopping. */
  readonly #announcers = new Set<() => boolean>();

  constructor(parts: MirrorWorkersParts<T>) {
    this.#parts = parts;
  }

  /**
   * Starts a worker, which carries out what is due. If all places are taken, one starts once a worker ends.
   * @param isStopping ends it after its task, and the workers that it starts
   * @returns when this worker found nothing more to do; others may still be at work
   */
  async start(isStopping: () => boolean): Promise<void> {
    if (isStopping()) return;
    if (this.#running.size >= places) {
      this.#announcers.add(isStopping);
      return;
    }
    const worker = this.#work(isStopping)
      .catch(this.#parts.onError)
      .finally(() => {
        this.#running.delete(worker);
        const announcers = [...this.#announcers];
        this.#announcers.clear();
        if (announcers.length > 0) void this.start(() => announcers.every((stops) => stops()));
      });
    this.#running.add(worker);
    await worker;
  }

  /** Ends once nothing is under way. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #work(isStopping: () => boolean): Promise<void> {
    while (!isStopping()) {
      const task = await this.#claim();
      if (task === null) return;
      const { configId } = task;
      // There may be more. Whichever worker finds none ends.
      void this.start(isStopping);
      let succeeded = false;
      try {
        succeeded = await this.#parts.carryOut(task);
      } finally {
        this.#take(configId, -1);
        if (succeeded) this.#proven.add(configId);
        else this.#proven.delete(configId);
      }
    }
  }

  async #claim(): Promise<T | null> {
    const claimed = this.#claiming.then(async () => {
      const task = await this.#parts.claim(this.#full());
      if (task) this.#take(task.configId, 1);
      return task;
    });
    this.#claiming = claimed.catch(() => undefined);
    return await claimed;
  }

  #full(): string[] {
    const entries = [...this.#taken];
    const total = entries.reduce((sum, [, taken]) => sum + taken, 0);
    return entries.flatMap(([configId, taken]) =>
      taken < 2 && total < sharedPlaces && this.#proven.has(configId) ? [] : [configId],
    );
  }

  #take(configId: string, difference: 1 | -1): void {
    const taken = (this.#taken.get(configId) ?? 0) + difference;
    if (taken > 0) this.#taken.set(configId, taken);
    else this.#taken.delete(configId);
  }
}
