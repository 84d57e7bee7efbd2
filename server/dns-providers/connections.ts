import { knownKind } from "./kinds.ts";
import type { DnsProvider, ProviderEnvironment, ProviderKind } from "./provider.ts";

/** Opens stored configurations. Connections are cheap: adapters keep what they want to keep themselves. */
export class ProviderConnections {
  readonly #environment: ProviderEnvironment;

  constructor(environment: ProviderEnvironment) {
    this.#environment = environment;
  }

  /** @throws Error for a kind that this version does not know. */
  connect(kindName: string, config: unknown): { kind: ProviderKind; provider: DnsProvider | null } {
    const kind = knownKind(kindName);
    return { kind, provider: kind.connect ? kind.connect(config, this.#environment) : null };
  }
}
