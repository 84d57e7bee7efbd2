import * as fc from "fast-check";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RecordData } from "../../server/dns/record.ts";
import { initialSoa } from "../../server/dns/zone-file/contents.ts";
import { printZoneFile } from "../../server/dns/zone-file/write.ts";
import { refusedByCheckconf, refusedByKnot, refusedByNamed } from "../support/name-servers/loading.ts";
import type { Answer } from "../support/rest-client.ts";
import { freshName, Zone, type Body } from "../support/zones.ts";
import { startZonewright, type Zonewright } from "../support/zonewright.ts";

// Small, so random changes reach them.
const limits = { maxRecordsPerType: 4, maxTypesPerName: 5 };
const folder = "checked";

let zw: Zonewright & { stop(): Promise<void> };
let providerConfigId: string;
beforeAll(async () => {
  zw = await startZonewright();
  const config = { folder, ...limits };
  const { body } = await zw.admin.post("/api/provider-configs", { kind: "zonefile", name: "Checked", config });
  providerConfigId = body.id;
});
afterAll(() => zw.stop());

/** A record before its zone is known: `Z` in its value is the zone. */
interface Sketch {
  recordType: string;
  name: string;
  value: string;
}

const sketch = (names: string[], recordType: string, values: string[]): fc.Arbitrary<Sketch> =>
  fc.record({
    recordType: fc.constant(recordType),
    name: fc.constantFrom(...names),
    value: fc.constantFrom(...values),
  });

const sound = ["@", "ns1", "ns2", "*", "*.a", "a", "b.a", "sub", "ns.sub", "x.ns1", "x.sub", "gc._msdcs"];
const hosts = [...sound, ...sound, "my_host", "0/25"];
const within = ["ns1.Z", "ns2.Z", "b.a.Z", "c.a.Z", "sub.Z", "ns.sub.Z", "x.sub.Z", "Z"];
const targets = [...within, "ns.example.net", "my_host.Z"];
const addresses = Array.from({ length: 6 }, (_, place) => `192.0.2.${place}`);
const texts = ["t1", "t2", "t3", "t4", "t5"];
const authority = "0 issue ca.example.net";
const editable = fc.oneof(
  { weight: 6, arbitrary: sketch(hosts, "A", addresses) },
  { weight: 2, arbitrary: sketch(hosts, "AAAA", ["2001:db8::1", "2001:db8::2"]) },
  { weight: 5, arbitrary: sketch(["@", "sub", "a", "b.a", "*", "x.sub"], "NS", targets) },
  { weight: 2, arbitrary: sketch(hosts, "CNAME", ["ns1.Z", "my_host.Z"]) },
  { weight: 1, arbitrary: sketch(hosts, "MX", ["10 ns1.Z", "10 nowhere.Z", "0 .", "10 my_host.Z"]) },
  { weight: 1, arbitrary: sketch(["_s._tcp", "a"], "SRV", ["0 0 1 ns1.Z", "0 0 1 nowhere.Z", "0 0 1 my_host.Z"]) },
  { weight: 3, arbitrary: sketch(["many", "x.ns1", "a"], "TXT", texts) },
  { weight: 2, arbitrary: sketch(["many"], "A", addresses) },
  { weight: 1, arbitrary: sketch(["many"], "CAA", [authority]) },
);
const digest = "00".repeat(32);
const importable = fc.oneof(
  { weight: 8, arbitrary: editable },
  { weight: 1, arbitrary: sketch(["sub", "a", "d", "@"], "DNAME", ["ns1.Z.", "example.net."]) },
  { weight: 1, arbitrary: sketch(["sub", "@"], "DS", [`1 8 2 ${digest}`]) },
  { weight: 1, arbitrary: sketch(["a"], "AFSDB", ["1 my_host.Z.", "1 ns1.Z."]) },
  { weight: 1, arbitrary: sketch(hosts, "HTTPS", ["1 .", "1 my_host.Z.", "0 my_host.Z."]) },
  { weight: 1, arbitrary: sketch(["@", "a"], "PTR", ["my_host.Z."]) },
);

