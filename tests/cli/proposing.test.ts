import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { assign } from "../accounts/assignments/assigned.ts";
import { domainWith, useCli } from "../support/cli.ts";
import { proxyOf } from "../support/proxy.ts";
import { useZonewright } from "../support/zonewright.ts";
import type { RestClient } from "../support/rest-client.ts";

const zw = useZonewright();
const cli = useCli(zw);

const name = "shop.example";
const records = [
  "@ 300 IN NS ns1.example.net.",
  "secret 300 IN TXT hidden",
  "a.dev 300 IN A 192.0.2.1",
  "b.dev 300 IN A 192.0.2.2",
];
/** Changes one record that a proposer of `*.dev` may change, lacks another, and has two that only others may change. */
const wanted = ["@ 300 IN NS ns9.example.net.", "www 300 IN A 192.0.2.80", "a.dev 300 IN A 192.0.2.11"];

let folder = "";
let file = "";
let id = "";
let ada: RestClient;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonewright-proposing-"));
  file = join(folder, `${name}.zone`);
  await domainWith(zw, name, `${records.join("\n")}\n`);
  id = (await zw.admin.get(`/api/domains?name=${name}`)).body.domains[0].id;
  ada = await zw.member("ada");
  await assign(zw, ada, id, "*.dev", "propose");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const as = (client: RestClient) => ({ ZONEWRIGHT_TOKEN: client.token ?? "" });

async function tokenOf(client: RestClient, permissions: string[]) {
  const { body } = await client.post("/api/auth/me/tokens", { name: permissions.join(" "), permissions });
  return { ZONEWRIGHT_TOKEN: (body as { token: string }).token };
}

const write = async (lines: readonly string[]) => await writeFile(file, `${lines.join("\n")}\n`);

const openRequest = async () => {
  const { body } = await zw.admin.get("/api/change-requests?state=open");
  const [{ id: one, ...request }] = (body as { requests: [{ id: string; title: string }] }).requests;
  const { plan } = (await zw.admin.get(`/api/change-requests/${one}`)).body;
  // Nobody rejects their own.
  for (const verdict of ["reject", "withdraw"]) await zw.admin.post(`/api/change-requests/${one}/${verdict}`, {});
  return { ...request, plan: plan as Record<"creates" | "updates" | "deletes", { name: string }[]> };
};

const patch = `${name}: 1 to update, 1 to delete
~ a.dev 300 A 192.0.2.1 → 192.0.2.11
- b.dev 300 A 192.0.2.2
`;

test("a member who may only propose plans a file by the names that are theirs, and requests exactly those changes", async () => {
  await write(wanted);
  const env = as(ada);
  const planned = await cli.run(["plan", file], { env });
  expect({ exitCode: planned.exitCode, stdout: planned.stdout }).toEqual({
    exitCode: 2,
    stdout: `${patch}1 of 1 zone would change: 1 to update, 1 to delete.\n`,
  });
  expect(planned.stderr).toContain("You may only request changes here: add --request 'what it is for'");
  expect(planned.stderr).toContain("Skipped 2 records of the file: you may not request changes of them.\n");
  const asked = await cli.run(["apply", file, "--request", "Move a"], { env });
  expect(asked).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/request \d+ waits for a review\.\n$/) });
  for (const { stdout, stderr } of [planned, asked]) expect(stdout + stderr).not.toMatch(/hidden|secret|ns1/);
  expect(await openRequest()).toMatchObject({
    title: "Move a",
    plan: { creates: [], updates: [{ after: { name: "a.dev" } }], deletes: [{ name: "b.dev" }] },
  });
});

test("a plan that a proposer saved is requested exactly, and never applied", async () => {
  await write(wanted);
  const out = join(folder, "plan.json");
  const env = as(ada);
  expect((await cli.run(["plan", file, "--out", out], { env })).exitCode).toBe(2);
  const applied = await cli.run(["apply", out, "--yes"], { env });
  expect(applied).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/^shop\.example: not applied\. Only the domain's owner and administrators /m),
  });
  expect(await cli.must(["apply", out, "--request", "Saved"], { env })).toContain("waits for a review.\n");
  expect(await openRequest()).toMatchObject({ title: "Saved", plan: { deletes: [{ name: "b.dev" }] } });
});

test("a token with nothing but requests:write plans files and requests their changes", async () => {
  const env = await tokenOf(ada, ["requests:write"]);
  await write(wanted);
  expect((await cli.run(["plan", file], { env })).stdout).toContain(patch);
  expect(await cli.must(["apply", file, "--request", "By token"], { env })).toContain(patch);
  expect(await openRequest()).toMatchObject({ title: "By token" });
  // An administrator's covers the whole zone.
  const whole = await tokenOf(zw.admin, ["requests:write"]);
  expect(await cli.must(["apply", file, "--request", "All of it"], { env: whole })).toContain(
    `${name}: 1 to create, 2 to update, 2 to delete\n`,
  );
  expect((await openRequest()).plan.deletes).toHaveLength(2);
});

