import { describe, expect, test } from "vitest";
import { readKey, type ZoneKey } from "../../../server/dns/dnssec/keys.ts";
import type { ServerSeen } from "../../../server/registry/delegation/observe.ts";
import {
  approvalCovers,
  changeOf,
  differences,
  judgeKnown,
  judgeRegistration,
  registrationHash,
  sendingOrder,
  type Probe,
} from "../../../server/registry/registrars/plan.ts";
import type { RegistrarState } from "../../../server/registry/registrars/registrar.ts";
import { dsOf } from "../../support/vendors/registrars/account.ts";

const zone = "one.tld";
const publicKey = Buffer.alloc(64, 7).toString("base64");
const otherPublicKey = Buffer.alloc(64, 8).toString("base64");
const [key, otherKey] = [publicKey, otherPublicKey].map((text) => {
  const read = readKey(Buffer.concat([Buffer.from([1, 1, 3, 13]), Buffer.from(text, "base64")]));
  if (!read) throw new Error("It is a key.");
  return read;
}) as [ZoneKey, ZoneKey];
const ds = dsOf(zone, 13, publicKey);
const otherDs = dsOf(zone, 13, otherPublicKey);

const state: RegistrarState = {
  expiresAt: new Date("2031-03-01T00:00:00Z"),
  autoRenew: true,
  locked: true,
  nameServers: ["ns1.one.tld", "ns2.one.tld"],
  ds: [],
};
const seen = (name: string, as: ServerSeen["state"]): ServerSeen => ({
  name,
  address: "192.0.2.1",
  state: as,
  serial: 1,
  detail: null,
});
const good: Probe = {
  servers: [seen("ns1.one.tld", "authoritative"), seen("ns9.one.tld", "authoritative")],
  served: [
    { name: "ns1.one.tld", keys: [key] },
    { name: "ns9.one.tld", keys: [key] },
  ],
};
/** The same servers, but `ns9.one.tld` has other keys. */
const beside = (keys: Probe["served"][number]["keys"]): Probe => ({
  ...good,
  served: [
    { name: "ns1.one.tld", keys: [key] },
    { name: "ns9.one.tld", keys },
  ],
});
const unsigned: Probe = { ...good, served: good.served.map(({ name }) => ({ name, keys: [] })) };
const untold: Probe = { ...good, served: good.served.map(({ name }) => ({ name, keys: null })) };
const judge = (wanted: object, probe: Probe | null, from = state) =>
  judgeRegistration(zone, from, differences(from, wanted), probe);

