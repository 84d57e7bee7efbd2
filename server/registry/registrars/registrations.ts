import type { Caller } from "../../access/caller.ts";
import { zoneFor, type Zone } from "../../access/zone-access.ts";
import { fromJson, queries, type EntityManager } from "../../database/database.ts";
import type { ReviewRequired } from "../../database/tables/domains.ts";
import type { Role } from "../../database/tables/users.ts";
import { ProviderError, throughProvider } from "../../dns-providers/provider.ts";
import { writeEntry } from "../../notifications/audit/audit.ts";
import { AppError, badField } from "../../platform/errors.ts";
import { knownCertificates } from "../certificates/findings.ts";
import { dsText, type ZoneKey } from "../../dns/dnssec/keys.ts";
import type { StoredFacts } from "../delegation/store.ts";
import type { RegistrationFacts } from "../expiry/store-finding.ts";
import { registrableOf } from "../expiry/registration.ts";
import type { OpenRegistrar, RegistrarConfigs } from "./configs.ts";
import {
  approvalCovers,
  canonical,
  changeOf,
  changesAlike,
  differences,
  judgeKnown,
  judgeRegistration,
  knownKeys,
  needsForce,
  overtaking,
  refuseImpossible,
  registrationHash,
  sendingOrder,
  type FieldChange,
  type Probe,
  type RegistrationPlan,
  type Risk,
  type WantedRegistration,
} from "./plan.ts";
import type { z } from "zod";
import type { changeRegistrationInput } from "./schemas.ts";
import { dsSteps, keyRefusals, type Refusal, type RegistrarChange, type RegistrarState } from "./registrar.ts";
import {
  afterChange,
  askTasks,
  beforeChange,
  failedTasks,
  onceCarriedOut,
  registeredParent,
  sharing,
  stillAccepted,
  stillFailed,
  storedReading,
  storeState,
  withoutFailed,
  type RegistrarReading,
  type TasksByField,
} from "./stored-reading.ts";
import type { RegistrarTasks } from "./tasks.ts";

/** A change of a registration, as a client sends it. */
export interface RegistrationInput extends z.infer<typeof changeRegistrationInput> {
  /** Keys that the zone is known to have, besides those that its name servers show. */
  keys?: readonly ZoneKey[];
  /** Returns the DS records that are wanted, by those that the registrar has now. */
  dsFrom?: (before: readonly string[]) => string[];
}

/** A change as a plan needs it. */
type PlannedInput = WantedRegistration & Pick<RegistrationInput, "id" | "keys" | "dsFrom">;

/** A plan of a change that somebody requests. */
export interface RegistrationDraft {
  /** The configuration of the account that has the name. */
  configId: string;
  changes: FieldChange[];
  /** What the change means. */
  warnings: string[];
  /** What somebody must accept. */
  risks: Risk[];
}

interface Parts {
  registrarConfigs: RegistrarConfigs;
  tasks: RegistrarTasks;
  /** Asks name servers about a zone. Null: checks from outside are turned off. Must not run in a transaction. */
  probe: (zone: string, nameServers: readonly string[]) => Promise<Probe | null>;
  review: {
    refuseRegistration(
      zone: { id: string; reviewRequired: ReviewRequired | null; reviewAcme: boolean },
      by: { role: Role; message?: string | undefined; override?: boolean | undefined },
    ): boolean;
  };
  /** Runs `work` while no other call, of any instance, changes the zone or its registration. `isHeld` is false as soon as another may. */
  alone: <T>(id: string, work: (isHeld: () => boolean) => Promise<T>) => Promise<T>;
  /** Remembers that a registrar had DS records of a domain, within a transaction. */
  noteDs: (tx: EntityManager, id: string) => Promise<void>;
  now: () => Date;
}

/** A plan, and what is needed to carry it out. */
interface Prepared {
  zone: Zone;
  account: OpenRegistrar;
  /** What the registrar says now. */
  reading: RegistrarReading & { state: RegistrarState };
  /** Whether it says that a change that it accepted failed. */
  failed: boolean;
  plan: RegistrationPlan;
  /** The name servers that the zone has after the change, and may have until then if one is in flight. */
  servers: readonly string[];
  probe: Probe | null;
  /** All keys that are known of the zone. */
  keys: ZoneKey[];
  planHash: string;
}

/** What name servers say of a zone. */
type Asked = Pick<Prepared, "servers" | "probe">;

/** How a change excludes others. */
interface Held {
  /** Returns false as soon as another call may change the zone. */
  isHeld: () => boolean;
  seen?: Asked | null;
}

