import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run } from "../../support/programs.ts";
import { startExampleAdapter } from "../../support/vendors/example-adapters.ts";
import { startRrsetVendor, type RrsetDialect } from "../../support/vendors/rrsets/server.ts";
import { webhook } from "../../support/vendors/rrsets/webhook.ts";

// `npm run conformance`, as people who write an adapter run it.

async function conformance({ url = "", token = "" }: Record<string, string>, ...more: string[]) {
  const command = join(import.meta.dirname, "command.ts");
  return await run(process.execPath, [command, "--webhook", url, "--token", token, ...more]);
}

async function startAdapter(dialect: RrsetDialect) {
  const server = await startRrsetVendor(dialect);
  onTestFinished(() => server.stop());
  return server;
}

function changeOf(before: string[] | null, after: string[]): string {
  const [held, wanted] = [before, after].map((values) => values && { ttl: 60, values });
  return JSON.stringify({ atomic: true, changes: [{ name: "text", type: "TXT", before: held, after: wanted }] });
}

test("an adapter that conforms passes in a zone that its author names, which is empty afterwards", async () => {
  const adapter = await startExampleAdapter("python");
  onTestFinished(() => adapter.stop());
  const { exitCode, stdout } = await conformance(adapter.config, "--zone", "harbour.example");
  expect(stdout).toMatch(/\n\d{3} passed, 0 failed, 0 beyond the adapter's limits\.\n$/);
  expect([exitCode, stdout.includes("FAIL")]).toEqual([0, false]);
  const again = await conformance(adapter.config, "--zone", "harbour.example");
  expect(again.exitCode).toBe(0);
});

test("what lies beyond the limits that an adapter names is not held against it", async () => {
  const { config } = await startAdapter(webhook);
  const { exitCode, stdout } = await conformance(config);
  expect(stdout).toContain("–     TLSA: beyond the adapter's limits");
  expect(stdout).toMatch(/\n\d+ passed, 0 failed, \d+ beyond the adapter's limits\.\n$/);
  expect(exitCode).toBe(0);
});

test("faults of an adapter are listed with what was expected", async () => {
  const { config } = await startAdapter({
    ...webhook,
    answer(call, store) {
      const answer = webhook.answer(call, store);
      for (const [zone] of store.zones) {
        // It keeps texts in lower case, and makes nothing of a change that was overtaken.
        for (const text of store.rrsets(zone)) {
          if (text.type === "TXT") text.values = text.values.map((value) => value.toLowerCase());
        }
      }
      return answer.status === 409 ? { ...answer, status: 200, body: '{"outcomes":[{"ok":true}]}' } : answer;
    },
  });
  const { exitCode, stdout } = await conformance(config);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(
    /FAIL {2}a change whose `before` does not hold gets 409 and changes nothing\n +POST \S+ must get 409 .+, but got 200\./,
  );
  const difference = [
    "FAIL  a text with umlauts",
    "        There is a difference in the zone read back after the changes:",
    "          missing: text 3600 TXT Grüße aus dem Hafen",
    "          not expected: text 3600 TXT grüße aus dem hafen",
  ];
  expect(stdout).toContain(difference.join("\n"));
  expect(stdout).toMatch(/\n\d+ passed, [1-9]\d* failed, /);
});

test("an adapter that overwrites what others changed, or lets anybody write, is found", async () => {
  const { config } = await startAdapter({
    ...webhook,
    answer(call, store) {
      const isWrite = call.url.pathname.endsWith("/changes");
      const known = { ...call, headers: { authorization: `Bearer ${webhook.config("")["token"]}` } };
      const answer = webhook.answer(isWrite ? known : call, store);
      if (answer.status !== 409) return answer;
      const { changes } = JSON.parse(call.body) as { changes: { name: string; type: string; after: object | null }[] };
      const [zone = ""] = store.zones.keys();
      const [{ name, type, after } = { name: "", type: "", after: null }] = changes;
      if (!store.rrset(zone, name, type)) return answer;
      store.write(zone, [{ name, type, ttl: 60, values: [], ...after }]);
      return { ...answer, status: 200, body: '{"outcomes":[{"ok":true}]}' };
    },
  });
  const { exitCode, stdout } = await conformance(config);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(
    /FAIL {2}a change whose `before` does not hold .+\n +POST \S+ must get 409 for an RRset that is there, although `before` is null, but got 200\./,
  );
  expect(stdout).toMatch(/FAIL {2}a wrong token .+\n +POST \S+ with no token must get 401, but got 409\./);
});

test.each(["python", "typescript"] as const)(
  "the example in %s answers beside an idle connection, and refuses what is malformed",
  async (language) => {
    const adapter = await startExampleAdapter(language);
    onTestFinished(() => adapter.stop());
    const { url, token } = adapter.config;
    const idle = connect(Number(new URL(url).port), "127.0.0.1");
    onTestFinished(() => void idle.destroy());
    await once(idle, "connect");
    const post = async (path: string, body: string, authorization = `Bearer ${token}`) => {
      const answer = await fetch(`${url}${path}`, { method: "POST", body, headers: { authorization } });
      return answer.status;
    };
    const zone = "/zones/harbour.example";
    expect(await post("/zones", '{"name":"harbour.example"}')).toBe(200);
    expect(await post("/zones", "{", "Bearer of-nobody")).toBe(401);
    expect(await post("/zones", "{")).toBe(400);
    expect(await post("/zones", "5")).toBe(400);
    expect(await post(`${zone}/changes`, '{"changes":[{"name":"www","type":"A"}]}')).toBe(400);
    expect(await post(`${zone}/changes`, changeOf(null, ["x,y"]))).toBe(200);
    expect(await post(`${zone}/changes`, changeOf(["x", "y"], ["z"]))).toBe(409);
    const head = [
      "POST /zones HTTP/1.1",
      "Host: adapter",
      `Authorization: Bearer ${token}`,
      "Content-Length: 16000001",
    ];
    idle.write(`${head.join("\r\n")}\r\n\r\n`);
    const [answer] = (await once(idle, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.[01] 413 /);
  },
);

test("a zone with records, a wrong token and a wrong option are reported, and nothing is changed", async () => {
  const server = await startAdapter(webhook);
  server.store.addZone("harbour.example");
  server.store.write("harbour.example", [{ name: "@", type: "NS", ttl: 3600, values: ["ns.example.net."] }]);
  const used = await conformance(server.config, "--zone", "harbour.example");
  expect(used).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("The zone harbour.example has records.") });
  const denied = await conformance({ ...server.config, token: "wrong-token-of-the-harbour" });
  expect(denied).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("rejects the token") });
  const wrong = await conformance(server.config, "--zonee", "harbour.example");
  expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("Unknown option '--zonee'") });
  expect(server.calls.every(({ method }) => method === "GET")).toBe(true);
});
