import { sql } from "kysely";
import { queries, type EntityManager } from "../../../database/database.ts";
import { ownerWithin } from "../../../dns/names/names.ts";
import { filtered, inPages, inSlices, mapped, type Steps } from "../../../platform/slices.ts";
import { recordKey, servedChanges, type PlannedChange } from "../../../dns/record.ts";
import type { Violation } from "../../../dns/zone-rules.ts";
import {
  ancestorsAbove,
  ancestorsOf,
  wildcardBelow,
  wildcardParent,
  NamesInMemory,
  NamesAfter,
  type CutType,
  type KnownNames,
  type NameServerRecord,
  type Unchanged,
} from "../../../dns/server-rules/known-names.ts";
import { Blame } from "../../../dns/server-rules/blame.ts";
import {
  addressesOf,
  isDelegatedAbove,
  isRefused,
  redirectionAbove,
  nameServerReason,
  redirectionReason,
} from "../../../dns/server-rules/name-servers.ts";
import { hasDependingRecords, ZoneNames } from "./zone-names.ts";

/** The types of a name that matter to other names. */
const decisiveTypes = ["A", "AAAA", "CNAME", "NS", "DNAME"];
/** With more changes, the whole zone is read instead of asking about single names. */
const mostAskedAbout = 1000;

/**
 * Finds new violations between names for which name servers would refuse the zone: its own name servers and those of delegations need
 * addresses, and nothing may be below a DNAME. Looks only at the names that matter, and lists a few reasons for each change.
 * @param mostAsked with more changes, the zone is read as a whole
 * @returns violations by the id of the change to blame
 */
export async function checkChanges(
  em: EntityManager,
  zone: CheckedZone & { id: string },
  changes: readonly PlannedChange[],
  mostAsked = mostAskedAbout,
): Promise<Map<string, Violation[]>> {
  const moved = await inSlices(
    filtered(
      servedChanges(changes),
      ({ before, after }) => !before || !after || recordKey(before) !== recordKey(after),
    ),
  );
  if (moved.every(keepsTypes)) return new Map();
  if (moved.every(isOrdinary) && !(await hasDependingRecords(em, zone))) return new Map();
  // Also what is created: a push restores records that are still stored as live.
  const changed = new Set(moved.map(({ id }) => id));
  const unchanged =
    moved.length > mostAsked ? await WholeNames.read(em, zone, changed) : new ZoneNames(em, zone, changed);
  return await new Check(zone, moved, unchanged, await inSlices(statesOf(moved, unchanged))).run();
}

/** Returns whether a change matters to no other name: those depend on the types of a name, and on the values of NS records only. */
function keepsTypes({ before, after }: PlannedChange): boolean {
  if (!before || !after || before.recordType === "NS") return false;
  return before.recordType === after.recordType && before.name === after.name;
}

/** Returns whether a change is neither about a name server nor about a DNAME. */
function isOrdinary({ before, after }: PlannedChange): boolean {
  return [before, after].every((record) => record?.recordType !== "NS" && record?.recordType !== "DNAME");
}

interface CheckedZone {
  name: string;
  /** Whether nothing serves the zone yet, so that its name servers may get their addresses later. */
  isUnserved?: boolean;
}

interface States {
  /** The names that the changes touch. */
  touched: string[];
  before: KnownNames;
  after: KnownNames;
}

function* statesOf(changes: readonly PlannedChange[], unchanged: Unchanged): Steps<States> {
  const removed = changes.flatMap(({ before }) => before ?? []);
  const added = changes.flatMap(({ after }) => after ?? []);
  const touched = new Set<string>();
  for (const { name } of removed) touched.add(name);
  for (const { name } of added) touched.add(name);
  return {
    touched: [...touched],
    before: new NamesAfter(unchanged, yield* NamesInMemory.of(removed)),
    after: new NamesAfter(unchanged, yield* NamesInMemory.of(added)),
  };
}

