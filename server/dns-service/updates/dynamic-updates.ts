import type { Caller } from "../../access/caller.ts";
import type { KnownKey, TsigKeyCredentials } from "../../access/tsig-keys.ts";
import type { Audit } from "../../audit/audit.ts";
import type { LiveNames } from "../../changes/state/live-queries.ts";
import type { ZoneContext } from "../../changes/zone-context.ts";
import type { Database, EntityManager } from "../../database/database.ts";
import { isActive } from "../../dns/record.ts";
import { classes, rcodes, type WireMessage } from "../../dns/wire/messages.ts";
import { readUpdate, zoneOfUpdate, type DynamicUpdate } from "../../dns/wire/updates.ts";
import { LimitReached, mostOrdinaryChanges, type RequestLimits } from "../../limits/requests.ts";
import { AppError } from "../../platform/errors.ts";
import type { Logger } from "../../platform/log.ts";
import type { Edit } from "../../records/editing/edits.ts";
import type { Records } from "../../records/service.ts";
import type { PrimaryConfigs, PrimaryService } from "../primary-configs.ts";
import { soaOf, soaRecord } from "../queries/zone-soa.ts";
import { editsFor, unwritable } from "./operations.ts";
import { failedPrerequisite } from "./prerequisites.ts";
import { KeyChanged, RememberedKey } from "./remembered-key.ts";
import { withStoredTtls } from "./raised-ttls.ts";
import { refusalOf, UpdateRefused } from "./refusal.ts";
import { refusedByRights } from "./rights.ts";
import { AnsweredBefore, type UnsentAnswer, type UpdateAnswers } from "./update-answers.ts";

/** Records that one message may change, and prerequisites that it may have. */
const mostChanges = 1_000;

/** How long an update with a challenge waits at most for the provider's name servers: lego gives up after ten seconds. */
const settledWithinMilliseconds = 5_000;

/** An update with a valid signature. */
export interface SignedUpdate {
  message: WireMessage;
  key: KnownKey;
  /** Whether the key was not looked up for this message. */
  isRemembered: boolean;
  mac: Buffer;
  /** The client's. */
  address: string;
}

/** An update that is made. */
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
    const read = readUpdate(message, zoneOf(message, key));
    if (!read.ok) throw new UpdateRefused(read.rcode, read.reason);
    const { update } = read;
    if (key.access === "read")
      throw new UpdateRefused(rcodes.refused, "This key may only read. Use one that may update.");
    const size = Math.max(update.operations.length, update.prerequisites.length);
    if (size > mostChanges)
      throw new UpdateRefused(rcodes.refused, `An update may have at most ${mostChanges} changes. Send several.`);
    const overCostly =
      size > mostOrdinaryChanges ? await this.#overLimit(signed, () => limits.takeCostly(caller)) : null;
    if (overCostly !== null) return overCostly;
    return await answers.once(signed, async (answer) => {
      try {
        await this.#change(signed, update, answer);
        credentials.noteUse(key, address, null);
        return rcodes.noError;
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
      ahead: (_tx, live) => [...remembered.ahead(), answer.ahead(rcodes.noError), live.ahead(namesOf(update))],
      derive: async (tx, zone, live) => {
        await remembered.mustBeSame();
        // Now nothing else changes the zone: another instance with the same message has been answered, or waits.
        await answer.claim(tx, rcodes.noError);
        return await editsIn(tx, { zone, live, update, services });
      },
      alongside: async (tx) => await answer.settle(tx, rcodes.noError),
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
    if (rcode !== rcodes.refused || error instanceof LimitReached) return rcode;
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
    throw new UpdateRefused(rcodes.formErr, "The message is malformed: its zone section does not name one zone.");
  if (message.questions[0]?.class !== classes.in || zone !== asked)
    throw new UpdateRefused(rcodes.notAuth, `This key is for the zone ${zone}, not ${asked}.`);
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
  if (reason !== null) throw new UpdateRefused(rcodes.refused, reason);
  const names = namesOf(update);
  // What is disabled is not there for a client that asks by DNS.
  const present = (await live.at(names)).filter(isActive);
  const soa = names.includes("@") ? await soaOf(tx, services, zone) : null;
  const served = present.filter(({ recordType }) => recordType !== "SOA");
  const failed = failedPrerequisite(prerequisites, soa ? [...served, soaRecord(soa)] : served);
  if (failed !== null) throw new PrerequisiteFailed(failed);
  const unwanted = unwritable(operations);
  if (unwanted !== null) throw new UpdateRefused(rcodes.refused, unwanted);
  const stored = await withStoredTtls(operations, zone);
  return editsFor(stored, { name: zone.name, present, signed: zone.signed, serial: soa?.serial ?? null });
}

function namesOf({ prerequisites, operations }: DynamicUpdate): string[] {
  const names = [...prerequisites, ...operations].map((one) => ("record" in one ? one.record.name : one.name));
  return [...new Set(names)];
}
