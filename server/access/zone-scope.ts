import { sql, type RawBuilder, type SqlBool } from "kysely";
import { matchesHost } from "../dns/names/host-match.ts";
import { likePattern } from "./host-pattern.ts";

/** Some records of a zone: those whose host matches a pattern and whose type is listed. */
export interface ScopeRule {
  /** Canonical, see `host-pattern.ts`. */
  pattern: string;
  /** Empty: all types. */
  recordTypes: readonly string[];
}

interface Place {
  name: string;
  recordType: string;
}

/** The columns that hold a record's host and type. */
interface PlaceColumns {
  name: RawBuilder<unknown>;
  recordType: RawBuilder<unknown>;
}

const recordColumns: PlaceColumns = { name: sql.ref("name"), recordType: sql.ref("record_type") };

/** A set of records of a zone, by host and type: those that at least one of its rules covers. */
export class ZoneScope {
  static readonly all = new ZoneScope([{ pattern: "*", recordTypes: [] }]);
  static readonly none = new ZoneScope([]);

  /** Minimal: no rule covers another. */
  readonly #rules: readonly ScopeRule[];
  /** The rules given, for types that a broader rule does not name. */
  readonly #named: readonly ScopeRule[];

  constructor(rules: readonly ScopeRule[]) {
    const broadest: ScopeRule[] = [];
    for (const rule of rules) {
      if (broadest.some((other) => covers(other, rule))) continue;
      broadest.splice(0, broadest.length, ...broadest.filter((other) => !covers(rule, other)), rule);
    }
    this.#rules = broadest;
    this.#named = rules.filter(({ recordTypes }) => recordTypes.length > 0);
  }

  /** Whether it is the whole zone. */
  get isAll(): boolean {
    const [first] = this.#rules;
    return first?.pattern === "*" && first.recordTypes.length === 0;
  }

  get isNone(): boolean {
    return this.#rules.length === 0;
  }

  includes({ name, recordType }: Place): boolean {
    return this.#rules.some((rule) => hasType(rule, recordType) && matchesHost(rule.pattern, name));
  }

  /** Returns whether it includes records of at least one type at a host. */
  includesSomeAt(host: string): boolean {
    return this.#rules.some(({ pattern }) => matchesHost(pattern, host));
  }

  /** Returns whether it includes records of every type at a host. */
  includesAllAt(host: string): boolean {
    return this.#rules.some(({ pattern, recordTypes }) => recordTypes.length === 0 && matchesHost(pattern, host));
  }

  /**
   * Returns whether it includes records of every type at a host and at every host below it. Only a `*` in a pattern matches a `*` in a host,
   * so a set that includes `*.dev` includes everything below `dev`.
   */
  includesTree(host: string): boolean {
    return host === "@" ? this.isAll : this.includesAllAt(host) && this.includesAllAt(`*.${host}`);
  }

  /** Returns whether a rule that lists the record's type covers it. */
  names({ name, recordType }: Place): boolean {
    return this.#named.some((rule) => rule.recordTypes.includes(recordType) && matchesHost(rule.pattern, name));
  }

  /** Returns the set as an SQL condition on the columns of records, or on other expressions for their host and type. */
  condition({ name, recordType }: PlaceColumns = recordColumns): RawBuilder<SqlBool> {
    if (this.isAll) return sql<SqlBool>`true`;
    return anyOf(
      this.#rules.map((rule) => {
        const host = matching(name, rule.pattern);
        if (rule.recordTypes.length === 0) return host;
        return sql`(${host} and ${recordType} in (${sql.join(rule.recordTypes)}))`;
      }),
    );
  }

  /** Returns the SQL condition that it includes records of every type at the host in a column. */
  allAtCondition(host: RawBuilder<unknown>): RawBuilder<SqlBool> {
    if (this.isAll) return sql<SqlBool>`true`;
    const whole = this.#rules.filter(({ recordTypes }) => recordTypes.length === 0);
    return anyOf(whole.map(({ pattern }) => matching(host, pattern)));
  }
}

function covers(broad: ScopeRule, narrow: ScopeRule): boolean {
  const hasTypes =
    broad.recordTypes.length === 0 ||
    (narrow.recordTypes.length > 0 && narrow.recordTypes.every((type) => broad.recordTypes.includes(type)));
  return hasTypes && matchesHost(broad.pattern, narrow.pattern);
}

function hasType({ recordTypes }: ScopeRule, recordType: string): boolean {
  return recordTypes.length === 0 || recordTypes.includes(recordType);
}

function matching(host: RawBuilder<unknown>, pattern: string): RawBuilder<SqlBool> {
  return pattern.includes("*")
    ? sql<SqlBool>`${host} like ${likePattern(pattern)}`
    : sql<SqlBool>`${host} = ${pattern}`;
}

function anyOf(conditions: readonly RawBuilder<unknown>[]): RawBuilder<SqlBool> {
  return conditions.length === 0 ? sql<SqlBool>`false` : sql<SqlBool>`(${sql.join(conditions, sql` or `)})`;
}