class Check {
  readonly #zone: CheckedZone;
  readonly #changes: readonly PlannedChange[];
  readonly #unchanged: Unchanged;
  readonly #touched: readonly string[];
  readonly #before: KnownNames;
  readonly #after: KnownNames;
  readonly #found = new Map<string, Violation[]>();
  #blame: Blame | null = null;

  constructor(
    zone: CheckedZone,
    changes: readonly PlannedChange[],
    unchanged: Unchanged,
    { touched, before, after }: States,
  ) {
    this.#zone = zone;
    this.#changes = changes;
    this.#unchanged = unchanged;
    this.#touched = touched;
    this.#before = before;
    this.#after = after;
  }

  async run(): Promise<Map<string, Violation[]>> {
    await this.#unchanged.load(this.#touched);
    const decisive = await inSlices(filtered(this.#touched, (name) => this.#isDecisive(name)));
    const pointing = await inSlices(this.#comingNameServers());
    const targets = new Set(await this.#concerned(decisive));
    for (const { target } of pointing) targets.add(target);
    await this.#unchanged.loadAround([...targets]);
    await inSlices(this.#judging(pointing, "their own"));
    await this.#judgeOthers(targets);
    await this.#judgeUncovered(decisive);
    await this.#judgeRedirections();
    return this.#found;
  }

  /** Returns whether the types that other names depend on have changed. */
  #isDecisive(name: string): boolean {
    const [before, after] = [this.#before.types(name), this.#after.types(name)];
    return (
      (before.size === 0) !== (after.size === 0) || decisiveTypes.some((type) => before.has(type) !== after.has(type))
    );
  }

  /** Returns the names of name servers that changes at some names may affect. */
  async #concerned(names: readonly string[]): Promise<string[]> {
    if (names.length === 0) return [];
    const wildcards = names.flatMap((name) => wildcardParent(name) ?? []);
    if (names.includes("@") || wildcards.includes("@")) return await this.#unchanged.allTargets();
    // The whole zone is loaded already.
    if (this.#unchanged instanceof WholeNames) return await this.#unchanged.allTargets();
    await this.#unchanged.loadAround(names);
    const within = await inSlices(this.#shadowed(names));
    for (const name of [...names, ...wildcards]) within.add(name);
    return await this.#unchanged.targetsNear(names, [...within]);
  }

  /** Returns the names whose wildcard match changes because a name was created or deleted. */
  *#shadowed(names: readonly string[]): Steps<Set<string>> {
    const shadowed = new Set<string>();
    for (const name of names) {
      const path = [name, ...ancestorsOf(name)];
      for (const [index, each] of path.entries()) {
        if (this.#hasTypes(wildcardBelow(path[index + 1] ?? "@"))) shadowed.add(each);
        yield;
      }
    }
    return shadowed;
  }

  #hasTypes(name: string): boolean {
    return this.#before.types(name).size > 0 || this.#after.types(name).size > 0;
  }

  /** Judges NS records that stay and whose targets lose what they need. */
  async #judgeOthers(targets: ReadonlySet<string>): Promise<void> {
    const worse = await inSlices(filtered(targets, (target) => this.#isWorse(target)));
    const records = await this.#unchanged.pointingTo(worse);
    await this.#unchanged.load(await inSlices(ownersOf(records)));
    await inSlices(this.#judging(records, "others"));
  }

  #isWorse(target: string): boolean {
    const after = addressesOf(this.#after, target);
    if (after.state === "fine") return false;
    const before = addressesOf(this.#before, target);
    if (before.state !== after.state) return true;
    return before.state === "below" && after.state === "below" && before.encloser !== after.encloser;
  }

  /** Judges NS records below a delegation that is deleted. */
  async #judgeUncovered(names: readonly string[]): Promise<void> {
    const uncovered = names.filter(
      (name) => name !== "@" && this.#before.types(name).has("NS") && !this.#after.types(name).has("NS"),
    );
    const records = await this.#unchanged.nameServersBelow(uncovered);
    await this.#unchanged.loadAround([...new Set(records.map(({ target }) => target))]);
    await this.#unchanged.load(await inSlices(ownersOf(records)));
    await inSlices(this.#judging(records, "others"));
  }

  /** @param blamed the changes to blame: those that create the records, or those that took away what they need */
  *#judging(records: readonly NameServerRecord[], blamed: "their own" | "others"): Steps<void> {
    for (const record of records) {
      yield;
      const { id, name, target } = record;
      const addresses = addressesOf(this.#after, target);
      if (isDelegatedAbove(this.#after, name) || !isRefused(addresses, name)) continue;
      if (blamed === "others" && !this.#wasFine(record)) continue;
      if (blamed === "their own" && name === "@" && this.#zone.isUnserved && addresses.state === "missing") continue;
      const advice =
        blamed === "others" ? "Point its NS records elsewhere first." : "Give it an A or AAAA record first.";
      const message = `${nameServerReason(this.#zone.name, name, target, addresses)} ${advice}`;
      const violation = {
        rule: `name server ${target}`,
        extent: 1,
        code: "CONFLICT",
        field: "value",
        message,
      } as const;
      if (blamed === "their own") {
        this.#add(id, violation);
        continue;
      }
      this.#blame ??= yield* Blame.of(this.#changes);
      for (const one of this.#blame.blamed(name, target)) {
        this.#add(one, violation);
        yield;
      }
    }
  }

  #wasFine({ name, target }: NameServerRecord): boolean {
    return isDelegatedAbove(this.#before, name) || !isRefused(addressesOf(this.#before, target), name);
  }

  async #judgeRedirections(): Promise<void> {
    const redirecting = await inSlices(
      filtered(this.#touched, (name) => this.#after.types(name).has("DNAME") && !this.#before.types(name).has("DNAME")),
    );
    await this.#unchanged.loadBelow(redirecting);
    await inSlices(this.#judgingRedirections(new Set(redirecting)));
  }

  *#judgingRedirections(redirecting: ReadonlySet<string>): Steps<void> {
    const rule = "below DNAME";
    for (const { id, after } of this.#changes) {
      yield;
      if (!after) continue;
      const { name, recordType } = after;
      const above = this.#before.types(name).size === 0 ? redirectionAbove(this.#after, name) : null;
      if (above !== null) {
        const message = redirectionReason(name, above);
        this.#add(id, { rule, extent: 1, code: "CONFLICT", field: "name", message });
      }
      if (recordType !== "DNAME" || !redirecting.has(name) || !this.#after.existsBelow(name)) continue;
      const message = `${name} cannot have a DNAME while there are names below it (RFC 6672 §2.4). Delete those first.`;
      this.#add(id, { rule, extent: 1, code: "CONFLICT", field: "recordType", message });
    }
  }

  *#comingNameServers(): Steps<NameServerRecord[]> {
    const found: NameServerRecord[] = [];
    for (const { id, after } of this.#changes) {
      yield;
      const target = after?.recordType === "NS" ? ownerWithin(after.value, this.#zone.name) : null;
      if (after && target !== null) found.push({ id, name: after.name, target });
    }
    return found;
  }

  #add(id: string, violation: Violation): void {
    const known = this.#found.get(id);
    if (!known) this.#found.set(id, [violation]);
    else if (!known.some(({ rule }) => rule === violation.rule)) known.push(violation);
  }
}

function* ownersOf(records: readonly NameServerRecord[]): Steps<string[]> {
  return [...new Set(yield* mapped(records, ({ name }) => name))];
}

interface Row {
  id: string;
  name: string;
  recordType: string;
  value: string | null;
}

const rowsPerPage = 500;

/** Holds all names of a zone, read once: for so many changes that asking about each name would cost more. */
class WholeNames implements Unchanged {
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
