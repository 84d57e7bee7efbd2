import { ZodError } from "zod";
import { AppError } from "../errors.ts";
import { knownKind } from "./kinds.ts";
import { ProviderError, type DnsProvider, type ProviderEnvironment, type ProviderKind } from "./provider.ts";

/** Opens stored configurations. Connections are cheap: adapters keep what they want to keep themselves. */
export class ProviderConnections {
  readonly #environment: ProviderEnvironment;

  constructor(environment: ProviderEnvironment) {
    this.#environment = environment;
  }

  /** @throws AppError PROVIDER_ERROR for a configuration that cannot be used, Error for a kind that this version does not know. */
  connect(kindName: string, config: unknown): { kind: ProviderKind; provider: DnsProvider | null } {
    const kind = knownKind(kindName);
    try {
      return { kind, provider: kind.connect ? kind.connect(config, this.#environment) : null };
    } catch (error) {
      if (!(error instanceof ProviderError || error instanceof ZodError)) throw error;
      const reason = error instanceof ProviderError ? error.message : "A field of it is not valid any more.";
      throw new AppError("PROVIDER_ERROR", `This ${kind.name} configuration cannot be used: ${reason}`, {
        cause: error,
      });
    }
  }
}
