import { ZodError } from "zod";
import { AppError } from "../platform/errors.ts";
import type { ConfigSecrets, StoredConfig } from "./config-secrets.ts";
import { knownKind } from "./kinds.ts";
import { ProviderError, type DnsProvider, type ProviderEnvironment, type ProviderKind } from "./provider.ts";
import type { Purpose } from "./vendor-api/accounts.ts";

export interface Connection {
  kind: ProviderKind;
  /** Null for a kind without a back end. */
  provider: DnsProvider | null;
}

/** Opens connections for configurations. They are cheap; adapters cache what they need. */
export class ProviderConnections {
  readonly #environment: ProviderEnvironment;
  readonly #secrets: ConfigSecrets;

  constructor(environment: ProviderEnvironment, secrets: ConfigSecrets) {
    this.#environment = environment;
    this.#secrets = secrets;
  }

  /**
   * Opens a stored configuration. @throws AppError PROVIDER_ERROR if it cannot be used, Error for a kind unknown to this version.
   */
  connect(stored: StoredConfig, purpose: Purpose = "person"): Connection {
    const kind = knownKind(stored.kind);
    // Without a back end there is nothing to connect to, and no secret to open.
    if (!kind.connect) return { kind, provider: null };
    return this.connectWith(stored.kind, this.#secrets.open(stored), purpose);
  }

  /** Opens values that are not stored yet, with secrets in plain text. @throws as `connect` does */
  connectWith(kindName: string, config: unknown, purpose: Purpose = "person"): Connection {
    const kind = knownKind(kindName);
    try {
      const provider = kind.connect ? kind.connect(config, { ...this.#environment, purpose }) : null;
      return { kind: kind.adjust ? { ...kind, ...kind.adjust(config) } : kind, provider };
    } catch (error) {
      if (!(error instanceof ProviderError || error instanceof ZodError)) throw error;
      const reason = error instanceof ProviderError ? error.message : "One of its fields is no longer valid.";
      throw new AppError("PROVIDER_ERROR", `This ${kind.name} configuration cannot be used: ${reason}`, {
        cause: error,
      });
    }
  }
}
