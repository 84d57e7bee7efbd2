import { sql, type RawBuilder } from "kysely";
import { queries, type EntityManager } from "../../database/database.ts";
import { jsonRows, jsonTexts } from "../../database/json-rows.ts";
import { literally } from "../../database/literally.ts";
import { absoluteName, ownerWithin } from "../../dns/names/names.ts";

/** An NS record: its owner, and its target relative to the zone. */
export interface NameServerRecord {
  id: string;
  name: string;
  target: string;
}

/**
 * Asks the database about the names of a zone, leaving out the records that some changes are about. Every question is one statement, and
 * costs what it finds.
 */
export class ZoneNames {
  readonly #em: EntityManager;
  readonly #zone: { id: string; name: string };
  readonly #others: RawBuilder<boolean>;

  /** @param changed ids of the records to leave out */
  constructor(em: EntityManager, zone: { id: string; name: string }, changed: readonly string[]) {
    this.#em = em;
    this.#zone = zone;
    this.#others = sql<boolean>`domain_id = ${zone.id} and until is null
      and record_id not in (select value::uuid from ${jsonTexts(changed)})`;
  }

  /** The types that some names have. */
  async types(names: readonly string[]): Promise<{ name: string; recordType: string }[]> {
    if (names.length === 0) return [];
    const { rows } = await sql<{ name: string; recordType: string }>`
      select distinct name, record_type as "recordType" from records
      where ${this.#others} and name in (select value collate "C" from ${jsonTexts(names)})
    `.execute(queries(this.#em));
    return rows;
  }

  /** Which of some names have others below them. */
  async withNamesBelow(names: readonly string[]): Promise<string[]> {
    if (names.length === 0) return [];
    const given = names.map((name) => ({ name, pattern: `%.${literally(name)}` }));
    const { rows } = await sql<{ name: string }>`
      select given.name from ${jsonRows(given)} as given (name text, pattern text)
      where exists (
        select 1 from records where ${this.#others}
        and (records.name like given.pattern or (given.name = '@' and records.name <> '@'))
      )
    `.execute(queries(this.#em));
    return rows.map(({ name }) => name);
  }

  /** The names within the zone that NS records point to. @param within some names and all below them; null: any */
  async targets(exact: readonly string[], within: readonly string[] | null): Promise<string[]> {
    const { name: zone } = this.#zone;
    const nameServers = sql`select value from records where ${this.#others} and record_type = 'NS'`;
    const key = sql`reverse(records.value) collate "C"`;
    const all = sql`${nameServers} and (${key} = ${reversed(zone)} or ${key} like ${`${literally(reversed(`.${zone}`))}%`})`;
    const keys = (names: readonly string[]) => jsonTexts(names.map((name) => this.#key(name)));
    // What lies below a name begins with the name and a dot, and the character after the dot is the slash.
    const some = sql`
      ${nameServers} and ${key} in (select value collate "C" from ${keys([...exact, ...(within ?? [])])})
      union all
      select found.value from ${keys(within ?? [])} root cross join lateral (
        ${nameServers} and ${key} >= (root.value || '.') collate "C" and ${key} < (root.value || '/') collate "C"
      ) found`;
    const { rows } = await sql<{ value: string }>`
      select distinct value from (${within === null ? all : some}) as found
    `.execute(queries(this.#em));
    return rows.flatMap(({ value }) => ownerWithin(value, zone) ?? []);
  }

  /** The NS records that point to some names. */
  async pointingTo(targets: readonly string[]): Promise<NameServerRecord[]> {
    if (targets.length === 0) return [];
    const keys = targets.map((name) => this.#key(name));
    return await this.#records(sql`reverse(value) collate "C" in (select value collate "C" from ${jsonTexts(keys)})`);
  }

  /** The NS records of the names below some names that point into the zone. */
  async below(names: readonly string[]): Promise<NameServerRecord[]> {
    if (names.length === 0) return [];
    const patterns = names.map((name) => `%.${literally(name)}`);
    return await this.#records(sql`name like any (array(select value from ${jsonTexts(patterns)}))`);
  }

  async #records(condition: RawBuilder<unknown>): Promise<NameServerRecord[]> {
    const { rows } = await sql<{ id: string; name: string; value: string }>`
      select record_id as id, name, value from records where ${this.#others} and record_type = 'NS' and ${condition}
    `.execute(queries(this.#em));
    return rows.flatMap(({ id, name, value }) => {
      const target = ownerWithin(value, this.#zone.name);
      return target === null ? [] : [{ id, name, target }];
    });
  }

  /** A name as the index of NS targets has it: what lies below another name begins with it. */
  #key(name: string): string {
    return reversed(absoluteName(name, this.#zone.name));
  }
}

/** By characters, as PostgreSQL's `reverse`; names are ASCII. */
function reversed(text: string): string {
  return text.split("").toReversed().join("");
}
