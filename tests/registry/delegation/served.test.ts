import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { assign } from "../../accounts/assignments/assigned.ts";
import { narrowedToken } from "../../dns-service/update-clients/narrowed.ts";
import { RestClient } from "../../support/rest-client.ts";
import { manualConfig } from "../../support/zones.ts";
import { startZonewright, type Zonewright } from "../../support/zonewright.ts";
import { content, delegation, reset, startPrivateRoot, topLevel, zoneName, type PrivateRoot } from "./private-root.ts";

let world: PrivateRoot;
let zw: Zonewright & { stop(): Promise<void> };
let id: string;
let providerConfigId: string;

/** Stands still within a test. */
let time = Date.now();

beforeAll(async () => {
  world = await startPrivateRoot();
  zw = await startZonewright({
    now: () => new Date(time),
    env: { RESOLVER_ROOTS: world.roots, EGRESS_ALLOW: "127.53.0.0/16", RATE_LIMIT_COSTLY: "100", JOBS: "off" },
  });
  providerConfigId = await manualConfig(zw);
  id = (await zw.admin.post("/api/domains", { name: zoneName, providerConfigId })).body.id;
});
afterAll(async () => {
  await zw.stop();
  await world.internet.stop();
});
beforeEach(() => {
  reset(world);
  // Where a zone is served is remembered for a few seconds.
  time += 5_000;
});

const ask = (body: object, client = zw.admin, domain = id) =>
  client.post(`/api/domains/${domain}/delegation/served`, body);
/** Asks, and returns whether it is served and each server's state. */
async function states(body: object): Promise<unknown[]> {
  const answer = await ask(body);
  expect(answer.status).toBe(200);
  return [answer.body.served, ...answer.body.servers.map(({ state }: { state: string }) => state)];
}
const serve = (server: "first" | "second", ...lines: string[]) => {
  world[server].zones = { [zoneName]: [...content(), ...lines] };
};

describe("what is served", () => {
  test("each name server is asked at each address, and all must have the value", async () => {
    serve("first", "_acme-challenge.one.tld TXT abc");
    const wanted = { name: "_acme-challenge", recordType: "TXT", values: ["abc"] };
    expect((await ask(wanted)).body).toEqual({
      domainId: id,
      domainName: zoneName,
      name: "_acme-challenge",
      recordType: "TXT",
      served: false,
      notCheckedBecause: null,
      error: null,
      servers: [
        { name: "ns1.one.tld", address: "127.53.0.3", state: "current", detail: null, counts: true },
        {
          name: "ns2.one.tld",
          address: "127.53.0.4",
          state: "behind",
          detail: "It has no TXT records there.",
          counts: true,
        },
      ],
    });
    serve("second", "_acme-challenge.one.tld TXT abc");
    expect(await states(wanted)).toEqual([true, "current", "current"]);
  });

  test.each([
    ["a value beside others", { values: ["192.0.2.1"] }, true],
    ["several values", { values: ["192.0.2.2", "192.0.2.1"] }, true],
    ["two values, one of them missing", { values: ["192.0.2.1", "192.0.2.3"] }, false],
    ["any value", {}, true],
    ["a value that should be gone", { values: ["192.0.2.3"], absent: true }, true],
    ["a value that should be gone and is not", { values: ["192.0.2.1", "192.0.2.3"], absent: true }, false],
    ["records that should be gone and are not", { absent: true }, false],
    ["a full name in another spelling", { name: "WWW.One.tld.", values: ["192.0.2.1"] }, true],
  ])("%s: %o", async (_what, wanted, served) => {
    for (const server of ["first", "second"] as const) serve(server, "www.one.tld A 192.0.2.2");
    const [answer] = await states({ name: "www", recordType: "A", ...wanted });
    expect(answer).toBe(served);
  });

  test.each([
    ["MX", "MX 10 mail.one.tld", "10 Mail.One.tld."],
    ["SRV", "SRV 1 2 443 host.one.tld", "1 2 443 HOST.one.tld"],
    ["CAA", "CAA 0 issue ca.example", '0 issue "ca.example"'],
    ["TXT", "TXT first second", "firstsecond"],
    ["CNAME", "CNAME WWW.One.TLD", "www.one.tld"],
  ])("a %s record is found whatever the spelling: %s as %s", async (recordType, line, value) => {
    for (const server of ["first", "second"] as const) serve(server, `typed.one.tld ${line}`);
    const wanted = { name: "Typed", recordType, values: [value] };
    expect(await states(wanted)).toEqual([true, "current", "current"]);
    expect(await states({ ...wanted, absent: true })).toEqual([false, "behind", "behind"]);
  });

  test("a name that does not exist, or has only other types, is without records", async () => {
    for (const name of ["gone", "text"]) {
      expect(await states({ name, recordType: "A", absent: true })).toEqual([true, "current", "current"]);
      expect(await states({ name, recordType: "A" })).toEqual([false, "behind", "behind"]);
    }
  });

  test("a CNAME at the name is no record of another type", async () => {
    for (const server of ["first", "second"] as const) serve(server, "alias.one.tld CNAME www.one.tld");
    expect(await states({ name: "alias", recordType: "A" })).toEqual([false, "behind", "behind"]);
    expect(await states({ name: "alias", recordType: "CNAME", values: ["www.one.tld."] })).toEqual([
      true,
      "current",
      "current",
    ]);
  });

  test("the NS records of a delegation count as the domain's servers refer to it", async () => {
    for (const server of ["first", "second"] as const) serve(server, "sub.one.tld NS ns.sub.tld");
    const wanted = { name: "sub", recordType: "NS" };
    expect(await states({ ...wanted, values: ["ns.sub.tld"] })).toEqual([true, "current", "current"]);
    expect(await states({ ...wanted, values: ["ns2.sub.tld"] })).toEqual([false, "behind", "behind"]);
  });
});

