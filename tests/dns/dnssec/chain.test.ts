import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { checkApex, validateZone, type DnssecAnswer } from "../../../server/dns/dnssec/chain.ts";
import { dsText, parseDs, readKey } from "../../../server/dns/dnssec/keys.ts";
import { readSignature, type SignedRecord } from "../../../server/dns/dnssec/signatures.ts";
import { writeName } from "../../../server/dns/names/wire-names.ts";
import { judgeDnssec } from "../../../server/registry/dnssec/findings.ts";
import { answer, dsRdata, fetchFrom, now, SignedZone, typeMap } from "./signed-tree.ts";

const root = new SignedZone(".");
const lab = new SignedZone("lab");
const shop = new SignedZone("shop.lab");
const anchors = [root.ds];

const usual: Record<string, DnssecAnswer> = {
  ...root.apex(),
  "lab DS": answer(root.signed("lab", "DS", [dsRdata(lab.ds)])),
  ...lab.apex(),
  "shop.lab DS": answer(lab.signed("shop.lab", "DS", [dsRdata(shop.ds)])),
  ...shop.apex(),
};

function validate(changed: Record<string, DnssecAnswer | null> = {}, zone = "shop.lab") {
  const answers = Object.fromEntries(
    Object.entries({ ...usual, ...changed }).flatMap(([key, one]) => (one ? [[key, one]] : [])),
  );
  return validateZone(zone, { anchors, now, fetch: fetchFrom(answers) });
}

/** An answer that denies the DS records of `shop.lab` with these records of `lab`. */
const denied = (...proof: SignedRecord[]) => ({ "shop.lab DS": answer([], proof) });
const nsec = (owner: string, next: string, ...types: string[]) =>
  lab.signed(owner, "NSEC", [Buffer.concat([writeName(next), typeMap(...types)])]);

const digits = "0123456789abcdefghijklmnopqrstuv";
function base32(octets: Buffer): string {
  const bits = [...octets].map((octet) => octet.toString(2).padStart(8, "0")).join("");
  return (
    bits
      .match(/.{5}/g)
      ?.map((five) => digits[Number.parseInt(five, 2)])
      .join("") ?? ""
  );
}
function hashed(name: string, iterations: number): Buffer {
  let hash: Buffer = writeName(name);
  for (let done = 0; done <= iterations; done++) hash = createHash("sha1").update(hash).digest();
  return hash;
}
/** An NSEC3 record at a hash, up to another one. */
function nsec3(from: Buffer, to: Buffer, { iterations = 0, flags = 0, types = ["A"] } = {}): SignedRecord[] {
  const head = Buffer.of(1, flags, iterations >> 8, iterations & 255, 0, 20);
  return lab.signed(`${base32(from)}.lab`, "NSEC3", [Buffer.concat([head, to, typeMap(...types)])]);
}
const around = (hash: Buffer, by: number) => Buffer.concat([hash.subarray(0, 19), Buffer.of((hash[19] ?? 0) + by)]);

