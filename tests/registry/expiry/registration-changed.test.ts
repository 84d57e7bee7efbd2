import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Clock, day } from "../../support/clock.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { adminPassword, startZonewright, type Zonewright } from "../../support/zonewright.ts";
import type { Body } from "../../support/zones.ts";
import { lastingAdmin } from "./notice-log.ts";
import {
  bootstrapFile,
  startRdapServer,
  startWhoisServer,
  type RdapServer,
  type WhoisTestServer,
} from "./registries.ts";

const clock = new Clock();
const lines: Body[] = [];
let registries: RdapServer[];
let list: RdapServer;
let whois: WhoisTestServer;
let zw: Zonewright & { stop(): Promise<void> };
let admin: RestClient;
/** What the registry says; null: it is away, and WHOIS answers. */
let registered: object | null;
let said = "";

const digest = "be74359954660069d5c63d200c39f5603827d7dd02b56f120ee9f3a86764247c";
const servers = (...names: string[]) => ({ nameservers: names.map((ldhName) => ({ ldhName })) });
const signed = (keyTag: number) => ({
  secureDNS: { delegationSigned: true, dsData: [{ keyTag, algorithm: 13, digestType: 2, digest }] },
});
const by = (handle: string) => ({ entities: [{ roles: ["registrar"], handle }] });
const plain = {
  status: ["client transfer prohibited"],
  ...servers("ns2.example.net", "ns1.example.net"),
  secureDNS: { delegationSigned: false },
  ...by("Example Registrar"),
};

beforeAll(async () => {
  registries = await Promise.all(
    Array.from({ length: 40 }, () =>
      startRdapServer(() =>
        registered === null
          ? { status: 500, body: "" }
          : {
              objectClassName: "domain",
              events: [{ eventAction: "expiration", eventDate: "2035-05-01T04:00:00Z" }],
              ...registered,
            },
      ),
    ),
  );
  list = await startRdapServer(() =>
    bootstrapFile(Object.fromEntries(registries.map(({ url }, index) => [`t${index}`, url]))),
  );
  whois = await startWhoisServer(() => said);
  zw = await startZonewright({
    env: {
      RDAP_BOOTSTRAP_URL: `${list.url}/dns.json`,
      WHOIS_SERVER: whois.address,
      EGRESS_ALLOW: "127.0.0.1",
      JOBS: "off",
    },
    now: clock.now,
    logTo: { write: (line) => lines.push(JSON.parse(line)) },
  });
  admin = await lastingAdmin(zw);
});
afterAll(async () => {
  await zw.stop();
  await Promise.all([...registries, list, whois].map((server) => server.stop()));
});

let made = 0;
let name: string;
let domain: Body;
beforeEach(async () => {
  if (domain) await admin.delete(`/api/domains/${domain.id}`);
  name = `name.t${made++}`;
  domain = (await admin.post("/api/domains", { name })).body;
  registered = plain;
  await lookUp();
});

/** Runs the daily lookup. */
async function lookUp(answer: object | null = registered): Promise<void> {
  registered = answer;
  clock.advance(2 * day);
  await zw.services.expiryCheck.work({}, new AbortController().signal);
}

const detail = async () => (await admin.get(`/api/domains/${domain.id}`)).body;
/** The notices about the domain since the last call. */
function notices(): Body[] {
  const found = lines.filter(
    ({ event, metadata }) => event === "domain.registration_changed" && metadata?.domainName === name,
  );
  lines.length = 0;
  return found.map(({ metadata }) => metadata.changes);
}

