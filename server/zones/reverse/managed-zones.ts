import { sql, type SqlBool } from "kysely";
import { jsonTexts, queries, type EntityManager } from "../../database/database.ts";
import { reverseName } from "../../dns/reverse/addresses.ts";
import { classlessParent, namesFrom, ZoneIndex, type ManagedZone } from "../../dns/reverse/zones.ts";
import { inChunks } from "../../platform/slices.ts";

const namesPerQuery = 10_000;
const ipv6Tree = ".ip6.arpa";

/** The managed zones above some addresses and names, read when they are first asked for. */
export class ManagedZones {
  readonly index = new ZoneIndex<ManagedZone>();
  readonly #known = new Set<string>();
  readonly #asked = new Set<string>();
  readonly #askedParents = new Set<string>();
  /** The lengths of the managed zones' names under `ip6.arpa`. An address has 32 names above it there, and few of them can be zones. */
  #ipv6Lengths: ReadonlySet<number> | null = null;

  /** Reads the zones that hold the reverse names of addresses. */
  async readAddresses(em: EntityManager, addresses: Iterable<string>): Promise<void> {
    const names = new Set<string>();
    const parents = new Set<string>();
    for (const address of addresses) {
      const name = reverseName(address);
      if (name === null) continue;
      const isIPv6 = name.endsWith(ipv6Tree);
      const lengths = isIPv6 ? (this.#ipv6Lengths ??= await lengthsOf(em)) : null;
      for (const above of namesFrom(name)) if (!lengths || lengths.has(above.length)) names.add(above);
      const parent = classlessParent(address);
      if (parent !== null && !this.#askedParents.has(parent)) parents.add(parent);
    }
    await this.#read(em, names);
    await inChunks([...parents], namesPerQuery, async (some) => {
      const rows = await selected(em)
        .where(sql<SqlBool>`name ~ '^[0-9]+[-/][0-9]+[.]'`)
        .where(sql<string>`substr(name, strpos(name, '.') + 1)`, "in", textsOf(some))
        .execute();
      for (const parent of some) this.#askedParents.add(parent);
      this.#add(rows);
      return [];
    });
  }

  /** Reads the zones that hold names. */
  async readNames(em: EntityManager, names: Iterable<string>): Promise<void> {
    const above = new Set<string>();
    for (const name of names) for (const zone of namesFrom(name)) above.add(zone);
    await this.#read(em, above);
  }

  async #read(em: EntityManager, names: ReadonlySet<string>): Promise<void> {
    const unasked = [...names].filter((name) => !this.#asked.has(name));
    await inChunks(unasked, namesPerQuery, async (some) => {
      this.#add(await selected(em).where("name", "in", textsOf(some)).execute());
      for (const name of some) this.#asked.add(name);
      return [];
    });
  }

  #add(rows: readonly ManagedZone[]): void {
    for (const row of rows) {
      if (this.#known.has(row.id)) continue;
      this.#known.add(row.id);
      this.index.add(row);
    }
  }
}

function selected(em: EntityManager) {
  return queries(em).selectFrom("domains").select(["id", "name", "view"]);
}

function textsOf(texts: readonly string[]) {
  return sql<string>`(select value collate "C" from ${jsonTexts(texts)})`;
}

async function lengthsOf(em: EntityManager): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ length: number }>`
    select distinct length(name) as length from domains where name like ${sql.lit(`%${ipv6Tree}`)}
  `.execute(queries(em));
  // The tree itself may be a zone.
  return new Set([ipv6Tree.length - 1, ...rows.map(({ length }) => length)]);
}
