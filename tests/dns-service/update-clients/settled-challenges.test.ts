import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { configure } from "../../dns-providers/vendor-zone.ts";
import { newZone } from "../updates/key-clients.ts";
import { update } from "../../support/name-servers/update-client.ts";
import { RestClient } from "../../support/rest-client.ts";
import { failure, startRoute53, type Route53Server } from "../../support/vendors/route53/server.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { freshName, manualZone } from "../../support/zones.ts";
import { narrowedToken } from "./narrowed.ts";
import { powerdnsClient } from "./powerdns-api/client.ts";

/** The pauses between looks at a change, in seconds. */
let pauses: number[] = [];
/** What happens in a pause. */
let meanwhile: () => Promise<void>;
const zw = useZonewright({
  env: { DNS_LISTEN: "127.0.0.1:0", EGRESS_ALLOW: "127.0.0.1" },
  pause: async (milliseconds) => {
    pauses.push(milliseconds / 1_000);
    await meanwhile();
  },
});
let server: Route53Server;
let providerConfigId: string;
let acme: RestClient;

beforeAll(async () => {
  server = await startRoute53();
  const { accessKeyId, secretAccessKey, url: endpoint } = server;
  providerConfigId = await configure(zw, "route53", { accessKeyId, secretAccessKey, endpoint }, [secretAccessKey]);
  acme = new RestClient(zw.url, await narrowedToken(zw.admin, { recordTypes: ["TXT"] }));
});
afterAll(() => server.stop());
beforeEach(() => {
  server.settleAfter(2);
  server.forgetFaults();
  pauses = [];
  meanwhile = async () => undefined;
});

async function hosted() {
  const name = freshName();
  server.addZone(name);
  return { name, ...(await newZone(zw, name, { providerConfigId })) };
}

/** How often a call looked at the status of its change. */
async function looksOf(call: () => Promise<unknown>): Promise<number> {
  const before = server.looks();
  await call();
  return server.looks() - before;
}

const present = (zone: { name: string }, value: string) =>
  acme.post("/api/acme/present", { fqdn: `_acme-challenge.${zone.name}`, value });

describe("a challenge at a provider that says when its name servers have a change", () => {
  test("is presented once they have it, and repeated or deleted without a wait", async () => {
    const zone = await hosted();
    let answer;
    expect(await looksOf(async () => (answer = await present(zone, "first")))).toBe(3);
    expect(answer).toMatchObject({ status: 200, body: { changed: true, settled: true } });
    expect(pauses).toHaveLength(2);
    expect(await looksOf(async () => (answer = await present(zone, "first")))).toBe(0);
    expect(answer).toMatchObject({ body: { changed: false, settled: null } });
    const cleanUp = { fqdn: `_acme-challenge.${zone.name}`, value: "first" };
    expect(await looksOf(() => acme.post("/api/acme/cleanup", cleanUp))).toBe(0);
  });

  test("that takes them longer than clients wait is presented all the same within 20 seconds, as not settled", async () => {
    server.settleAfter(1_000);
    const zone = await hosted();
    const { status, body } = await present(zone, "slow");
    expect([status, body.changed, body.settled]).toEqual([200, true, false]);
    expect(pauses.reduce((sum, one) => sum + one, 0)).toBe(20);
    expect(await zone.lines()).toContainEqual(expect.stringContaining("TXT slow"));
  });

  test("is presented if its access key may not ask, without a word on whether they have it", async () => {
    const zone = await hosted();
    const denied = failure(403, "AccessDenied", "User is not authorized to perform: route53:GetChange");
    server.failNext({ after: false, reply: denied }, 1, ({ url }) => url.pathname.includes("/change/"));
    const { status, body } = await present(zone, "unseen");
    expect([status, body.changed, body.settled]).toEqual([200, true, null]);
  });

  test("leaves its zone free while it waits", async () => {
    const zone = await hosted();
    const statuses: number[] = [];
    meanwhile = async () => {
      const record = { recordType: "A", name: `host-${pauses.length}`, value: "192.0.2.1" };
      statuses.push((await zw.admin.post(zone.path, record)).status);
    };
    expect((await present(zone, "waiting")).body.settled).toBe(true);
    expect(statuses).toEqual([201, 201]);
  });

  test("that a dynamic update adds is answered once they have it, at the latest after 5 seconds", async () => {
    const zone = await hosted();
    const add = (value: string) => zone.client.update([update.add("_acme-challenge.www", "TXT", value, 60)]);
    expect(await looksOf(async () => expect(await add("first")).toBe(0))).toBe(3);
    server.settleAfter(1_000);
    pauses = [];
    expect(await add("second")).toBe(0);
    expect(pauses.reduce((sum, one) => sum + one, 0)).toBe(5);
  });

  test("that PowerDNS's API writes is answered once they have it", async () => {
    const zone = await hosted();
    const client = await powerdnsClient(zw.admin);
    const write = () => client.replace(zone.name, "_acme-challenge", "TXT", ['"written"'], 60);
    expect(await looksOf(async () => expect((await write()).status).toBe(204))).toBe(3);
  });
});

test("no other change waits for the name servers of its provider", async () => {
  const zone = await hosted();
  const client = await powerdnsClient(zw.admin);
  const looks = await looksOf(async () => {
    await zone.client.update([update.add("www", "A", "192.0.2.1", 60), update.add("www", "TXT", "text", 60)]);
    await client.replace(zone.name, "mail", "A", ["192.0.2.2"], 60);
    await zone.client.update([update.deleteName("_acme-challenge")]);
  });
  expect(looks).toBe(0);
});

test("a challenge at a provider that does not say so is presented at once", async () => {
  const zone = await manualZone(zw);
  expect((await present(zone, "at-once")).body).toMatchObject({ changed: true, settled: null });
  expect(pauses).toEqual([]);
});
