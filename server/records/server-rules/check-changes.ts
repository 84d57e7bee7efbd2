import type { EntityManager } from "../../database/database.ts";
import { ownerWithin } from "../../dns/names/names.ts";
import type { PlannedChange } from "../../dns/live-record.ts";
import { recordKey, type RecordData } from "../../dns/record.ts";
import type { Violation } from "../../dns/server-rules/rules.ts";
import { blamed } from "../../dns/server-rules/blame.ts";
import {
  ancestorsOf,
  decisiveNames,
  namesAbove,
  typesByName,
  wildcardBelow,
  wildcardParent,
  type KnownNames,
} from "../../dns/server-rules/known-names.ts";
import { addressesOf, isDelegatedAbove, isRefused, redirectionAbove } from "../../dns/server-rules/name-servers.ts";
import { nameServerReason, redirectionReason } from "../../dns/server-rules/reasons.ts";
import { ZoneNames, type NameServerRecord } from "./zone-names.ts";

/** What a name is to the names around it; other types do not matter. */
const decisiveTypes = ["A", "AAAA", "CNAME", "NS", "DNAME"];
/** With more names than this, all name servers of the zone are looked at rather than those that the names may concern. */
const mostNames = 500;

/**
 * Finds what makes name servers refuse the zone once the changes are made and did not before, in what names are to each other: its own name
 * servers and those of delegations need addresses, and nothing may be below a DNAME. Looks only at the names that matter.
 * @returns by the id of the change to blame
 */
export async function checkChanges(
  em: EntityManager,
  zone: { id: string; name: string },
  changes: readonly PlannedChange[],
): Promise<Map<string, Violation[]>> {
  const moved = changes.filter(({ before, after }) => !before || !after || recordKey(before) !== recordKey(after));
  if (moved.length === 0) return new Map();
  return await new Check(em, zone, moved).run();
}

class Check {
  readonly #zone: { id: string; name: string };
  readonly #changes: readonly PlannedChange[];
  readonly #names: ZoneNames;
  readonly #removed: readonly RecordData[];
  readonly #added: readonly RecordData[];
  readonly #unchanged = new Map<string, Set<string>>();
  readonly #loaded = new Set<string>();
  readonly #unchangedBelow = new Map<string, boolean>();
  readonly #found = new Map<string, Violation[]>();
  readonly #before: KnownNames;
  readonly #after: KnownNames;

