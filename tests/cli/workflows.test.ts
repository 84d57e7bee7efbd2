import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { builtCli, useCli } from "../support/cli.ts";
import { startForge, type Forge } from "../support/forge/server.ts";
import { page } from "../support/markdown.ts";
import { programEnv } from "../support/programs.ts";
import { useZonewright } from "../support/zonewright.ts";

interface Job {
  script: string[];
}

const zw = useZonewright();
const cli = useCli(zw);

let folder = "";
let github: { name?: string; run?: string }[] = [];
let gitlab: { before_script: string[]; plan: Job; apply: Job };
let forge: Forge;

beforeAll(async () => {
  const { blocks } = await page("docs/guide/zones-in-git.md");
  const [first, second] = blocks
    .filter(({ language }) => language === "yaml")
    .map(({ code }) => parse(code) as unknown);
  github = (first as { jobs: { zones: { steps: typeof github } } }).jobs.zones.steps;
  gitlab = second as typeof gitlab;
  folder = await mkdtemp(join(tmpdir(), "zonewright-workflows-"));
  await mkdir(join(folder, "zones"));
  await mkdir(join(folder, "bin"));
  const program = await builtCli();
  await script("zonewright", `exec "${process.execPath}" "${program}" "$@"`);
  await script("npm", "exit 0");
  await script("git", "echo 'Move the mail'");
  await script(
    "gh",
    `exec "${process.execPath}" "${new URL("../support/forge/gh.ts", import.meta.url).pathname}" "$@"`,
  );
  forge = await startForge();
  await zw.admin.post("/api/domains", { name: "jobs.example" });
  await zone("www 300 IN A 192.0.2.1\n");
});
beforeEach(() => {
  forge.comments = [{ id: 1, body: "Looks good." }];
});
afterAll(async () => {
  forge.stop();
  await rm(folder, { recursive: true, force: true });
});

async function script(name: string, text: string): Promise<void> {
  await writeFile(join(folder, "bin", name), `#!/bin/sh\n${text}\n`);
  await chmod(join(folder, "bin", name), 0o755);
}

async function zone(records: string): Promise<void> {
  await writeFile(join(folder, "zones/jobs.example.zone"), `@ 300 IN NS ns1.example.net.\n${records}`);
}

/** Adds what people write, more than fits into a page. */
function discuss(): void {
  for (let count = 0; count < 110; count++)
    forge.comments.push({ id: forge.comments.length + 1, body: `On <!-- zonewright plan -->: ${count}` });
}

/** Returns the comments with a plan. */
const plans = () => forge.comments.filter(({ body }) => body.startsWith("<!-- zonewright plan -->"));

async function run(shell: "bash" | "sh", text: string): Promise<number> {
  const env = {
    ...programEnv,
    PATH: `${join(folder, "bin")}:${process.env["PATH"] ?? ""}`,
    ZONEWRIGHT_URL: zw.url,
    ZONEWRIGHT_TOKEN: cli.token,
    FORGE: forge.url,
    PULL_REQUEST: "7",
    GITHUB_REPOSITORY: "dns/zones",
    CI_API_V4_URL: `${forge.url}/api/v4`,
    CI_PROJECT_ID: "1",
    CI_MERGE_REQUEST_IID: "7",
    GITLAB_TOKEN: "secret",
    CI_COMMIT_TITLE: "Move the mail",
  };
  return await new Promise((resolve) => {
    execFile(shell, ["-e", "-c", text], { cwd: folder, env }, (error) => resolve(Number(error?.code ?? 0)));
  });
}

/** Runs a step as GitHub does: by bash, without `pipefail`. */
const step = (index: number) => run("bash", github.flatMap((one) => one.run ?? [])[index] ?? "false");

/** Runs a job as GitLab does: its lines as one script. */
const job = ({ script: lines }: Job) => run("sh", [...gitlab.before_script, ...lines].join("\n"));

test("the workflow for GitHub keeps one comment on a pull request, fails for a broken file, and applies what is merged", async () => {
  expect(await step(0)).toBe(0);
  expect(await step(1)).toBe(0);
  expect(plans().map(({ id, body }) => [id, body.includes("+ www 300 A 192.0.2.1")])).toEqual([[2, true]]);
  await zone("www 300 IN A 300.0.2.1\n");
  expect(await step(1)).toBe(1);
  expect(plans().map(({ id, body }) => [id, body.includes("Line 2: The A value must")])).toEqual([[2, true]]);
  await zone("www 300 IN A 192.0.2.1\n");
  expect(await step(2)).toBe(0);
  expect(await cli.must(["history", "jobs.example"])).toContain("Move the mail");
});

test("the job for GitLab keeps one comment on a merge request, fails for a broken file, and applies what is merged", async () => {
  await zone("www 300 IN A 192.0.2.2\n");
  expect(await job(gitlab.plan)).toBe(0);
  expect(plans().map(({ id, body }) => [id, body.includes("192.0.2.2")])).toEqual([[2, true]]);
  await zone("www 300 IN A 300.0.2.1\n");
  expect(await job(gitlab.plan)).toBe(1);
  expect(plans().map(({ id, body }) => [id, body.includes("Line 2: The A value must")])).toEqual([[2, true]]);
  await zone("www 300 IN A 192.0.2.3\n");
  expect(await job(gitlab.apply)).toBe(0);
  expect(await cli.must(["records", "jobs.example", "--type", "A"])).toContain("192.0.2.3");
});

test.each([
  ["GitHub", () => step(1)],
  ["GitLab", () => job(gitlab.plan)],
])("the comment on %s is found among more than a page of others before and after it", async (_, plan) => {
  discuss();
  await zone("www 300 IN A 192.0.2.4\n");
  expect(await plan()).toBe(0);
  discuss();
  await zone("www 300 IN A 192.0.2.5\n");
  expect(await plan()).toBe(0);
  expect(plans().map(({ id, body }) => [id, body.includes("192.0.2.5")])).toEqual([[112, true]]);
});

test.each([
  ["GitHub", () => step(1)],
  ["GitLab", () => job(gitlab.plan)],
])("a job on %s that cannot read the comments fails, and adds none", async (_, plan) => {
  forge.isFailing = true;
  try {
    expect(await plan()).not.toBe(0);
  } finally {
    forge.isFailing = false;
  }
  expect(forge.comments).toHaveLength(1);
});
