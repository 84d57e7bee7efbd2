import { createHash } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { requireReview } from "../../zones/change-requests/requested.ts";
import { Clock, hour } from "../../support/clock.ts";
import { isBusyAnswer, untilDone } from "../../support/patience.ts";
import { RestClient, type Answer } from "../../support/rest-client.ts";
import { adminPassword, useZonewright } from "../../support/zonewright.ts";
import { addZone, fileZone, freshName, manualConfig, manualZone, type Zone } from "../../support/zones.ts";
import { basic, narrowedToken } from "./narrowed.ts";
import { powerdnsClient } from "./powerdns-api/client.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now });

let zone: Zone;
let client: RestClient;

beforeAll(async () => {
  zone = await manualZone(zw);
  client = new RestClient(zw.url, await narrowedToken(zw.admin, { recordTypes: ["TXT"] }));
});

/** Lets hours pass. The administrator's token expires meanwhile. */
async function later(hours: number): Promise<void> {
  clock.advance(hours * hour);
  zw.admin.token = (await zw.signIn("admin", adminPassword)).token;
}

const present = (fqdn: string, value: string, as = client) => as.post("/api/acme/present", { fqdn, value });
const cleanUp = (fqdn: string, value: string, as = client) => as.post("/api/acme/cleanup", { fqdn, value });
const nameIn = (where: { name: string }, host = "") => `_acme-challenge.${host}${where.name}.`;

