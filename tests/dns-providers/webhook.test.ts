import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { DnsProvider } from "../../server/dns-providers/provider.ts";
import { webhook as kind } from "../../server/dns-providers/webhook.ts";
import { readAll } from "../../server/zones/changes/provider-call.ts";
import { VendorAccounts } from "../../server/dns-providers/vendor-api/accounts.ts";
import { createEgress } from "../../server/platform/net/egress.ts";
import { Clock } from "../support/clock.ts";
import { problemOf } from "../support/problems.ts";
import { mustRun } from "../support/programs.ts";
import { startLoopbackVendor, type LoopbackVendor } from "../support/vendors/loopback-vendor.ts";
import { startRrsetVendor, type RrsetServer } from "../support/vendors/rrsets/server.ts";
import { webhook } from "../support/vendors/rrsets/webhook.ts";
import { useZonewright } from "../support/zonewright.ts";
import type { Zone } from "../support/zones.ts";
import { failureOf } from "./vendor-api/calling.ts";
import { applySet, configure, importZone } from "./vendor-zone.ts";
import { create, record } from "./zone-folder.ts";

// What only this kind does. What it shares with other kinds that write RRsets is in rrset-kinds.test.ts.

const zw = useZonewright();
const name = "harbour.example";
const fixture = (file: string) => readFile(new URL(`../platform/net/fixtures/${file}`, import.meta.url), "utf8");
const reply = (body: unknown, status = 200) => ({
  after: false,
  reply: { status, body: typeof body === "string" ? body : JSON.stringify(body) },
});

const local = async () => ["127.0.0.1"];

const isAt = (path: string) => (call: { url: URL }) => call.url.pathname === path;

const added = (host: string, more: object = {}) => ({
  action: "create",
  record: { recordType: "A", name: host, value: "192.0.2.1", ttl: 3600, ...more },
});

const outcomes = (...messages: (string | null | true)[]) => ({
  outcomes: messages.map((message) => (message === true ? { ok: true } : { ok: false, message })),
});

describe("the configuration", () => {
  const url = "https://adapter.example.com";
  const token = "a-token-of-the-adapter";

  test("a token, or a certificate with its key, is required, and both must belong together", async () => {
    const [clientCertificate, clientKey] = await Promise.all([
      fixture("secure.example.pem"),
      fixture("secure.example.key.pem"),
    ]);
    const faults: [object, string, string][] = [
      [{ url }, "token", "Enter a token, or a client certificate with its key."],
      [{ url, token, clientCertificate }, "clientKey", "Enter the key of the client certificate, too."],
      [{ url, token, clientKey }, "clientCertificate", "Enter the certificate of the client key, too."],
      [{ url, clientCertificate: clientKey, clientKey }, "clientCertificate", "Enter a certificate in PEM form"],
      [
        { url: "http://192.0.2.1", clientCertificate, clientKey },
        "url",
        "A client certificate needs an address that begins with https://.",
      ],
      [{ url, token: "short" }, "token", "The token must be 16 to 500 characters"],
    ];
    for (const [config, field, message] of faults) {
      const answer = await zw.admin.post("/api/provider-configs", { kind: "webhook", name: "Adapter", config });
      const { issues } = problemOf(answer, 400, "BAD_REQUEST");
      expect(issues).toEqual([{ path: ["config", field], message: expect.stringContaining(message) }]);
    }
  });

  test("a certificate that TLS does not accept is refused, such as one with a short key", async () => {
    const options = "req -x509 -newkey rsa:1024 -nodes -subj /CN=short -keyout /dev/stdout -out /dev/stdout";
    const both = await mustRun("sh", ["-c", `openssl ${options} 2>/dev/null | cat`]);
    const [clientKey, clientCertificate] = both.split(/(?=-----BEGIN CERTIFICATE)/);
    const config = { url, clientCertificate, clientKey };
    const answer = await zw.admin.post("/api/provider-configs", { kind: "webhook", name: "Adapter", config });
    const { issues } = problemOf(answer, 400, "BAD_REQUEST");
    const message = "TLS does not accept this certificate: ee key too small.";
    expect(issues).toEqual([{ path: ["config", "clientCertificate"], message }]);
  });

  test("a key is accepted as OpenSSL writes it, behind the parameters of its curve", async () => {
    const [clientCertificate, pem] = await Promise.all([
      fixture("secure.example.pem"),
      fixture("secure.example.key.pem"),
    ]);
    const clientKey = `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${pem}`;
    const config = { url, clientCertificate, clientKey };
    const { status } = await zw.admin.post("/api/provider-configs", { kind: "webhook", name: "Curve", config });
    expect(status).toBe(201);
  });

  test("a key of another certificate is refused", async () => {
    const clientCertificate = await fixture("secure.example.pem");
    const { privateKey } = await crypto.subtle
      .generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign"])
      .then(async (pair) => ({ privateKey: await crypto.subtle.exportKey("pkcs8", pair.privateKey) }));
    const clientKey = `-----BEGIN PRIVATE KEY-----\n${Buffer.from(privateKey).toString("base64")}\n-----END PRIVATE KEY-----\n`;
    const config = { url, clientCertificate, clientKey };
    const answer = await zw.admin.post("/api/provider-configs", { kind: "webhook", name: "Adapter", config });
    const { issues } = problemOf(answer, 400, "BAD_REQUEST");
    expect(issues).toEqual([
      { path: ["config", "clientKey"], message: "This key does not belong to the client certificate." },
    ]);
  });

  test("a certificate whose line breaks a form has taken away is accepted, and never shown", async () => {
    const [pem, key] = await Promise.all([fixture("secure.example.pem"), fixture("secure.example.key.pem")]);
    const config = { url, clientCertificate: pem.replaceAll("\n", ""), clientKey: key.replaceAll("\n", "") };
    const { status, body } = await zw.admin.post("/api/provider-configs", {
      kind: "webhook",
      name: "One line",
      config,
    });
    expect(status).toBe(201);
    expect(body.config).toEqual({ url, clientCertificate: "********", clientKey: "********" });
  });
});