describe("a chain of signatures", () => {
  test("signatures from the root to the apex make a zone secure", async () => {
    expect(await validate()).toEqual({
      result: "secure",
      reason: "Signatures lead from the root to shop.lab.",
      zone: "shop.lab",
    });
  });

  test.for([
    ["DNSKEY records that no one serves", { "shop.lab DNSKEY": null }, "unknown"],
    ["a zone above that does not answer", { "shop.lab DS": null }, "unknown"],
    ["a root that has other keys", new SignedZone(".").apex(), "unknown"],
    ["a zone that has other keys", new SignedZone("shop.lab").apex(), "bogus"],
    ["no DNSKEY records", { "shop.lab DNSKEY": answer([]) }, "bogus"],
    ["an answer without proof", { "shop.lab DS": answer([]) }, "bogus"],
    ["a refusal", { "shop.lab DS": answer([], [], 5) }, "bogus"],
    [
      "DS records signed by the zone itself",
      { "shop.lab DS": answer(shop.signed("shop.lab", "DS", [dsRdata(shop.ds)])) },
      "bogus",
    ],
    [
      "DS records that a wildcard was expanded to",
      { "shop.lab DS": answer(lab.signed("shop.lab", "DS", [dsRdata(shop.ds)], { labels: 1, owner: "*.lab" })) },
      "bogus",
    ],
    [
      "DS records of unknown algorithms only",
      { "shop.lab DS": answer(lab.signed("shop.lab", "DS", [dsRdata({ ...shop.ds, algorithm: 253 })])) },
      "insecure",
    ],
    [
      "DS records with unknown digests only",
      { "shop.lab DS": answer(lab.signed("shop.lab", "DS", [dsRdata({ ...shop.ds, digestType: 9 })])) },
      "insecure",
    ],
    [
      "a DS record with SHA-1 beside a wrong one with SHA-256",
      {
        "shop.lab DS": answer(
          lab.signed("shop.lab", "DS", [
            dsRdata({ ...shop.ds, digest: "00".repeat(32) }),
            dsRdata({
              ...shop.ds,
              digestType: 1,
              digest: createHash("sha1").update(writeName("shop.lab")).update(shop.rdata).digest("hex"),
            }),
          ]),
        ),
      },
      "bogus",
    ],
    [
      "a signature that is cut off",
      {
        "shop.lab SOA": answer(
          (usual["shop.lab SOA"]?.answers ?? []).map((record) =>
            record.type === "RRSIG"
              ? { name: record.name, type: record.type, rdata: record.rdata.subarray(0, 20) }
              : record,
          ),
        ),
      },
      "bogus",
    ],
  ] as const)("%s: the zone is judged $2", async ([, changed, result]) => {
    expect(await validate(changed)).toMatchObject({ result });
  });
});

describe("a zone that is proven to have no DS records", () => {
  const own = hashed("shop.lab", 0);
  const apex = (options = {}) =>
    nsec3(hashed("lab", 0), around(hashed("lab", 0), 1), { types: ["NS", "SOA"], ...options });
  test.for<readonly [string, SignedRecord[], string]>([
    ["NSEC of a delegation", nsec("shop.lab", "a.shop.lab", "NS"), "insecure"],
    ["NSEC with a DS type", nsec("shop.lab", "z.lab", "NS", "DS"), "bogus"],
    ["NSEC of the zone itself", nsec("shop.lab", "z.lab", "NS", "SOA"), "bogus"],
    ["NSEC of a name that is not delegated", nsec("shop.lab", "z.lab", "A"), "unknown"],
    ["NSEC around the name", nsec("a.lab", "z.lab", "A"), "unknown"],
    ["NSEC from the last name to the first", nsec("s.lab", "lab", "A"), "unknown"],
    ["NSEC elsewhere", nsec("a.lab", "b.lab", "A"), "bogus"],
    [
      "NSEC that another zone signed",
      shop.signed("shop.lab", "NSEC", [Buffer.concat([writeName("z.lab"), typeMap("NS")])]),
      "bogus",
    ],
    ["NSEC that is cut off", lab.signed("shop.lab", "NSEC", [Buffer.of(1)]), "bogus"],
    ["NSEC3 of a delegation", nsec3(own, around(own, 1), { types: ["NS"] }), "insecure"],
    ["NSEC3 of an empty name", nsec3(own, around(own, 1), { types: [] }), "unknown"],
    ["NSEC3 around the name, without the zone's own", nsec3(around(own, -1), around(own, 1), { flags: 1 }), "bogus"],
    ["NSEC3 around the name", [...apex(), ...nsec3(around(own, -1), around(own, 1))], "unknown"],
    [
      "NSEC3 around the name, opt-out",
      [...apex(), ...nsec3(around(own, -1), around(own, 1), { flags: 1 })],
      "insecure",
    ],
    ["NSEC3 with unknown flags", nsec3(own, around(own, 1), { flags: 2, types: ["NS"] }), "bogus"],
    ["NSEC3 with 2,500 iterations", nsec3(own, around(own, 1), { iterations: 2_500, types: ["A"] }), "insecure"],
    [
      "NSEC3 with 2,500 iterations that another zone signed",
      shop.signed("a.lab", "NSEC3", [Buffer.of(1, 0, 9, 196, 0, 0)]),
      "bogus",
    ],
  ])("by %s: the zone is judged $2", async ([, proof, result]) => {
    expect(await validate(denied(...proof))).toMatchObject({ result });
  });

  test("a name between two zones that is not delegated does not end the chain", async () => {
    const deep = new SignedZone("a.b.lab");
    const chain = await validate(
      {
        "b.lab DS": answer([], nsec("a.lab", "a.b.lab", "A")),
        "a.b.lab DS": answer(lab.signed("a.b.lab", "DS", [dsRdata(deep.ds)])),
        ...deep.apex(),
      },
      "a.b.lab",
    );
    expect(chain).toMatchObject({ result: "secure", zone: "a.b.lab" });
  });
});