test("records are added, and files imported, as requests by a token that may read and request", async () => {
  const env = await tokenOf(ada, ["domains:read", "records:read", "requests:write"]);
  expect(await cli.must(["records", "add", name, "c.dev", "A", "192.0.2.3", "--request", "Add c"], { env })).toContain(
    `+ c.dev 3600 A 192.0.2.3\n`,
  );
  expect(await openRequest()).toMatchObject({ title: "Add c" });
  await write(["d.dev 300 IN A 192.0.2.4"]);
  expect(await cli.must(["import", name, file, "--request", "Add d"], { env })).toContain("+ d.dev 300 A 192.0.2.4\n");
  expect(await openRequest()).toMatchObject({ title: "Add d", plan: { creates: [{ name: "d.dev" }], deletes: [] } });
});

test("who may neither change nor request is refused in one line, and nothing is requested", async () => {
  await write(wanted);
  const reader = await zw.member("reader");
  await assign(zw, reader, id, "*", "read");
  const stranger = await zw.member("stranger");
  const lines: [Record<string, string>, RegExp][] = [
    [as(reader), /^\S+shop\.example\.zone: You have read-only access to this domain\. .*\nNothing was changed\.\n$/],
    [
      as(stranger),
      /^\S+shop\.example\.zone: There is no domain shop\.example, or you may not see it\.\nNothing was changed\.\n$/,
    ],
    [
      await tokenOf(ada, ["domains:read", "records:read", "records:write"]),
      /^This token lacks the permission requests:write\. .*\n$/,
    ],
  ];
  for (const [env, line] of lines) {
    const { exitCode, stdout, stderr } = await cli.run(["apply", file, "--request", "Mine"], { env });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toMatch(line);
  }
  expect((await cli.run(["plan", file], { env: as(reader) })).stderr).toMatch(
    /^\S+shop\.example\.zone: Only the domain's owner and administrators can do this\. Ask one of them\.\n$/,
  );
  expect((await zw.admin.get("/api/change-requests?state=open")).body.total).toBe(0);
});

test("apply without --request refuses a member before it asks, with the way that is open", async () => {
  await write(wanted);
  const { exitCode, stdout, stderr } = await cli.run(["apply", file], { env: as(ada), columns: 80 });
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toMatch(
    /Only the domain's owner and administrators can do this\. .* add --request 'what it is for'\.\nNothing was changed\.\n$/,
  );
});

test("a server whose version lacks the plan of requests is called too old, in one line for all files", async () => {
  await write(wanted);
  await writeFile(join(folder, "other.example.zone"), "www 300 IN A 192.0.2.1\n");
  const url = await proxyOf(zw, async (called, forward) => {
    if (!called.includes("changeRequests.planZonefile")) return undefined;
    const answer = await forward();
    return { ...answer, ...(await missing()) };
  });
  const missing = async () => {
    const answer = await fetch(`${zw.url}/trpc/changeRequests.planOfTomorrow`, { method: "POST" });
    return { status: answer.status, text: await answer.text() };
  };
  const ran = await cli.run(["apply", folder, "--request", "Old"], { env: { ZONEWRIGHT_URL: url } });
  expect(ran).toMatchObject({ exitCode: 1, stdout: "" });
  expect(ran.stderr).toMatch(/^http\S+ runs Zonewright \S+, which does not offer this call\. Upgrade the server.*\n$/);
  await rm(join(folder, "other.example.zone"));
});

test("records edit refuses who may not make the change before the editor opens", async () => {
  const opened = join(folder, "opened");
  const editor = join(folder, "editor.sh");
  await writeFile(editor, `#!/bin/sh\ntouch ${opened}\necho 'e.dev 300 IN A 192.0.2.5' >> "$1"\n`);
  await chmod(editor, 0o755);
  const edit = (env: Record<string, string>, ...args: string[]) =>
    cli.run(["records", "edit", name, ...args], { env: { ...env, EDITOR: editor }, columns: 80, input: "y\n" });
  const reading = ["domains:read", "records:read"];
  const refusals: [Record<string, string>, string[], string][] = [
    [as(ada), [], "Only the domain's owner and administrators can do this."],
    [await tokenOf(zw.admin, reading), [], "This token lacks the permission records:write."],
    [await tokenOf(zw.admin, reading), ["--request", "Edit"], "This token lacks the permission requests:write."],
  ];
  for (const [env, args, reason] of refusals) {
    const { exitCode, stderr } = await edit(env, ...args);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining(reason) });
    expect(stderr.trim().split("\n")).toHaveLength(1);
  }
  await expect(readFile(opened)).rejects.toThrow("ENOENT");
  const asked = await edit(as(ada), "--request", "Add e");
  expect(asked.stdout).toMatch(/^shop\.example: 1 to create\n\+ e\.dev 300 A 192\.0\.2\.5\nRequest \d+ waits/);
  expect(await openRequest()).toMatchObject({ title: "Add e" });
});
