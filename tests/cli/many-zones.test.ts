import { link, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import type * as timers from "node:timers/promises";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { useCli } from "../support/cli.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright();
const cli = useCli(zw);

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonewright-many-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Writes the same zone under many names. */
async function zones(count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, index) => `z${index}.example`);
  const first = join(folder, `${names[0]}.zone`);
  await writeFile(first, "www 300 IN A 192.0.2.1\n");
  for (const name of names.slice(1)) await link(first, join(folder, `${name}.zone`));
  return names;
}

interface Called {
  name: string;
  input: { id?: string; name?: string };
}

/** Stands in for a server with any domain. @param answer returns the plan of a domain; null for 429 */
async function server(answer: (domain: string) => Promise<object | null>): Promise<{ url: string; calls: Called[] }> {
  const calls: Called[] = [];
  const listener = createServer((request, response) => {
    const respond = async () => {
      const url = new URL(request.url ?? "", "http://127.0.0.1");
      const given = (await textOf(request)) || (url.searchParams.get("input") ?? "{}");
      const called = {
        name: url.pathname.slice("/trpc/".length),
        input: (JSON.parse(given) as { json?: Called["input"] }).json ?? {},
      };
      calls.push(called);
      // Of more domains than files, so that the list is not worth reading.
      const found = { domains: [{ id: called.input.name, name: called.input.name, view: null }], total: 100_000 };
      const json = called.name === "domains.list" ? found : await answer(called.input.id ?? "");
      if (json === null) {
        response.writeHead(429, { "content-type": "application/problem+json", "retry-after": "37" });
        response.end('{"code":"TOO_MANY_REQUESTS","detail":"Too many requests."}');
      } else
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ result: { data: { json } } }));
    };
    void respond();
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void listener.close());
  return { url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`, calls };
}

test("500 zones are planned by at most eight calls at once, each refused for its rate again after Retry-After, and counted as they are", async () => {
  const names = await zones(500);
  let inFlight = 0;
  let most = 0;
  const { promise: eight, resolve: areEight } = Promise.withResolvers<void>();
  const limited = new Set(names.filter((_, index) => index % 50 === 7));
  const { url, calls } = await server(async (domain) => {
    most = Math.max(most, ++inFlight);
    // Holds the first calls until as many as may come at once are there, and for a while in which one more could come.
    if (inFlight === 8) setTimeout(areEight, 100);
    await eight;
    inFlight--;
    if (limited.delete(domain)) return null;
    const record = { recordType: "A", name: "www", value: "192.0.2.1", strings: null, ttl: 300, status: "active" };
    const creates = domain.endsWith("3.example") ? [record] : [];
    const plan = { creates, updates: [], deletes: [], warnings: [], reverse: [] };
    return { plan, planHash: "hash", left: 0, lossPercent: 0, warnings: [] };
  });
  // The command line waits by this function, and a test need not.
  const modules = createRequire(import.meta.url)("node:timers/promises") as typeof timers;
  const waits: unknown[] = [];
  const waiting = vi.spyOn(modules, "setTimeout").mockImplementation((milliseconds?: number) => {
    waits.push(milliseconds);
    return Promise.resolve();
  });
  onTestFinished(() => waiting.mockRestore());
  const { exitCode, stdout, stderr } = await cli.run(["plan", folder], { env: { ZONEWRIGHT_URL: url } });
  expect({ exitCode, stderr, most, waits }).toEqual({
    exitCode: 2,
    stderr: "",
    most: 8,
    waits: Array(10).fill(37_000),
  });
  expect(stdout.trimEnd().split("\n").at(-1)).toBe("50 of 500 zones would change: 50 to create.");
  const planned = calls.filter(({ name }) => name === "records.planZonefile").map(({ input }) => input.id);
  expect([planned.length, new Set(planned).size]).toEqual([510, 500]);
});

test("20,000 files whose domains do not exist are refused together, and the answer names a hundred and counts the rest", async () => {
  await zones(20_000);
  const { exitCode, stdout, stderr } = await cli.run(["plan", folder]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "20000 zones could not be compared.\n" });
  expect(stderr.split("\n").slice(100)).toEqual(["19900 more could not be compared. --json lists all of them.", ""]);
});
