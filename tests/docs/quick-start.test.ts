import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { page } from "../support/markdown.ts";
import { adminPassword, useZonewright } from "../support/zonewright.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const zw = useZonewright();

test("the minute with a real zone goes as the README says", async () => {
  const { blocks } = await page("README.md");
  const block = blocks.find(({ code }) => code.includes("snapshots/diff"));
  const told = /^# (\{"added".*\})$/m.exec(block?.code ?? "")?.[1] ?? "";
  const script = (block?.code ?? "")
    .replace("data/zones/", `${zw.dataDir}/zones/`)
    .replace("http://127.0.0.1:3000", zw.url)
    .replace("the printed password", adminPassword);
  const bash = run("bash", ["-euo", "pipefail", "-c", script], { cwd: root, env: { ...process.env, TERM: "dumb" } });
  const { stdout } = await bash;
  const difference = JSON.parse(told) as { added: { name: string }[] };
  expect(stdout).toContain(`"added":[{"recordType":"A","name":"${difference.added[0]?.name}"`);
  expect(stdout).toContain('"deleted":1');
});
