import type { Caller } from "../../access/caller.ts";
import type { KnownKey, TsigKeyCredentials } from "../../access/tsig-keys.ts";
import type { Audit } from "../../notifications/audit/audit.ts";
import type { LiveNames } from "../../zones/changes/state/live-queries.ts";
import type { ZoneContext } from "../../zones/changes/zone-context.ts";
import type { Database, EntityManager } from "../../database/database.ts";
import { isActive, isApexNs } from "../../dns/record.ts";
import { classes, rcodes, type WireMessage } from "../../dns/wire/messages.ts";
import {
  readUpdate,
  zoneOfUpdate,
  type DynamicUpdate,
  type Prerequisite,
  type UpdateOperation,
} from "../../dns/wire/updates.ts";
import { LimitReached, mostOrdinaryChanges, type RequestLimits } from "../../api/limits/requests.ts";
import { AppError, type ErrorCode } from "../../platform/errors.ts";
import type { Logger } from "../../platform/log.ts";
import { inSlices } from "../../platform/slices.ts";
import type { Edit } from "../../zones/records/editing/edits.ts";
import type { Records } from "../../zones/records/service.ts";
import { soaOf, soaRecord, type PrimaryConfigs, type PrimaryService } from "../zones.ts";
import { editsFor, failedPrerequisite, unwritable } from "./operations.ts";
import { AnsweredBefore, type UnsentAnswer, type UpdateAnswers } from "./update-answers.ts";
import { outsideRights, type Rights } from "../../access/zone-access.ts";
import { kindOfZone, storedTtl } from "../../zones/records/provider-limits.ts";
import type { Sent } from "../../database/statements.ts";
import { MovedAway } from "../../zones/changes/pipeline.ts";

/** Records that one message may change, and prerequisites that it may have. */
const mostChanges = 1_000;

/** How long an update with a challenge waits at most for the provider's name servers: lego gives up after ten seconds. */
const settledWithinMilliseconds = 5_000;

/** An update with a valid signature. */
interface SignedUpdate {
  message: WireMessage;
  key: KnownKey;
  /** Whether the key was not looked up for this message. */
  isRemembered: boolean;
  mac: Buffer;
  /** The client's. */
  address: string;
}

interface Update extends SignedUpdate {
  caller: Caller;
  remembered: RememberedKey;
}

interface Parts {
  database: Database;
  configs: Pick<PrimaryConfigs, "all">;
  credentials: TsigKeyCredentials;
  limits: RequestLimits;
  records: Records;
  answers: UpdateAnswers;
  audit: Audit;
  log: Logger;
}

/** Thrown inside the change when the zone does not meet the prerequisites. */
class PrerequisiteFailed extends Error {
  readonly rcode: number;

  constructor(rcode: number) {
    super("The zone does not meet the prerequisites.");
    this.rcode = rcode;
  }
}

/** Makes dynamic updates (RFC 2136), each as one atomic change with the rights of its key. */
export class DynamicUpdates {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Makes an update. The reason of a refusal goes to the log, the audit trail and the key's last error. Never throws.
   * @returns the RCODE; null if the key was remembered and is no longer the same, so that it must be looked up
   */
  async answer(signed: SignedUpdate): Promise<number | null> {
    const caller = signed.key.callerAt(signed.address);
    const remembered = new RememberedKey(this.#parts.credentials, signed.key, signed.isRemembered);
    const update = { ...signed, caller, remembered };
    try {
      const rcode = await this.#make(update);
      // The answer may be that of the same message before.
      await remembered.mustBeSame();
      return rcode;
    } catch (error) {
      return await this.#failed(update, error).catch(() => null);
    }
  }

  async #make(signed: Update): Promise<number> {
    const { limits, answers, credentials } = this.#parts;
    const { message, key, address, caller } = signed;
    // A client that sends again what was made must not hear that it was refused.
    const before = await answers.before(signed);
    if (before !== null) return before;
    const over = await this.#overLimit(signed, () => limits.take(caller));
    if (over !== null) return over;
    const zone = zoneOf(message, key);
    if (key.access === "read")
      throw new UpdateRefused(rcodes.REFUSED, "This key may only read. Use one that may update.");
    // Counted before they are read: each record is a prerequisite or a change.
    const size = Math.max(message.answers.length, message.authorities.length);
    if (size > mostChanges)
      throw new UpdateRefused(rcodes.REFUSED, `An update may have at most ${mostChanges} changes. Send several.`);
    const overCostly =
      size > mostOrdinaryChanges ? await this.#overLimit(signed, () => limits.takeCostly(caller)) : null;
    if (overCostly !== null) return overCostly;
    const read = await inSlices(readUpdate(message, zone));
    if (!read.ok) throw new UpdateRefused(read.rcode, read.reason);
    const { update } = read;
    return await answers.once(signed, async (answer) => {
      try {
        await this.#change(signed, update, answer);
        credentials.noteUse(key, address, null);
        return rcodes.NOERROR;
      } catch (error) {
        if (error instanceof AnsweredBefore) throw error;
        return await this.#failed(signed, error);
      }
    });
  }

