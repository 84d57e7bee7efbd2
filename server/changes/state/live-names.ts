import type { EntityManager } from "../../database/database.ts";
import type { Sent } from "../../database/one-trip.ts";
import type { LiveRecord } from "../../dns/record.ts";
import { inChunks } from "../../platform/slices.ts";
import { liveAtNames, liveAtNamesStatement, liveRecord, type LiveRow } from "./live-queries.ts";

/** Names read at once: a statement of the embedded database blocks the event loop until it is done. */
const namesPerQuery = 1_000;

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
    const found = await inChunks(missing, namesPerQuery, (some) => liveAtNames(this.#em, this.#domainId, some));
    this.#remember(missing, found);
    return wanted.flatMap((name) => this.#read.get(name) ?? []);
  }

  /** Returns what reads names ahead, together with other statements of the transaction. */
  ahead(names: readonly string[]): Sent {
    return {
      statement: () => liveAtNamesStatement(this.#em, this.#domainId, names),
      answered: ({ rows }) => this.#remember(names, (rows as LiveRow[]).map(liveRecord)),
    };
  }

  #remember(names: readonly string[], records: readonly LiveRecord[]): void {
    const found = Map.groupBy(records, ({ name }) => name);
    for (const name of names) this.#read.set(name, found.get(name) ?? []);
  }
}