describe("registration data", () => {
  test("the first lookup stores what the registry says, and reports nothing", async () => {
    expect(notices()).toEqual([]);
    expect((await detail()).registration).toEqual({
      source: "rdap",
      registrar: "Example Registrar",
      statuses: ["client transfer prohibited"],
      nameServers: ["ns1.example.net", "ns2.example.net"],
      ds: [],
    });
  });

  test("a domain that was never looked up has no registration data", async () => {
    const { body } = await admin.post("/api/domains", { name: `other.t${made}` });
    expect(body.registration).toBeNull();
    await admin.delete(`/api/domains/${body.id}`);
  });

  test.each([
    ["registrar", by("Other Registrar"), ["Example Registrar"], ["Other Registrar"]],
    ["statuses", { status: ["server hold"] }, ["client transfer prohibited"], ["server hold"]],
    [
      "nameServers",
      servers("ns1.example.net", "ns1.thief.example"),
      ["ns1.example.net", "ns2.example.net"],
      ["ns1.example.net", "ns1.thief.example"],
    ],
    ["ds", signed(370), [], [`370 13 2 ${digest}`]],
  ])("a change of %s is reported once, with both values, and stored", async (fact, change, before, after) => {
    await lookUp({ ...plain, ...change });
    expect(notices()).toEqual([[{ fact, before, after }]]);
    const stored = (await detail()).registration[fact];
    expect(Array.isArray(stored) ? stored : [stored]).toEqual(after);
    await lookUp();
    expect(notices()).toEqual([]);
  });

  test.each([
    ["the same in another order and in capitals", servers("NS2.EXAMPLE.NET.", "ns1.Example.net")],
    ["a grace period after a renewal", { status: ["client transfer prohibited", "auto renew period"] }],
    ["an answer that leaves fields out", { status: [], nameservers: undefined, secureDNS: undefined, entities: [] }],
    ["a list of DS records that cannot be read", { secureDNS: { delegationSigned: true, dsData: [{ keyTag: -1 }] } }],
  ])("%s is no change", async (_, answer) => {
    await lookUp({ ...plain, ...answer });
    await lookUp(plain);
    expect(notices()).toEqual([]);
  });

  test("a lookup over WHOIS instead of RDAP reports other name servers, but not another wording", async () => {
    said = [
      `Domain Name: ${name}`,
      "Registry Expiry Date: 2035-05-01T04:00:00Z",
      "Registrar: EXAMPLE REGISTRAR, INC.",
      "Domain Status: clientTransferProhibited",
      "Name Server: ns1.example.net",
      "Name Server: ns3.example.net",
      "DNSSEC: unsigned",
    ].join("\n");
    await lookUp(null);
    expect(notices()).toEqual([
      [
        {
          fact: "nameServers",
          before: ["ns1.example.net", "ns2.example.net"],
          after: ["ns1.example.net", "ns3.example.net"],
        },
      ],
    ]);
  });

  test("a change that a user's check finds is reported, too", async () => {
    registered = { ...plain, ...by("Other Registrar") };
    await admin.post(`/api/domains/${domain.id}/check-expiry`);
    expect(notices()).toEqual([[{ fact: "registrar", before: ["Example Registrar"], after: ["Other Registrar"] }]]);
  });

  test("the audit trail has what the daily lookup found and what a user's check found", async () => {
    await lookUp({ ...plain, ...signed(370) });
    registered = { ...plain, ...signed(371) };
    await admin.post(`/api/domains/${domain.id}/check-expiry`);
    // The session of the start has ended with the jumps of the clock.
    const administrator = await zw.signIn("admin", adminPassword);
    const { body } = await administrator.get(`/api/audit?targetId=${domain.id}`);
    const entries = body.entries.map(({ action, before, after }: Body) => ({ action, before, after }));
    expect(entries).toContainEqual({
      action: "domain.registration_changed",
      before: { ds: [] },
      after: { ds: [`370 13 2 ${digest}`] },
    });
    expect(entries).toContainEqual({
      action: "domain.check_expiry",
      before: { ds: [`370 13 2 ${digest}`] },
      after: { ds: [`371 13 2 ${digest}`], success: true },
    });
  });

  test("a notice says what was added and removed, and what to do", async () => {
    await lookUp({ ...plain, ...servers("ns1.example.net", "ns3.example.net") });
    const administrator = await zw.signIn("admin", adminPassword);
    const { body } = await administrator.get("/api/notifications");
    expect(body.notifications[0]).toMatchObject({
      title: `The registration of ${name} changed`,
      content:
        "Name servers: − ns2.example.net, + ns3.example.net. If no one here changed this, check the registrar's account.",
    });
  });
});
