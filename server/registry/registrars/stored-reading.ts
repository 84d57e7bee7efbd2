import { sql } from "kysely";
import { fromJson, queries, type EntityManager } from "../../database/database.ts";
import { escapeLike } from "../../database/query-helpers.ts";
import { dsText, type Ds } from "../../dns/dnssec/keys.ts";
import { ProviderError } from "../../dns-providers/provider.ts";
import { registrableOf } from "../expiry/registration.ts";
import {
  differencesAtParent,
  isSame,
  changeableFields,
  type ChangeableField,
  type Registrar,
  type RegistrarState,
  type RegistrarTask,
} from "./registrar.ts";

/** What asking a domain's registrar brought. A failure leaves what it said before. */
export type RegistrarReading = {
  configId: string;
  /** The version of what was stored when the registrar was asked. */
  version: number;
  /** What became of the tasks of changes that it accepted, by field. Left out: it was not asked, or did not say. */
  tasks?: Partial<Record<ChangeableField, RegistrarTask>>;
} & ({ state: RegistrarState; error: null } | { state: null; error: string });

type FieldValue = string[] | boolean;

/** A change that a registrar accepted and did not show yet. */
interface AcceptedChange {
  /** What it shows until then. */
  before: FieldValue;
  after: FieldValue;
  at: Date;
  /** What it may show in between: the outcomes of changes that this one overtook. Left out: none. */
  overtaken?: FieldValue[];
  /** The tasks that carry it out. Left out: the registrar does not say. */
  tasks?: readonly string[];
  /** When one of them was last seen open. Left out: never. */
  openAt?: Date;
  /** The user who sent it. Left out: not known. */
  by?: string;
}

/** A change that a registrar accepted, and whose task failed. */
interface FailedChange {
  after: FieldValue;
  /** When it was accepted. */
  at: Date;
  /** The registrar's reason; empty if it gave none. */
  reason: string;
}

/** A change whose task just turned out to have failed. */
export interface FailedTask extends Pick<AcceptedChange, "before" | "after" | "at" | "by"> {
  field: ChangeableField;
  /** The registrar's reason; empty if it gave none. */
  reason: string;
}

/** Changes that a registrar accepted and did not show yet, by field. */
export type AcceptedChanges = Partial<Record<ChangeableField, AcceptedChange>>;

/** The ids of the tasks that carry changes out, by field. */
export type TasksByField = Partial<Record<ChangeableField, readonly string[]>>;

/** Changes that a registrar accepted, and whose tasks failed, by field. */
export type FailedChanges = Partial<Record<ChangeableField, FailedChange>>;

/** How long a registrar may take to carry a change out, in milliseconds. */
const longestCarryingOut = 24 * 3_600_000;
/** How long a failed change is shown, unless the field is changed again, in milliseconds. */
const longestFailed = 7 * 24 * 3_600_000;

/**
 * Returns the changes that a registrar still has to carry out, for at most a day: where it shows what it did before, or the outcome of a change
 * that was overtaken. The undo of a change that it has not shown ends where it began, so that it has to show something else in between.
 */
export function stillAccepted(known: StoredReading | null, state: RegistrarState, now: Date): AcceptedChanges {
  const accepted = Object.entries(known?.accepted ?? {}) as [ChangeableField, AcceptedChange][];
  return Object.fromEntries(
    accepted.flatMap(([field, change]) => {
      const { before, after, at, overtaken = [], openAt = at } = change;
      const shown = state[field];
      if (shown === null || now.getTime() - openAt.getTime() >= longestCarryingOut) return [];
      if (isSame(shown, before)) return overtaken.length > 0 || !isSame(before, after) ? [[field, change]] : [];
      const index = overtaken.findIndex((value) => isSame(shown, value));
      if (isSame(shown, after) || index === -1) return [];
      return [[field, { ...change, before: shown, overtaken: overtaken.slice(index + 1) }]];
    }),
  );
}

/**
 * Asks what became of the tasks of changes that a registrar does not show yet.
 * @returns by field; without those that it does not say, such as for want of a right
 */
