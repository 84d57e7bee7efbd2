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

test("a zone with records, a wrong token and a wrong option are reported, and nothing is changed", async () => {
  const server = await startAdapter(webhook);
  server.store.addZone("harbour.example");
  server.store.write("harbour.example", [{ name: "www", type: "A", ttl: 3600, values: ["192.0.2.1"] }]);
  const used = await conformance(server.config, "--zone", "harbour.example");
  expect(used).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("The zone harbour.example has records.") });
  const denied = await conformance({ ...server.config, token: "wrong-token-of-the-harbour" });
  expect(denied).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("rejects the token") });
  const wrong = await conformance(server.config, "--zonee", "harbour.example");
  expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("Unknown option '--zonee'") });
  expect(server.calls.every(({ method }) => method === "GET")).toBe(true);
});
