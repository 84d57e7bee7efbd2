import { ZodError } from "zod";
import { AppError } from "../platform/errors.ts";
import type { RecordData } from "../dns/record.ts";
import { knownKind, kindByName } from "./kinds.ts";
import {
  ProviderError,
  type ConfigField,
  type DnsProvider,
  type ProviderEnvironment,
  type ProviderKind,
} from "./provider.ts";
import type { AccountGate, CallsLeft, Purpose } from "./vendor-api/accounts.ts";
import { sameOrigin, secretAgain } from "../platform/net/same-origin.ts";
import { ok, refuse, type Result } from "../platform/result.ts";
import type { SecretCipher } from "../platform/secret-cipher.ts";
import type { ConfigValues } from "../database/tables/provider-configs.ts";

export interface Connection {
  kind: ProviderKind;
  /** Null for a kind without a back end. */
  provider: DnsProvider | null;
  /** Returns the records that a new zone begins with, if the kind has no back end. */
  initialRecords: () => readonly RecordData[];
}

/** Opens connections for configurations. They are cheap; adapters cache what they need. */
export class ProviderConnections {
  readonly #environment: ProviderEnvironment;
  readonly #secrets: ConfigSecrets;
  /** What counts the calls of each configuration, by its id. */
  readonly #gates = new Map<string, ReadonlySet<AccountGate>>();

  constructor(environment: ProviderEnvironment, secrets: ConfigSecrets) {
    this.#environment = environment;
    this.#secrets = secrets;
  }