test("an adapter that asks for a client certificate gets it, and makes no call without it", async () => {
  const [cert, key] = await Promise.all([fixture("secure.example.pem"), fixture("secure.example.key.pem")]);
  const seen: string[] = [];
  const server = createSecureServer({ cert, key, ca: cert, requestCert: true }, (request, response) => {
    seen.push(request.url ?? "");
    const body = request.url === "/" ? { ...able, atomic: true } : { zones: [name] };
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, cert]);
  onTestFinished(() => {
    setDefaultCACertificates(before);
    server.closeAllConnections();
    server.close();
  });
  const url = `https://secure.example:${(server.address() as AddressInfo).port}`;
  const known = connect({ url, clientCertificate: cert, clientKey: key }, local);
  expect((await known.listZones()).names).toEqual([name]);
  expect(seen).toEqual(["/", "/zones"]);
  const failure = await failureOf(connect({ url, token: "a-token-of-the-adapter" }, local).listZones());
  expect(failure.message).toContain("closed the connection before its response was complete.");
  expect(seen).toHaveLength(2);
});

test("an adapter that reads a zone, edits it and writes it back loses none of several changes", async () => {
  let stored: string[] = [];
  const server = createServer((request, response) => {
    const answer = async () => {
      if (request.url === "/") return { ...able, granularity: "zone" };
      if (request.method === "GET") return { rrsets: [] };
      const { changes } = JSON.parse(await text(request)) as { changes: { name: string }[] };
      const read = stored;
      await sleep(20);
      stored = [...read, ...changes.map((change) => change.name)];
      return outcomes(true);
    };
    void answer().then((body) => response.end(JSON.stringify(body)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const hosts = ["one", "two", "three", "four", "five", "six", "seven"];
  const some = hosts.map((host) => create(record(host, "A", "192.0.2.1", 3600)));
  const { outcomes: made } = await connect({ url, token: "a-token-of-the-adapter" }).applyChanges(name, some);
  expect(made.every(({ ok }) => ok)).toBe(true);
  expect(stored.toSorted()).toEqual(hosts.toSorted());
});

/** A connection of its own, for the answers that a person's call does not show. */
function connect(config: object, lookup?: () => Promise<string[]>): DnsProvider {
  const { now, pause } = new Clock();
  const accounts = new VendorAccounts({ now, pause });
  const egress = createEgress({ allow: [], now, ...(lookup && { lookup }) });
  onTestFinished(() => egress.close());
  const provider = kind.connect?.(kind.configSchema.parse(config), { zonesFolder: "/nowhere", now, egress, accounts });
  if (!provider) throw new Error("It has no back end.");
  return provider;
}

const able = {
  protocol: 1,
  recordTypes: ["A", "CNAME", "TXT"],
  minTtl: 60,
  maxTtl: 86_400,
  atomic: false,
  granularity: "rrset",
};

describe("an adapter", () => {
  let server: RrsetServer;
  let config: string;
  let zone: Zone;
  beforeAll(async () => {
    server = await startRrsetVendor(webhook);
    server.store.addZone(name);
    config = await configure(zw, "webhook", server.config, [server.config["token"] ?? ""]);
    zone = await importZone(zw, config, name);
  });
  beforeEach(() => {
    server.forgetFaults();
    server.calls.length = 0;
  });
  afterAll(() => server.stop());

  const changes = isAt(`/dns/zones/${name}/changes`);
  const sent = () =>
    server.calls
      .filter(changes)
      .map(({ body }) => JSON.parse(body) as { atomic: boolean; changes: { name: string }[] });

  const api = "does not look like its API";
  const faults: [what: string, path: string, answer: unknown, message: string][] = [
    ["no JSON", "/dns/", "<html>Welcome</html>", `the answer to GET / ${api}: it is not a JSON object.`],
    ["nothing", "/dns/", "", `the answer to GET / ${api}: it is not a JSON object.`],
    ["another version", "/dns/", { ...able, protocol: 2 }, "its field protocol is missing or wrong"],
    ["no types", "/dns/", { ...able, recordTypes: undefined }, "its field recordTypes is missing or wrong"],
    ["a TTL in words", "/dns/", { ...able, minTtl: "a minute" }, "its field minTtl is missing or wrong"],
    ["names that are none", "/dns/zones", { zones: [name, 5] }, "its field zones.1 is missing or wrong"],
    ["a list without end", "/dns/zones", { zones: [name], next: "a" }, "keeps returning the same page of a list"],
  ];

  test.each(faults)("%s in an answer is reported in words that name it", async (_what, path, body, message) => {
    server.failNext(reply(body), 2, isAt(path));
    const answer = await zw.admin.get(`/api/provider-configs/${config}/zones`);
    expect(answer).toBeProblem(502, "PROVIDER_ERROR");
    expect(answer.body.message).toContain(message);
  });

  test("a redirect to another address is not followed", async () => {
    const elsewhere: LoopbackVendor = await startLoopbackVendor(() => ({ status: 200, body: JSON.stringify(able) }));
    onTestFinished(() => elsewhere.stop());
    const moved = { status: 307, headers: { location: `${elsewhere.url}/` }, body: "" };
    server.failNext({ after: false, reply: moved });
    const answer = await zw.admin.get(`/api/provider-configs/${config}/zones`);
    expect(answer.body.message).toContain("returned a redirect, which is not followed");
    expect(elsewhere.calls).toEqual([]);
  });

  test("an answer of 100 MB is cut", async () => {
    server.failNext(reply(" ".repeat(100_000_000)));
    const answer = await zw.admin.get(`/api/provider-configs/${config}/zones`);
    expect(answer).toBeProblem(502, "PROVIDER_ERROR");
    expect(answer.body.message).toContain("returned more than 33554432 bytes.");
  });

  test("an adapter that does not answer is given up after the seconds of its configuration", async () => {
    const hasty = connect({ ...server.config, timeoutSeconds: 1 });
    server.failNext({ after: false, reply: "never" }, 1, changes);
    const failure = await failureOf(hasty.applyChanges(name, [create(record("late", "A", "192.0.2.1", 3600))]));
    expect(failure).toMatchObject({
      effect: "unknown",
      message: expect.stringContaining("did not respond within 1 s."),
    });
  });

  test("an outcome that is missing leaves the change open, and a reading settles it", async () => {
    server.failNext({ after: true, reply: { status: 200, body: '{"outcomes":[]}' } }, 1, changes);
    const answer = await applySet(zone, [added("missing")]);
    expect(JSON.stringify(answer.body)).not.toContain('"failed":1');
    expect(server.store.lines(name)).toContain("missing A 3600 192.0.2.1");
  });

  test("types and TTLs that the adapter does not name are refused in the plan, before it is asked to write", async () => {
    const { body } = await zone.post("/records/plan", {
      changes: [added("a", { ttl: 30 }), added("b", { recordType: "DNAME", value: "target.example.net" }), added("c")],
    });
    const said = JSON.stringify(body);
    expect(said).toContain("Webhook adapter accepts TTLs from 60 to 86400 seconds.");
    expect(said).toContain("Webhook adapter does not store DNAME records.");
    expect(server.calls.filter(changes)).toEqual([]);
  });

  describe("that takes several changes in a call", () => {
    const hosts = ["one", "two", "three"];
    const some = hosts.map((host) => create(record(host, "A", "192.0.2.1", 3600)));
    const apply = async (replies: object[], options: object = {}, more: object = {}) => {
      server.failNext(reply({ ...able, atomic: true, ...more }), 1, isAt("/dns/"));
      for (const one of replies) server.failNext("after" in one ? (one as never) : reply(one), 1, changes);
      return await connect(server.config).applyChanges(name, some, options);
    };

    test("changes of a set are one call, and a refusal names the one at fault", async () => {
      const result = await apply([outcomes(null, "Two is taken.", null)], { atomic: true });
      expect(sent()).toMatchObject([{ atomic: true, changes: hosts.map((host) => ({ name: host, before: null })) }]);
      const message = "Webhook adapter refused the change: Two is taken.";
      expect(result.outcomes[1]).toEqual({ ok: false, message });
      expect(result.outcomes.map(({ ok }) => ok)).toEqual([false, false, false]);
    });

    test("independent changes are sent again without the refused one", async () => {
      const result = await apply([outcomes(null, "Two is taken.", null), outcomes(true, true)]);
      expect(sent().map((call) => call.changes.map((change) => change.name))).toEqual([hosts, ["one", "three"]]);
      expect(result.outcomes.map(({ ok }) => ok)).toEqual([true, false, true]);
    });

    test("a change that was overtaken is refused with the advice to sync", async () => {
      const result = await apply([reply({ message: "Changed meanwhile.", stale: [0] }, 409), outcomes(true, true)]);
      expect(result.outcomes).toEqual([
        { ok: false, message: expect.stringContaining("Someone else changed the record there; sync the zone first.") },
        { ok: true },
        { ok: true },
      ]);
    });

    test("a change that an adapter refuses record by record is left out as well, if it makes all of a call or none", async () => {
      const answers = [outcomes(null, "Two is taken.", null), outcomes(true, true)];
      const result = await apply(answers, {}, { granularity: "record" });
      expect(result.outcomes.map(({ ok }) => ok)).toEqual([true, false, true]);
    });

    test("a set that was made in part leaves its outcome open, and says what the adapter must do", async () => {
      const failure = await failureOf(apply([outcomes(true, "Two is taken.", null)], { atomic: true }));
      expect(failure).toMatchObject({
        effect: "unknown",
        answered: true,
        message: "Webhook adapter made 1 of 3 changes that belong together. It must make all of them, or none.",
      });
    });

    test("outcomes that are too few leave the outcome open", async () => {
      const failure = await failureOf(apply([outcomes(true)], { atomic: true }));
      expect(failure).toMatchObject({
        effect: "unknown",
        answered: true,
        message: "Webhook adapter returned 1 outcomes for 3 changes. It must return one for each, in the same order.",
      });
    });
  });

  describe("that writes record by record", () => {
    const failed = outcomes("The record failed.");
    beforeEach(() => server.failNext(reply({ ...able, granularity: "record" }), 1, isAt("/dns/")));

    test("the rest of a set is undone if a refused RRset is as it was", async () => {
      const before = server.store.lines(name);
      server.failNext(reply(failed), 1, (call) => changes(call) && call.body.includes("set-c"));
      const set = ["set-a", "set-b", "set-c"].map((host) => create(record(host, "A", "192.0.2.1", 3600)));
      const { outcomes: made } = await connect(server.config).applyChanges(name, set, { atomic: true });
      expect(made.map(({ ok }) => ok)).toEqual([false, false, false]);
      expect(made[2]).toMatchObject({ message: "Webhook adapter refused the change: The record failed." });
      expect(server.store.lines(name)).toEqual(before);
    });

    test("the outcome of a refused change is open if its RRset is another one than before", async () => {
      server.failNext({ after: true, reply: { status: 200, body: JSON.stringify(failed) } }, 1, changes);
      const change = create(record("half", "A", "192.0.2.1", 3600));
      const failure = await failureOf(connect(server.config).applyChanges(name, [change]));
      expect(failure).toMatchObject({ effect: "unknown", answered: true, message: expect.stringContaining("failed.") });
    });
  });

  test("types and TTLs that the adapter no longer takes are not sent, although a plan let them through", async () => {
    const wrong = [record("low", "A", "192.0.2.1", 5), record("low", "DNAME", "target.example.net", 3600)];
    const some = [...wrong, record("fine", "A", "192.0.2.1", 3600)].map((one) => create(one));
    const { outcomes: made } = await connect(server.config).applyChanges(name, some);
    expect(made).toEqual([
      { ok: false, message: "Webhook adapter accepts TTLs from 60 to 86400 seconds." },
      { ok: false, message: "Webhook adapter does not store DNAME records." },
      { ok: true },
    ]);
    expect(sent().flatMap((call) => call.changes.map((change) => change.name))).toEqual(["fine"]);
  });

  test("an RRset that is listed twice is an error, also on two pages and in two spellings", async () => {
    const content = { type: "A", ttl: 60, values: ["192.0.2.1"] };
    const list = isAt(`/dns/zones/${name}/rrsets`);
    server.failNext(reply({ rrsets: [{ name: "www", ...content }], next: "www" }), 1, list);
    server.failNext(reply({ rrsets: [{ name: `WWW.${name}.`, ...content }] }), 1, list);
    const failure = await failureOf(readAll(connect(server.config), name));
    expect(failure).toMatchObject({
      effect: "none",
      message: `Webhook adapter lists the RRset WWW.${name}. A twice. It must list each once, with all its values.`,
    });
  });

  test("an RRset is changed under the name and the type by which the adapter lists it", async () => {
    const list = isAt(`/dns/zones/${name}/rrsets`);
    server.failNext(reply({ ...able, recordTypes: ["TYPE65"] }), 1, isAt("/dns/"));
    server.failNext(reply({ rrsets: [{ name: "WWW", type: "TYPE65", ttl: 3600, values: ["1 ."] }] }), 1, list);
    server.failNext(reply(outcomes(true)), 1, changes);
    const [before, after] = [record("www", "HTTPS", "1 .", 3600), record("www", "HTTPS", "2 .", 3600)];
    const change = { action: "update", before, after } as const;
    const { outcomes: made } = await connect(server.config).applyChanges(name, [change]);
    expect(made).toEqual([{ ok: true }]);
    expect(sent()).toMatchObject([{ changes: [{ name: "WWW", type: "TYPE65" }] }]);
  });

  test("a call without an answer may be carried out for as long as the configuration waits, and half a minute at least", () => {
    const seconds = [undefined, 5, 600].map((timeoutSeconds) => {
      const { settlesAfterSeconds } = connect({ ...server.config, ...(timeoutSeconds && { timeoutSeconds }) });
      return settlesAfterSeconds;
    });
    expect(seconds).toEqual([30, 30, 600]);
  });

  test("an adapter that stores whole zones is asked for whole zones", async () => {
    server.failNext(reply({ ...able, granularity: "zone" }), 1, isAt("/dns/"));
    await connect(server.config).applyChanges(name, [create(record("whole", "A", "192.0.2.1", 3600))]);
    const reads = server.calls.filter(({ url }) => url.pathname.endsWith("/rrsets"));
    expect(reads.every(({ url }) => !url.searchParams.has("name"))).toBe(true);
    expect(server.store.lines(name)).toContain("whole A 3600 192.0.2.1");
  });
});