/** The beginning or the end of a change. */
interface Step {
  action: "domain.send_registration" | "domain.change_registration";
  changes: readonly FieldChange[];
  /** What the audit entry says besides. */
  about: object;
  store: (tx: EntityManager) => Promise<void>;
}

const interrupted =
  "The change was interrupted by an internal error. Read the registration: part of it may have been made.";
const lost = "Another process may be changing this domain, so nothing more was sent. Try again in a few seconds.";

/** Shows registrations, and changes them at their registrars. Never registers, renews or transfers. */
export class Registrations {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns what registrar, registry and the parent zone said last. @throws AppError NOT_FOUND */
  async get(em: EntityManager, caller: Caller, id: string) {
    const zone = await zoneFor(em, caller, id, "read");
    const row = await queries(em)
      .selectFrom("domains")
      .leftJoin("registrar_configs as account", "account.id", "domains.registrar_config_id")
      .leftJoin("delegations", "delegations.domain_id", "domains.id")
      .select([
        "domains.expires_at",
        "domains.expiry_source",
        "domains.expiry_checked_at",
        "domains.registry_expires_at",
      ])
      .select(["domains.registrar_config_id", "domains.registrar_state", "domains.registration"])
      .select(["account.name as account", "account.kind", "delegations.facts"])
      .where("domains.id", "=", id)
      .executeTakeFirstOrThrow();
    const reading = storedReading(row.registrar_state, row.registrar_config_id);
    const facts = fromJson(row.registration) as RegistrationFacts | null;
    const above = (fromJson(row.facts) as StoredFacts | null)?.parent ?? null;
    const parent = above && {
      zone: above.zone,
      seenAt: new Date(above.seenAt),
      nameServers: above.nameServers,
      ds: above.ds?.map(dsText).toSorted() ?? null,
    };
    const name = registrableOf(zone.name)?.name ?? zone.name;
    const now = this.#parts.now();
    const certificates = zone.rights.sees.isAll ? await knownCertificates(em, [id], now) : null;
    const known = { registryExpiresAt: row.registry_expires_at, expiresAt: row.expires_at };
    return {
      domainId: id,
      name,
      expiresAt: row.expires_at,
      expirySource: row.expiry_source,
      registrar:
        row.registrar_config_id === null
          ? null
          : {
              configId: row.registrar_config_id,
              account: row.account ?? "",
              kind: row.kind ?? "",
              changes: [...(this.#parts.registrarConfigs.kind(row.kind)?.changes ?? [])],
              seenAt: reading?.seenAt ?? null,
              error: reading?.error ?? null,
              ...(reading?.state ?? { expiresAt: null, autoRenew: null, locked: null, nameServers: null, ds: null }),
            },
      registry: facts && { ...facts, expiresAt: row.registry_expires_at, checkedAt: row.expiry_checked_at },
      parent,
      findings: judgeKnown(
        {
          name,
          ...known,
          registrar: reading?.state ?? null,
          registrarError: reading?.error ?? null,
          failed: stillFailed(reading, reading?.state ?? null, now),
          parent: registeredParent(zone.name, above),
          certificates: certificates?.get(id) ?? null,
        },
        now,
      ),
    };
  }

  /**
   * Plans a change of a registration, or carries out exactly the plan that was shown.
   * @param confirmed requires a confirmed session, called before the transfer lock is turned off
   * @throws AppError NOT_FOUND, FORBIDDEN, BAD_REQUEST, CONFLICT, CONFIRMATION_REQUIRED, REVIEW_REQUIRED, PROVIDER_ERROR
   */
  async change(em: EntityManager, caller: Caller, input: RegistrationInput, confirmed: () => Promise<void>) {
    // Name servers that do not answer must not hold the zone.
    const seen = await this.#prepare(em, caller, input);
    this.#admit(caller, input, seen);
    if (input.dryRun) return { ...shownOf(seen), applied: false, undo: null };
    if (seen.plan.changes.some(({ field, after }) => field === "locked" && after === false)) {
      if (caller.sessionId === null)
        throw new AppError("FORBIDDEN", "Turning the transfer lock off needs a confirmed session. Sign in for it.");
      await confirmed();
    }
    return await this.#parts.alone(input.id, (isHeld) => this.changeHeld(em, caller, input, { isHeld, seen }));
  }

  /**
   * Asks the name servers that the registrar said last about a domain, so that they do not hold it later.
   * @returns null if the registrar said none
   */
  async ask(em: EntityManager, caller: Caller, id: string): Promise<Asked | null> {
    const { name, registrarConfigId } = await zoneFor(em, caller, id, "read");
    if (registrableOf(name)?.name !== name) return null;
    const known = await this.#parts.registrarConfigs.lastReading(em, id, registrarConfigId);
    if (!known?.state?.nameServers) return null;
    const accepted = stillAccepted(known, known.state, this.#parts.now());
    const servers = presentServers(known.state, onceCarriedOut(known.state, accepted));
    return { servers, probe: await this.#parts.probe(name, servers) };
  }

  /**
   * As `change`, for a caller that already excludes other changes of the zone. Not to turn the transfer lock off.
   * @param held with what name servers said before it began
   * @throws AppError as `change`
   */
  async changeHeld(em: EntityManager, caller: Caller, input: RegistrationInput, { isHeld, seen }: Held) {
    const prepared = await this.#prepare(em, caller, input, seen);
    const { reviewOverridden } = this.#admit(caller, input, prepared);
    const shown = shownOf(prepared);
    if (input.dryRun) return { ...shown, applied: false, undo: null };
    const undo = Object.fromEntries(
      shown.changes.flatMap(({ field, before }) => (before === null ? [] : [[field, before]])),
    );
    const about = {
      ...(input.message === undefined ? {} : { message: input.message }),
      ...(reviewOverridden ? { reviewOverridden } : {}),
    };
    const { failure, touched } = await this.#carryOut(em, caller, prepared, { about, isHeld });
    if (failure) throw new AppError("PROVIDER_ERROR", outcomeOf(failure, touched), { cause: failure });
    return { ...shown, applied: shown.changes.length > 0, undo };
  }

  /** Decides whether a plan may be carried out, or shown if that is all that is wanted. @throws AppError as `change` */
  #admit(caller: Caller, input: RegistrationInput, { plan, planHash, zone }: Prepared): { reviewOverridden: boolean } {
    refuseImpossible(plan);
    const by = { role: caller.role, message: input.message, override: input.override };
    const reviewOverridden = plan.changes.length > 0 && this.#parts.review.refuseRegistration(zone, by);
    if (input.dryRun) return { reviewOverridden };
    if (input.planHash === undefined)
      throw badField(["planHash"], "Send the `planHash` of a plan, which `dryRun: true` returns.");
    if (!changesAlike(input.planHash, planHash))
      throw new AppError(
        "CONFLICT",
        "The registration is no longer what this plan was made for. Plan the change again.",
      );
    // `force` confirms what the plan showed, and nothing that came up since.
    if (!approvalCovers(input.planHash, planHash)) {
      const messages = plan.risks.map(({ message }) => message).join(" ");
      throw new AppError(
        "CONFLICT",
        `A new risk has come up since this plan was made. Plan the change again. ${messages}`,
      );
    }
    if (plan.risks.length > 0 && !input.force) throw needsForce(plan.risks);
    return { reviewOverridden };
  }

  /**
   * Plans a change for a request, by what registrar and name servers say now. What the registrar says is stored. Not for a transaction.
   * @throws AppError as `change`
   */
  async draft(
    em: EntityManager,
    caller: Caller,
    input: WantedRegistration & { id: string },
  ): Promise<RegistrationDraft> {
    const { zone, account, plan, reading } = await this.#prepare(em, caller, input);
    refuseImpossible(plan);
    await em.fork().transactional((tx) => this.#parts.tasks.store(tx, zone, reading));
    return draftOf(account.id, plan);
  }

  /**
   * Plans a change by what the registrar said last, and asks nobody.
   * @throws AppError as `change`, and CONFLICT if the domain's registrar was not heard yet
   */
  async known(
    em: EntityManager,
    caller: Caller,
    input: WantedRegistration & { id: string },
  ): Promise<RegistrationDraft> {
    const zone = await zoneFor(em, caller, input.id, "manage");
    const configId = zone.registrarConfigId;
    const reading = await this.#parts.registrarConfigs.lastReading(em, zone.id, configId);
    if (configId === null || !reading?.state)
      throw new AppError(
        "CONFLICT",
        "The registrar has not answered for this domain yet. Check the domain's expiry, which asks it.",
      );
    const accepted = stillAccepted(reading, reading.state, this.#parts.now());
    const state = onceCarriedOut(reading.state, accepted);
    return draftOf(configId, {
      ...judgeRegistration(zone.name, state, differences(state, input, reading.state), null),
      risks: [],
    });
  }

  /**
   * Carries out a change that a request asks for.
   * @param admit decides about the plan as it is now, just before the first call that changes something
   * @returns why it, or a part of it, was not made, and whether a part may have been made; null if all was
   * @throws AppError as `change`, and what `admit` throws: nothing was sent then
   */
  async carryOut(
    em: EntityManager,
    caller: Caller,
    input: WantedRegistration & { id: string },
    admit: (draft: RegistrationDraft, zone: Zone) => Promise<object>,
  ): Promise<{ reason: string; touched: boolean } | null> {
    const seen = await this.#prepare(em, caller, input);
    return await this.#parts.alone(input.id, async (isHeld) => {
      const prepared = await this.#prepare(em, caller, input, seen);
      refuseImpossible(prepared.plan);
      const about = await admit(draftOf(prepared.account.id, prepared.plan), prepared.zone);
      const { failure, touched } = await this.#carryOut(em, caller, prepared, { about, isHeld });
      return failure && { reason: outcomeOf(failure, touched), touched };
    });
  }

  /** Remembers what a change whose outcome nobody knows may have given the registrar. */
  async noteSent(tx: EntityManager, id: string, { ds }: WantedRegistration): Promise<void> {
    if (ds !== undefined) await this.#parts.noteDs(tx, id);
  }

  /** Plans a change by what the registrar says now. @param seen what name servers said, which are not asked again */
  async #prepare(em: EntityManager, caller: Caller, input: PlannedInput, seen?: Asked | null): Promise<Prepared> {
    const zone = await zoneFor(em, caller, input.id, "manage");
    const { name, registrarConfigId } = zone;
    if (registrarConfigId === null)
      throw new AppError(
        "CONFLICT",
        "This domain names no registrar. An administrator sets its `registrarConfigId` first.",
      );
    const registered = registrableOf(name)?.name ?? name;
    if (registered !== name || zone.view !== "")
      throw new AppError(
        "CONFLICT",
        `The registration is that of ${registered}. Change it there, in the default view.`,
      );
    const account = await this.#parts.registrarConfigs.open(em, registrarConfigId);
    const given = canonical(input);
    for (const field of ["nameServers", "ds", "locked", "autoRenew"] as const) {
      if (given[field] === undefined || account.kind.changes.includes(field)) continue;
      throw badField(
        [field],
        `${account.kind.name} cannot change this through its API. Leave it out, and change it in the registrar's console.`,
      );
    }
    const known = await this.#parts.registrarConfigs.lastReading(em, zone.id, account.id);
    const state = await throughProvider(account.registrar.read(name));
    if (!state) throw new AppError("PROVIDER_ERROR", `The registrar does not have ${name} in this account.`);
    const tasks = await askTasks(account.registrar, name, known, state);
    const accepted = withoutFailed(stillAccepted(known, state, this.#parts.now()), tasks);
    const expected = onceCarriedOut(state, accepted);
    const wanted = input.dsFrom ? canonical({ ...given, ds: input.dsFrom(expected.ds ?? []) }) : given;
    const changes = differences(expected, wanted, state);
    const touchesDelegation = changes.some(({ field }) => field === "nameServers" || field === "ds");
    const servers = wanted.nameServers ?? presentServers(state, expected);
    const asked = seen && seen.servers.join(" ") === servers.join(" ") ? seen.probe : null;
    const probe = touchesDelegation ? (asked ?? (await this.#parts.probe(name, servers))) : null;
    const plan = judgeRegistration(name, expected, changes, probe, input.keys, state);
    plan.risks.push(...overtaking(account.kind.name, accepted, changes));
    const keys = knownKeys(probe, input.keys);
    plan.refusals.push(...(await foreseen(account, name, plan, keys, state)));
    return {
      zone,
      account,
      reading: { configId: account.id, version: known?.version ?? 0, state, error: null, tasks },
      failed: failedTasks(known, tasks).length > 0,
      plan,
      servers,
      probe,
      keys,
      planHash: registrationHash(account.id, changes, plan.risks),
    };
  }

  /** Sends a plan to the registrar. @param sending with what the audit entry says besides @returns whether something may have been changed */
  async #carryOut(
    em: EntityManager,
    caller: Caller,
    { zone, account, reading, failed, plan, keys }: Prepared,
    { about, isHeld }: { about: object; isHeld: Held["isHeld"] },
  ): Promise<{ failure: ProviderError | null; touched: boolean }> {
    const changes = sendingOrder(plan.changes);
    if (changes.length === 0) return { failure: null, touched: false };
    if (!isHeld()) return { failure: new ProviderError(lost, "none"), touched: false };
    const { state } = reading;
    // What the change replaces would otherwise not be reported.
    if (failed) await em.fork().transactional((tx) => this.#parts.tasks.store(tx, zone, reading));
    // Begun and ended by an entry each, so that it leaves a trace even if this process ends in between.
    await this.#record(em, caller, zone, {
      action: "domain.send_registration",
      changes,
      about,
      store: async (tx) => {
        const fields = changes.map(({ field }) => field);
        for (const { id, known } of await sharing(tx, zone, account.id))
          await storeState(tx, id, beforeChange(known, account.id, fields));
      },
    });
    const made: FieldChange[] = [];
    // Also one whose outcome is not known.
    const done: FieldChange[] = [];
    const tasks: TasksByField = {};
    let failure: ProviderError | null = null;
    let fault: unknown = null;
    for (const change of changes) {
      if (!isHeld()) {
        failure = new ProviderError(lost, "none");
        break;
      }
      try {
        tasks[change.field] =
          (await account.registrar.change(zone.name, changeOf(change, zone.name, keys), state)) ?? [];
        made.push(change);
        done.push(change);
      } catch (error) {
        if (error instanceof ProviderError) failure = error;
        else fault = error;
        if (failure?.effect !== "none") done.push(change);
        break;
      }
    }
    const touched = done.length > 0;
    const said = failure ? outcomeOf(failure, touched) : interrupted;
    await this.#record(em, caller, zone, {
      action: "domain.change_registration",
      changes: done,
      about: { ...about, ...(failure === null && fault === null ? {} : { error: said }) },
      store: async (tx) => {
        const changed = {
          made: sideOf(made, "after"),
          before: state,
          sent: sideOf(done, "after"),
          tasks,
          by: caller.userId,
        };
        for (const { id, known } of await sharing(tx, zone, account.id))
          await storeState(tx, id, afterChange(known, account.id, changed, this.#parts.now()));
      },
    });
    if (fault !== null) throw fault;
    if (touched) {
      // The change is made and stored, whether or not the registrar can be asked again.
      const shown = await this.#parts.registrarConfigs.read(em.fork(), zone, "person").catch((error: unknown) => {
        if (error instanceof AppError) return null;
        throw error;
      });
      if (shown) await em.fork().transactional((tx) => this.#parts.tasks.store(tx, zone, shown));
    }
    return { failure, touched };
  }

  /** Stores and audits that a change is sent, or what became of it. */
  async #record(
    em: EntityManager,
    caller: Caller,
    { id }: Zone,
    { action, changes, about, store }: Step,
  ): Promise<void> {
    await em.fork().transactional(async (tx) => {
      await store(tx);
      if (changes.some(({ field }) => field === "ds")) await this.#parts.noteDs(tx, id);
      await writeEntry(tx, this.#parts.now(), caller, {
        action,
        targetType: "domain",
        targetId: id,
        before: sideOf(changes, "before"),
        after: { ...sideOf(changes, "after"), ...about },
      });
    });
  }
}

/** Returns the name servers that a zone has now, and those that an accepted change gives it. */
function presentServers(state: RegistrarState, expected: RegistrarState): string[] {
  return [...new Set([...(state.nameServers ?? []), ...(expected.nameServers ?? [])])];
}

function outcomeOf({ message }: ProviderError, touched: boolean): string {
  const made = touched ? "Read the registration: part of the change may have been made." : "Nothing was changed.";
  return `${message} ${made}`;
}

function shownOf({ plan, planHash }: Prepared) {
  const warnings = [...plan.risks.map(({ message }) => message), ...plan.warnings];
  return { changes: plan.changes, warnings, planHash };
}

function draftOf(configId: string, { changes, warnings, risks }: RegistrationPlan): RegistrationDraft {
  return { configId, changes, warnings, risks };
}

/** Returns what a registrar would refuse of a plan that is not refused already. @throws AppError PROVIDER_ERROR */
async function foreseen(
  { kind, registrar }: OpenRegistrar,
  name: string,
  { changes, refusals }: RegistrationPlan,
  keys: readonly ZoneKey[],
  shown: RegistrarState,
): Promise<Refusal[]> {
  if (changes.length === 0 || refusals.length > 0) return [];
  const change: RegistrarChange = Object.assign({}, ...changes.map((each) => changeOf(each, name, keys)));
  const present = (shown.ds ?? []).map((ds) => ({ ds }));
  const notMade = kind.makesDs && change.ds ? keyRefusals(kind.name, dsSteps(present, change.ds).added) : [];
  if (notMade.length > 0 || !registrar.refusals) return notMade;
  return await throughProvider(registrar.refusals(name, change));
}

function sideOf(changes: readonly FieldChange[], side: "before" | "after") {
  return Object.fromEntries(changes.map((change) => [change.field, change[side]]));
}