describe("publishing and deleting", () => {
  test("a challenge is published at its name, repeated without effect, and deleted alone", async () => {
    const own = await fileZone(zw);
    const fqdn = nameIn(own, "www.");
    const { status, body } = await present(fqdn, "first");
    const said = { domainId: own.id, domainName: own.name, name: "_acme-challenge.www", value: "first" };
    expect([status, body]).toEqual([200, { success: true, ...said, changed: true, settled: null }]);
    expect((await present(fqdn, "first")).body.changed).toBe(false);
    expect((await present(fqdn, "second")).body.changed).toBe(true);
    expect(await own.lines()).toEqual(["_acme-challenge.www TXT first", "_acme-challenge.www TXT second"]);
    expect(await own.readFile()).toContain("second");
    expect((await cleanUp(fqdn, "first")).body.changed).toBe(true);
    expect((await cleanUp(fqdn, "first")).body).toMatchObject({ success: true, changed: false });
    expect(await own.lines()).toEqual(["_acme-challenge.www TXT second"]);
    expect((await own.history()).length).toBe(3);
  });

  test("lego's raw form publishes the digest of the key authorization, at the parent of a wildcard", async () => {
    const own = await manualZone(zw);
    const keyAuth = "evaGxfADs6pSRb2LAv9IZf.9jg46WB3rR_AHD-EBXdN7cBkH1WOu0tA3M9fm21mqTI";
    const value = createHash("sha256").update(keyAuth).digest("base64url");
    for (const domain of [own.name, `*.${own.name}`]) {
      const { body } = await client.post("/api/acme/present", { domain, token: "evaGxfADs6pSRb2LAv9IZf", keyAuth });
      expect(body).toMatchObject({ name: "_acme-challenge", value });
    }
    expect(await own.lines()).toEqual([`_acme-challenge TXT ${value}`]);
  });

  test("lego's raw form takes a domain in Unicode", async () => {
    const own = await addZone(zw, { name: "grüße.example", providerConfigId: await manualConfig(zw) });
    for (const domain of ["www.grüße.example", "*.www.xn--gre-6ka8l.example"]) {
      const { body } = await client.post("/api/acme/present", { domain, token: "token", keyAuth: "token.thumbprint" });
      expect(body).toMatchObject({ domainId: own.id, name: "_acme-challenge.www" });
    }
    expect((await own.lines()).length).toBe(1);
  });

  test("a challenge goes to the longest nested zone in which the token may write", async () => {
    const parent = await manualZone(zw);
    const child = await addZone(zw, { name: `sub.${parent.name}`, providerConfigId: await manualConfig(zw) });
    expect((await present(nameIn(child, "www."), "nested")).body.domainId).toBe(child.id);
    const narrowed = await narrowedToken(zw.admin, { domainIds: [parent.id] });
    const { body } = await present(nameIn(child, "www."), "above", new RestClient(zw.url, narrowed));
    expect(body).toMatchObject({ domainId: parent.id, name: "_acme-challenge.www.sub" });
  });

  test("a name that ends in the zone's name twice is published there, and deleted", async () => {
    const own = await manualZone(zw);
    const fqdn = nameIn(own, `${own.name}.`);
    for (const changed of [true, false]) expect((await present(fqdn, "doubled")).body).toMatchObject({ changed });
    expect(await own.lines()).toEqual([`_acme-challenge.${own.name} TXT doubled`]);
    expect((await cleanUp(fqdn, "doubled")).body).toMatchObject({ changed: true });
    expect(await own.lines()).toEqual([]);
  });

  test("names are taken in any case, in Unicode and without a trailing dot", async () => {
    const own = await addZone(zw, { name: "bücher.example", providerConfigId: await manualConfig(zw) });
    for (const fqdn of ["_ACME-Challenge.Bücher.example", "_acme-challenge.xn--bcher-kva.example."])
      expect((await present(fqdn, "same")).status).toBe(200);
    expect(await own.lines()).toEqual(["_acme-challenge TXT same"]);
  });

  test("parallel calls for one name all succeed, and their values stand side by side", async () => {
    const own = await fileZone(zw);
    const values = Array.from({ length: 12 }, (_, index) => `value-${index}`);
    const each = (call: typeof present) =>
      Promise.all(values.map((value) => untilDone(() => call(nameIn(own), value), isBusyAnswer)));
    expect((await each(present)).map(({ status }) => status)).toEqual(values.map(() => 200));
    expect((await own.lines()).length).toBe(12);
    await each(cleanUp);
    expect(await own.lines()).toEqual([]);
  });

  test("a zone that needs reviews takes challenges, unless it says that they need one too", async () => {
    const own = await manualZone(zw);
    await requireReview(zw, own, "everyone");
    expect((await present(nameIn(own), "exempt")).status).toBe(200);
    const record = { recordType: "TXT", name: "_ACME-Challenge.Mail", value: "capitals" };
    expect((await own.post("/records", record)).status).toBe(201);
    await zw.admin.put(own.path, { reviewAcme: true });
    expect((await present(nameIn(own), "bound")).body.code).toBe("REVIEW_REQUIRED");
    expect(await own.lines()).toEqual(["_ACME-Challenge.Mail TXT capitals", "_acme-challenge TXT exempt"]);
  });

  test("challenges that were not cleaned up are deleted after a day, and other TXT records stay", async () => {
    const own = await manualZone(zw);
    await own.add("TXT", "_acme-challenge", "by-hand");
    expect((await present(nameIn(own), "by-hand")).body.changed).toBe(false);
    await present(nameIn(own), "left");
    await later(23);
    await present(nameIn(own), "later");
    await zw.services.acmeChallenges.deleteLeft();
    expect((await own.lines()).length).toBe(3);
    await later(2);
    await zw.services.acmeChallenges.deleteLeft();
    expect(await own.lines()).toEqual(["_acme-challenge TXT by-hand", "_acme-challenge TXT later"]);
  });
});

test("a challenge that is presented again stays for another day", async () => {
  const own = await manualZone(zw);
  await present(nameIn(own), "again");
  await present(nameIn(own), "remade");
  await later(23);
  const remade = (await own.records()).find(({ value }) => value === "remade");
  expect((await own.delete(remade?.id ?? "")).status).toBe(200);
  expect((await present(nameIn(own), "again")).body.changed).toBe(false);
  expect((await present(nameIn(own), "remade")).body.changed).toBe(true);
  await later(2);
  await zw.services.acmeChallenges.deleteLeft();
  expect(await own.lines()).toEqual(["_acme-challenge TXT again", "_acme-challenge TXT remade"]);
  await later(23);
  await zw.services.acmeChallenges.deleteLeft();
  expect(await own.lines()).toEqual([]);
});

