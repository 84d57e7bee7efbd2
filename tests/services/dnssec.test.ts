import { afterAll, beforeAll, expect, test } from "vitest";
import { validateZone } from "../../server/dns/dnssec/chain.ts";
import { parseDs } from "../../server/dns/dnssec/keys.ts";
import { DnsClient } from "../../server/registry/delegation/dns-client.ts";
import { IterativeResolver } from "../../server/registry/delegation/resolver.ts";
import { openDoor } from "../platform/net/door.ts";
import { addresses, startSigningWorld, type PlantedZone, type SigningWorld } from "./dnssec-zones.ts";

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
  "missing-ds.lab": { algorithms: ecdsa, ds: "none", expected: ["insecure", /Lab proves that .* has no DS/] },
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
  "many.lab": { algorithms: ecdsa, options: ["-3", "AA", "-H", "150"], expected: ["secure"] },
};

let world: SigningWorld;
beforeAll(async () => {
  world = await startSigningWorld(planted);
}, 180_000);
afterAll(() => world?.stop());

async function validate(zone: string, now = new Date()) {
  const dns = new DnsClient(openDoor({}, { allow: ["127.0.0.0/8"] }), new AbortController().signal, 1_000);
  const resolver = new IterativeResolver(dns, [addresses.root], world.port);
  const anchor = parseDs(world.anchor);
  return await validateZone(zone, {
    anchors: anchor ? [anchor] : [],
    now,
    fetch: (name, type) => resolver.signed(name, type),
  });
}

const delvSays = { secure: "fully validated", insecure: "unsigned answer", bogus: "failure" };

test.for(Object.entries(planted))("%s is judged as BIND's validators judge it", async ([zone, { expected }]) => {
  const [result, reason = /^[A-Z].*\.$/] = expected;
  const found = await validate(zone);
  const answer = await world.resolve(zone);
  expect({ found, answer, delv: await world.delv(zone) }).toEqual({
    found: { result, reason: expect.stringMatching(reason), zone: expect.any(String) },
    answer: { status: result === "bogus" ? "SERVFAIL" : "NOERROR", validated: result === "secure" },
    delv: delvSays[result],
  });
});