export async function askTasks(
  registrar: Registrar,
  name: string,
  known: StoredReading | null,
  state: RegistrarState,
): Promise<NonNullable<RegistrarReading["tasks"]>> {
  const found: NonNullable<RegistrarReading["tasks"]> = {};
  for (const field of changeableFields) {
    const { after = null, tasks = [] } = known?.accepted?.[field] ?? {};
    if (tasks.length === 0 || isSame(state[field], after)) continue;
    const outcomes: (RegistrarTask | undefined)[] = [];
    for (const id of tasks) outcomes.push(await registrar.task?.(name, id).catch(unlessRefused));
    const worst = ["failed", "open"].flatMap((worse) => outcomes.find((one) => one?.state === worse) ?? [])[0];
    if (worst) found[field] = worst;
  }
  return found;
}

function unlessRefused(error: unknown): undefined {
  if (!(error instanceof ProviderError)) throw error;
}

/** Returns what a registrar still carries out, by what it says of its tasks. */
export function withoutFailed(accepted: AcceptedChanges, tasks: RegistrarReading["tasks"] = {}): AcceptedChanges {
  return Object.fromEntries(
    (Object.entries(accepted) as [ChangeableField, AcceptedChange][]).filter(
      ([field]) => tasks[field]?.state !== "failed",
    ),
  );
}

/** Returns the changes that were waited for until now, and whose tasks failed. */
export function failedTasks(known: StoredReading | null, tasks: RegistrarReading["tasks"] = {}): FailedTask[] {
  return changeableFields.flatMap((field) => {
    const [change, task] = [known?.accepted?.[field], tasks[field]];
    return change && task?.state === "failed" ? [{ ...change, field, reason: task.reason }] : [];
  });
}

/** Returns what is known of changes with what tasks say of them: those that go on, and those that failed. */
function afterTasks(known: StoredReading | null, tasks: NonNullable<RegistrarReading["tasks"]>, now: Date) {
  const accepted = Object.entries(known?.accepted ?? {}) as [ChangeableField, AcceptedChange][];
  const failed = failedTasks(known, tasks).map(({ field, after, at, reason }) => [field, { after, at, reason }]);
  const seen = accepted.map(
    ([field, change]) => [field, tasks[field]?.state === "open" ? { ...change, openAt: now } : change] as const,
  );
  return {
    accepted: withoutFailed(Object.fromEntries(seen), tasks),
    failed: { ...known?.failed, ...Object.fromEntries(failed) } as FailedChanges,
  };
}

/** Returns the failed changes that are still of interest: recent ones whose outcome the registrar does not show. */
export function stillFailed(known: StoredReading | null, state: RegistrarState | null, now: Date): FailedChanges {
  const failed = Object.entries(known?.failed ?? {}) as [ChangeableField, FailedChange][];
  return Object.fromEntries(
    failed.filter(
      ([field, { at, after }]) =>
        now.getTime() - at.getTime() < longestFailed && !isSame(state?.[field] ?? null, after),
    ),
  );
}

/** Returns what a registrar will say once it has carried out what it accepted. */
export function onceCarriedOut(state: RegistrarState, accepted: AcceptedChanges): RegistrarState {
  const fields = Object.entries(accepted).map(([field, { after }]) => [field, after]);
  return { ...state, ...Object.fromEntries(fields) };
}

/** The switches of a registration whose changes are reported. */
export const watchedFields = ["locked", "autoRenew"] as const;
export type WatchedFields = Pick<RegistrarState, (typeof watchedFields)[number]>;

/** What a registrar said last, as stored with a domain. */
export interface StoredReading {
  /** The configuration that was asked. */
  configId: string;
  /** When the registrar last answered; null: it never did. */
  seenAt: Date | null;
  state: RegistrarState | null;
  /** Why the last attempt failed; null if it did not. */
  error: string | null;
  /** What is compared with the next lookup: what the last one saw, with what was changed here since. Left out by earlier versions. */
  watched?: WatchedFields | null;
  /** Counts what the registrar said and what was changed here. Left out: none. */
  version?: number;
  /** When the registration was last changed here. Left out: never. */
  changedAt?: Date | null;
  /** What it accepted and did not show yet. Left out: nothing. */
  accepted?: AcceptedChanges;
  /** What it accepted and could not carry out. Left out: nothing. */
  failed?: FailedChanges;
  /** Switches of a change that was begun, and whose outcome is not stored yet. The next lookup does not report them. */
  sending?: readonly (keyof WatchedFields)[];
}