  /** Counts an update. @returns null within the limit; over it, the RCODE that any instance answered it with @throws LimitReached */
  async #overLimit(signed: Update, take: () => Promise<unknown>): Promise<number | null> {
    try {
      await take();
      return null;
    } catch (error) {
      const stored = error instanceof LimitReached ? await this.#parts.answers.stored(signed) : null;
      if (stored === null) throw error;
      return stored;
    }
  }

  async #change({ caller, key, remembered }: Update, update: DynamicUpdate, answer: UnsentAnswer): Promise<void> {
    const { database, configs, records } = this.#parts;
    // Read here: the embedded database has one connection, which the change holds.
    const services = await configs.all();
    await records.edit(database.fork(), caller, key.domainId, {
      challengesWithin: settledWithinMilliseconds,
      ahead: (_tx, live) => [...remembered.ahead(), answer.ahead(rcodes.NOERROR), live.ahead(namesOf(update))],
      derive: async (tx, zone, live) => {
        await remembered.mustBeSame();
        // Now nothing else changes the zone: another instance with the same message has been answered, or waits.
        await answer.claim(tx, rcodes.NOERROR);
        return await editsIn(tx, { zone, live, update, services });
      },
      alongside: async (tx) => await answer.settle(tx, rcodes.NOERROR),
    });
  }

  /** Returns the RCODE of an update that was not made. @throws KeyChanged */
  async #failed(update: Update, error: unknown): Promise<number> {
    if (error instanceof KeyChanged) throw error;
    await update.remembered.mustBeSame().catch((failure: unknown) => {
      // Without the database, the first failure says more.
      if (failure instanceof KeyChanged) throw failure;
    });
    if (!(error instanceof PrerequisiteFailed)) return await this.#refuse(update, error);
    this.#parts.credentials.noteUse(update.key, update.address, null);
    return error.rcode;
  }

  async #refuse({ key, address, caller }: Update, error: unknown): Promise<number> {
    const { credentials, audit, database, log } = this.#parts;
    const { rcode, reason } = refusalOf(error);
    credentials.noteUse(key, address, reason);
    const fields = { keyName: key.tsig.name, address, rcode, reason };
    if (error instanceof UpdateRefused || error instanceof AppError) log.info(fields, "refused a dynamic update");
    else log.error({ ...fields, err: error }, "a dynamic update failed");
    // A client that sends too much must not fill the audit trail too.
    if (rcode !== rcodes.REFUSED || error instanceof LimitReached) return rcode;
    const event = { action: "domain.refuse_update", targetType: "domain", targetId: key.domainId } as const;
    try {
      await audit.record(database.fork(), caller, { ...event, after: { reason } });
    } catch (failure) {
      log.error({ ...fields, err: failure }, "a refused update could not be added to the audit trail");
    }
    return rcode;
  }
}

/** Returns the canonical name of the key's zone. @throws UpdateRefused if the message is for another one */
function zoneOf(message: WireMessage, { zone }: KnownKey): string {
  const asked = zoneOfUpdate(message);
  if (asked === null)
    throw new UpdateRefused(rcodes.FORMERR, "The message is malformed: its zone section does not name one zone.");
  if (message.questions[0]?.class !== classes.in || zone !== asked)
    throw new UpdateRefused(rcodes.NOTAUTH, `This key is for the zone ${zone}, not ${asked}.`);
  return asked;
}

/** Evaluates the prerequisites on the zone as it is, and works out the edits. @throws UpdateRefused, PrerequisiteFailed, AppError BAD_REQUEST */
async function editsIn(
  tx: EntityManager,
  parts: { zone: ZoneContext; live: LiveNames; update: DynamicUpdate; services: readonly PrimaryService[] },
): Promise<Edit[]> {
  const { zone, live, update, services } = parts;
  const { prerequisites, operations } = update;
  const reason = refusedByRights(update, zone.rights);
  if (reason !== null) throw new UpdateRefused(rcodes.REFUSED, reason);
  const names = namesOf(update);
  // What is disabled is not there for a client that asks by DNS.
  const present = (await live.at(names)).filter(isActive);
  const soa = names.includes("@") ? await soaOf(tx, services, zone) : null;
  const served = present.filter(({ recordType }) => recordType !== "SOA");
  const failed = await inSlices(failedPrerequisite(prerequisites, soa ? [...served, soaRecord(soa)] : served));
  if (failed !== null) throw new PrerequisiteFailed(failed);
  const unwanted = unwritable(operations);
  if (unwanted !== null) throw new UpdateRefused(rcodes.REFUSED, unwanted);
  const stored = await withStoredTtls(operations, zone);
  const updated = { name: zone.name, present, signed: zone.signed, serial: soa?.serial ?? null };
  return await inSlices(editsFor(stored, updated));
}

function namesOf({ prerequisites, operations }: DynamicUpdate): string[] {
  const names = [...prerequisites, ...operations].map((one) => ("record" in one ? one.record.name : one.name));
  return [...new Set(names)];
}

