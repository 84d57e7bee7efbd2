import { sql, type RawBuilder, type SqlBool } from "kysely";
import { matchesHost } from "../dns/names/host-match.ts";
import { likePattern } from "./host-pattern.ts";

/** A set of hosts of a zone: those that match at least one of its patterns. */
export class Hosts {
  static readonly all = new Hosts(["*"]);

  /** Minimal: no pattern covers another. */
  readonly #patterns: readonly string[];

  constructor(patterns: readonly string[]) {
    const broadest: string[] = [];
    for (const pattern of patterns) {
      if (broadest.some((other) => matchesHost(other, pattern))) continue;
      broadest.splice(0, broadest.length, ...broadest.filter((other) => !matchesHost(pattern, other)), pattern);
    }
    this.#patterns = broadest;
  }

  get isAll(): boolean {
    return this.#patterns[0] === "*";
  }

  get isNone(): boolean {
    return this.#patterns.length === 0;
  }

  includes(host: string): boolean {
    return this.#patterns.some((pattern) => matchesHost(pattern, host));
  }

  /**
   * Returns whether the set includes a host and every host below it. Only a `*` in a pattern matches a `*` in a host, so a set that
   * includes `*.dev` includes everything below `dev`.
   */
  includesTree(host: string): boolean {
    return host === "@" ? this.isAll : this.includes(host) && this.includes(`*.${host}`);
  }

  /** Returns the set as an SQL condition on a column of hosts or another text expression. */
  condition(host: RawBuilder<unknown> = sql.ref("name")): RawBuilder<SqlBool> {
    if (this.isAll) return sql<SqlBool>`true`;
    if (this.isNone) return sql<SqlBool>`false`;
    const each = this.#patterns.map((pattern) =>
      pattern.includes("*") ? sql`${host} like ${likePattern(pattern)}` : sql`${host} = ${pattern}`,
    );
    return sql<SqlBool>`(${sql.join(each, sql` or `)})`;
  }
}