/** A key of the same tag, which signed nothing. */
function sameTag(index: number): Buffer {
  const rdata = Buffer.concat([shop.rdata.subarray(0, 4), Buffer.alloc(32)]);
  rdata.writeUInt16BE(index + 1, 4);
  const tag = readKey(rdata)?.tag ?? 0;
  rdata.writeUInt16BE((shop.tag - tag + 0x1_00_00) % 0x1_00_00, 34);
  if (readKey(rdata)?.tag !== shop.tag) rdata.writeUInt16BE((rdata.readUInt16BE(34) + 0xffff) % 0x1_00_00, 34);
  return rdata;
}

const colliding = (count: number) => {
  const others = Array.from({ length: count * 2 }, (_, index) => sameTag(index))
    .filter((rdata) => readKey(rdata)?.tag === shop.tag)
    .slice(0, count);
  expect(others).toHaveLength(count);
  return shop.apex([...others, shop.rdata]);
};

describe("the work that a zone can ask for", () => {
  test("a few keys with one tag are all tried", async () => {
    expect(await validate(colliding(3))).toMatchObject({ result: "secure" });
  });

  test("of a hundred keys with one tag only the first are tried", async () => {
    expect(await validate(colliding(100))).toMatchObject({ result: "bogus" });
  });

  test("a long name with costly proofs is given up", async () => {
    const name = `${Array.from({ length: 120 }, () => "a").join(".")}.lab`;
    const answers = Object.fromEntries(
      Array.from({ length: 120 }, (_, index) => {
        const part = `${Array.from({ length: index + 1 }, () => "a").join(".")}.lab`;
        const hash = hashed(part, 100);
        return [`${part} DS`, answer([], nsec3(hash, around(hash, 1), { iterations: 100, types: [] }))];
      }),
    );
    const chain = await validate(answers, name);
    expect(chain.reason).toBe("Validating lab takes more work than resolvers allow.");
  });
});

describe("a zone's own signatures", () => {
  const expires = new Date("2027-01-17T00:00:00Z");
  const ns = answer(shop.signed("shop.lab", "NS", [writeName("ns.lab")], { expires }));

  test("the first signature to expire counts", async () => {
    const { keys, ...seen } = await checkApex("shop.lab", {
      now,
      fetch: fetchFrom({ ...shop.apex(), "shop.lab NS": ns }),
    });
    expect(keys).toEqual([readKey(shop.rdata)]);
    expect(seen).toMatchObject({ fault: null, expiresAt: expires, keySigners: [shop.tag] });
  });

  test("an expired signature is a fault, whatever the parent zone says", async () => {
    const later = new Date("2027-01-18T00:00:00Z");
    const seen = await checkApex("shop.lab", { now: later, fetch: fetchFrom({ ...shop.apex(), "shop.lab NS": ns }) });
    expect(seen).toMatchObject({
      fault: "The NS records of shop.lab have a signature that expired on 2027-01-17 at 00:00 UTC.",
      expiresAt: null,
    });
  });

  test("a zone without keys has no fault", async () => {
    expect(await checkApex("shop.lab", { now, fetch: fetchFrom({ "shop.lab DNSKEY": answer([]) }) })).toMatchObject({
      keys: [],
      fault: null,
      expiresAt: null,
    });
  });
});

test.for([
  ["a wildcard CNAME", lab.signed("shop.lab", "CNAME", [writeName("lb.example.net")], { labels: 1, owner: "*.lab" })],
  [
    "a DNAME record",
    [
      ...lab.signed("lab", "DNAME", [writeName("other.example")]),
      { name: "shop.lab", type: "CNAME", rdata: writeName("shop.other.example") },
    ],
  ],
] as const)("a name under %s is not delegated, and not bogus", async ([, records]) => {
  expect(await validate({ "shop.lab DS": answer([...records]) })).toMatchObject({
    result: "unknown",
    reason: expect.stringContaining("not delegated"),
  });
});