  /**
   * Opens a stored configuration. @throws AppError PROVIDER_ERROR if it cannot be used, Error for a kind unknown to this version.
   */
  connect(stored: StoredConfig, purpose: Purpose = "person"): Connection {
    const kind = knownKind(stored.kind);
    // Without a back end there is nothing to connect to.
    if (!kind.connect) {
      const initialRecords = () => kind.initialRecords?.(withoutSecrets(stored.kind, stored.config)) ?? [];
      return { kind, provider: null, initialRecords };
    }
    const gates = new Set<AccountGate>();
    const connection = this.connectWith(stored.kind, this.#secrets.open(stored), purpose, (gate) => gates.add(gate));
    this.#gates.set(stored.id, gates);
    return connection;
  }

  /** Connects as `connect` does, or returns why the configuration cannot be used. */
  tryConnect(stored: StoredConfig): Connection | AppError {
    try {
      return this.connect(stored);
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  }

  /** Returns the calls left of the rate limit of a configuration's account; null if unknown, as before its first use here. */
  callsLeft(id: string): CallsLeft | null {
    const known = [...(this.#gates.get(id) ?? [])].flatMap((gate) => gate.callsLeft() ?? []);
    return known.toSorted((one, other) => partOf(one) - partOf(other))[0] ?? null;
  }

  /** Forgets the account of a configuration whose settings have changed, or which is gone. */
  forgetCalls(id: string): void {
    this.#gates.delete(id);
  }

  /** Opens values that are not stored yet, with secrets in plain text. @throws as `connect` does */
  connectWith(
    kindName: string,
    config: unknown,
    purpose: Purpose = "person",
    onGate?: ProviderEnvironment["onGate"],
  ): Connection {
    const kind = knownKind(kindName);
    try {
      const provider = kind.connect
        ? kind.connect(config, { ...this.#environment, purpose, ...(onGate && { onGate }) })
        : null;
      return { kind: kind.adjust ? { ...kind, ...kind.adjust(config) } : kind, provider, initialRecords: () => [] };
    } catch (error) {
      if (!(error instanceof ProviderError || error instanceof ZodError)) throw error;
      const reason = error instanceof ProviderError ? error.message : "One of its fields is no longer valid.";
      throw new AppError("PROVIDER_ERROR", `This ${kind.name} configuration cannot be used: ${reason}`, {
        cause: error,
      });
    }
  }
}

function partOf({ left, limit }: CallsLeft): number {
  return left / (limit ?? 1);
}

/** A configuration as stored, with its secrets sealed. */
export interface StoredConfig {
  id: string;
  kind: string;
  config: ConfigValues;
}

/** What responses show in place of a secret. */
const shownInsteadOfSecret = "********";

/** Whose secrets they are: the kinds with their fields, the table, and a name for messages. */
export interface SecretsOf {
  kindByName: (kind: string) => { configFields: readonly ConfigField[]; addresses?: readonly string[] } | null;
  table: string;
  what: string;
}

const ofProviders: SecretsOf = { kindByName, table: "provider_configs", what: "provider configuration" };

/** Handles the secrets of configurations: sealed at rest, bound to their configuration and field, and never shown. */
export class ConfigSecrets {
  readonly #box: SecretCipher;
  readonly #of: SecretsOf;

  constructor(box: SecretCipher, of = ofProviders) {
    this.#box = box;
    this.#of = of;
  }

  /** Returns the values with their secrets sealed for the configuration `id`. */
  seal(id: string, kind: string, values: ConfigValues): ConfigValues {
    const sealed = { ...values };
    for (const { name } of this.#secretFields(kind)) {
      const value = values[name];
      if (value === undefined) continue;
      sealed[name] = this.#box.seal(JSON.stringify(value), this.#aadOf(id, name));
    }
    return sealed;
  }

  /** Returns the values with their secrets opened. @throws AppError PROVIDER_ERROR, saying what to do, if no key opens a secret. */
  open({ id, kind, config }: StoredConfig): ConfigValues {
    const opened = { ...config };
    for (const { name, label } of this.#secretFields(kind)) {
      const value = config[name];
      if (value === undefined) continue;
      const secret = this.#openOne(id, name, label, value);
      if (!secret.ok) throw new AppError("PROVIDER_ERROR", secret.message);
      opened[name] = secret.value;
    }
    return opened;
  }

  /**
   * Completes the given values with stored secrets. An empty, masked or absent secret means the stored one; null removes it. A new
   * configuration (`stored` is null) has none.
   * @throws AppError CONFLICT if no key opens a stored secret that is needed.
   */
  merge(stored: StoredConfig | null, kind: string, given: ConfigValues): ConfigValues {
    const merged = { ...given };
    for (const { name, label } of this.#secretFields(kind)) {
      const value = given[name];
      if (value !== undefined && value !== null && value !== "" && value !== shownInsteadOfSecret) continue;
      delete merged[name];
      const storedValue = value === null ? undefined : stored?.config[name];
      if (!stored || storedValue === undefined) continue;
      const secret = this.#openOne(stored.id, name, label, storedValue);
      if (!secret.ok) {
        const issues = [{ path: ["config", name], message: "Enter it again." }];
        throw new AppError("CONFLICT", secret.message, { issues });
      }
      merged[name] = secret.value;
    }
    return merged;
  }

  /** Returns the names of the secrets that a change sets or removes. */
  given(kind: string, values: ConfigValues): string[] {
    const unchanged = new Set<unknown>([undefined, "", shownInsteadOfSecret]);
    return this.#secretFields(kind).flatMap(({ name }) => (unchanged.has(values[name]) ? [] : [name]));
  }

  /**
   * Prevents stored secrets from being sent to another server. `given` is what the caller sent, `values` what it results in.
   * @throws AppError BAD_REQUEST with each secret that must be sent again
   */
  requireAgain({ kind, config }: StoredConfig, given: ConfigValues, values: ConfigValues): void {
    const { addresses = [] } = this.#of.kindByName(kind) ?? {};
    // An address that is neither stored nor given is the vendor's own, before and after.
    const moved = addresses.some(
      (field) =>
        !(config[field] === undefined && given[field] === undefined) && !sameOrigin(config[field], values[field]),
    );
    if (!moved) return;
    const sent = new Set(this.given(kind, given));
    const issues = this.#secretFields(kind)
      .filter(({ name }) => config[name] !== undefined && !sent.has(name))
      .map(({ name }) => ({ path: ["config", name], message: secretAgain }));
    if (issues.length > 0) throw new AppError("BAD_REQUEST", secretAgain, { issues });
  }

  /** Returns the values with secrets masked. */
  masked(kind: string, config: ConfigValues): ConfigValues {
    const shown = this.#secretFields(kind).flatMap(({ name }) =>
      name in config ? [[name, shownInsteadOfSecret]] : [],
    );
    return { ...config, ...Object.fromEntries(shown) };
  }

  /** The values sealed with the newest key: themselves if they already are, null if no key opens one of them. */
  resealed(stored: StoredConfig): ConfigValues | null {
    const { id, kind, config } = stored;
    const sealed = { ...config };
    let current = true;
    for (const { name } of this.#secretFields(kind)) {
      const value = config[name];
      if (value === undefined) continue;
      const resealed = typeof value === "string" ? this.#box.resealed(value, this.#aadOf(id, name)) : null;
      if (resealed === null) return null;
      current &&= resealed === value;
      sealed[name] = resealed;
    }
    return current ? config : sealed;
  }

  #openOne(id: string, field: string, label: string, stored: ConfigValues[string]): Result<ConfigValues[string]> {
    const opened = typeof stored === "string" ? this.#box.open(stored, this.#aadOf(id, field)) : null;
    if (opened?.ok) return ok(JSON.parse(opened.text) as ConfigValues[string]);
    const why =
      opened?.reason === "unknownKey"
        ? "it was encrypted with a key that is not in SECRET_KEYS"
        : "its stored value is damaged or belongs to another configuration";
    return refuse(
      `The secret "${label}" of this ${this.#of.what} cannot be read: ${why}. Enter it again in the configuration.`,
    );
  }

  #secretFields(kind: string): { name: string; label: string }[] {
    return secretsAmong(this.#of.kindByName(kind));
  }

  #aadOf(id: string, field: string): string[] {
    return [this.#of.table, id, field];
  }
}

/** Returns the fields of a kind that are stored sealed. */
function secretsAmong(kind: { configFields: readonly ConfigField[] } | null): { name: string; label: string }[] {
  return (kind?.configFields ?? []).filter(({ secret }) => secret);
}

/** Returns the values without the secrets. */
export function withoutSecrets(kind: string, values: ConfigValues): ConfigValues {
  const secret = new Set(secretsAmong(kindByName(kind)).map(({ name }) => name));
  return Object.fromEntries(Object.entries(values).filter(([name]) => !secret.has(name)));
}
