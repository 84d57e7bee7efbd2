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

/** Opens configurations. Connections are cheap: adapters keep what they want to keep themselves. */
export class ProviderConnections {
  readonly #environment: ProviderEnvironment;
  readonly #secrets: ConfigSecrets;

  constructor(environment: ProviderEnvironment, secrets: ConfigSecrets) {
    this.#environment = environment;
    this.#secrets = secrets;
  }

  /** @throws AppError PROVIDER_ERROR for a configuration that cannot be used, Error for a kind that this version does not know. */
  connect(stored: StoredConfig, purpose: Purpose = "person"): Connection {
    return this.connectWith(stored.kind, this.#secrets.open(stored), purpose);
  }

  /** The same for values that are not stored yet, secrets in the clear. @throws as `connect` does */
  connectWith(kindName: string, config: unknown, purpose: Purpose = "person"): Connection {
    const kind = knownKind(kindName);
    try {
      const provider = kind.connect ? kind.connect(config, { ...this.#environment, purpose }) : null;
      return { kind: kind.adjust ? { ...kind, ...kind.adjust(config) } : kind, provider };
    } catch (error) {
      if (!(error instanceof ProviderError || error instanceof ZodError)) throw error;
      const reason = error instanceof ProviderError ? error.message : "A field of it is not valid any more.";
      throw new AppError("PROVIDER_ERROR", `This ${kind.name} configuration cannot be used: ${reason}`, {
        cause: error,
      });
    }
  }
}
