import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { outcomesIn, provenOurs, readAll, readServed } from "../../server/zones/changes/provider-call.ts";
import { knownKind } from "../../server/dns-providers/kinds.ts";
import { ProviderError, type DnsProvider, type RecordChange } from "../../server/dns-providers/provider.ts";
import { VendorAccounts } from "../../server/dns-providers/vendor-api/accounts.ts";
import { createEgress, type Egress } from "../../server/platform/net/egress.ts";
import { planState, withOneTtl } from "../../server/dns/desired-state.ts";
import { noNotes, recordKey, type LiveRecord, type RecordData } from "../../server/dns/record.ts";
import { refusal as cloudflareRefusal, startCloudflare } from "../support/vendors/cloudflare/server.ts";
import { failure as digitalOceanFailure, startDigitalOcean } from "../support/vendors/digitalocean/server.ts";
import type { LoopbackVendor, VendorReply } from "../support/vendors/loopback-vendor.ts";
import { failure as route53Failure, startRoute53 } from "../support/vendors/route53/server.ts";
import { recordDialects } from "../support/vendors/records/dialects.ts";
import { startRecordVendor } from "../support/vendors/records/server.ts";
import { rrsetDialects } from "../support/vendors/rrsets/dialects.ts";
import { startRrsetVendor } from "../support/vendors/rrsets/server.ts";
import { record } from "./zone-folder.ts";

// From any state of a few names to any other, with one failing call: reported outcomes match the records.

interface Vendor {
  server: LoopbackVendor;
  config: object;
  refusal: VendorReply;
}

const vendors: [string, () => Promise<Vendor>][] = [
  [
    "cloudflare",
    async () => {
      const server = await startCloudflare();
      const { token: apiToken, accountId, url: endpoint } = server;
      const refusal = cloudflareRefusal(400, 9_999, "Not this one");
      return { server: server.vendor, config: { apiToken, accountId, endpoint }, refusal };
    },
  ],
  [
    "route53",
    async () => {
      const server = await startRoute53();
      const { accessKeyId, secretAccessKey, url: endpoint } = server;
      const refusal = route53Failure(400, "InvalidChangeBatch", "[Not this one]");
      return { server, config: { accessKeyId, secretAccessKey, endpoint }, refusal };
    },
  ],
  [
    "digitalocean",
    async () => {
      const server = await startDigitalOcean();
      const refusal = digitalOceanFailure(422, "unprocessable_entity", "Not this one");
      return { server, config: { token: server.token, endpoint: server.url }, refusal };
    },
  ],
];

for (const dialect of rrsetDialects) {
  vendors.push([
    dialect.kind,
    async () => {
      const server = await startRrsetVendor(dialect);
      return { server, config: server.config, refusal: dialect.refusal("Not this one") };
    },
  ]);
}

const zone = "states.example";
const names = ["a", "b", "c"];
// One of the kinds on the base for single records: the others differ only in their forms.
const [dialect] = recordDialects;
if (dialect) {
  vendors.push([
    dialect.kind,
    async () => {
      const server = await startRecordVendor(dialect);
      return { server, config: server.config, refusal: dialect.refusal("Not this one") };
    },
  ]);
}

const ttls = [3_600, 7_200];
const values: Record<string, string[]> = {
  A: ["192.0.2.1", "192.0.2.2", "192.0.2.3"],
  TXT: ["one", "two", "three"],
  CNAME: ["x.example.net"],
};

/** What a name has: one CNAME, or any values of the other types with one TTL each. */
const atName = (name: string) =>
  fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(...ttls).map((ttl) => [record(name, "CNAME", "x.example.net", ttl)]) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(
          ...["A", "TXT"].map((type) =>
            fc
              .tuple(fc.subarray(values[type] ?? []), fc.constantFrom(...ttls))
              .map(([some, ttl]) => some.map((value) => record(name, type, value, ttl))),
          ),
        )
        .map((sets) => sets.flat()),
    },
  );
const state = fc.tuple(...names.map(atName)).map((parts) => parts.flat());
const fault = fc.record({
  // Of two vendors 97 in 100 sets of changes take one call.
  call: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 6 })),
  kind: fc.constantFrom("none", "refused", "cut before", "cut after", "failed after"),
});

const now = () => new Date();
let ids = 0;
const live = (data: RecordData): LiveRecord => {
  const at = new Date(0);
  return { ...data, id: String(++ids), version: 1, status: "active", ...noNotes, createdAt: at, updatedAt: at };
};