/**
 * Returns why a key may not send an update, whatever the zone holds; null if it may. Prerequisites about names and records that it does not
 * cover would let it find out about them. Whether a name of its own is in use, it may ask whatever its types.
 */
function refusedByRights({ prerequisites, operations }: DynamicUpdate, rights: Rights): string | null {
  for (const prerequisite of prerequisites) {
    const reason = unseen(prerequisite, rights);
    if (reason !== null) return reason;
  }
  for (const operation of operations) {
    const reason = unchangeable(operation, rights);
    if (reason !== null) return reason;
  }
  return null;
}

function unseen(prerequisite: Prerequisite, { sees }: Rights): string | null {
  if (prerequisite.kind === "nameInUse" || prerequisite.kind === "nameUnused") {
    const { name } = prerequisite;
    // DHCP servers ask this of a name for which they may write only some types (RFC 4703 §5.3).
    return sees.includesSomeAt(name)
      ? null
      : `This key does not cover ${name}, so no prerequisite may ask about its records.`;
  }
  const rrset = prerequisite.kind === "rrsetHas" ? prerequisite.record : prerequisite;
  const { name, recordType } = rrset;
  const isPublic = isApexNs(rrset) || (name === "@" && recordType === "SOA");
  return isPublic || sees.includes({ name, recordType })
    ? null
    : `A prerequisite asks for the ${recordType} records of ${name}, which this key does not cover.`;
}

function unchangeable(operation: UpdateOperation, rights: Rights): string | null {
  if (operation.kind === "deleteName") {
    const { name } = operation;
    return rights.owns || rights.changes.includesAllAt(name)
      ? null
      : `Deleting everything at ${name} takes a key that covers all of its types.`;
  }
  const rrset = operation.kind === "deleteRrset" ? operation : operation.record;
  // Operations on the SOA are ignored, or refused for another reason.
  return rrset.recordType === "SOA" ? null : outsideRights(rrset, rights);
}

/**
 * Returns operations with the TTLs that the zone's provider stores: those that it does not store are raised, because clients such as
 * certbot's plugin send a fixed one. Asks the provider only if one may be too short. @throws AppError PROVIDER_ERROR
 */
async function withStoredTtls(
  operations: readonly UpdateOperation[],
  zone: Pick<ZoneContext, "providerZone" | "kind" | "provider">,
): Promise<UpdateOperation[]> {
  const ttls = operations.flatMap((one) => (one.kind === "add" ? [storedTtl(zone.kind, one.record.ttl)] : []));
  const kind = await kindOfZone(zone, ttls);
  return operations.map((one) =>
    one.kind === "add" ? { ...one, record: { ...one.record, ttl: storedTtl(kind, one.record.ttl) } } : one,
  );
}

/** Thrown when a remembered key is no longer what it was: it was deleted, or its owner's rights changed. Nothing was changed. */
class KeyChanged extends Error {}

/** The key of an update: looked up for it, or remembered and then looked up by the transaction that makes it. */
class RememberedKey {
  readonly #credentials: TsigKeyCredentials;
  readonly #key: KnownKey;
  #isSame: boolean | undefined;

  /** @param isRemembered false if it was just looked up */
  constructor(credentials: TsigKeyCredentials, key: KnownKey, isRemembered: boolean) {
    this.#credentials = credentials;
    this.#key = key;
    if (!isRemembered) this.#isSame = true;
  }

  /** Returns what looks it up again, if that is necessary. */
  ahead(): Sent[] {
    if (this.#isSame !== undefined) return [];
    return [this.#credentials.lookup(this.#key, (isSame) => (this.#isSame = isSame))];
  }

  /** Looks it up if nothing has. @throws KeyChanged */
  async mustBeSame(): Promise<void> {
    this.#isSame ??= await this.#credentials.isSame(this.#key);
    if (!this.#isSame) throw new KeyChanged("The key is no longer what it was.");
  }
}

/** Thrown to answer with an RCODE. Nothing is changed. */
export class UpdateRefused extends Error {
  readonly rcode: number;

  constructor(rcode: number, reason: string) {
    super(reason);
    this.rcode = rcode;
  }
}

/** Failures that are not the client's. */
const serverFailures: ReadonlySet<ErrorCode> = new Set(["PROVIDER_ERROR", "UNAVAILABLE", "INTERNAL_SERVER_ERROR"]);

/** Returns the RCODE for an update that was not made, and why it was not. Clients repeat an update after SERVFAIL. */
export function refusalOf(error: unknown): { rcode: number; reason: string } {
  if (error instanceof UpdateRefused) return { rcode: error.rcode, reason: error.message };
  if (!(error instanceof AppError)) return { rcode: rcodes.SERVFAIL, reason: "The service failed. Its log says why." };
  const isTransient = serverFailures.has(error.code) || error instanceof MovedAway;
  return { rcode: isTransient ? rcodes.SERVFAIL : rcodes.REFUSED, reason: error.message };
}