test("a name below a delegation is not served here, and the answer says why", async () => {
  for (const server of ["first", "second"] as const) serve(server, "sub.one.tld NS ns.sub.tld");
  const { body } = await ask({ name: "www.sub", recordType: "A" });
  const server = { state: "lame", detail: "The name is delegated to other servers.", counts: true };
  expect(body).toMatchObject({ served: false, servers: [server, server] });
});

describe("servers", () => {
  const wanted = { name: "www", recordType: "A", values: ["192.0.2.1"] };

  test.each([
    ["silent", "unreachable"],
    ["refused", "lame"],
    ["not_authoritative", "lame"],
    ["forged", "unreachable"],
  ] as const)("a server that is %s is %s, and the record is not yet served", async (behavior, state) => {
    world.second.behavior = behavior;
    expect(await states(wanted)).toEqual([false, "current", state]);
  });

  test("a server at an address that EGRESS_ALLOW does not list is never asked, and does not count beside others", async () => {
    const lines = delegation.map((line) => line.replace("127.53.0.4", "127.55.0.4"));
    world.top.zones = topLevel(lines);
    world.first.zones = { [zoneName]: [content()[0] ?? "", ...lines, "www.one.tld A 192.0.2.1"] };
    const outside = await world.internet.server("127.55.0.4", { [zoneName]: content() });
    expect(await states(wanted)).toEqual([true, "current", "not_checked"]);
    expect(outside.questions).toEqual([]);
  });

  test("a server whose addresses cannot be looked up counts: it may lack the record", async () => {
    // Nothing listens at the address of the server that knows them.
    const unknown = ["one.tld NS a.lost.tld", "lost.tld NS ns.lost.tld", "ns.lost.tld A 127.53.0.77"];
    world.top.zones = topLevel(["one.tld NS ns1.one.tld", "ns1.one.tld A 127.53.0.3", ...unknown]);
    expect(await states(wanted)).toEqual([false, "current", "not_checked", "current"]);
  });

  test("a domain whose name servers cannot be found is not served, and the answer says why", async () => {
    world.top.zones = topLevel([]);
    expect((await ask(wanted)).body).toMatchObject({
      served: false,
      error: "tld has no NS records for the domain.",
      servers: [],
    });
    world.top.behavior = "silent";
    expect((await ask(wanted)).body).toMatchObject({ served: false, error: expect.stringContaining("did not answer") });
  });

  test("nobody is asked about a domain that the public DNS cannot have", async () => {
    for (const name of [`${zoneName}!internal`, "served.internal"]) {
      const { body } = await zw.admin.post("/api/domains", { name, providerConfigId });
      expect((await ask(wanted, zw.admin, body.id)).body).toMatchObject({
        served: false,
        notCheckedBecause: expect.any(String),
        servers: [],
      });
    }
    expect([...world.top.questions, ...world.first.questions]).toEqual([]);
  });
});

const asker = async () =>
  new RestClient(zw.url, await narrowedToken(zw.admin, { domainIds: [id], permissions: ["records:read"] }));

