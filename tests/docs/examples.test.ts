import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { pages } from "../support/markdown.ts";
import { apiExamples, callsApi, cleanUp, runPage } from "../support/pages/page-examples.ts";
import { useStandIns, type StandIns } from "./stand-ins.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1", JOBS: "off", SITE_URL: "https://dns.example.com" } });
const all = await pages();
/** Generated, with examples of the document's own. */
const generated = (path: string) => path.startsWith("docs/reference/");
/** Against real servers, in tests/services. */
const elsewhere = new Set(["docs/providers/rfc2136.md", "docs/providers/powerdns.md"]);
const reported = all
  .filter((one) => !generated(one.path) && !elsewhere.has(one.path) && apiExamples(one).length > 0)
  .map(({ path }) => path);

let standIns: StandIns;
beforeAll(async () => {
  standIns = await useStandIns();
});
afterAll(() => standIns.stop());
beforeEach(() => cleanUp(zw));

test.each(reported)("the examples of %s work as documented", async (path) => {
  const over = new AbortController();
  // The only job that an example waits for.
  const work = async () => {
    for (; !over.signal.aborted; await sleep(200)) await zw.services.batches.run().catch(() => undefined);
  };
  const working = work();
  // The next page finds nothing that is still under way.
  onTestFinished(async () => {
    over.abort();
    await working;
    await zw.services.background.settled();
  });
  expect(await runPage(zw, path, standIns.of(path))).toEqual([]);
});

test("every example that calls the API is run", () => {
  expect(reported.length).toBeGreaterThan(20);
  const leftOut = all
    .filter(({ path }) => !generated(path))
    .flatMap(({ path, blocks }) => blocks.map((block) => ({ path, ...block })))
    // tests/cli/workflows.test.ts runs the jobs of a page.
    .filter(({ path, language }) => !(path === "docs/guide/zones-in-git.md" && language === "yaml"))
    // A program that another one calls begins with `#!`. The services suite runs it with its caller.
    .filter(({ language, code }) => callsApi(code) && language !== "sh" && !code.startsWith("#!"));
  expect(leftOut.map(({ path }) => path)).toEqual([]);
  // Blocks within lists are not seen as blocks.
  expect(all.filter(({ prose }) => /^ +```/m.test(prose)).map(({ path }) => path)).toEqual([]);
});