type Step =
  | { do: "create" | "bulk" | "atomic" | "merge" | "replace"; records: Sketch[] }
  | { do: "plan"; records: Sketch[]; deletes: number[] }
  | { do: "delete" | "snapshot" | "rollback"; index: number }
  | { do: "update"; index: number; patch: { name: string } };

const some = <T>(arbitrary: fc.Arbitrary<T>, maxLength: number) => fc.array(arbitrary, { minLength: 1, maxLength });
const index = fc.nat(30);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("create" as const), records: some(editable, 1) }),
  fc.record({ do: fc.constantFrom("bulk" as const, "atomic" as const), records: some(editable, 6) }),
  fc.record({
    do: fc.constant("plan" as const),
    records: some(editable, 4),
    deletes: fc.array(index, { maxLength: 4 }),
  }),
  fc.record({ do: fc.constantFrom("merge" as const, "replace" as const), records: some(importable, 12) }),
  fc.record({ do: fc.constantFrom("delete" as const, "snapshot" as const, "rollback" as const), index }),
  fc.record({ do: fc.constant("update" as const), index, patch: fc.record({ name: fc.constantFrom(...hosts) }) }),
);

/** As many records of a name and type as there may be, one more, and the same for types at a name. */
const atLimits: Step[] = [
  { do: "atomic", records: texts.slice(0, 4).map((value) => ({ recordType: "TXT", name: "many", value })) },
  { do: "create", records: [{ recordType: "TXT", name: "many", value: "t5" }] },
  {
    do: "merge",
    records: [
      { recordType: "A", name: "many", value: "192.0.2.1" },
      { recordType: "AAAA", name: "many", value: "2001:db8::1" },
      { recordType: "CAA", name: "many", value: authority },
      { recordType: "MX", name: "many", value: "0 ." },
    ],
  },
  { do: "create", records: [{ recordType: "SRV", name: "many", value: "0 0 1 ns1.Z" }] },
  { do: "replace", records: texts.map((value) => ({ recordType: "TXT", name: "other", value })) },
];

/** Zone texts that name servers must load, or refuse, each as a zone of its own. */
class Expectations {
  readonly accepted = new Map<string, string>();
  readonly refused = new Map<string, string>();
  readonly #zone: string;
  #last = "";

  constructor(zone: string) {
    this.#zone = zone;
  }

