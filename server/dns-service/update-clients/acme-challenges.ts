import { createHash } from "node:crypto";
import { type Caller, theService, trustedCaller } from "../../access/caller.ts";
import { MovedAway } from "../../zones/changes/pipeline.ts";
import { liveAtNames } from "../../zones/changes/state/live-queries.ts";
import { queries, type Database, type EntityManager } from "../../database/database.ts";
import type { ProviderKind } from "../../dns-providers/provider.ts";
import { absoluteName, shown } from "../../dns/names/names.ts";
import { isActive, type LiveRecord } from "../../dns/record.ts";
import { badField, faultToAppError } from "../../platform/errors.ts";
import type { Logger } from "../../platform/log.ts";
import { storedTtl } from "../../zones/records/provider-limits.ts";
import type { Records } from "../../zones/records/service.ts";
import { parseHostName, writablePlace, type WritablePlace } from "./writable-zone.ts";

const prefix = "_acme-challenge";
const leftAfterMilliseconds = 24 * 3_600_000;
/** Challenges that are read at once. */
const mostAtOnce = 1_000;
/** How long `present` waits at most: lego's `httpreq` gives up after 30 seconds. */
const settledWithinMilliseconds = 20_000;
/** Short, because the next challenge at the name has another value. */
const usualTtl = 60;

/** A challenge in either of the forms of lego's `httpreq`. */
export interface GivenChallenge {
  fqdn?: string | undefined;
  value?: string | undefined;
  domain?: string | undefined;
  keyAuth?: string | undefined;
}

interface Challenge {
  labels: string[];
  value: string;
}

/** A row of `acme_challenges`. */
interface LeftChallenge {
  domain_id: string;
  name: string;
  value: string;
  created_by: string;
}

interface Parts {
  database: Database;
  records: Records;
  log: Logger;
  now: () => Date;
}

/** Publishes and deletes the TXT records of DNS-01 challenges (RFC 8555 §8.4). Writes nothing but these records. */
export class AcmeChallenges {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Adds a value, and waits a while for the provider's name servers to have it. Does nothing if the name has it already. @throws AppError BAD_REQUEST, NOT_FOUND, FORBIDDEN, PROVIDER_ERROR
   */
  async present(em: EntityManager, caller: Caller, given: GivenChallenge) {
    const { labels, value } = challengeOf(given);
    const place = await writablePlace(em, caller, labels, ["TXT"]);
    const { domainId, host } = place;
    const { changed, settled } = await this.#parts.records.edit(em, caller, domainId, {
      challengesWithin: settledWithinMilliseconds,
      derive: async (tx, zone) => {
        const isNew = (await challengesAt(tx, place, value)).length === 0;
        // Before the provider is called: if its answer is lost, the record may be there all the same.
        await this.#remember(tx, caller, place, value, isNew);
        if (!isNew) return [];
        const name = `${absoluteName(host, zone.name)}.`;
        return [{ action: "create", input: { recordType: "TXT", name, value, ttl: ttlFor(zone.kind) } }];
      },
    });
    return outcome(place, value, changed, settled);
  }

  /** Deletes a value, and no other. Does nothing if it is gone. @throws AppError as `present` */
  async cleanUp(em: EntityManager, caller: Caller, given: GivenChallenge) {
    const { labels, value } = challengeOf(given);
    const place = await writablePlace(em, caller, labels, ["TXT"]);
    const changed = await this.#delete(em, caller, place, value);
    return outcome(place, value, changed, null);
  }

  /** Deletes challenges that were presented a day ago and not cleaned up. Those of a domain whose provider fails wait for the next run. */
  async deleteLeft(signal?: AbortSignal): Promise<void> {
    const due = new Date(this.#parts.now().getTime() - leftAfterMilliseconds);
    const failing = new Set<string>();
    for (let rows = await this.#left(due, failing); rows.length > 0; rows = await this.#left(due, failing)) {
      for (const row of rows) {
        if (signal?.aborted) return;
        if (!failing.has(row.domain_id) && !(await this.#deleteOne(row, due))) failing.add(row.domain_id);
      }
    }
  }

  async #left(due: Date, failing: ReadonlySet<string>) {
    return await queries(this.#parts.database.fork())
      .selectFrom("acme_challenges")
      .selectAll()
      .where("created_at", "<=", due)
      .$if(failing.size > 0, (query) => query.where("domain_id", "not in", [...failing]))
      .orderBy("created_at")
      .limit(mostAtOnce)
      .execute();
  }

  /** @returns false if the domain's other challenges would fail as well */
  async #deleteOne(row: LeftChallenge, due: Date): Promise<boolean> {
    const { database, log, now } = this.#parts;
    const { domain_id: domainId, name: host, value, created_by: userId } = row;
    const caller = trustedCaller({ ...theService, userId, at: now() });
    try {
      await this.#delete(database.fork(), caller, { domainId, host }, value, due);
      return true;
    } catch (error) {
      log.warn({ err: error, zone: domainId, host }, "could not delete a challenge that was left");
      if (mayPass(error)) return false;
      // Somebody locked it, or the zone needs reviews: it is theirs now.
      await this.#forget(database.fork(), { domainId, host }, value);
      return true;
    }
  }

  async #delete(
    em: EntityManager,
    caller: Caller,
    place: Pick<WritablePlace, "domainId" | "host">,
    value: string,
    due?: Date,
  ): Promise<number> {
    const { changed } = await this.#parts.records.edit(em, caller, place.domainId, {
      derive: async (tx) => {
        // A client may have presented it again since the job began.
        if (due && !(await isLeft(tx, place, value, due))) return [];
        return (await challengesAt(tx, place, value)).map(({ id }) => ({ action: "delete", recordId: id }));
      },
      alongside: (tx) => this.#forget(tx, place, value, due),
    });
    return changed;
  }

  /** Has a challenge deleted after a day. One that somebody else wrote stays theirs. */
  async #remember(em: EntityManager, caller: Caller, place: WritablePlace, value: string, isNew: boolean) {
    const { domainId: domain_id, host: name } = place;
    const again = { created_by: caller.userId, created_at: this.#parts.now() };
    if (isNew)
      await queries(em)
        .insertInto("acme_challenges")
        .values({ domain_id, name, value, ...again })
        .onConflict((conflict) => conflict.columns(["domain_id", "name", "value"]).doUpdateSet(again))
        .execute();
    else
      await queries(em)
        .updateTable("acme_challenges")
        .set(again)
        .where("domain_id", "=", domain_id)
        .where("name", "=", name)
        .where("value", "=", value)
        .execute();
  }

  async #forget(
    em: EntityManager,
    { domainId, host }: Pick<WritablePlace, "domainId" | "host">,
    value: string,
    due?: Date,
  ) {
    const rows = queries(em)
      .deleteFrom("acme_challenges")
      .where("domain_id", "=", domainId)
      .where("name", "=", host)
      .where("value", "=", value);
    await (due ? rows.where("created_at", "<=", due) : rows).execute();
  }
}

