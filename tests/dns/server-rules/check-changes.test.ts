import * as fc from "fast-check";
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { ZoneScope } from "../../../server/access/caller.ts";
import { liveZone } from "../../../server/zones/changes/state/live-queries.ts";
import { noNotes, type PlannedChange, type RecordDraft } from "../../../server/dns/record.ts";
import { checkChanges } from "../../../server/zones/records/server-rules/check-changes.ts";
import { slicedWork } from "../../../server/platform/slices.ts";
import type { Violation } from "../../../server/dns/zone-rules.ts";
import type { Answer } from "../../support/rest-client.ts";
import { fileZone, type Zone } from "../../support/zones.ts";
import { useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright();

const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => `${line(index)}\n`).join("");
const load = async (zone: Zone, zonefile: string) => {
  const { status } = await zone.post("/zonefile", { zonefile, force: true });
  expect(status).toBe(200);
};

async function work(call: () => Promise<Answer>): Promise<Answer & { steps: number; chunks: number }> {
  const { steps, chunks } = slicedWork;
  const answer = await call();
  return { ...answer, steps: slicedWork.steps - steps, chunks: slicedWork.chunks - chunks };
}

const deep = (index: number) => Array.from({ length: 40 }, (_, label) => (index * 50 + label).toString(36)).join(".");

/** Plans delegations whose name servers have as many labels. */
const planDeep = (zone: Zone, count: number) =>
  work(() =>
    zone.post("/records/plan", {
      changes: Array.from({ length: count }, (_, index) => ({
        action: "create",
        record: { recordType: "NS", name: `z${index}.lab`, value: `n.${deep(index)}.lab.${zone.name}`, ttl: 300 },
      })),
    }),
  );

/** The service may be busy with something else during one plan, such as what followed the import. */
async function fewestChunks(zone: Zone): Promise<number> {
  const chunks: number[] = [];
  for (let turn = 0; turn < 3; turn++) {
    const plan = await planDeep(zone, 100);
    expect(plan.status).toBe(409);
    chunks.push(plan.chunks);
  }
  return Math.min(...chunks);
}

describe("queries about the names in a plan", () => {
  let empty: Zone;
  let large: Zone;
  beforeAll(async () => {
    [empty, large] = [await fileZone(zw), await fileZone(zw)];
    await load(
      large,
      lines(3000, (index) => `h${index} A 192.0.2.1`),
    );
  });

  test("checking a plan takes a few queries, regardless of the number of labels and the size of the zone", async () => {
    const inEmpty = await fewestChunks(empty);
    expect(inEmpty).toBeLessThan(20);
    expect(await fewestChunks(large)).toBe(inEmpty);
  });

  test("checking a plan in a large zone uses an index", async () => {
    const connection = zw.services.database.fork().getConnection();
    await connection.execute("analyze records");
    const rows: { "QUERY PLAN": string }[] = await connection.execute(
      `explain select reverse(name) from records where domain_id = '${large.id}' and until is null
        and (reverse(name) || '.') collate "C" > 'x.' order by (reverse(name) || '.') collate "C" limit 1`,
    );
    expect(rows.map((row) => row["QUERY PLAN"]).join("\n")).toContain("records_live_key_order_idx");
  });
});

describe("an import that breaks rules in many places", () => {
  test("checking an import costs time in proportion to its lines", async () => {
    const steps: number[] = [];
    for (const count of [300, 600]) {
      const zone = await fileZone(zw);
      await load(
        zone,
        lines(count, (index) => `d${index} NS ns.d${index}\nns.d${index} A 192.0.2.1`),
      );
      const zonefile = lines(count, (index) => `d${index} NS ns.d${index}`);
      const turns: number[] = [];
      // What follows the import takes steps, too, and may happen during one of them.
      for (let turn = 0; turn < 3; turn++) {
        const answer = await work(() => zone.post("/zonefile", { zonefile, mode: "replace", dryRun: true }));
        expect(answer).toMatchObject({ status: 409, body: { code: "CONFLICT" } });
        turns.push(answer.steps);
      }
      steps.push(Math.min(...turns));
    }
    const [some = 0, twice = 0] = steps;
    expect(twice / some).toBeLessThan(2.6);
  });

  test("checking an import completes even if every owner has a hundred labels", async () => {
    const zone = await fileZone(zw);
    const zonefile = lines(3000, (index) => `${"a.".repeat(100)}h${index} A 192.0.2.1`);
    const answer = await work(() => zone.post("/zonefile", { zonefile, dryRun: true }));
    expect(answer).toMatchObject({ status: 200, body: { created: 3000 } });
    expect(answer.steps).toBeLessThan(3000 * 100);
  });
});

/** Sorts the reasons, because the database returns its rows in any order. */
function sorted(found: ReadonlyMap<string, readonly Violation[]>): Map<string, string[]> {
  return new Map([...found].map(([id, violations]) => [id, violations.map(({ message }) => message).toSorted()]));
}

describe("a zone queried name by name", () => {
  let zone: Zone;
  beforeAll(async () => {
    zone = await fileZone(zw);
    await load(
      zone,
      `a A 192.0.2.1\nx.a A 192.0.2.1\nb NS ns.b\nns.b A 192.0.2.1\nc NS x.y.c\n* TXT t\n*.e A 192.0.2.1\ng.h.e TXT t
        x.y.c A 192.0.2.1\nf NS q.e\nr NS x.b\ns DNAME example.net.\nu NS ns.v.w\nns.v.w AAAA 2001:db8::1\nv.v.w A 192.0.2.1\n`.replaceAll(
        /^ +/gm,
        "",
      ),
    );
  });

  const name = fc.constantFrom(
    "@",
    "a",
    "x.a",
    "b",
    "ns.b",
    "c",
    "y.c",
    "x.y.c",
    "*",
    "*.e",
    "e",
    "q.e",
    "h.e",
    "s",
    "d.s",
    "w",
    "v.w",
    "ns.v.w",
  );
  const added = fc.oneof(
    fc.record({ recordType: fc.constantFrom("A", "CNAME", "DNAME", "TXT"), name, value: fc.constant("x.example.net") }),
    fc.record({ recordType: fc.constant("NS"), name, value: name }),
  );

  test("checking a plan by queries finds the same violations as checking the whole zone", async () => {
    const em = zw.services.database.fork();
    const live = await liveZone(em, zone.id, ZoneScope.all);
    await fc.assert(
      fc.asyncProperty(fc.subarray(live), fc.array(added, { maxLength: 4 }), async (gone, come) => {
        const changes: PlannedChange[] = [
          ...gone.map((before) => ({ action: "delete" as const, id: before.id, before, after: null })),
          ...come.map((record) => ({
            action: "create" as const,
            id: randomUUID(),
            before: null,
            after: recordOf(record),
          })),
        ];
        const asked = sorted(await checkChanges(em, zone, changes));
        expect(asked).toEqual(sorted(await checkChanges(em, zone, changes, 0)));
      }),
      { numRuns: 60 },
    );
  });

  function recordOf({
    recordType,
    name: owner,
    value,
  }: {
    recordType: string;
    name: string;
    value: string;
  }): RecordDraft {
    const target = value === "@" ? zone.name : `${value}.${zone.name}`;
    const text = recordType === "NS" ? target : value;
    return {
      recordType,
      name: owner,
      value: text,
      strings: null,
      ttl: 300,
      priority: null,
      proxied: false,
      status: "active" as const,
      ...noNotes,
    };
  }
});