  accept(text: string): void {
    const serial = /\d+(?= *; serial)/;
    const content = text.replace(serial, "1");
    if (content === this.#last) return;
    this.#last = content;
    this.#add(this.accepted, "y", text);
  }

  refuse(records: readonly RecordData[]): void {
    const keys = new Set(records.map(({ name, recordType, value }) => `${name} ${recordType} ${value}`));
    // Servers accept duplicates, which are refused here for another reason.
    if (keys.size < records.length) return;
    this.#add(
      this.refused,
      "n",
      printZoneFile({ zone: this.#zone, soa: initialSoa(this.#zone, new Date(0)), records }),
    );
  }

  #add(texts: Map<string, string>, kind: string, text: string): void {
    const zone = `${kind}${texts.size}.${this.#zone}`;
    texts.set(zone, text.replaceAll(this.#zone, zone));
  }
}

/** Runs the steps, and records each one's verdict on the state it makes or would have made. */
async function walk(zone: Zone, steps: readonly Step[]): Promise<Expectations> {
  const expectations = new Expectations(zone.name);
  const snapshots: string[] = [];
  const file = join(zw.dataDir, "zones", folder, `${zone.name}.zone`);
  for (const taken of steps) {
    const before = await zone.records();
    const wanted = await take(zone, taken, before, snapshots);
    // Two rules of ours that servers do not share: they load a DS without NS, and ignore it, and "no mail" beside a mail server.
    if (wanted && !hasStraySigner(wanted) && !hasMailAndNone(wanted)) expectations.refuse(wanted);
    expectations.accept(await readFile(file, "utf8"));
  }
  return expectations;
}

function hasStraySigner(records: readonly RecordData[]): boolean {
  const delegated = new Set(records.flatMap(({ recordType, name }) => (recordType === "NS" ? [name] : [])));
  return records.some(({ recordType, name }) => recordType === "DS" && name !== "@" && !delegated.has(name));
}

/** "This name takes no mail" (RFC 7505) beside a server that takes it. */
function hasMailAndNone(records: readonly RecordData[]): boolean {
  const exchanges = Map.groupBy(
    records.filter(({ recordType }) => recordType === "MX"),
    ({ name }) => name,
  );
  return [...exchanges.values()].some((mx) => mx.length > 1 && mx.some(({ value }) => value === "0 ."));
}

interface Place {
  zone: Zone;
  before: readonly Body[];
  snapshots: string[];
}

/** The zone that a refused step would have made. */
type Unwanted = readonly RecordData[] | null;

function take(zone: Zone, taken: Step, before: readonly Body[], snapshots: string[]): Promise<Unwanted> {
  const place = { zone, before, snapshots };
  switch (taken.do) {
    case "create":
    case "atomic":
    case "bulk":
      return add(place, taken.do, recordsOf(zone, taken.records));
    case "plan":
      return plan(place, recordsOf(zone, taken.records), taken.deletes);
    case "merge":
    case "replace":
      return readIn(place, taken.do, recordsOf(zone, taken.records));
    case "delete":
    case "update":
      return change(place, before[taken.index], taken.do === "update" ? taken.patch : null);
    default:
      return taken.do === "snapshot" ? mark(place) : goBack(place, taken.index);
  }
}

async function add(
  { zone, before }: Pick<Place, "zone" | "before">,
  how: "create" | "atomic" | "bulk",
  records: RecordData[],
): Promise<Unwanted> {
  const wanted = [...before.map(dataOf), ...records];
  if (how === "create") return refused(await zone.create(inputOf(records[0]))) ? wanted : null;
  const mode = how === "atomic" ? "atomic" : "each";
  const answer = await zone.post("/records/bulk", { records: records.map(inputOf), mode });
  if (refused(answer)) return wanted;
  const left = records.find((_, index) => !answer.body.results[index].success);
  // It was refused beside others that are gone or here by now, so it may fit what is there.
  return left ? await add({ zone, before: await zone.records() }, "create", [left]) : null;
}

async function plan({ zone, before }: Place, records: RecordData[], deletes: readonly number[]): Promise<Unwanted> {
  const gone = new Set(deletes.flatMap((place) => before[place]?.id ?? []));
  const changes = [
    ...[...gone].map((recordId) => ({ action: "delete", recordId })),
    ...records.map((record) => ({ action: "create", record: inputOf(record) })),
  ];
  const planned = await zone.post("/records/plan", { changes });
  if (refused(planned)) return [...before.filter(({ id }) => !gone.has(id)).map(dataOf), ...records];
  const { planHash } = planned.body;
  expect(refused(await zone.post("/records/apply", { changes, planHash, force: true }))).toBe(false);
  return null;
}

async function readIn({ zone, before }: Place, mode: "merge" | "replace", records: RecordData[]): Promise<Unwanted> {
  const zonefile = records.map(lineOf).join("");
  if (!refused(await zone.post("/zonefile", { zonefile, mode, force: true }))) return null;
  const known = new Set(records.map(lineOf));
  const others = before.map(dataOf).filter((record) => !known.has(lineOf(record)));
  return mode === "replace" ? records : [...others, ...records];
}

/** @param patch null: deletes the record */
async function change({ zone, before }: Place, record: Body, patch: { name: string } | null): Promise<Unwanted> {
  if (!record || (patch && !isEditable(record))) return null;
  const answer = patch ? await zone.update(record.id, patch) : await zone.delete(record.id);
  if (!refused(answer)) return null;
  const others = before.filter(({ id }) => id !== record.id).map(dataOf);
  return patch ? [...others, { ...dataOf(record), ...patch }] : others;
}

async function mark({ zone, snapshots }: Place): Promise<null> {
  snapshots.push((await zone.post("/snapshots")).body.id);
  return null;
}

async function goBack({ zone, snapshots }: Place, index: number): Promise<null> {
  const id = snapshots[index % Math.max(1, snapshots.length)];
  if (id === undefined) return null;
  const { status, body } = await zone.post(`/snapshots/${id}/rollback`, { force: true });
  // Servers load every earlier state, so each can be restored as a whole.
  expect({ status, body }).toMatchObject({ status: 200, body: { success: true, failed: [] } });
  return null;
}

function refused({ status, body }: Answer): boolean {
  if (status < 300) return false;
  expect({ status, body }).toMatchObject({ status: status === 400 ? 400 : 409 });
  return true;
}

function isEditable({ recordType }: Body): boolean {
  return ["A", "AAAA", "CNAME", "NS", "MX", "TXT", "SRV", "CAA"].includes(recordType);
}

function dataOf({ recordType, name, value, priority }: Body): RecordData {
  return { recordType, name, value, ttl: 300, priority, proxied: false, strings: null };
}

function recordsOf(zone: Zone, sketches: readonly Sketch[]): RecordData[] {
  const records = sketches.map(({ recordType, name, value }) =>
    dataOf({ recordType, name, value: value.replace(/(?<![A-Za-z])Z/, zone.name), priority: null }),
  );
  return [...new Map(records.map((record) => [lineOf(record), record])).values()];
}

function inputOf(record: RecordData | undefined): object {
  return { recordType: record?.recordType, name: record?.name, value: record?.value, ttl: 300 };
}

function lineOf({ recordType, name, value }: RecordData): string {
  const data = { NS: `${value}.`, CNAME: `${value}.`, MX: dotted(value), SRV: dotted(value) }[recordType] ?? value;
  return `${name} 300 ${recordType} ${data}\n`;
}

function dotted(value: string): string {
  return value.endsWith(".") ? value : `${value}.`;
}

test("BIND and Knot load every zone file that accepted changes leave, and refuse what is refused here", async () => {
  const all = { accepted: new Map<string, string>(), refused: new Map<string, string>() };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), async (steps) => {
      const { body } = await zw.admin.post("/api/domains", { name: freshName(), providerConfigId });
      const { accepted, refused: unwanted } = await walk(new Zone(zw, body), steps);
      expect(Object.fromEntries(await refusedByCheckconf(accepted))).toEqual({});
      expect(Object.fromEntries(await refusedByKnot(accepted))).toEqual({});
      const [byBind, byKnot] = [await refusedByCheckconf(unwanted), await refusedByKnot(unwanted)];
      for (const [zone, text] of accepted) all.accepted.set(zone, text);
      for (const [zone, text] of unwanted) if (!byBind.has(zone) && !byKnot.has(zone)) all.refused.set(zone, text);
    }),
    { numRuns: 40, examples: [[atLimits]] },
  );
  const byNamed = await refusedByNamed(new Map([...all.accepted, ...all.refused]), limits);
  const [accepted, refusedZones] = [[...all.accepted.keys()], [...all.refused.keys()]];
  expect(refusedZones.length).toBeGreaterThanOrEqual(3);
  expect(accepted.filter((zone) => byNamed.has(zone))).toEqual([]);
  expect(refusedZones.filter((zone) => !byNamed.has(zone)).map((zone) => all.refused.get(zone))).toEqual([]);
});

