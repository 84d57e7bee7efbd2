import { readFileSync } from "node:fs";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { queries } from "../../server/database/database.ts";
import { useZonewright } from "../support/zonewright.ts";
import { ofDomain } from "./domain.ts";
import { ofConfiguration, ofTemplate, ofToken } from "./others.ts";
import { ofUser } from "./user.ts";
import type { Proofs } from "./proof.ts";

/** docs/guide/what-ends.md, row by row. */

const zw = useZonewright({ env: { JOBS: "off", DNS_LISTEN: "127.0.0.1:0" } });

const proofs: Readonly<Record<string, Proofs>> = {
  "A domain": ofDomain(zw),
  "A user": ofUser(zw),
  "A provider configuration": ofConfiguration(zw),
  "A personal token": ofToken(zw),
  "A template": ofTemplate(zw),
};

describe.each(Object.entries(proofs))("%s", (_heading, rows) => {
  test.each(Object.entries(rows))("what the page says of %s is true once it is deleted", async (_row, { prove }) => {
    await expect(prove()).resolves.toBeUndefined();
  });
});

test("every row of the page is proven, and nothing is proven that the page does not say", () => {
  const page = readFileSync(new URL("../../docs/guide/what-ends.md", import.meta.url), "utf8");
  const documented = page
    .split(/^## /m)
    .slice(1)
    .map((section) => [
      section.slice(0, section.indexOf("\n")),
      [...section.matchAll(/^\| ([^|]+) \|/gm)].map(([, cell = ""]) => cell.trim()).slice(1),
    ]);
  expect(Object.fromEntries(documented)).toEqual(
    Object.fromEntries(Object.entries(proofs).map(([heading, rows]) => [heading, Object.keys(rows)])),
  );
});

test("every column of the database that refers to a domain, user or provider configuration belongs to a row", async () => {
  const { rows } = await sql<{ column: string }>`
    select constrained.conrelid::regclass::text || '.' || attname as column
    from pg_constraint constrained
    join pg_attribute on attrelid = constrained.conrelid and attnum = constrained.conkey[1]
    where contype = 'f' and confrelid in ('domains'::regclass, 'users'::regclass, 'provider_configs'::regclass)
  `.execute(queries(zw.services.database.fork()));
  const claimed = Object.values(proofs).flatMap((each) => Object.values(each).flatMap(({ columns = [] }) => columns));
  expect(rows.map(({ column }) => column).toSorted()).toEqual([...claimed].toSorted());
});
