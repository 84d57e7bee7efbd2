import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { builtCli, useCli } from "../support/cli.ts";
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
let forge: Server;
const notes: { id: number; body: string }[] = [{ id: 1, body: "Looks good." }];

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
    `case "$*" in
  *--paginate*) test ! -e "${join(folder, "commented.md")}" || echo 12; exit ;;
esac
echo "$@" >> "${join(folder, "gh.log")}"; cp comment.md "${join(folder, "commented.md")}"`,
  );
  forge = createServer((request, response) => {
    const [, id] = /\/notes\/(\d+)$/.exec(request.url ?? "") ?? [];
    let text = "";
    request.on("data", (part: Buffer) => (text += part.toString()));
    request.on("end", () => {
      const body = new URLSearchParams(text).get("body") ?? "";
      const known = notes.find((note) => note.id === Number(id));
      if (request.method === "POST") notes.push({ id: notes.length + 1, body });
      else if (request.method === "PUT" && known) known.body = body;
      response.end(JSON.stringify(notes));
    });
  });
  await new Promise<void>((resolve) => forge.listen(0, "127.0.0.1", resolve));
  await zw.admin.post("/api/domains", { name: "jobs.example" });
  await zone("www 300 IN A 192.0.2.1\n");
});
afterAll(async () => {
  forge.close();
  await rm(folder, { recursive: true, force: true });
});

async function script(name: string, text: string): Promise<void> {
  await writeFile(join(folder, "bin", name), `#!/bin/sh\n${text}\n`);
  await chmod(join(folder, "bin", name), 0o755);
}

async function zone(records: string): Promise<void> {
  await writeFile(join(folder, "zones/jobs.example.zone"), `@ 300 IN NS ns1.example.net.\n${records}`);
}

async function run(text: string): Promise<number> {
  const env = {
    ...programEnv,
    PATH: `${join(folder, "bin")}:${process.env["PATH"] ?? ""}`,
    ZONEWRIGHT_URL: zw.url,
    ZONEWRIGHT_TOKEN: cli.token,
    PULL_REQUEST: "7",
    GITHUB_REPOSITORY: "dns/zones",
    CI_API_V4_URL: `http://127.0.0.1:${(forge.address() as AddressInfo).port}/api/v4`,
    CI_PROJECT_ID: "1",
    CI_MERGE_REQUEST_IID: "7",
    GITLAB_TOKEN: "secret",
    CI_COMMIT_TITLE: "Move the mail",
  };
  return await new Promise((resolve) => {
    execFile("/bin/sh", ["-e", "-c", text], { cwd: folder, env }, (error) => resolve(Number(error?.code ?? 0)));
  });
}

const steps = () => github.flatMap((step) => (step.run === undefined ? [] : [step.run]));

test("the workflow for GitHub comments the plan on a pull request, fails for a broken file, and applies what is merged", async () => {
  const [install = "", plan = "", apply = ""] = steps();
  expect(await run(install)).toBe(0);
  expect(await run(plan)).toBe(0);
  expect(await readFile(join(folder, "commented.md"), "utf8")).toContain("+ www 300 A 192.0.2.1");
  expect(await readFile(join(folder, "gh.log"), "utf8")).toBe("pr comment 7 --body-file comment.md\n");
  await zone("www 300 IN A 300.0.2.1\n");
  expect(await run(plan)).toBe(1);
  expect(await readFile(join(folder, "gh.log"), "utf8")).toContain(
    "\napi repos/dns/zones/issues/comments/12 --method PATCH --silent --field body=@comment.md\n",
  );
  expect(await readFile(join(folder, "commented.md"), "utf8")).toContain("jobs.example.zone: Line 2: The A value must");
  await zone("www 300 IN A 192.0.2.1\n");
  expect(await run(apply)).toBe(0);
  expect(await cli.must(["history", "jobs.example"])).toContain("Move the mail");
});

test("the job for GitLab keeps one comment on a merge request, and applies what is merged", async () => {
  const [plan, apply] = [gitlab.plan, gitlab.apply].map(({ script: lines }) =>
    [...gitlab.before_script, ...lines].join("\n"),
  );
  await zone("www 300 IN A 192.0.2.2\n");
  expect(await run(plan ?? "")).toBe(0);
  await zone("www 300 IN A 192.0.2.3\n");
  expect(await run(plan ?? "")).toBe(0);
  expect(notes.map(({ body }) => body.split("\n")[0])).toEqual(["Looks good.", "<!-- zonewright plan -->"]);
  expect(notes[1]?.body).toContain("192.0.2.3");
  expect(await run(apply ?? "")).toBe(0);
  expect(await cli.must(["records", "jobs.example", "--type", "A"])).toContain("192.0.2.3");
});
