import { sql, type RawBuilder } from "kysely";
import { jsonTexts, queries, type EntityManager } from "../../../database/database.ts";
import { absoluteName, ownerWithin } from "../../../dns/names/names.ts";
import { inChunks, inPages } from "../../../platform/slices.ts";
import {
  wildcardBelow,
  addTypes,
  noTypes,
  namesWithin,
  reversed,
  sharedLength,
  type NameServerRecord,
  type Unchanged,
} from "../../../dns/server-rules/known-names.ts";

/** Names asked about in one statement. Each costs one or two index lookups. */
const namesPerStatement = 250;
/** The same where the changed records below each name are skipped. */
const branchesPerStatement = 50;
const targetsPerPage = 500;
/** Targets below a name that are read along with those of other names; if there are more, they are read in pages of their own. */
const targetsPerRoot = 20;
const rootsPerStatement = 100;

/** `name` as in the index of names. */
const nameKeyed = sql`(reverse(name) || '.') collate "C"`;
/** NS targets as in their index, where names below another one begin with it. */
const valueKeyed = sql`(case when record_type in ('NS', 'DNAME') then reverse(value) end) collate "C"`;

/** Returns whether a zone has records that depend on other names: a DNAME, or an NS record that points into the zone. */
export async function hasDependingRecords(
  em: EntityManager,
  { id, name }: { id: string; name: string },
): Promise<boolean> {
  const key = reversed(name);
  const live = sql`select from records where domain_id = ${id} and until is null and status = 'active'`;
  const nameServers = sql`${live} and record_type = 'NS' and ${valueKeyed}`;
  // The index has NS and DNAME records only.
  const { rows } = await sql<{ depends: boolean }>`
    select exists (${live} and record_type = 'DNAME')
      or exists (${nameServers} = ${key} collate "C")
      or exists (${nameServers} > ${`${key}.`} collate "C" and ${valueKeyed} < ${`${key}/`} collate "C") as depends
  `.execute(queries(em));
  return rows[0]?.depends === true;
}

/**
 * Asks the database about the names of a zone, without the records that some changes are about. The cost follows the number of rows found,
 * and one statement covers a few names only. Each name is looked up by itself (`lateral`): without statistics, as after an import, a join
 * would read the whole zone.
 */
export class ZoneNames implements Unchanged {
  readonly #em: EntityManager;
  readonly #zone: { id: string; name: string };
  readonly #live: RawBuilder<boolean>;
  readonly #others: RawBuilder<boolean>;
  readonly #types = new Map<string, Set<string>>();
  readonly #typed = new Set<string>();
  readonly #below = new Map<string, boolean>();
  readonly #reach = new Map<string, number>();

  /** @param changed ids of the records to leave out */
  constructor(em: EntityManager, zone: { id: string; name: string }, changed: ReadonlySet<string>) {
    this.#em = em;
    this.#zone = zone;
    this.#live = sql<boolean>`domain_id = ${zone.id} and until is null and status = 'active'`;
    this.#others = sql<boolean>`${this.#live} and record_id not in (select value::uuid from ${jsonTexts([...changed])})`;
  }

  types(name: string): ReadonlySet<string> {
    return this.#types.get(name) ?? noTypes;
  }

  existsBelow(name: string): boolean {
    return this.#below.get(name) ?? false;
  }

  reach(name: string): number {
    return this.#reach.get(name) ?? Infinity;
  }

