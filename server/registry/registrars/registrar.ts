import { domainToASCII } from "node:url";
import { fromJson } from "../../database/database.ts";
import type { z } from "zod";
import { ProviderError, type ConfigField } from "../../dns-providers/provider.ts";
import {
  VendorCalls,
  type Vendor,
  type VendorAnswer,
  type VendorEnvironment,
} from "../../dns-providers/vendor-api/calls.ts";
import { JsonApi, type JsonCall } from "../../dns-providers/vendor-api/json-api.ts";
import { dsOf, dsText, readKey } from "../../dns/dnssec/keys.ts";

/** What can be changed of a registration. None of it costs anything. */
export const changeableFields = ["nameServers", "ds", "locked", "autoRenew"] as const;
export type ChangeableField = (typeof changeableFields)[number];

/** What a registrar says of a registered name. Null: it does not say. */
export interface RegistrarState {
  expiresAt: Date | null;
  autoRenew: boolean | null;
  /** Whether transfers to another registrar are refused. */
  locked: boolean | null;
  /** Host names in lower-case A-labels, sorted. */
  nameServers: string[] | null;
  /** DS records in the form of zone files, sorted. */
  ds: string[] | null;
}

/** A DNSKEY that DS records are made of, for registrars that take keys instead. */
export interface PublishedKey {
  flags: number;
  algorithm: number;
  /** Base64. */
  publicKey: string;
}

/** What to change of a registration; what is left out stays. */
export interface RegistrarChange {
  nameServers?: string[];
  /** Each DS record in the form of zone files, with its key if the zone has one. */
  ds?: { ds: string; key: PublishedKey | null }[];
  locked?: boolean;
  autoRenew?: boolean;
}

/** What became of a task at a registrar, with its reason if it says one. */
interface RegistrarTask {
  state: "open" | "done" | "failed";
  reason: string;
}

/** Why a field cannot be changed, whatever is confirmed. */
export interface Refusal {
  field: ChangeableField;
  message: string;
}

/** An account at a registrar. @throws ProviderError from every call */
export interface Registrar {
  /** Returns the registered names of the account, in lower-case A-labels. */
  domains(): Promise<string[]>;
  /**
   * Returns what the registrar says of a name; null if the account does not have it.
   * @param changedAt when the name was last changed here; null: not known. What was read of it before then is out of date
   */
  read(name: string, changedAt?: Date | null): Promise<RegistrarState | null>;
  /** Returns what it is known to refuse of a change before anything of it is sent. Left out: nothing. */
  refusals?(name: string, change: RegistrarChange): Promise<Refusal[]>;
  /**
   * Changes one field of a registration. @param before what the registrar said last
   * @returns the ids of the tasks that carry it out later, if the registrar says them
   */
  change(name: string, change: RegistrarChange, before: RegistrarState): Promise<readonly string[] | void>;
  /** Returns what became of a task that `change` returned. Left out: it returns none. */
  task?(name: string, id: string): Promise<RegistrarTask>;
}

/** An account as its API shows it. Use it through `checkingNames`. */
export interface RegistrarAccount extends Omit<Registrar, "read"> {
  /** As `read` of `Registrar`, with the name that the answer is about; null: the answer names none. */
  read(name: string, changedAt?: Date | null): Promise<(RegistrarState & { name: string | null }) | null>;
}

/** Refuses what an account answers about another name than the one that was asked for, as by a mixed-up proxy. */
export function checkingNames(vendor: string, account: RegistrarAccount): Registrar {
  return {
    ...account,
    async read(name, changedAt) {
      const answer = await account.read(name, changedAt);
      if (answer === null) return null;
      const { name: said, ...state } = answer;
      const other = said === null ? name : domainToASCII(said.replace(/\.$/, "")).toLowerCase();
      if (other === name) return state;
      const message = `${vendor} answered for ${other === "" ? "another name" : other} when asked for ${name}, so nothing of it was used. Check the API address of the registrar configuration.`;
      throw new ProviderError(message, "none");
    },
  };
}

/** A kind of registrar: everything known about it without credentials. */
export interface RegistrarKind<Config = unknown> {
  kind: string;
  name: string;
  configFields: readonly ConfigField[];
  /** The fields of `config` that are addresses. Stored secrets are not sent to another one. */
  addresses: readonly string[];
  configSchema: z.ZodType<Config>;
  /** What its API can change. */
  changes: readonly ChangeableField[];
  /** Whether it takes the DNSKEY of each DS record and makes the DS record itself, with a SHA-256 digest. */
  makesDs?: true;
  connect: (config: Config, environment: VendorEnvironment) => RegistrarAccount;
}