describe("traffic", () => {
  test("where a zone is served is looked up once for calls that follow each other, and again after five seconds", async () => {
    const wanted = { name: "www", recordType: "A" };
    expect(await states(wanted)).toEqual([true, "current", "current"]);
    reset(world);
    expect(await states({ ...wanted, absent: true })).toEqual([false, "behind", "behind"]);
    expect([world.top, world.first, world.second].map(({ questions }) => questions)).toEqual([
      [],
      ["www.one.tld A"],
      ["www.one.tld A"],
    ]);
    time += 5_000;
    world.top.zones = topLevel(delegation.filter((line) => !line.includes("ns2")));
    world.first.zones = { [zoneName]: content().filter((line) => !line.includes("ns2")) };
    expect(await states(wanted)).toEqual([true, "current"]);
  });

  test("where a zone is served is looked up again at once while one of its servers fails", async () => {
    const wanted = { name: "www", recordType: "A" };
    world.second.behavior = "refused";
    expect(await states(wanted)).toEqual([false, "current", "lame"]);
    world.second.behavior = "normal";
    expect(await states(wanted)).toEqual([true, "current", "current"]);
  });

  test("calls for one name and type at the same time ask once, and each gets the answer for its values", async () => {
    const client = await asker();
    // Keeps the calls waiting for a few seconds.
    world.second.behavior = "silent";
    const bodies = ["192.0.2.1", "192.0.2.9"].map((value) => ({ name: "www", recordType: "A", values: [value] }));
    const answers = await Promise.all(bodies.map((body) => ask(body, client)));
    expect(answers.map(({ body }) => body.servers[0].state)).toEqual(["current", "behind"]);
    expect(world.first.questions.filter((question) => question === "www.one.tld A")).toHaveLength(1);
  });

  test("more than 32 questions at once are refused, with the seconds to wait", async () => {
    const client = await asker();
    world.second.behavior = "silent";
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => ask({ name: `n${index}`, recordType: "A" }, client)),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, headers, body } of refused)
      expect([status, headers.get("retry-after"), body.detail]).toEqual([
        503,
        "3",
        "Too many DNS queries are in progress. Try again shortly.",
      ]);
    world.second.behavior = "normal";
    expect(await states({ name: "www", recordType: "A" })).toEqual([true, "current", "current"]);
  });
});

describe("rights and input", () => {
  test("members and tokens ask only for records that they may see", async () => {
    const [reader, stranger] = [await zw.member("reader"), await zw.member("stranger")];
    await assign(zw, reader, id, "*.dev", "read");
    expect((await ask({ name: "a.dev", recordType: "A" }, reader)).status).toBe(200);
    const refused = await ask({ name: "www", recordType: "A" }, reader);
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      "You may not see the A records of www. Ask for a name that you may see.",
    ]);
    expect((await ask({ name: "www", recordType: "A" }, stranger)).status).toBe(404);
    const wish = { domainIds: [id], hostPattern: "_acme-challenge*", recordTypes: ["TXT"] };
    const token = await narrowedToken(zw.admin, { ...wish, permissions: ["records:read"] });
    const narrowed = new RestClient(zw.url, token);
    expect((await ask({ name: "_acme-challenge", recordType: "TXT" }, narrowed)).status).toBe(200);
    expect((await ask({ name: "_acme-challenge", recordType: "A" }, narrowed)).status).toBe(403);
    const writing = new RestClient(zw.url, await narrowedToken(zw.admin, wish));
    expect((await ask({ name: "_acme-challenge", recordType: "TXT" }, writing)).status).toBe(403);
  });

  test.each([
    [{ recordType: "A" }, ["name"]],
    [{ name: "www" }, ["recordType"]],
    [{ name: "www", recordType: "ALIAS" }, ["recordType"]],
    [{ name: "www", recordType: "AXFR" }, ["recordType"]],
    [{ name: "www.other.tld.", recordType: "A" }, ["name"]],
    [{ name: "a..b", recordType: "A" }, ["name"]],
    [{ name: "www", recordType: "A", values: [] }, ["values"]],
    [{ name: "www", recordType: "A", values: ["192.0.2.1", "nonsense"] }, ["values", 1]],
    [{ name: "www", recordType: "A", values: Array.from({ length: 101 }, () => "192.0.2.1") }, ["values"]],
    [{ name: "www", recordType: "A", absent: "yes" }, ["absent"]],
  ])("%o is refused, and nobody is asked", async (body, path) => {
    const answer = await ask(body);
    expect([answer.status, answer.body.issues?.[0]?.path]).toEqual([400, path]);
    expect(world.first.questions).toEqual([]);
  });
});

test("the calls count as costly", async () => {
  const client = new RestClient(
    zw.url,
    await narrowedToken(zw.admin, { domainIds: [id], permissions: ["records:read"] }),
  );
  const spent = await Promise.all(
    Array.from({ length: 101 }, () => ask({ name: "www.other.tld.", recordType: "A" }, client)),
  );
  expect(spent.filter(({ status }) => status === 429)).toHaveLength(1);
});