test("a thousand challenges that a broken provider keeps from being deleted hold up no others", async () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `_acme-challenge.h${index}`);
  const broken = await fileZone(zw, names.map((name) => `${name} 60 TXT "left"\n`).join(""));
  const { body: me } = await zw.admin.get("/api/auth/me");
  await queries(zw.services.database.fork())
    .insertInto("acme_challenges")
    .values(
      names.map((name) => ({
        domain_id: broken.id,
        name,
        value: "left",
        created_by: String(me.id),
        created_at: clock.now(),
      })),
    )
    .execute();
  await later(1);
  const own = await manualZone(zw);
  await present(nameIn(own), "left");
  await broken.edit(() => "h0 A nonsense\n");
  await later(25);
  await zw.services.acmeChallenges.deleteLeft();
  expect(await own.lines()).toEqual([]);
});

test("a challenge that may no longer be deleted is left alone, and not tried again with every run", async () => {
  const own = await manualZone(zw);
  await present(nameIn(own), "locked");
  const [{ id = "" } = {}] = await own.records();
  expect((await own.update(id, { locked: true })).status).toBe(200);
  await later(25);
  await zw.services.acmeChallenges.deleteLeft();
  expect((await own.update(id, { locked: false })).status).toBe(200);
  await zw.services.acmeChallenges.deleteLeft();
  expect(await own.lines()).toEqual(["_acme-challenge TXT locked"]);
});

test("one challenge is published and deleted among a thousand values", async () => {
  const own = await manualZone(zw);
  const records = Array.from({ length: 1_000 }, (_, index) => ({ content: `"value-${index}"` }));
  const name = `_acme-challenge.${own.name}.`;
  const rrset = { name, type: "TXT", ttl: 60, changetype: "REPLACE", records };
  expect((await (await powerdnsClient(zw.admin)).patch(own.name, [rrset])).status).toBe(204);
  expect((await present(nameIn(own), "one-more")).body.changed).toBe(true);
  expect((await own.detail()).recordCount).toBe(1_001);
  expect((await cleanUp(nameIn(own), "value-500")).body.changed).toBe(true);
  expect((await cleanUp(nameIn(own), "one-more")).body.changed).toBe(true);
  expect((await own.detail()).recordCount).toBe(999);
});

test("a challenge beyond the name server's record limit is refused with that reason", async () => {
  const own = await fileZone(
    zw,
    Array.from({ length: 100 }, (_, index) => `_acme-challenge 60 TXT "value-${index}"\n`).join(""),
  );
  const { status, body } = await present(nameIn(own), "one-more");
  const reason = /^Nothing was changed: _acme-challenge would have 101 TXT records; name servers refuse a zone with/;
  expect([status, body.detail]).toEqual([409, expect.stringMatching(reason)]);
  expect((await cleanUp(nameIn(own), "value-5")).body.changed).toBe(true);
  expect((await present(nameIn(own), "one-more")).status).toBe(200);
});