/** How an API says that it has no such name, and that it refuses the credentials. */
interface Dialect {
  isMissing: (answer: Pick<VendorAnswer, "status" | "text">) => boolean;
  isUnauthorized: (answer: VendorAnswer) => boolean;
  /** Returns the message of a refusal. */
  messageOf: (text: string) => string;
  /** Its address with the version of the API, if that may be left out of the address in the configuration. */
  base: string;
  /** What to check when credentials are refused. */
  advice: string;
}

interface JsonRequest<T> extends Pick<JsonCall, "method" | "path" | "body" | "changes"> {
  schema: z.ZodType<T>;
}

/** Calls to a registrar's JSON API, with its refusals as ProviderErrors. */
export class RegistrarApi {
  readonly calls: VendorCalls;
  readonly #api: JsonApi;
  readonly #isMissing: Dialect["isMissing"];

  /** @param vendor a client of its own if calls are signed */
  constructor(
    vendor: Vendor | JsonApi,
    headers: Readonly<Record<string, string>> = {},
    {
      isMissing = ({ status }) => status === 404,
      isUnauthorized,
      messageOf,
      base,
      advice = "Check them and their rights.",
    }: Partial<Dialect> = {},
  ) {
    this.#isMissing = isMissing;
    if (vendor instanceof JsonApi) {
      this.#api = vendor;
      this.calls = vendor.calls;
      return;
    }
    this.calls = new VendorCalls(vendor);
    this.#api = new JsonApi({
      calls: this.calls,
      base: base ?? vendor.address.replace(/\/+$/, ""),
      headers: () => headers,
      credentials: "the credentials",
      of: "registrar configuration",
      advice,
      ...(isUnauthorized && { isForbidden: isUnauthorized }),
      ...(messageOf && { messageOf }),
    });
  }

  /** Returns the failure for credentials that cannot be used. */
  forbidden(message: string): ProviderError {
    return this.#api.forbidden(message);
  }

  /** Makes a call. @throws ProviderError also if the API has no such name */
  async call<T>(request: JsonRequest<T>): Promise<T> {
    const found = await this.find(request);
    if (found === null)
      throw this.calls.failure("does not have this name in the account.", "none", { zoneMissing: true });
    return found.value;
  }

  /** Makes a call. @returns null if the API has no such name. @throws ProviderError */
  async find<T>({ schema, ...request }: JsonRequest<T>): Promise<{ value: T; headers: Headers } | null> {
    const answer = await this.#api.send(request, schema);
    if (answer.ok) return answer;
    if (this.#isMissing(answer)) return null;
    throw this.calls.error(answer.message, "none");
  }
}

/** Makes a change in several calls. @returns what they returned @throws ProviderError with effect `unknown` if one fails after others were made */
export async function inSteps<T>(steps: readonly (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = [];
  for (const [index, step] of steps.entries()) {
    try {
      results.push(await step());
    } catch (error) {
      if (index > 0 && error instanceof ProviderError) throw error.afterSending();
      throw error;
    }
  }
  return results;
}

/**
 * Returns which DS records to add and which to remove, for registrars that take each by itself.
 * @throws ProviderError if there is nothing to send: what the change takes back is accepted already, and not shown yet
 */
export function dsStepsToSend<Known extends { ds: string }>(
  vendor: string,
  known: readonly Known[],
  wanted: NonNullable<RegistrarChange["ds"]>,
) {
  const steps = dsSteps(known, wanted);
  if (steps.added.length > 0 || steps.removed.length > 0) return steps;
  const message = `${vendor} does not show the earlier change of the DS records yet, so it cannot be taken back now. Try again once it shows it.`;
  throw new ProviderError(message, "none");
}

/** Returns which DS records to add and which to remove. */
export function dsSteps<Known extends { ds: string }>(
  known: readonly Known[],
  wanted: NonNullable<RegistrarChange["ds"]>,
) {
  return {
    added: wanted.filter(({ ds }) => !known.some((one) => one.ds === ds)),
    removed: known.filter(({ ds }) => !wanted.some((one) => one.ds === ds)),
  };
}

/** Returns the DS record that a registrar makes of a key, with a SHA-256 digest; null if the key cannot sign the zone. */
export function dsOfKey(name: string, { flags, algorithm, publicKey }: PublishedKey): string | null {
  const octets = Buffer.from(publicKey, "base64");
  const key =
    octets.length === 0 ? null : readKey(Buffer.concat([Buffer.from([flags >> 8, flags & 255, 3, algorithm]), octets]));
  return key && dsText(dsOf(key, name));
}

/** Returns the keys to send to a registrar that makes the DS records itself, with SHA-256 digests. @throws ProviderError if that is not what is wanted */
export function keysToSend(vendor: string, wanted: NonNullable<RegistrarChange["ds"]>): PublishedKey[] {
  const [refusal] = keyRefusals(vendor, wanted);
  if (refusal) throw new ProviderError(refusal.message, "none");
  return wanted.flatMap(({ key }) => key ?? []);
}

/** Returns why a registrar that makes DS records of keys itself, with SHA-256 digests, cannot have these. */
export function keyRefusals(vendor: string, wanted: NonNullable<RegistrarChange["ds"]>): Refusal[] {
  return wanted.flatMap(({ ds, key }) => {
    if (ds.split(" ")[2] !== "2")
      return noDs(`${vendor} makes the DS record itself, with a digest of type 2. Leave out DS ${ds}.`);
    return key ? [] : noDs(`${vendor} takes keys, and the zone has none for DS ${ds}. ${adviceOnKeys}`);
  });
}

/** What to do where the key of a DS record is missing. */
export const adviceOnKeys = "Publish the key in the zone, and let its name servers answer for DNSKEY.";

function noDs(message: string): Refusal[] {
  return [{ field: "ds", message }];
}

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
}

