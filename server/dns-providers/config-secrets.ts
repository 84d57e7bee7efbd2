import { AppError } from "../platform/errors.ts";
import { sameOrigin, secretAgain } from "../net/same-origin.ts";
import { ok, refuse, type Result } from "../platform/result.ts";
import type { SecretCipher } from "../platform/secret-cipher.ts";
import type { ConfigValues } from "../database/tables/provider-configs.ts";
import { kindByName } from "./kinds.ts";

/** A configuration as the database has it, secrets sealed. */
export interface StoredConfig {
  id: string;
  kind: string;
  config: ConfigValues;
}

/** What answers show in place of a secret. */
const shownInsteadOfSecret = "********";

/** The secrets within provider configurations: sealed at rest, bound to their configuration and field, never shown. */
export class ConfigSecrets {
  readonly #box: SecretCipher;

  constructor(box: SecretCipher) {
    this.#box = box;
  }

  /** The values with their secrets sealed for the configuration `id`. */
  seal(id: string, kind: string, values: ConfigValues): ConfigValues {
    const sealed = { ...values };
    for (const { name } of secretFields(kind)) {
      const value = values[name];
      if (value === undefined) continue;
      sealed[name] = this.#box.seal(JSON.stringify(value), placeOf(id, name));
    }
    return sealed;
  }

  /** The values as they were meant. @throws AppError PROVIDER_ERROR, naming what to do, for a secret that no key opens. */
  open({ id, kind, config }: StoredConfig): ConfigValues {
    const opened = { ...config };
    for (const { name, label } of secretFields(kind)) {
      const value = config[name];
      if (value === undefined) continue;
      const secret = this.#openOne(id, name, label, value);
      if (!secret.ok) throw new AppError("PROVIDER_ERROR", secret.message);
      opened[name] = secret.value;
    }
    return opened;
  }

  /**
   * What a change of a configuration means: an empty, masked or absent secret is the stored one, and null is none. `stored` is null for
   * a new configuration, in which they are all none. @throws AppError CONFLICT when a stored one is to be kept and no key opens it.
   */
  merge(stored: StoredConfig | null, kind: string, given: ConfigValues): ConfigValues {
    const merged = { ...given };
    for (const { name, label } of secretFields(kind)) {
      const value = given[name];
      if (value !== undefined && value !== null && value !== "" && value !== shownInsteadOfSecret) continue;
      delete merged[name];
      const kept = value === null ? undefined : stored?.config[name];
      if (!stored || kept === undefined) continue;
      const secret = this.#openOne(stored.id, name, label, kept);
      if (!secret.ok) {
        const issues = [{ path: ["config", name], message: "Enter it again." }];
        throw new AppError("CONFLICT", secret.message, { issues });
      }
      merged[name] = secret.value;
    }
    return merged;
  }

  /** The names of the secrets that a change of a configuration sets or takes away. */
  given(kind: string, values: ConfigValues): string[] {
    const kept = new Set<unknown>([undefined, "", shownInsteadOfSecret]);
    return secretFields(kind).flatMap(({ name }) => (kept.has(values[name]) ? [] : [name]));
  }

  /**
   * Keeps stored secrets from going to another server. `given` is what the caller sent, `values` what it means.
   * @throws AppError BAD_REQUEST with each secret that must be sent again
   */
  requireAgain({ kind, config }: StoredConfig, given: ConfigValues, values: ConfigValues): void {
    const { addresses = [] } = kindByName(kind) ?? {};
    // An address that is neither stored nor given is the vendor's own, before and after.
    const moved = addresses.some(
      (field) =>
        !(config[field] === undefined && given[field] === undefined) && !sameOrigin(config[field], values[field]),
    );
    if (!moved) return;
    const sent = new Set(this.given(kind, given));
    const issues = secretFields(kind)
      .filter(({ name }) => config[name] !== undefined && !sent.has(name))
      .map(({ name }) => ({ path: ["config", name], message: secretAgain }));
    if (issues.length > 0) throw new AppError("BAD_REQUEST", secretAgain, { issues });
  }

  /** The values for an answer. */
  masked(kind: string, config: ConfigValues): ConfigValues {
    const shown = secretFields(kind).flatMap(({ name }) => (name in config ? [[name, shownInsteadOfSecret]] : []));
    return { ...config, ...Object.fromEntries(shown) };
  }

  /** The configuration sealed with the newest key; null where it is already. @throws AppError PROVIDER_ERROR as `open` does. */
  resealed(stored: StoredConfig): ConfigValues | null {
    const current = secretFields(stored.kind).every(({ name }) => {
      const value = stored.config[name];
      return value === undefined || (typeof value === "string" && this.#box.isCurrent(value));
    });
    return current ? null : this.seal(stored.id, stored.kind, this.open(stored));
  }

  #openOne(id: string, field: string, label: string, stored: ConfigValues[string]): Result<ConfigValues[string]> {
    const opened = typeof stored === "string" ? this.#box.open(stored, placeOf(id, field)) : null;
    if (opened?.ok) return ok(JSON.parse(opened.text) as ConfigValues[string]);
    const why =
      opened?.reason === "unknownKey"
        ? "it was encrypted with a key that is not in SECRET_KEYS"
        : "what is stored of it is damaged or belongs to another configuration";
    return refuse(
      `The secret "${label}" of this provider configuration cannot be read: ${why}. Enter it again in the configuration.`,
    );
  }
}

/** The fields of a kind that are sealed. */
function secretFields(kind: string): { name: string; label: string }[] {
  return (kindByName(kind)?.configFields ?? []).filter(({ secret }) => secret);
}

/** Where a configuration points: its values less the secrets that open it. */
export function withoutSecrets(kind: string, values: ConfigValues): ConfigValues {
  const secret = new Set(secretFields(kind).map(({ name }) => name));
  return Object.fromEntries(Object.entries(values).filter(([name]) => !secret.has(name)));
}

function placeOf(id: string, field: string): string[] {
  return ["provider_configs", id, field];
}
