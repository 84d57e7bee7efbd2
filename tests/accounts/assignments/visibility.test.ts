import * as fc from "fast-check";
import {
  DummyDriver,
  expressionBuilder,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from "kysely";
import { expect, test } from "vitest";
import { VisibleDomains, type Visibility } from "../../../server/access/visible-domains.ts";
import { type Caller, ZoneScope } from "../../../server/access/caller.ts";
import type { Tables } from "../../../server/database/tables/all.ts";
import { roles } from "../../../server/database/tables/users.ts";

const db = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (of) => new PostgresIntrospector(of),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

// Every field of a caller: a new field, on which a condition may depend, does not compile until it is listed here.
const fields: { [Field in keyof Required<Caller>]: fc.Arbitrary<Caller[Field]> } = {
  userId: fc.uuid(),
  username: fc.string(),
  role: fc.constantFrom(...roles),
  sessionId: fc.option(fc.uuid()),
  tokenId: fc.option(fc.uuid()),
  tsigKey: fc.constant(undefined),
  ip: fc.option(fc.ipV4()),
  claimedIp: fc.option(fc.ipV4()),
  requestId: fc.option(fc.uuid()),
  at: fc.date({ noInvalidDate: true }),
  narrowing: fc.option(
    fc.record({
      credential: fc.constantFrom("token" as const, "key" as const),
      domainIds: fc.option(fc.array(fc.uuid(), { minLength: 1, maxLength: 3 })),
      scope: fc.constantFrom(ZoneScope.all, new ZoneScope([{ pattern: "www", recordTypes: ["TXT"] }])),
    }),
  ),
  permissions: fc.constantFrom("all" as const, new Set(["domains:read"] as const), new Set<never>()),
};
const target = fc.oneof(
  fc.record({ domain_id: fc.uuid(), group_name: fc.constant(null), tag: fc.constant(null) }),
  fc.record({ domain_id: fc.constant(null), group_name: fc.string(), tag: fc.constant(null) }),
  fc.record({ domain_id: fc.constant(null), group_name: fc.constant(null), tag: fc.string() }),
);
const part = fc.record({
  pattern: fc.constantFrom("*", "www"),
  recordTypes: fc.constantFrom([], ["TXT"]),
  access: fc.constantFrom("read" as const, "propose" as const, "write" as const),
  review: fc.boolean(),
});
const grant = fc.tuple(target, part).map(([where, what]) => Object.assign({}, where, what));
const visible = fc
  .tuple(fc.record(fields), fc.array(grant, { maxLength: 3 }))
  .map(([caller, grants]) => new VisibleDomains(caller, grants));

function compiled(domains: VisibleDomains) {
  return db
    .selectFrom("domains")
    .select("id")
    .where(domains.condition(expressionBuilder<Tables, "domains">()))
    .compile();
}

/** The SQL of the other conditions that depend on the caller. */
function wholly(domains: VisibleDomains): string {
  return db
    .selectNoFrom([domains.wholly(), domains.ifWhole(sql.ref("domains.name"))].map((each) => sql`${each}`.as("_")))
    .compile().sql;
}

test("callers with the same visibility use the same SQL, with only its parameters", () => {
  const texts = new Map<Visibility, string>();
  fc.assert(
    fc.property(visible, (domains) => {
      const { sql: condition, parameters } = compiled(domains);
      expect(parameters).toEqual(domains.parameters);
      const text = `${condition}; ${wholly(domains)}`;
      expect(text).toBe(texts.get(domains.visibility) ?? text);
      texts.set(domains.visibility, text);
    }),
    { numRuns: 500 },
  );
  expect(texts.size).toBeGreaterThanOrEqual(12);
});
