import type { EntityManager } from "../../database/database.ts";
import type { LiveRecord } from "../../dns/record.ts";
import { liveAtNames } from "./live-queries.ts";

/** The live records of a zone that nothing else changes meanwhile, each name read once. */
export class LiveNames {
  readonly #em: EntityManager;
  readonly #domainId: string;
  readonly #read = new Map<string, LiveRecord[]>();

  constructor(em: EntityManager, domainId: string) {
    this.#em = em;
    this.#domainId = domainId;
  }

  /** Returns all live records of some names. */
  async at(names: readonly string[]): Promise<LiveRecord[]> {
    const wanted = [...new Set(names)];
    const missing = wanted.filter((name) => !this.#read.has(name));
    const found = Map.groupBy(await liveAtNames(this.#em, this.#domainId, missing), ({ name }) => name);
    for (const name of missing) this.#read.set(name, found.get(name) ?? []);
    return wanted.flatMap((name) => this.#read.get(name) ?? []);
  }
}