describe("refusing", () => {
  const refused: [string, object, number, string][] = [
    ["nothing", {}, 400, "Send `fqdn` and `value`"],
    ["a name without a value", { fqdn: "_acme-challenge.a.example" }, 400, "Send `fqdn` and `value`"],
    ["another name", { fqdn: "www.a.example", value: "x" }, 400, "_acme-challenge"],
    ["the label elsewhere", { fqdn: "www._acme-challenge.a.example", value: "x" }, 400, "_acme-challenge"],
    ["a single label", { fqdn: "_acme-challenge", value: "x" }, 400, "not a full host name"],
    ["a top-level name", { fqdn: "_acme-challenge.example", value: "x" }, 400, "_acme-challenge"],
    ["an empty label", { fqdn: "_acme-challenge..example", value: "x" }, 400, "not a full host name"],
    ["a foreign zone", { fqdn: "_acme-challenge.foreign.test", value: "x" }, 404, "reaches no domain"],
    ["a long value", { fqdn: "_acme-challenge.a.example", value: "x".repeat(300) }, 400, "255"],
    ["quotes", { fqdn: "_acme-challenge.a.example", value: '"x"' }, 400, "letters"],
    ["an unknown field", { fqdn: "_acme-challenge.a.example", value: "x", ttl: 5 }, 400, "ttl"],
    ["a list", { fqdn: ["_acme-challenge.a.example"], value: "x" }, 400, "fqdn"],
  ];
  test.each(refused)("%s is refused, and the answer says why", async (_what, body, status, reason) => {
    const answer = await client.post("/api/acme/present", body);
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([status, expect.stringContaining(reason)]);
  });

  test("a token writes no challenges beyond its hosts, types and domains", async () => {
    const other = await manualZone(zw);
    const as = async (wish: object) => new RestClient(zw.url, await narrowedToken(zw.admin, wish));
    const code = async (wish: object, fqdn: string) => (await present(fqdn, "beyond", await as(wish))).status;
    expect(await code({ domainIds: [other.id] }, nameIn(zone))).toBe(404);
    expect(await code({ recordTypes: ["A"] }, nameIn(zone))).toBe(403);
    expect(await code({ hostPattern: "_acme-challenge.www" }, nameIn(zone))).toBe(403);
    expect(await code({ hostPattern: "_acme-challenge.www" }, nameIn(zone, "www."))).toBe(200);
    expect(await code({ recordTypes: ["TXT"], permissions: ["records:read"] }, nameIn(zone))).toBe(403);
  });

  test("sessions and tokens that are not narrowed are refused", async () => {
    const { body } = await zw.admin.post("/api/auth/me/tokens", { name: "Broad", permissions: ["records:write"] });
    for (const token of [zw.admin.token, body.token]) {
      const answer = await present(nameIn(zone), "broad", new RestClient(zw.url, token));
      expect([answer.status, answer.body.detail]).toEqual([403, expect.stringContaining("narrowed")]);
    }
  });
});

const send = async (headers: Record<string, string>): Promise<Answer> =>
  await zw.nobody.post("/api/acme/present", { fqdn: nameIn(zone, "basic."), value: "basic" }, headers);

describe("Basic authentication", () => {
  test("a token is accepted as the password, whatever the user name", async () => {
    const token = client.token ?? "";
    for (const user of ["any", ""]) expect((await send(basic(token, user))).status).toBe(200);
  });

  test.each([
    ["a wrong password", basic("wrong")],
    ["no password", { authorization: `Basic ${Buffer.from("user").toString("base64")}` }],
    ["what is not base64", { authorization: "Basic ###" }],
    ["nothing", {}],
    ["an endless header", { authorization: `Basic ${"A".repeat(5_000)}` }],
  ])("%s gets 401", async (_what, headers: Record<string, string>) => {
    expect((await send(headers)).status).toBe(401);
  });

  test("the password of an account is not accepted", async () => {
    await zw.member("typist");
    expect((await send(basic("correct horse battery", "typist"))).status).toBe(401);
  });

  test("other calls take no Basic authentication", async () => {
    const headers = basic(client.token ?? "");
    expect((await zw.nobody.get("/api/domains", headers)).status).toBe(401);
  });
});

test("an auditor's token publishes nothing", async () => {
  const auditor = await zw.member("reading");
  const name = freshName();
  await zw.admin.put(`/api/provider-configs/${await manualConfig(zw)}`, { membersMayUse: true });
  await auditor.post("/api/domains", { name, providerConfigId: await manualConfig(zw) });
  const token = await narrowedToken(auditor, { recordTypes: ["TXT"] });
  const { body: me } = await auditor.get("/api/auth/me");
  await zw.admin.put(`/api/users/${me.id}`, { role: "auditor" });
  expect((await present(nameIn({ name }), "audited", new RestClient(zw.url, token))).status).toBe(403);
});