/** A change that a registrar accepted, and whose task failed. */
interface FailedChange {
  after: FieldValue;
  /** When it was accepted. */
  at: Date;
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

/** Returns whether a field has the same value, in whichever order. */
export function isSame(one: string[] | boolean | null, other: string[] | boolean | null): boolean {
  return inOrder(one) === inOrder(other);
}

function inOrder(value: string[] | boolean | null): string {
  return JSON.stringify(Array.isArray(value) ? value.toSorted() : value);
}

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

/** Returns what is known of changes with what tasks say of them: those that go on, and those that failed. */
function afterTasks(known: StoredReading | null, tasks: NonNullable<RegistrarReading["tasks"]>, now: Date) {
  const accepted = Object.entries(known?.accepted ?? {}) as [ChangeableField, AcceptedChange][];
  const failed = accepted.flatMap(([field, { after, at }]) => {
    const task = tasks[field];
    return task?.state === "failed" ? [[field, { after, at, reason: task.reason }] as const] : [];
  });
  const seen = accepted.map(
    ([field, change]) => [field, tasks[field]?.state === "open" ? { ...change, openAt: now } : change] as const,
  );
  return {
    accepted: withoutFailed(Object.fromEntries(seen), tasks),
    failed: { ...known?.failed, ...Object.fromEntries(failed) },
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

/**
 * Returns what to store after a change was sent, before the registrar is asked again.
 * @param made what the registrar accepted @param tasks that carry it out @param before what it showed before
 * @param sent what it accepted, and what may have been made, which the next lookup does not report
 */
export function afterChange(
  known: StoredReading | null,
  configId: string,
  {
    made,
    before,
    sent,
    tasks,
  }: Record<"made" | "sent", Partial<RegistrarState>> & { before: RegistrarState; tasks: TasksByField },
  now: Date,
): StoredReading {
  const failed = Object.entries(known?.failed ?? {}).filter(([field]) => !(field in sent));
  return {
    ...(known ?? { configId, ...unheard }),
    failed: Object.fromEntries(failed),
    state: known?.state ? { ...known.state, ...made } : null,
    watched: watchedAfter(watchedIn(known), sent),
    version: (known?.version ?? 0) + 1,
    accepted: acceptedAfter(stillAccepted(known, before, now), { made, before, tasks }, now),
    changedAt: now,
    sending: [],
  };
}

/** Adds the changes that a registrar accepted just now. What it did not say before cannot be compared with what it will say. */
function acceptedAfter(
  open: AcceptedChanges,
  { made, before, tasks }: { made: Partial<RegistrarState>; before: RegistrarState; tasks: TasksByField },
  at: Date,
): AcceptedChanges {
  const changes = changeableFields.flatMap((field) => {
    const [was, after, earlier] = [before[field], made[field] ?? null, open[field]];
    if (was === null || after === null) return [];
    const overtaken = earlier ? [...(earlier.overtaken ?? []), earlier.after] : [];
    return [[field, { before: was, after, at, overtaken, tasks: tasks[field] ?? [] }]];
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
