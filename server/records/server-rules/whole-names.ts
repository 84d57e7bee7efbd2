import { sql } from "kysely";
import { queries, type EntityManager } from "../../database/database.ts";
import { ownerWithin } from "../../dns/names/names.ts";
import { inPages, inSlices, type Steps } from "../../platform/slices.ts";
import { ancestorsAbove } from "../../dns/server-rules/ancestors.ts";
import { NamesInMemory, type CutType } from "../../dns/server-rules/known-names.ts";
import type { NameServerRecord, Unchanged } from "../../dns/server-rules/unchanged.ts";

interface Row {
  id: string;
  name: string;
  recordType: string;
  value: string | null;
}

const rowsPerPage = 500;

/** Holds all names of a zone, read once: for so many changes that asking about each name would cost more. */
export class WholeNames implements Unchanged {
  readonly #names: NamesInMemory;
  /** NS records by their targets. */
  readonly #nameServers: ReadonlyMap<string, readonly NameServerRecord[]>;

  private constructor(names: NamesInMemory, nameServers: ReadonlyMap<string, readonly NameServerRecord[]>) {
    this.#names = names;
    this.#nameServers = nameServers;
  }

  /** @param changed ids of the records to leave out */
  static async read(
    em: EntityManager,
    zone: { id: string; name: string },
    changed: ReadonlySet<string>,
  ): Promise<WholeNames> {
    const unchanged: Row[] = [];
    for await (const page of inPages<Row>(rowsPerPage, (last) => rowsAfter(em, zone.id, last))) {
      for (const row of page) if (!changed.has(row.id)) unchanged.push(row);
    }
    return await inSlices(WholeNames.#of(unchanged, zone.name));
  }

  static *#of(rows: readonly Row[], zone: string): Steps<WholeNames> {
    const nameServers = new Map<string, NameServerRecord[]>();
    for (const { id, name, value } of rows) {
      yield;
      const target = value === null ? null : ownerWithin(value, zone);
      if (target === null) continue;
      const known = nameServers.get(target);
      if (known) known.push({ id, name, target });
      else nameServers.set(target, [{ id, name, target }]);
    }
    return new WholeNames(yield* NamesInMemory.of(rows), nameServers);
  }

  types(name: string): ReadonlySet<string> {
    return this.#names.types(name);
  }

  existsBelow(name: string): boolean {
    return this.#names.existsBelow(name);
  }

  reach(name: string, type?: CutType): number {
    return this.#names.reach(name, type);
  }

  async load(): Promise<void> {}

  async loadAround(): Promise<void> {}

  async loadBelow(): Promise<void> {}

  async targetsNear(): Promise<string[]> {
    return await this.allTargets();
  }

  async allTargets(): Promise<string[]> {
    return [...this.#nameServers.keys()];
  }

  async pointingTo(targets: readonly string[]): Promise<NameServerRecord[]> {
    return targets.flatMap((target) => this.#nameServers.get(target) ?? []);
  }

  async nameServersBelow(names: readonly string[]): Promise<NameServerRecord[]> {
    return names.length === 0 ? [] : await inSlices(this.#below(new Set(names)));
  }

  *#below(names: ReadonlySet<string>): Steps<NameServerRecord[]> {
    const found: NameServerRecord[] = [];
    for (const records of this.#nameServers.values()) {
      for (const record of records) {
        yield;
        for (const above of ancestorsAbove(record.name)) {
          if (!names.has(above)) continue;
          found.push(record);
          break;
        }
      }
    }
    return found;
  }
}

async function rowsAfter(em: EntityManager, domainId: string, last: Row | null): Promise<Row[]> {
  const after = last
    ? sql`and (name, record_type, record_id) > (${last.name} collate "C", ${last.recordType} collate "C", ${last.id}::uuid)`
    : sql``;
  const { rows } = await sql<Row>`
    select record_id as id, name, record_type as "recordType", case when record_type = 'NS' then value end as value
    from records where domain_id = ${domainId} and until is null and status = 'active' ${after}
    order by name, record_type, record_id limit ${rowsPerPage}
  `.execute(queries(em));
  return rows;
}