/** Reads a stored column. What another configuration said does not count. */
export function storedReading(column: unknown, configId: string | null): StoredReading | null {
  const stored = fromJson(column) as StoredReading | null;
  if (stored === null || stored.configId !== configId) return null;
  const { seenAt, changedAt = null, state, accepted = {}, failed = {} } = stored;
  const dated = Object.entries(accepted).map(([field, change]) => {
    const { at, openAt } = change;
    return [field, { ...change, at: new Date(at), ...(openAt && { openAt: new Date(openAt) }) }];
  });
  const datedFailed = Object.entries(failed).map(([field, change]) => [field, { ...change, at: new Date(change.at) }]);
  return {
    ...stored,
    accepted: Object.fromEntries(dated),
    failed: Object.fromEntries(datedFailed),
    seenAt: seenAt && new Date(seenAt),
    changedAt: changedAt && new Date(changedAt),
    state: state && { ...state, expiresAt: state.expiresAt && new Date(state.expiresAt) },
  };
}

/** Returns what to store after a reading that is not outdated. @param watched what to compare with the next lookup; as before if left out */
export function afterReading(
  known: StoredReading | null,
  { configId, state, error, tasks = {} }: RegistrarReading,
  now: Date,
  watched: Partial<WatchedFields> = {},
): StoredReading {
  const { accepted, failed } = afterTasks(known, tasks, now);
  const after = known && { ...known, accepted, failed };
  return {
    ...known,
    configId,
    seenAt: state ? now : (known?.seenAt ?? null),
    state: state ?? known?.state ?? null,
    error,
    watched: watchedAfter(watchedIn(known), watched),
    version: (known?.version ?? 0) + (state ? 1 : 0),
    accepted: state ? stillAccepted(after, state, now) : accepted,
    failed: stillFailed(after, state ?? known?.state ?? null, now),
    sending: (known?.sending ?? []).filter((field) => (watched[field] ?? null) === null),
  };
}

const unheard = { seenAt: null, state: null, error: null };

/** Returns what to store before a change is sent. */
export function beforeChange(
  known: StoredReading | null,
  configId: string,
  fields: readonly ChangeableField[],
): StoredReading {
  const sending = watchedFields.filter((field) => fields.includes(field));
  return { ...(known ?? { configId, ...unheard }), version: (known?.version ?? 0) + 1, sending };
}

/** What a change did at a registrar. */
interface Sent {
  /** What the registrar accepted. */
  made: Partial<RegistrarState>;
  /** What it accepted, and what may have been made, which the next lookup does not report. */
  sent: Partial<RegistrarState>;
  /** What it showed before. */
  before: RegistrarState;
  tasks: TasksByField;
  /** The user who sent it. */
  by: string;
}

/** Returns what to store after a change was sent, before the registrar is asked again. */
export function afterChange(known: StoredReading | null, configId: string, change: Sent, now: Date): StoredReading {
  const { made, before, sent } = change;
  const failed = Object.entries(known?.failed ?? {}).filter(([field]) => !(field in sent));
  return {
    ...(known ?? { configId, ...unheard }),
    failed: Object.fromEntries(failed),
    state: known?.state ? { ...known.state, ...made } : null,
    watched: watchedAfter(watchedIn(known), sent),
    version: (known?.version ?? 0) + 1,
    accepted: acceptedAfter(stillAccepted(known, before, now), change, now),
    changedAt: now,
    sending: [],
  };
}

