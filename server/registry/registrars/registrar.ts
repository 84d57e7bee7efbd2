import { domainToASCII } from "node:url";
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
export interface RegistrarTask {
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

/** Returns whether a field has the same value, in whichever order. */
export function isSame(one: string[] | boolean | null, other: string[] | boolean | null): boolean {
  return inOrder(one) === inOrder(other);
}

function inOrder(value: string[] | boolean | null): string {
  return JSON.stringify(Array.isArray(value) ? value.toSorted() : value);
}

function differ(one: string[] | null | undefined, other: string[] | null | undefined): boolean {
  return Boolean(one && other && !isSame(one, other));
}

/** Returns whether the parent zone has other name servers and DS records than the registrar. What one of them does not say does not differ. */
export function differencesAtParent(
  registrar: RegistrarState | null,
  parent: { nameServers: string[]; ds: string[] | null } | null,
) {
  return {
    nameServers: differ(registrar?.nameServers, parent?.nameServers),
    ds: differ(registrar?.ds, parent?.ds),
  };
}