  constructor(em: EntityManager, zone: { id: string; name: string }, changes: readonly PlannedChange[]) {
    this.#zone = zone;
    this.#changes = changes;
    this.#names = new ZoneNames(
      em,
      zone,
      changes.flatMap(({ before, id }) => (before ? [id] : [])),
    );
    this.#removed = changes.flatMap(({ before }) => before ?? []);
    this.#added = changes.flatMap(({ after }) => after ?? []);
    this.#before = this.#known(this.#removed);
    this.#after = this.#known(this.#added);
  }

  async run(): Promise<Map<string, Violation[]>> {
    const touched = [...new Set([...this.#removed, ...this.#added].map(({ name }) => name))];
    await this.#load([...touched, ...touched.flatMap(ancestorsOf), "@"]);
    const decisive = touched.filter((name) => this.#isDecisive(name));
    const pointing = this.#nameServers(this.#added);
    const targets = new Set([...(await this.#concerned(decisive)), ...pointing.map(({ target }) => target)]);
    await this.#loadAround(targets);
    for (const record of pointing) this.#judge(record, [record.id]);
    await this.#judgeOthers(targets);
    await this.#judgeUncovered(decisive);
    await this.#judgeRedirections(touched);
    return this.#found;
  }

  /** Whether what the name has, as far as others depend on it, is not what it had. */
  #isDecisive(name: string): boolean {
    const [before, after] = [this.#before.types(name), this.#after.types(name)];
    return (
      (before.size === 0) !== (after.size === 0) || decisiveTypes.some((type) => before.has(type) !== after.has(type))
    );
  }

  /** The name servers, by their names, that the changes at some names may concern. */
  async #concerned(names: readonly string[]): Promise<string[]> {
    if (names.length === 0) return [];
    const wildcards = names.flatMap((name) => wildcardParent(name) ?? []);
    if (names.length > mostNames || wildcards.includes("@")) return await this.#names.targets([], null);
    const above = names.flatMap(ancestorsOf);
    const covering = [...new Set([...above, "@"])].map(wildcardBelow);
    await this.#load(covering);
    // A name that comes or goes changes for which names a wildcard stands.
    const shadowed = names.flatMap((name) => {
      const path = [name, ...ancestorsOf(name)];
      return path.filter((_, index) => this.#hasTypes(wildcardBelow(path[index + 1] ?? "@")));
    });
    return await this.#names.targets([...new Set(above)], [...new Set([...names, ...wildcards, ...shadowed])]);
  }

  #hasTypes(name: string): boolean {
    return this.#before.types(name).size > 0 || this.#after.types(name).size > 0;
  }

  /** NS records that stay: their targets had what they need, and are to lose it. */
  async #judgeOthers(targets: ReadonlySet<string>): Promise<void> {
    const worse = [...targets].filter((target) => {
      const after = addressesOf(this.#after, target);
      if (after.state === "fine") return false;
      const before = addressesOf(this.#before, target);
      return before.state !== after.state || (before.state === "below" && !this.#sameEncloser(target));
    });
    const records = await this.#names.pointingTo(worse);
    await this.#load(records.flatMap(({ name }) => ancestorsOf(name)));
    for (const record of records) this.#judge(record, null);
  }

  #sameEncloser(target: string): boolean {
    const [before, after] = [addressesOf(this.#before, target), addressesOf(this.#after, target)];
    return before.state === "below" && after.state === "below" && before.encloser === after.encloser;
  }

  /** NS records that lay below a delegation which goes. */
  async #judgeUncovered(names: readonly string[]): Promise<void> {
    const uncovered = names.filter(
      (name) => name !== "@" && this.#before.types(name).has("NS") && !this.#after.types(name).has("NS"),
    );
    const records = await this.#names.below(uncovered);
    await this.#loadAround(new Set(records.map(({ target }) => target)));
    await this.#load(records.flatMap(({ name }) => ancestorsOf(name)));
    for (const record of records) this.#judge(record, null);
  }

  /** @param blame the changes to blame; null: whichever took away what the record needs */
  #judge({ name, target }: NameServerRecord, blame: readonly string[] | null): void {
    const addresses = addressesOf(this.#after, target);
    if (isDelegatedAbove(this.#after, name) || !isRefused(addresses, name)) return;
    if (!blame && !isDelegatedAbove(this.#before, name) && isRefused(addressesOf(this.#before, target), name)) return;
    const advice = blame ? "Give it an A or AAAA record first." : "Point its NS records elsewhere first.";
    const message = `${nameServerReason(this.#zone.name, name, target, addresses)} ${advice}`;
    const violation = { rule: `name server ${target}`, extent: 1, code: "CONFLICT", field: "value", message } as const;
    for (const id of blame ?? blamed(this.#changes, name, target)) this.#add(id, violation);
  }

  async #judgeRedirections(touched: readonly string[]): Promise<void> {
    const redirecting = touched.filter(
      (name) => this.#after.types(name).has("DNAME") && !this.#before.types(name).has("DNAME"),
    );
    const rule = "below DNAME";
    await this.#loadBelow(redirecting);
    for (const { id, after } of this.#changes) {
      if (!after) continue;
      const { name, recordType } = after;
      const above = this.#before.types(name).size === 0 ? redirectionAbove(this.#after, name) : null;
      if (above !== null) {
        const message = redirectionReason(name, above);
        this.#add(id, { rule, extent: 1, code: "CONFLICT", field: "name", message });
      }
      if (recordType !== "DNAME" || !redirecting.includes(name) || !this.#after.existsBelow(name)) continue;
      const message = `${name} cannot have a DNAME while there are names below it (RFC 6672 §2.4).`;
      this.#add(id, { rule, extent: 1, code: "CONFLICT", field: "recordType", message });
    }
  }

  #nameServers(records: readonly RecordData[]): NameServerRecord[] {
    const ids = new Map(this.#changes.flatMap(({ id, after }) => (after ? [[after as RecordData, id] as const] : [])));
    return records.flatMap((record) => {
      const target = record.recordType === "NS" ? ownerWithin(record.value, this.#zone.name) : null;
      return target === null ? [] : [{ id: ids.get(record) ?? "", name: record.name, target }];
    });
  }

  #add(id: string, violation: Violation): void {
    const known = this.#found.get(id);
    if (!known) this.#found.set(id, [violation]);
    else if (!known.some(({ rule }) => rule === violation.rule)) known.push(violation);
  }

  async #loadAround(targets: ReadonlySet<string>): Promise<void> {
    await this.#load([...targets].flatMap(decisiveNames));
    const absent = [...targets].filter((target) => (this.#unchanged.get(target)?.size ?? 0) === 0);
    await this.#loadBelow([...absent, ...absent.flatMap(ancestorsOf)]);
  }

  async #load(names: readonly string[]): Promise<void> {
    const missing = [...new Set(names)].filter((name) => !this.#loaded.has(name));
    const found = typesByName(await this.#names.types(missing));
    for (const name of missing) this.#loaded.add(name);
    for (const [name, types] of found) this.#unchanged.set(name, types);
  }

  async #loadBelow(names: readonly string[]): Promise<void> {
    const missing = [...new Set(names)].filter((name) => !this.#unchangedBelow.has(name));
    const found = new Set(await this.#names.withNamesBelow(missing));
    for (const name of missing) this.#unchangedBelow.set(name, found.has(name));
  }

  /** The zone as it is with the records that stay and some others. */
  #known(others: readonly RecordData[]): KnownNames {
    const types = typesByName(others);
    const above = namesAbove(types.keys());
    if ([...types.keys()].some((name) => name !== "@")) above.add("@");
    const merged = new Map<string, ReadonlySet<string>>();
    return {
      types: (name) => {
        const known = merged.get(name);
        if (known) return known;
        const both = new Set([...(this.#unchanged.get(name) ?? []), ...(types.get(name) ?? [])]);
        if (this.#loaded.has(name)) merged.set(name, both);
        return both;
      },
      existsBelow: (name) => above.has(name) || (this.#unchangedBelow.get(name) ?? false),
    };
  }
}