/** Adds the changes that a registrar accepted just now. What it did not say before cannot be compared with what it will say. */
function acceptedAfter(open: AcceptedChanges, { made, before, tasks, by }: Sent, at: Date): AcceptedChanges {
  const changes = changeableFields.flatMap((field) => {
    const [was, after, earlier] = [before[field], made[field] ?? null, open[field]];
    if (was === null || after === null) return [];
    const overtaken = earlier ? [...(earlier.overtaken ?? []), earlier.after] : [];
    return [[field, { before: was, after, at, overtaken, tasks: tasks[field] ?? [], by }]];
  });
  return { ...open, ...Object.fromEntries(changes) };
}

/** Returns whether the registrar was asked before something newer was stored, so that its answer may be of before a change. */
export function isOutdated(known: StoredReading | null, { version }: Pick<RegistrarReading, "version">): boolean {
  return version !== (known?.version ?? 0);
}

/** Returns what the next lookup is compared with; null if no lookup has seen it. */
export function watchedIn(known: StoredReading | null): WatchedFields | null {
  return known?.watched ?? known?.state ?? null;
}

/** What is not said now stays. */
function watchedAfter(known: WatchedFields | null, seen: Partial<WatchedFields>): WatchedFields {
  return {
    locked: seen.locked ?? known?.locked ?? null,
    autoRenew: seen.autoRenew ?? known?.autoRenew ?? null,
  };
}

/** Locks the domains that have the registration of a name from an account: also zones below it, and those in other views. */
export async function sharing(tx: EntityManager, { name }: { name: string }, configId: string) {
  const rows = await queries(tx)
    .selectFrom("domains")
    .select(["id", "name", "registrar_state"])
    .where("registrar_config_id", "=", configId)
    // By the index of names: an account may have the registrations of all domains.
    .where((eb) => eb.or([eb("name", "=", name), eb("name", "like", `%.${escapeLike(name)}`)]))
    .orderBy("id")
    .forUpdate()
    .execute();
  return rows
    .filter((row) => (registrableOf(row.name)?.name ?? row.name) === name)
    .map((row) => ({ id: row.id, known: storedReading(row.registrar_state, configId) }));
}

/**
 * Notes whether the parent zone of a domain differs from its registrar, so that the portfolio finds it by an index. Whoever changes what one of
 * them said calls it, within the transaction, which holds the domain's row.
 */
export async function noteDifferences(tx: EntityManager, domainId: string): Promise<void> {
  const row = await queries(tx)
    .selectFrom("delegations")
    .innerJoin("domains", "domains.id", "delegations.domain_id")
    .select(["domains.name", "registrar_state", "registrar_config_id"])
    .select(["name_servers_differ", "ds_differ", sql`facts->'parent'`.as("parent")])
    .where("domain_id", "=", domainId)
    .executeTakeFirst();
  if (!row) return;
  const registrar = storedReading(row.registrar_state, row.registrar_config_id)?.state ?? null;
  const differ = differencesAtParent(
    registrar,
    registeredParent(row.name, fromJson(row.parent) as StoredParent | null),
  );
  if (differ.nameServers === row.name_servers_differ && differ.ds === row.ds_differ) return;
  await queries(tx)
    .updateTable("delegations")
    .set({ name_servers_differ: differ.nameServers, ds_differ: differ.ds })
    .where("domain_id", "=", domainId)
    .execute();
}

/** What the parent zone says, as the last check of the delegation stored it. */
interface StoredParent {
  nameServers: string[];
  /** Null: not known. */
  ds: Ds[] | null;
}

/** Returns what the parent zone says of a registered name. For a zone below such a name this is null: a registrar knows only the name itself. */
export function registeredParent(name: string, parent: StoredParent | null) {
  if (parent === null || (registrableOf(name)?.name ?? name) !== name) return null;
  return { nameServers: parent.nameServers, ds: parent.ds?.map(dsText) ?? null };
}

/** Stores what a registrar said of a domain, within a transaction. */
export async function storeState(tx: EntityManager, id: string, stored: StoredReading): Promise<void> {
  await queries(tx)
    .updateTable("domains")
    .set({ registrar_state: JSON.stringify(stored) })
    .where("id", "=", id)
    .execute();
  await noteDifferences(tx, id);
}