test("signatures of other keys do not hide the one that counts", async () => {
  const others = Array.from({ length: 9 }, () => new SignedZone("shop.lab"));
  const all = [shop, ...others].map(({ rdata }) => rdata);
  const signatures = [...others, shop].flatMap((zone) =>
    zone.signed("shop.lab", "DNSKEY", all).filter(({ type }) => type === "RRSIG"),
  );
  const keys = all.map((rdata) => ({ name: "shop.lab", type: "DNSKEY", rdata }));
  expect(await validate({ "shop.lab DNSKEY": answer([...keys, ...signatures]) })).toMatchObject({ result: "secure" });
});

test("digests are not compared for more DS records than any zone needs", async () => {
  const many = Array.from({ length: 41 }, (_, index) =>
    dsRdata({ ...shop.ds, digest: index.toString(16).padStart(64, "0") }),
  );
  expect(await validate({ "shop.lab DS": answer(lab.signed("shop.lab", "DS", many)) })).toMatchObject({
    reason: expect.stringContaining("more work than resolvers allow"),
  });
});

test("a trust anchor of an unknown digest type trusts no key", async () => {
  const unknown = [{ ...root.ds, digestType: 3, digest: "00".repeat(32) }];
  expect(await validateZone("shop.lab", { anchors: unknown, now, fetch: fetchFrom(usual) })).toMatchObject({
    result: "unknown",
    zone: ".",
  });
});

test.for([
  ["insecure", "lab", "info ds_extra"],
  ["bogus", "lab", "warning broken"],
  ["bogus", "shop.lab", "error ds_mismatch"],
  ["unknown", ".", "warning ds_mismatch"],
] as const)("DS records that match no key of a chain %s at %s are %s", async ([result, zone, expected]) => {
  const apex = await checkApex("shop.lab", { now, fetch: fetchFrom(usual) });
  const parentDs = [new SignedZone("shop.lab").ds];
  const chain = { result, zone, reason: "It is so." };
  const found = judgeDnssec({ zone: "shop.lab", apex, parentDs, dsTtl: null, cds: [], cdnskeys: [], chain }, now);
  expect(found.map(({ severity, code }) => `${severity} ${code}`)).toEqual([expected]);
});

test("invalid signatures under DS records are a finding too while the chain is unknown", async () => {
  const apex = {
    ...(await checkApex("shop.lab", { now, fetch: fetchFrom(usual) })),
    fault: "The SOA has no signature.",
  };
  const parentDs = [new SignedZone("shop.lab").ds];
  const seen = { zone: "shop.lab", apex: { ...apex, keys: null }, parentDs, dsTtl: null, cds: [], cdnskeys: [] };
  const codesOf = (result: "unknown" | "insecure") =>
    judgeDnssec({ ...seen, chain: { result, zone: ".", reason: "It is so." } }, now).map(({ code }) => code);
  expect(codesOf("unknown")).toEqual(["signatures_invalid"]);
  expect(codesOf("insecure")).toEqual([]);
});

test("times are the nearest to now, also after 2106", () => {
  const rdata = Buffer.concat([Buffer.alloc(18), Buffer.of(0), Buffer.alloc(64)]);
  rdata.writeUInt32BE(5, 8);
  rdata.writeUInt32BE(0xff_ff_ff_00, 12);
  const read = readSignature(rdata, new Date("2106-02-07T06:28:00Z"));
  expect(read?.expiresAt.toISOString()).toBe("2106-02-07T06:28:21.000Z");
  expect(read?.beginsAt.toISOString()).toBe("2106-02-07T06:24:00.000Z");
});

describe("the data of a DS record", () => {
  test.for([
    ["20326 8 2 E06D44B8", "20326 8 2 e06d44b8"],
    ["  1 13 4 00 11\t22 ", "1 13 4 001122"],
  ] as const)("%s is read", ([text, shown]) => {
    const ds = parseDs(text);
    expect(ds && dsText(ds)).toBe(shown);
  });

  test.for(["", "1 2 3", "65536 8 2 00", "1 256 2 00", "1 8 2 0", "1 8 2 zz", "-1 8 2 00", "1 8 2 00,"])(
    "%s is refused",
    (text) => {
      expect(parseDs(text)).toBeNull();
    },
  );
});
