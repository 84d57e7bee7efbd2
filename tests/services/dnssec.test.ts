import { afterAll, beforeAll, expect, test } from "vitest";
import { manualConfig, type Body } from "../support/zones.ts";
import { startZonewright, type Zonewright } from "../support/zonewright.ts";
import { addresses, foreign, startSigningWorld, type PlantedZone, type SigningWorld } from "./dnssec-zones.ts";

const ecdsa = ["ECDSAP256SHA256"];
const past = ["-s", "20200101000000", "-e", "20200201000000"];
const future = ["-s", "20900101000000", "-e", "20900201000000"];

type Expected = readonly ["secure" | "insecure" | "bogus", reason?: RegExp];

/** Zones, and what must be found of each. */
const planted: Readonly<Record<string, PlantedZone & { expected: Expected }>> = {
  "good.lab": { algorithms: ecdsa, expected: ["secure"] },
  "rsasha1.lab": { algorithms: ["RSASHA1"], expected: ["secure"] },
  "nsec3rsasha1.lab": { algorithms: ["NSEC3RSASHA1"], expected: ["secure"] },
  "rsasha256.lab": { algorithms: ["RSASHA256"], expected: ["secure"] },
  "rsasha512.lab": { algorithms: ["RSASHA512"], expected: ["secure"] },
  "p384.lab": { algorithms: ["ECDSAP384SHA384"], expected: ["secure"] },
  "ed25519.lab": { algorithms: ["ED25519"], expected: ["secure"] },
  "ed448.lab": { algorithms: ["ED448"], expected: ["secure"] },
  "expired.lab": { algorithms: ecdsa, options: past, expected: ["bogus", /expired on 2020-02-01/] },
  "early.lab": { algorithms: ecdsa, options: future, expected: ["bogus", /not valid before 2090-01-01/] },
  "wrong-digest.lab": { algorithms: ecdsa, ds: "other digest", expected: ["bogus", /No DS record .* matches/] },
  "wrong-key.lab": { algorithms: ecdsa, ds: "other key", expected: ["bogus", /No DS record .* matches/] },
  "missing-ds.lab": { algorithms: ecdsa, ds: "none", expected: ["insecure", /The zone lab proves that .* has no DS/] },
  "unsigned.lab": { algorithms: [], expected: ["insecure"] },
  "roll.lab": { algorithms: ["RSASHA256", "ECDSAP256SHA256"], expected: ["secure"] },
  "rolled.lab": { algorithms: ["RSASHA256", "ECDSAP256SHA256"], ds: "first", expected: ["secure"] },
  "stripped.lab": {
    algorithms: ecdsa,
    damage: (text) => text.replaceAll(/^[^\n;]*\sRRSIG\s[^()]*\([^)]*\)/gm, ""),
    expected: ["bogus", /no signature/],
  },
  "forged.lab": {
    algorithms: ecdsa,
    damage: (text) => text.replaceAll("hostmaster.lab.", "intruder.lab."),
    expected: ["bogus", /SOA .* does not match/],
  },
  "wild.lab": { algorithms: ecdsa, lines: ["* A 192.0.2.9"], expected: ["secure"] },
  "child.wild.lab": { algorithms: ecdsa, ds: "none", expected: ["insecure"] },
  "far.below.wild.lab": { algorithms: ecdsa, expected: ["secure"] },
  "hashed.lab": { algorithms: ecdsa, options: ["-3", "AABB", "-H", "5"], expected: ["secure"] },
  "child.hashed.lab": { algorithms: [], expected: ["insecure"] },
  "far.below.hashed.lab": { algorithms: ecdsa, expected: ["secure"] },
  "bare.below.hashed.lab": { algorithms: ecdsa, ds: "none", expected: ["insecure"] },
  "optout.lab": { algorithms: ecdsa, options: ["-3", "-", "-A", "-H", "0"], expected: ["secure"] },
  "plain.optout.lab": { algorithms: [], expected: ["insecure"] },
  "safe.optout.lab": { algorithms: ["ED25519"], expected: ["secure"] },
  "expired.optout.lab": { algorithms: ecdsa, options: past, expected: ["bogus"] },
  "below.expired.lab": { algorithms: ecdsa, expected: ["bogus"] },
  "below.missing-ds.lab": { algorithms: ecdsa, expected: ["insecure"] },
  "leftover.lab": { algorithms: [], ds: "foreign", expected: ["bogus", /no DNSKEY records/] },
  "half-rolled.lab": { algorithms: ecdsa, ds: "all and foreign", expected: ["secure"] },
  "late.lab": { algorithms: ecdsa, options: ["-s", "now-2592000", "-e", "now+7200"], expected: ["secure"] },
  "unready.lab": { algorithms: ecdsa, options: past, ds: "none", expected: ["insecure"] },
  "asking.lab": { algorithms: ecdsa, lines: [`@ CDS ${foreign}`], expected: ["secure"] },
  "leaving.lab": { algorithms: ecdsa, lines: ["@ CDS 0 0 0 00", "@ CDNSKEY 0 3 0 AA=="], expected: ["secure"] },
  "agreeing.lab": { algorithms: ecdsa, cds: true, expected: ["secure"] },
  "many.lab": { algorithms: ecdsa, options: ["-3", "AA", "-H", "150"], expected: ["secure"] },
};