  async load(names: readonly string[]): Promise<void> {
    await this.#loadReach(names);
    const wanted = new Set([...names, "@"]);
    for (const name of names) addMissing(wanted, this.#above(name));
    await this.#loadTypes(wanted);
  }

  async loadAround(names: readonly string[]): Promise<void> {
    await this.load(names);
    const above = new Set<string>();
    for (const name of names) addMissing(above, this.#above(name));
    await this.#loadTypes(new Set([...above, "@"].map(wildcardBelow)));
    // What is below a name matters only if the name has no records.
    await this.loadBelow([...new Set([...names, ...above])].filter((name) => this.types(name).size === 0));
  }

  async loadBelow(names: readonly string[]): Promise<void> {
    const missing = names.filter((name) => !this.#below.has(name));
    for (const name of missing) this.#below.set(name, false);
    const found = await inChunks(missing, branchesPerStatement, (some) => this.#withNamesBelow(some));
    for (const name of found) this.#below.set(name, true);
  }

  #above(name: string): Iterable<string> {
    return namesWithin(name, this.reach(name));
  }

  /** Finds how much of each name exists, counting changed records too. */
  async #loadReach(names: readonly string[]): Promise<void> {
    const missing = names.filter((name) => !this.#reach.has(name));
    const keys = missing.map((name) => `${reversed(name)}.`);
    const found = await this.#reaches(keys, nameKeyed, sql`true`);
    for (const [index, name] of missing.entries()) this.#reach.set(name, found.get(keys[index] ?? "") ?? 0);
  }

  async #loadTypes(names: ReadonlySet<string>): Promise<void> {
    const missing = [...names].filter((name) => !this.#typed.has(name));
    for (const name of missing) this.#typed.add(name);
    const found = await inChunks(missing, namesPerStatement, async (some) => {
      const { rows } = await sql<{ name: string; recordType: string }>`
        select found.name, found."recordType" from ${jsonTexts(some)} given cross join lateral (
          select distinct name, record_type as "recordType" from records
          where ${this.#others} and name = given.value collate "C"
        ) found
      `.execute(queries(this.#em));
      return rows;
    });
    addTypes(this.#types, found);
  }

  async #withNamesBelow(names: readonly string[]): Promise<string[]> {
    const isApex = names.includes("@");
    const byKey = new Map<string, string>(
      names.flatMap((name) => (name === "@" ? [] : [[`${reversed(name)}.`, name]])),
    );
    // The key of a name ends in a dot; the character after the dot is the slash.
    const { rows } = await sql<{ key: string }>`
      select given.value as key from ${jsonTexts([...byKey.keys()])} given cross join lateral (
        select from records where ${this.#others}
        and ${nameKeyed} > given.value collate "C" and ${nameKeyed} < (left(given.value, -1) || '/') collate "C"
        order by ${nameKeyed} limit 1
      ) found
      ${isApex ? sql`union all select '@' where exists (select 1 from records where ${this.#others} and name <> '@')` : sql``}
    `.execute(queries(this.#em));
    return rows.map(({ key }) => byKey.get(key) ?? "@");
  }

  async targetsNear(above: readonly string[], within: readonly string[]): Promise<string[]> {
    const keys = above.map((name) => this.#key(name));
    const reaches = await this.#reaches(keys, valueKeyed, sql`record_type = 'NS'`);
    const ancestors = new Set<string>();
    for (const [index, name] of above.entries()) {
      // The keys of targets begin with the zone's and have no dot at their end.
      const reach = (reaches.get(keys[index] ?? "") ?? 0) - this.#zone.name.length;
      addMissing(ancestors, namesWithin(name, reach));
    }
    const exact = [...new Set([...ancestors, ...within])].map((name) => this.#key(name));
    const atNames = await inChunks(exact, namesPerStatement, async (some) => {
      const { rows } = await sql<{ key: string }>`
        select given.value as key from ${jsonTexts(some)} given cross join lateral (
          select from records where ${this.#others} and record_type = 'NS' and ${valueKeyed} = given.value collate "C" limit 1
        ) found
      `.execute(queries(this.#em));
      return rows.map(({ key }) => key);
    });
    const roots = within.map((name) => this.#key(name));
    const belowNames = await inChunks(roots, rootsPerStatement, (some) => this.#targetsBelow(some));
    const first = Map.groupBy(belowNames, ({ root }) => root);
    const found = new Set(atNames);
    for (const { key } of belowNames) found.add(key);
    for (const [root, { length }] of first) {
      if (length === targetsPerRoot) for (const key of await this.#allTargetsBelow(root)) found.add(key);
    }
    return this.#ownersOf(found);
  }

  async allTargets(): Promise<string[]> {
    const apex = this.#key("@");
    const found = await this.#allTargetsBelow(apex);
    // Whether anything points to the apex is checked when it is judged.
    return this.#ownersOf([apex, ...found]);
  }

  /** Returns the first targets below each of some names, by their keys. */
  async #targetsBelow(roots: readonly string[]): Promise<{ root: string; key: string }[]> {
    // Names below another one begin with it and a dot; the character after the dot is the slash.
    const { rows } = await sql<{ root: string; key: string }>`
      select root.value as root, found.key from ${jsonTexts(roots)} root cross join lateral (
        select distinct ${valueKeyed} as key from records where ${this.#others} and record_type = 'NS'
        and ${valueKeyed} >= (root.value || '.') collate "C" and ${valueKeyed} < (root.value || '/') collate "C"
        order by key limit ${targetsPerRoot}
      ) found
    `.execute(queries(this.#em));
    return rows;
  }

  async #allTargetsBelow(root: string): Promise<string[]> {
    const found: string[] = [];
    const pages = inPages<{ key: string }>(targetsPerPage, async (last) => {
      const { rows } = await sql<{ key: string }>`
        select distinct ${valueKeyed} as key from records where ${this.#others} and record_type = 'NS'
        and ${valueKeyed} > ${last?.key ?? `${root}.`} collate "C" and ${valueKeyed} < ${`${root}/`} collate "C"
        order by key limit ${targetsPerPage}
      `.execute(queries(this.#em));
      return rows;
    });
    for await (const page of pages) for (const { key } of page) found.push(key);
    return found;
  }

  #ownersOf(keys: Iterable<string>): string[] {
    return [...keys].flatMap((key) => ownerWithin(reversed(key), this.#zone.name) ?? []);
  }

  async pointingTo(targets: readonly string[]): Promise<NameServerRecord[]> {
    return await inChunks(targets, namesPerStatement, async (some) => {
      const keys = jsonTexts(some.map((name) => this.#key(name)));
      return await this.#records(keys, sql`${valueKeyed} = given.value collate "C"`);
    });
  }

  async nameServersBelow(names: readonly string[]): Promise<NameServerRecord[]> {
    const found = await inChunks(names, namesPerStatement, async (some) => {
      const keys = jsonTexts(some.map((name) => reversed(name)));
      const isBelow = sql`${nameKeyed} > (given.value || '.') collate "C" and ${nameKeyed} < (given.value || '/') collate "C"`;
      return await this.#records(keys, isBelow);
    });
    return [...new Map(found.map((record) => [record.id, record])).values()];
  }

  /** Returns how many characters each key shares with its nearest neighbor in an index. */
  async #reaches(
    keys: readonly string[],
    keyed: RawBuilder<unknown>,
    condition: RawBuilder<unknown>,
  ): Promise<Map<string, number>> {
    const found = await inChunks([...new Set(keys)], namesPerStatement, async (some) => {
      const neighbor = (side: RawBuilder<unknown>, order: RawBuilder<unknown>) => sql`(
        select ${keyed} from records where ${this.#live} and ${condition} and ${keyed} ${side} given.value collate "C"
        order by ${keyed} ${order} limit 1)`;
      const { rows } = await sql<{ key: string; before: string | null; after: string | null }>`
        select given.value as key, ${neighbor(sql`<`, sql`desc`)} as before, ${neighbor(sql`>=`, sql`asc`)} as after
        from ${jsonTexts(some)} given
      `.execute(queries(this.#em));
      return rows;
    });
    return new Map(
      found.map(({ key, before, after }) => [
        key,
        Math.max(sharedLength(key, before ?? ""), sharedLength(key, after ?? "")),
      ]),
    );
  }

  /** Returns the NS records that point into the zone and meet a condition with one of the texts `given`. */
  async #records(given: RawBuilder<unknown>, condition: RawBuilder<unknown>): Promise<NameServerRecord[]> {
    const { rows } = await sql<{ id: string; name: string; value: string }>`
      select found.* from ${given} given cross join lateral (
        select record_id as id, name, value from records
        where ${this.#others} and record_type = 'NS' and ${condition} offset 0
      ) found
    `.execute(queries(this.#em));
    return rows.flatMap(({ id, name, value }) => {
      const target = ownerWithin(value, this.#zone.name);
      return target === null ? [] : [{ id, name, target }];
    });
  }

  /** Returns a name as in the index of NS targets. */
  #key(name: string): string {
    return reversed(absoluteName(name, this.#zone.name));
  }
}

/** Adds names, nearest first, up to one that is known already: those above it are known too. */
function addMissing(names: Set<string>, above: Iterable<string>): void {
  for (const name of above) {
    if (names.has(name)) return;
    names.add(name);
  }
}