describe.each(vendors)("%s", (kindName, start) => {
  let vendor: Vendor;
  let provider: DnsProvider;
  let egress: Egress;
  beforeAll(async () => {
    vendor = await start();
    egress = createEgress({ allow: ["127.0.0.1"], now });
    const connected = knownKind(kindName).connect?.(vendor.config, {
      zonesFolder: "/nowhere",
      now,
      egress,
      accounts: new VendorAccounts({ now, pause: () => Promise.resolve() }),
    });
    if (!connected) throw new Error(`${kindName} has no back end`);
    provider = connected;
    await provider.createZone(zone);
  });
  afterAll(async () => {
    await egress.close();
    await vendor.server.stop();
  });

  const present = async () => (await readAll(provider, zone)).filter(({ recordType }) => recordType !== "NS");

  async function changesTo(wanted: readonly RecordData[]): Promise<RecordChange[]> {
    const there = (await present()).map(live);
    return withOneTtl(there, planState(there, wanted).changes);
  }

  function failCall(number: number, kind: string): void {
    if (kind === "none") return;
    let seen = 0;
    const reply = { refused: vendor.refusal, "failed after": { status: 503, body: "busy" } }[kind] ?? null;
    const isIt = ({ method }: { method: string }) => method !== "GET" && seen++ === number;
    vendor.server.failNext({ after: kind.endsWith("after"), reply }, 1, isIt);
  }

  test("reported outcomes match the records, whatever call fails", async () => {
    await fc.assert(
      fc.asyncProperty(state, state, fc.boolean(), fault, async (first, second, atomic, { call, kind }) => {
        vendor.server.forgetFaults();
        await provider.applyChanges(zone, await changesTo(first), { atomic: true });
        const before = await present();
        expect(sorted(before)).toEqual(sorted(first));
        const changes = await changesTo(second);
        failCall(call, kind);
        const calls: (readonly RecordChange[])[] = [];
        const beforeCall = async (does: readonly RecordChange[]) => void calls.push(does);
        const reported = await provider
          .applyChanges(zone, changes, { atomic, beforeCall })
          .catch((error: unknown) => error);
        vendor.server.forgetFaults();
        const announced = calls.filter((does) => does.length > 0);
        const { served } = await readServed(provider, zone, [...changes, ...announced.flat()]);
        const ours = provenOurs(served, changes, announced);
        // There is no other writer, so whatever happened was announced.
        const strange = changes.filter((change, index) => {
          const [outcome] = outcomesIn(served, changes).slice(index);
          return outcome && (outcome.ok || outcome.gone) && !ours[index] && !isNothing(change, before);
        });
        expect(strange).toEqual([]);
        const after = await present();
        const [found, expected] = comparison(reported, { kind, changes, atomic, before, wanted: second, after });
        expect(found).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });
});

/** Whether the zone had already what a change leads to. */
function isNothing({ after }: RecordChange, before: readonly RecordData[]): boolean {
  return after !== null && before.some((one) => recordKey(one) === recordKey(after) && one.ttl === after.ttl);
}

interface Happened {
  kind: string;
  changes: readonly RecordChange[];
  atomic: boolean;
  before: readonly RecordData[];
  wanted: readonly RecordData[];
  after: readonly RecordData[];
}

/** The actual records afterwards, and those expected by the reported outcomes. */
function comparison(reported: unknown, { kind, changes, atomic, before, wanted, after }: Happened): [unknown, unknown] {
  if (reported instanceof ProviderError && reported.effect === "none") return [sorted(after), sorted(before)];
  // An answered call leaves nothing pending.
  if (reported instanceof ProviderError) return [kind === "refused" || kind === "none", false];
  const { outcomes } = reported as Awaited<ReturnType<DnsProvider["applyChanges"]>>;
  const done = changes.filter((_, index) => outcomes[index]?.ok);
  if (done.length === changes.length) return [sorted(after), sorted(wanted)];
  // Remaining records get the TTL of what was made; the records show which part was made.
  return atomic
    ? [
        [done, sorted(after)],
        [[], sorted(before)],
      ]
    : [keys(after), keys(carriedOut(before, done))];
}

function carriedOut(records: readonly RecordData[], changes: readonly RecordChange[]): RecordData[] {
  const gone = new Set(changes.flatMap(({ before }) => (before ? [recordKey(before)] : [])));
  const kept = records.filter((one) => !gone.has(recordKey(one)));
  return [...kept, ...changes.flatMap(({ after }) => after ?? [])];
}

function keys(records: readonly RecordData[]): string[] {
  return records.map(recordKey).toSorted((one, other) => (one < other ? -1 : 1));
}

function sorted(records: readonly RecordData[]): RecordData[] {
  return records.toSorted((one, other) => (recordKey(one) < recordKey(other) ? -1 : 1));
}