/** What else the service must show of some of them: the state, and the codes of findings. */
const shown: Readonly<Record<string, readonly [state: string | null, ...codes: string[]]>> = {
  "good.lab": ["signed"],
  "expired.lab": ["broken", "broken"],
  "forged.lab": ["broken", "broken"],
  "wrong-digest.lab": ["broken", "ds_mismatch"],
  "wrong-key.lab": ["broken", "ds_mismatch"],
  "missing-ds.lab": ["pending", "ds_missing"],
  "unsigned.lab": ["unsigned"],
  "leftover.lab": ["broken", "ds_mismatch"],
  "roll.lab": ["signed"],
  "rolled.lab": ["signed"],
  "half-rolled.lab": ["signed", "ds_extra"],
  "late.lab": ["signed", "signatures_expiring"],
  "unready.lab": ["pending", "signatures_invalid"],
  "asking.lab": ["signed", "cds_differs"],
  "leaving.lab": ["signed", "cds_differs"],
  "agreeing.lab": ["signed"],
};

let world: SigningWorld;
let zw: Zonewright & { stop(): Promise<void> };
let providerConfigId: string;
beforeAll(async () => {
  world = await startSigningWorld(planted);
  zw = await startZonewright({
    env: {
      RESOLVER_ROOTS: `${addresses.root}:${world.port}`,
      RESOLVER_TRUST_ANCHOR: world.anchor,
      EGRESS_ALLOW: "127.0.0.0/8",
      JOBS: "off",
    },
  });
  providerConfigId = await manualConfig(zw);
});
afterAll(async () => {
  await zw?.stop();
  await world?.stop();
});

async function checked(name: string): Promise<Body> {
  const { body: domain } = await zw.admin.post("/api/domains", { name, providerConfigId });
  const { body, status } = await zw.admin.post(`/api/domains/${domain.id}/dnssec/check`);
  if (status !== 200) throw new Error(`${name} was not checked: ${JSON.stringify(body)}`);
  return body;
}

const delvSays = { secure: "fully validated", insecure: "unsigned answer", bogus: "failure" };

test.for(Object.entries(planted))("%s is judged as BIND's validators judge it", async ([zone, { expected }]) => {
  const [result, reason = /^[A-Z].*\.$/] = expected;
  const body = await checked(zone);
  expect({
    chain: body.chain,
    reason: body.chainReason,
    answer: await world.resolve(zone),
    delv: await world.delv(zone),
  }).toEqual({
    chain: result,
    reason: expect.stringMatching(reason),
    answer: { status: result === "bogus" ? "SERVFAIL" : "NOERROR", validated: result === "secure" },
    delv: delvSays[result],
  });
  const [state, ...codes] = shown[zone] ?? [body.state, ...body.findings.map(({ code }: Body) => code)];
  expect({ state: body.state, codes: body.findings.map(({ code }: Body) => code) }).toEqual({ state, codes });
});

test("the DS records to publish are those that BIND's tools make", async () => {
  const { body } = await zw.admin.get("/api/domains?name=good.lab");
  const { body: seen } = await zw.admin.get(`/api/domains/${body.domains[0].id}/dnssec`);
  expect(seen.dsToPublish).toEqual(world.ds("good.lab"));
  expect(seen).toMatchObject({
    parentDs: seen.dsToPublish,
    keys: [{ algorithm: 13, role: "csk", published: true, active: true }],
    cds: [],
  });
});

test.for([
  ["leftover.lab", "dnssec.ds_mismatch", "The DS records of leftover.lab match none of its keys"],
  ["expired.lab", "dnssec.broken", expect.stringContaining("expired.lab")],
  // The fault is in expired.lab.
  ["below.expired.lab", null, null],
] as const)("what a check finds in %s is reported once, where it can be mended", async ([name, event, title]) => {
  const { body } = await zw.admin.get(`/api/domains?name=${name}`);
  const { id } = body.domains.find((domain: Body) => domain.name === name);
  await zw.admin.post(`/api/domains/${id}/dnssec/check`);
  const { notifications } = (await zw.admin.get("/api/notifications?limit=100")).body;
  const reports = notifications.filter(
    (one: Body) => one.event.startsWith("dnssec.") && one.metadata.domainName === name,
  );
  expect(reports).toMatchObject(event === null ? [] : [{ event, level: "error", title }]);
});