describe("a plan of a registration", () => {
  test("has only what differs, whatever the order of names", () => {
    expect(differences(state, { nameServers: ["ns2.one.tld", "ns1.one.tld"], locked: true, autoRenew: false })).toEqual(
      [{ field: "autoRenew", before: true, after: false }],
    );
  });

  test.each([
    ["answering servers need no confirmation", { nameServers: ["ns1.one.tld", "ns9.one.tld"] }, good, 0],
    ["each server that does not answer needs one", { nameServers: ["ns1.one.tld", "ns8.one.tld"] }, good, 1],
    [
      "a server that is lame needs one",
      { nameServers: ["ns8.one.tld"] },
      { servers: [seen("ns8.one.tld", "lame")], served: [] },
      1,
    ],
    ["servers need one while checks are turned off", { nameServers: ["ns9.one.tld"] }, null, 1],
    ["a DS record of a key needs none", { ds: [ds] }, good, 0],
    ["a DS record needs one while no server can be asked for keys", { ds: [ds] }, { ...good, served: [] }, 1],
    ["a DS record and each server that does not say its keys need one", { ds: [ds] }, untold, 3],
    ["a server that is not signed beside one that is needs one", { ds: [ds] }, beside([]), 1],
    ["a server that does not say its keys beside one that does needs one", { ds: [ds] }, beside(null), 1],
  ] as const)("%s", (_title, wanted, probe, risks) => {
    const plan = judge(wanted, probe as Probe | null);
    expect({ risks: plan.risks.length, refusals: plan.refusals }).toEqual({ risks, refusals: [] });
  });

  test("is refused for a DS record that matches no key, and not for one that is there already", () => {
    expect(judge({ ds: [otherDs] }, good).refusals).toMatchObject([{ field: "ds" }]);
    expect(judge({ ds: [ds, otherDs] }, good, { ...state, ds: [otherDs] }).refusals).toEqual([]);
  });

  test.each([
    ["is not signed", []],
    ["does not say its keys", null],
  ])("warns of each name server that %s beside a DS record that stays", (_title, keys) => {
    const wanted = { nameServers: ["ns1.one.tld", "ns9.one.tld"] };
    const { risks } = judge(wanted, beside(keys), { ...state, ds: [ds] });
    expect(risks).toEqual([{ about: "keys ns9.one.tld", message: expect.stringContaining("would refuse one.tld") }]);
    expect(judge(wanted, good, { ...state, ds: [ds] }).risks).toEqual([]);
    expect(judge(wanted, beside(keys)).risks).toEqual([]);
  });

  test("accepts servers of several signers, each with a key of its own that has a DS record", () => {
    const wanted = { nameServers: ["ns1.one.tld", "ns9.one.tld"] };
    const from = { ...state, nameServers: ["ns1.one.tld"], ds: [ds, otherDs] };
    expect(judge(wanted, beside([otherKey]), from)).toMatchObject({ refusals: [], risks: [] });
  });

  test("takes keys that the zone is known to have, where no server can be asked", () => {
    const plan = judgeRegistration(zone, state, differences(state, { ds: [ds] }), null, [key]);
    expect(plan).toMatchObject({ refusals: [], risks: [] });
  });

  test("needs a confirmation to change DS records and name servers at once, unless the new ones have an old key", () => {
    const wanted = { nameServers: ["ns9.one.tld"], ds: [] };
    const before = { ...state, ds: [ds] };
    expect(judge(wanted, unsigned, before).risks.map(({ message }) => message)).toEqual([
      expect.stringContaining("Resolvers keep the old DS records of one.tld for their TTL, and ns1.one.tld has no key"),
      expect.stringContaining("and ns9.one.tld has no key"),
    ]);
    for (const probe of [beside([]), beside(null)]) expect(judge(wanted, probe, before).risks).toHaveLength(1);
    expect(judge(wanted, good, before).risks).toEqual([]);
    expect(judge(wanted, unsigned).risks).toEqual([]);
  });

  test("stays approved when a name server that lacked a key has one by now", () => {
    const before = { ...state, ds: [ds] };
    const hash = (wanted: object, probe: Probe) => {
      const { changes, risks } = judge(wanted, probe, before);
      return registrationHash("account", changes, risks);
    };
    for (const wanted of [{ nameServers: ["ns9.one.tld"], ds: [] }, { nameServers: ["ns9.one.tld"] }]) {
      const [both, one, none] = [hash(wanted, unsigned), hash(wanted, beside(null)), hash(wanted, good)];
      expect([approvalCovers(both, one), approvalCovers(one, none)]).toEqual([true, true]);
      expect(approvalCovers(one, both)).toBe(false);
    }
  });

  test("removes DS records before name servers change, and adds them after", () => {
    const fields = (wanted: object, from = state) => sendingOrder(differences(from, wanted)).map(({ field }) => field);
    expect(fields({ nameServers: ["ns9.one.tld"], ds: [] }, { ...state, ds: [ds] })).toEqual(["ds", "nameServers"]);
    expect(fields({ nameServers: ["ns9.one.tld"], ds: [ds] })).toEqual(["nameServers", "ds"]);
  });

  test("sends the key of a DS record for registrars that take keys", () => {
    expect(changeOf({ field: "ds", before: [], after: [ds] }, zone, [key])).toEqual({
      ds: [{ ds, key: { flags: 257, algorithm: 13, publicKey } }],
    });
  });
});

const now = new Date("2031-02-01T00:00:00Z");
const known = {
  name: zone,
  expiresAt: state.expiresAt,
  registryExpiresAt: state.expiresAt,
  registrar: state,
  registrarError: null,
  parent: { nameServers: ["ns1.one.tld", "ns2.one.tld"], ds: [] },
  certificates: null,
};
const codes = (over: Partial<Parameters<typeof judgeKnown>[0]>) =>
  judgeKnown({ ...known, ...over }, now).map(({ code }) => code);

test.each([
  ["nothing, if all agree", {}, []],
  [
    "an expired name first",
    { expiresAt: new Date("2031-01-31T00:00:00Z"), registrarError: "No." },
    ["expired", "registrar_failed"],
  ],
  [
    "a name that expires and does not renew itself",
    { registrar: { ...state, autoRenew: false } },
    ["expires_without_renewal"],
  ],
  [
    "later renewal that is off as a hint",
    { registrar: { ...state, autoRenew: false }, expiresAt: new Date("2032-03-01T00:00:00Z") },
    ["auto_renew_off"],
  ],
  ["a lock that is off", { registrar: { ...state, locked: false } }, ["unlocked"]],
  [
    "other name servers in the parent zone",
    { parent: { nameServers: ["ns1.one.tld"], ds: [] } },
    ["name_servers_differ"],
  ],
  ["other DS records in the parent zone", { parent: { ...known.parent, ds: [ds] } }, ["ds_differ"]],
  ["two dates", { registryExpiresAt: new Date("2032-03-01T00:00:00Z") }, ["dates_differ"]],
  [
    "a name that expires soon, if nobody knows whether it renews itself",
    { registrar: null, parent: null, registryExpiresAt: null },
    ["expires_soon"],
  ],
  ["nothing that is not known", { registrar: null, parent: null, registryExpiresAt: null, expiresAt: null }, []],
])("findings about a registration are %s", (_title, over, expected) => {
  expect(codes(over)).toEqual(expected);
});