test("BIND and Knot load new zones, even those whose names are not host names", async () => {
  const named = { kind: "zonefile", name: "Named", config: { folder: "named", hostmaster: "first.last@example.com" } };
  const configs = [
    { id: providerConfigId, folder, net: 9 },
    { id: (await zw.admin.post("/api/provider-configs", named)).body.id, folder: "named", net: 10 },
  ];
  const texts = new Map<string, string>();
  for (const config of configs) {
    const names = ["_msdcs", "a_b", "_tcp", "plain"].map((label) => `${label}.${freshName()}`);
    for (const name of [...names, `0/25.${config.net}.0.192.in-addr.arpa`]) {
      const { body } = await zw.admin.post("/api/domains", { name, providerConfigId: config.id });
      const file = join(zw.dataDir, "zones", config.folder, `${name.replace("/", "%2f")}.zone`);
      const made = await readFile(file, "utf8");
      const added = await zw.admin.post(`/api/domains/${body.id}/records`, {
        recordType: "TXT",
        name: "t",
        value: "x",
      });
      expect(added.status).toBe(201);
      texts.set(name, await readFile(file, "utf8"));
      expect(await refusedByCheckconf(new Map([[name, made]]))).toEqual(new Map());
    }
  }
  expect(Object.fromEntries(await refusedByCheckconf(texts))).toEqual({});
  expect(Object.fromEntries(await refusedByKnot(texts))).toEqual({});
});