async function isLeft(
  em: EntityManager,
  { domainId, host }: Pick<WritablePlace, "domainId" | "host">,
  value: string,
  due: Date,
): Promise<boolean> {
  const row = await queries(em)
    .selectFrom("acme_challenges")
    .select("created_at")
    .where("domain_id", "=", domainId)
    .where("name", "=", host)
    .where("value", "=", value)
    .where("created_at", "<=", due)
    .executeTakeFirst();
  return row !== undefined;
}

async function challengesAt(
  em: EntityManager,
  { domainId, host }: Pick<WritablePlace, "domainId" | "host">,
  value: string,
): Promise<LiveRecord[]> {
  const present = await liveAtNames(em, domainId, [host]);
  return present.filter((record) => isActive(record) && record.recordType === "TXT" && record.value === value);
}

/** Returns whether another attempt may succeed without anybody doing something. */
function mayPass(fault: unknown): boolean {
  const error = faultToAppError(fault);
  const { code } = error;
  return (
    error instanceof MovedAway ||
    code === "UNAVAILABLE" ||
    code === "PROVIDER_ERROR" ||
    code === "INTERNAL_SERVER_ERROR"
  );
}

function outcome(
  { domainId, domainName, host }: WritablePlace,
  value: string,
  changed: number,
  settled: boolean | null,
) {
  return { success: true as const, domainId, domainName, name: host, value, changed: changed > 0, settled };
}

/** Returns the lowest TTL from a minute on that every zone of a kind takes. */
export function ttlFor(kind: ProviderKind): number {
  return Math.min(storedTtl(kind, Math.max(usualTtl, kind.anyZoneMinTtl ?? kind.minTtl)), kind.maxTtl);
}

/** @throws AppError BAD_REQUEST */
function challengeOf({ fqdn, value, domain, keyAuth }: GivenChallenge): Challenge {
  if (fqdn !== undefined && value !== undefined) return { labels: labelsOf(fqdn, "fqdn"), value };
  if (domain === undefined || keyAuth === undefined)
    throw badField(
      [fqdn === undefined ? "fqdn" : "value"],
      "Send `fqdn` and `value`, or `domain`, `token` and `keyAuth`.",
    );
  // A wildcard is validated at its parent (RFC 8555 §7.1.3).
  const name = `${prefix}.${domain.replace(/^\*\./, "")}`;
  return { labels: labelsOf(name, "domain"), value: createHash("sha256").update(keyAuth).digest("base64url") };
}

function labelsOf(name: string, field: string): string[] {
  const parsed = parseHostName(name);
  if (!parsed.ok) throw badField([field], `${shown(name)} is not a full host name: ${parsed.message}.`);
  if (parsed.value[0] !== prefix || parsed.value.length < 3)
    throw badField([field], `This must be a name at ${prefix}, such as ${prefix}.www.example.com.`);
  return parsed.value;
}
