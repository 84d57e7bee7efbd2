import { ZodError } from "zod";
import { AppError } from "../platform/errors.ts";
import { withoutSecrets, type ConfigSecrets, type StoredConfig } from "./config-secrets.ts";
import type { RecordData } from "../dns/record.ts";
import { knownKind } from "./kinds.ts";
import { ProviderError, type DnsProvider, type ProviderEnvironment, type ProviderKind } from "./provider.ts";
import type { Purpose } from "./vendor-api/accounts.ts";

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
    return this.connectWith(stored.kind, this.#secrets.open(stored), purpose);
  }

  /** Opens values that are not stored yet, with secrets in plain text. @throws as `connect` does */
  connectWith(kindName: string, config: unknown, purpose: Purpose = "person"): Connection {
    const kind = knownKind(kindName);
    try {
      const provider = kind.connect ? kind.connect(config, { ...this.#environment, purpose }) : null;
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
