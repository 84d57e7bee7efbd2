import { execFile } from "node:child_process";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { builtCli, useCli } from "../support/cli.ts";
import { programEnv } from "../support/programs.ts";
import { limited, proxyOf } from "../support/proxy.ts";
import { repository, useZoneRepository } from "../support/zone-repository.ts";
import { useZonewright } from "../support/zonewright.ts";

// Administrators, as the command line's user is one, need no review.
const zw = useZonewright({ env: { REVIEW_REQUIRED: "members" } });
const cli = useCli(zw);
const repo = useZoneRepository(zw, cli);
const { write, byHand, linesOf, passedOn } = repo;

/** Deletes a domain; its zone at the provider stays. */
async function forgetDomain(name: string): Promise<void> {
  const { body } = await zw.admin.get(`/api/domains?name=${name}`);
  for (const { id } of (body as { domains: { id: string }[] }).domains) await zw.admin.delete(`/api/domains/${id}`);
}

test("ends what it began, with its exit code, when the reader of its output stops", async () => {
  const pipeline = '{ "$0" "$@"; echo "exit code $?" >&2; } | head -n 1';
  const args = ["-c", pipeline, process.execPath, await builtCli()];
  const env = { ...programEnv, ZONEWRIGHT_URL: zw.url, ZONEWRIGHT_TOKEN: cli.token };
  const run = async (command: string[]) =>
    (await promisify(execFile)("/bin/sh", [...args, ...command], { env })).stderr;
  expect(await run(["plan", repo.folder])).toMatch(/^exit code 2$/m);
  expect(await run(["apply", repo.folder, "--yes"])).toMatch(/^exit code 0$/m);
  expect(await cli.run(["plan", repo.folder])).toMatchObject({ exitCode: 0, stdout: "5 zones, no changes.\n" });
  expect(await cli.json(["apply", repo.folder, "--yes"])).toEqual({ zones: [], applied: 0, reasons: [] });
});

test("takes a saved plan whole, and shows what the server would do, not what the file says", async () => {
  const out = join(repo.folder, "plan.json");
  await cli.run(["plan", repo.folder, "--only", "park.example", "--out", out]);
  expect(await cli.run(["apply", out, "--only", "shop.example", "--yes"])).toMatchObject({
    exitCode: 1,
    stderr: "A saved plan is applied whole. Leave out --only, or plan again with it.\n",
  });
  const saved = JSON.parse(await readFile(out, "utf8")) as { zones: { plan: object }[] };
  for (const zone of saved.zones) zone.plan = {};
  await writeFile(out, JSON.stringify(saved));
  expect(await cli.must(["apply", out, "--yes"])).toMatch(/^\+ @ 300 A 192\.0\.2\.3$/m);
});

test("refuses with 3 to empty a zone of any size, before another zone is changed", async () => {
  await cli.must(["apply", repo.folder, "--yes"]);
  await write("shop.example!internal.zone", "");
  await write("blog.example.yaml", "www:\n  type: A\n  value: 192.0.2.9\n");
  const { exitCode, stderr } = await cli.run(["apply", repo.folder, "--yes"]);
  expect(exitCode).toBe(3);
  expect(stderr).toMatch(/^shop\.example!internal: 100 % of the records .*\nNothing was changed\.\n$/m);
  expect(await linesOf("blog.example")).toHaveLength(2);
});

test("applies a saved plan exactly, or nothing if a zone has changed since", async () => {
  const out = join(repo.folder, "plan.json");
  expect((await cli.run(["plan", repo.folder, "--out", out])).exitCode).toBe(2);
  await write("shop.example.zone", "");
  await cli.must(["records", "add", "blog.example", "other", "A", "192.0.2.9", "--yes"]);
  const stale = await cli.run(["apply", out, "--yes"]);
  expect(stale).toMatchObject({ exitCode: 1, stdout: "" });
  expect(stale.stderr).toMatch(
    /blog\.example has changed since the plan was made \(`zonewright history blog\.example`\)\. Plan again\.\nNothing was changed\.\n$/,
  );
  expect(await linesOf("shop.example")).toEqual([]);
  await cli.must(["history", "undo", "blog.example", "1", "--yes"]);
  expect((await cli.run(["plan", repo.folder, "--only", "park.example", "--out", out])).exitCode).toBe(2);
  expect(await cli.must(["apply", out, "--yes"])).toContain("park.example: applied as revision 1, 1 created.\n");
});

test("applies a saved plan in no zone if one of them changes while the question stands", async () => {
  const out = join(repo.folder, "plan.json");
  await cli.run(["plan", repo.folder, "--out", out]);
  let isAsked = false;
  // The change comes after the question, and before whatever the answer starts.
  const url = await proxyOf(zw, async () => {
    if (isAsked) {
      isAsked = false;
      await cli.must(["records", "add", "blog.example", "other", "A", "192.0.2.9", "--yes"]);
    }
    return undefined;
  });
  const once = { printed: /Apply\? \[y\/N\]/, act: () => Promise.resolve((isAsked = true)) };
  const args = ["apply", out];
  const { exitCode, stderr } = await cli.run(args, { env: { ZONEWRIGHT_URL: url }, columns: 200, input: "y\n", once });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: expect.stringMatching(
      /blog\.example has changed since the plan was made .*\nNothing was changed\.\n$/,
    ) as string,
  });
  expect(await linesOf("shop.example")).toEqual([]);
});

test("with --lock, it applies files only if the plan is the saved one", async () => {
  const out = join(repo.folder, "plan.json");
  await cli.run(["plan", repo.folder, "--only", "park.example", "--out", out]);
  const args = ["apply", join(repo.folder, "park.example.csv"), "--yes", "--lock", out];
  await write("park.example.csv", "name,type,ttl,value\n@,A,300,192.0.2.33\n");
  expect(await cli.run(args)).toMatchObject({
    exitCode: 1,
    stderr: `park.example differs from ${out}: the zone or its file has changed since. Plan again. Nothing was changed.\n`,
  });
  await write("park.example.csv", repository["park.example.csv"]);
  expect((await cli.run(args)).exitCode).toBe(0);
});

test("with --lock, it creates no domain at another provider than that of the plan", async () => {
  const out = join(repo.folder, "plan.json");
  await zw.admin.post("/api/provider-configs", { kind: "manual", name: "Locked", config: {} });
  await write("locked.example.zone", "www 300 IN A 192.0.2.1\n");
  const files = [join(repo.folder, "locked.example.zone"), "--create"];
  await cli.run(["plan", ...files, "--provider", "Locked", "--out", out]);
  expect(await cli.run(["apply", ...files, "--yes", "--lock", out])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(`${out} creates its domains at another provider. Plan again. Nothing was changed.`),
  });
  expect((await zw.admin.get("/api/domains?name=locked.example")).body.total).toBe(0);
  await cli.must(["apply", ...files, "--yes", "--provider", "Locked", "--lock", out]);
});

test("creates no domain whose records would then need a review, and the plan says so", async () => {
  const ada = await zw.member("ada");
  await zw.admin.post("/api/provider-configs", { kind: "manual", name: "All", config: {}, membersMayUse: true });
  const permissions = ["domains:read", "domains:write", "records:read", "records:write", "providers:read"];
  const { body } = await ada.post("/api/auth/me/tokens", { name: "CI", permissions });
  const env = { ZONEWRIGHT_TOKEN: (body as { token: string }).token };
  await write("reviewed.example.zone", "www 300 IN A 192.0.2.1\n");
  const args = [join(repo.folder, "reviewed.example.zone"), "--create", "--provider", "All"];
  const plan = await cli.run(["plan", ...args], { env });
  expect(plan.stderr).toContain("Warning: Records of reviewed.example need a review");
  expect(await cli.run(["apply", ...args, "--yes"], { env })).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/requires a review of each change.*Nothing was changed\.\n$/),
  });
  expect((await zw.admin.get("/api/domains?name=reviewed.example")).body.total).toBe(0);
});

test("refuses with 3 to delete more of a zone than the threshold, unless that is meant", async () => {
  const many = Array.from({ length: 10 }, (_, index) => `h${index} 300 IN A 192.0.2.1\n`);
  await write("park.example.csv", "");
  await rm(join(repo.folder, "park.example.csv"));
  await write("park.example.zone", many.join(""));
  const args = ["apply", join(repo.folder, "park.example.zone"), "--yes"];
  await cli.must(args);
  await write("park.example.zone", many.slice(4).join(""));
  const { exitCode, stdout, stderr } = await cli.run(args);
  expect(exitCode).toBe(3);
  // The plan stands above the refusal, so that nobody has to plan again to see it.
  expect(stdout).toContain("park.example: 4 to delete\n- h0 300 A 192.0.2.1\n");
  expect(stderr).toContain(
    "park.example: 40 % of the records would be deleted or replaced, which is more than 30 %. Apply it with --force if that is meant.\nNothing was changed.\n",
  );
  await cli.must([...args, "--allow-delete-percent", "40"]);
  expect(await linesOf("park.example")).toHaveLength(6);
});

test("with --force, deletes any part of a zone, and empties one", async () => {
  const many = Array.from({ length: 10 }, (_, index) => `h${index} 300 IN A 192.0.2.1\n`);
  await rm(join(repo.folder, "park.example.csv"));
  await write("park.example.zone", many.join(""));
  const args = ["apply", join(repo.folder, "park.example.zone"), "--yes"];
  await cli.must(args);
  await write("park.example.zone", many.slice(9).join(""));
  expect(await cli.must([...args, "--force"])).toContain("park.example: applied as revision 2, 9 deleted.\n");
  expect(await linesOf("park.example")).toEqual(["h9\t300\tA\t192.0.2.1"]);
  await write("park.example.zone", "");
  expect(await cli.must([...args, "--force"])).toContain("park.example: applied as revision 3, 1 deleted.\n");
});

test("with --json, an apply that stops before its first change prints the document of one that goes through", async () => {
  const file = join(repo.folder, "park.example.csv");
  const lock = join(repo.folder, "plan.json");
  const documentOf = async (args: string[], expected: { exitCode: number; sentence: string }) => {
    const { exitCode, stdout, stderr } = await cli.run(["apply", file, "--json", ...args]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: expected.exitCode,
      stderr: expect.stringContaining(expected.sentence),
    });
    return JSON.parse(stdout) as { zones: { reasons: string[] }[]; applied: number; reasons: string[] };
  };
  const unchanged = { applied: false, revision: null, reverse: [], request: null, reasons: [] };
  const waiting = { zones: [{ domain: "park.example", changes: [{ action: "create" }], ...unchanged }], applied: 0 };
  expect(await documentOf([], { exitCode: 1, sentence: "Add --yes to do it without a question.\n" })).toMatchObject({
    ...waiting,
    reasons: ["This changes park.example: 1 to create. Add --yes to do it without a question."],
  });
  await cli.run(["plan", file, "--out", lock]);
  await write("park.example.csv", "name,type,ttl,value\n@,A,300,192.0.2.33\n");
  const differs = "park.example differs from ";
  expect(await documentOf(["--yes", "--lock", lock], { exitCode: 1, sentence: differs })).toMatchObject({
    ...waiting,
    reasons: [expect.stringContaining(differs)],
  });
  const { body } = await zw.admin.get("/api/domains?name=park.example");
  const path = `/api/domains/${body.domains[0].id}`;
  await zw.admin.put(path, { reviewRequired: "everyone" });
  const review = "This domain requires a review of each change.";
  expect(await documentOf(["--yes"], { exitCode: 1, sentence: review })).toMatchObject({
    zones: [{ applied: false, reasons: [expect.stringContaining(review)] }],
    reasons: [],
  });
  await zw.admin.put(path, { reviewRequired: "off" });
  const through = JSON.parse(await cli.must(["apply", file, "--json", "--yes"])) as object;
  await write("park.example.csv", "name,type,ttl,value\n");
  const loss = "park.example: 100 % of the records would be deleted or replaced";
  const refused = await documentOf(["--yes"], { exitCode: 3, sentence: loss });
  expect(refused).toMatchObject({
    zones: [{ changes: [{ action: "delete" }], ...unchanged }],
    applied: 0,
    reasons: [expect.stringContaining(loss), "Nothing was changed."],
  });
  expect(Object.keys(refused)).toEqual(Object.keys(through));
  expect(await linesOf("park.example")).toEqual(["@\t300\tA\t192.0.2.33"]);
});

test("asks on a terminal, and without one needs --yes", async () => {
  const file = join(repo.folder, "park.example.csv");
  const asked = await cli.run(["apply", file]);
  expect(asked.exitCode).toBe(1);
  expect(asked.stderr).toBe("This changes park.example: 1 to create. Add --yes to do it without a question.\n");
  const no = await cli.run(["apply", file], { columns: 80, input: "n\n" });
  expect(no.stderr).toMatch(/Nothing was changed\.\n$/);
  const yes = await cli.run(["apply", file], { columns: 80, input: "y\n" });
  expect(yes.stdout).toContain("park.example: applied as revision 1, 1 created.\n");
});

test("creates domains that do not exist, if it may, and requests reviews instead of changing anything", async () => {
  const file = join(repo.folder, "new.example.zone");
  await write("new.example.zone", "@ 300 IN NS ns1.example.net.\nwww 300 IN A 192.0.2.1\n");
  const shown = await cli.run(["plan", file, "--create"]);
  expect(shown).toMatchObject({
    exitCode: 2,
    stdout: expect.stringMatching(/\n1 of 1 zone would change: 1 domain to create; records: 2 to create\.\n$/),
    stderr: "Warning: The domain new.example is created.\n",
  });
  await cli.must(["apply", file, "--create", "--yes"]);
  expect(await linesOf("new.example")).toContain("www\t300\tA\t192.0.2.1");
  expect(await cli.must(["apply", join(repo.folder, "park.example.csv"), "--request", "Park"])).toMatch(
    /^park\.example: request \d+ waits for a review\.$/m,
  );
  expect(await linesOf("park.example")).toEqual([]);
});

test("creating a domain is a pending change also if its file has no records", async () => {
  const file = join(repo.folder, "empty.example.zone");
  await write("empty.example.zone", "; nothing yet\n");
  const args = ["plan", file, "--create"];
  expect(await cli.run(args)).toEqual({
    exitCode: 2,
    stdout: "1 of 1 zone would change: 1 domain to create.\n",
    stderr: "Warning: empty.example: The domain empty.example is created.\n",
  });
  const markdown = await cli.run([...args, "--format", "markdown"]);
  expect(markdown.stdout).toContain("<b>empty.example</b>: 1 domain to create</summary>");
  expect(markdown.stdout.match(/The domain empty\.example is created\./g)).toHaveLength(1);
  await cli.must(["apply", file, "--create", "--yes"]);
  expect(await cli.run(args)).toMatchObject({ exitCode: 0, stdout: "1 zone, no changes.\n" });
});

test("creates domains at the provider that is named, and says so in the plan", async () => {
  const { body: config } = await zw.admin.post("/api/provider-configs", {
    kind: "manual",
    name: "By post",
    config: {},
  });
  await write("elsewhere.example.zone", "www 300 IN A 192.0.2.1\n");
  const args = [join(repo.folder, "elsewhere.example.zone"), "--create", "--provider"];
  expect(await cli.run(["plan", ...args, "by POST"])).toMatchObject({
    exitCode: 2,
    stderr: "Warning: The domain elsewhere.example is created at By post.\n",
  });
  expect((await cli.run(["plan", ...args, "Nowhere"])).stderr).toMatch(/^There is no provider configuration Nowhere\./);
  const without = await cli.run(["plan", args[0] ?? "", "--provider", "By post"]);
  expect(without).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("Add --create") });
  await cli.must(["apply", ...args, "By post", "--yes"]);
  const { body } = await zw.admin.get("/api/domains?name=elsewhere.example");
  expect(body.domains).toMatchObject([{ providerConfigId: config.id, recordCount: 1 }]);
});

test("a saved plan creates its domains as they were planned, and nothing once one of them exists", async () => {
  await write("saved-new.example.zone", `www 300 IN TXT ${"x".repeat(300)}\n`);
  const file = join(repo.folder, "saved-new.example.zone");
  const saved = join(repo.folder, "saved-new.json");
  await cli.run(["plan", file, "--create", "--lenient", "--provider", "By post", "--out", saved]);
  // What is applied was saved, whatever becomes of the file.
  await rm(file);
  const applied = await cli.run(["apply", saved, "--yes"]);
  expect(applied.stdout).toContain("saved-new.example: applied as revision 1, 1 created.\n");
  const { body } = await zw.admin.get("/api/domains?name=saved-new.example");
  const { configs } = (await zw.admin.get("/api/provider-configs")).body;
  const config = configs.find(({ id }: { id: string }) => id === body.domains[0].providerConfigId);
  expect(config.name).toBe("By post");
  expect(await cli.run(["apply", saved, "--yes"])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("saved-new.example has been created since the plan was made. Plan again."),
  });
});

test("creates a domain with the options of its plan, and never without the review that was wished", async () => {
  const args = ["apply", join(repo.folder, "fresh.example.zone"), "--create"];
  await write("fresh.example.zone", "www 300 IN A 192.0.2.1\n");
  const wished = await cli.run([...args, "--lenient", "--request", "New"]);
  expect(wished).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("--request cannot create fresh.example."),
  });
  expect((await cli.run(["records", "fresh.example"])).stderr).toContain("There is no domain fresh.example");
  await write("fresh.example.zone", `www 300 IN TXT ${"x".repeat(300)}\n`);
  await cli.must([...args, "--lenient", "--yes"]);
  expect(await linesOf("fresh.example")).toHaveLength(1);
});

test("says that the outcome is unknown when the connection ends while a zone is applied", async () => {
  const proxy = createServer((request, response) => void passedOn(request, response));
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void proxy.close());
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const args = ["apply", join(repo.folder, "park.example.csv"), "--yes"];
  const { exitCode, stderr } = await cli.run(args, { env: { ZONEWRIGHT_URL: url } });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: `park.example: outcome unknown. No response from ${url}. Check the address and the connection. \`zonewright history park.example\` shows whether it was applied.\n`,
  });
  expect(await linesOf("park.example")).toHaveLength(1);
});

test("a request of a file carries its comments, and once it is applied there are no changes", async () => {
  const file = join(repo.folder, "park.example.csv");
  const request = async (title: string) => {
    await cli.must(["apply", file, "--request", title]);
    const { requests } = await cli.json<{ requests: { number: number }[] }>(["requests"]);
    await cli.must(["requests", "apply", String(Math.max(...requests.map(({ number }) => number))), "--yes"]);
    expect(await cli.run(["plan", file])).toMatchObject({ exitCode: 0, stdout: "1 zone, no changes.\n" });
  };
  await write("park.example.csv", "name,type,ttl,value,comment\nwww,A,300,192.0.2.1,Front door\n");
  await request("New");
  expect(await cli.must(["records", "park.example"])).toBe("www\t300\tA\t192.0.2.1\tFront door\n");
  await write("park.example.csv", "name,type,ttl,value,comment\nwww,A,60,192.0.2.1,Side door\n");
  await request("Changed");
  await write("park.example.csv", "name,type,ttl,value,comment\nwww,A,60,192.0.2.1,Back door\n");
  await request("Only the comment");
  expect(await cli.must(["records", "park.example"])).toBe("www\t60\tA\t192.0.2.1\tBack door\n");
});

/** Runs the command line through a proxy, whose address the output names as URL. */
const runThrough = async (args: string[], url: string) => {
  const { exitCode, stderr } = await cli.run([...args, "--yes"], { env: { ZONEWRIGHT_URL: url } });
  return { exitCode, stderr: stderr.replaceAll(url, "URL") };
};
const proxyText = (procedure: string) =>
  `HTTP 504 from URL/trpc/${procedure} is not a response from Zonewright. Check the address and any proxy in front of it.`;

test("says that the outcome is unknown when a proxy gives up, whichever call it was", async () => {
  const timeOut = { status: 504, text: "<html>504 Gateway Time-out</html>" };
  const lost = (procedure: string, instead: typeof timeOut) =>
    proxyOf(zw, async (call, forward) => {
      if (!call.includes(procedure)) return undefined;
      await forward();
      return instead;
    });
  const file = join(repo.folder, "park.example.csv");
  expect(await runThrough(["apply", file], await lost("importZonefile", timeOut))).toEqual({
    exitCode: 1,
    stderr: `park.example: outcome unknown. ${proxyText("records.importZonefile")} \`zonewright history park.example\` shows whether it was applied.\n`,
  });
  expect(await linesOf("park.example")).toHaveLength(1);
  const added = ["records", "add", "park.example", "x", "A", "192.0.2.9"];
  expect(await runThrough(added, await lost("applyPlan", timeOut))).toEqual({
    exitCode: 1,
    stderr: `Outcome unknown. ${proxyText("records.applyPlan")} \`zonewright history park.example\` shows whether it was applied.\n`,
  });
  await write("many/lost.example.zone", "www 300 IN A 192.0.2.1\n");
  const created = await runThrough(
    ["apply", join(repo.folder, "many"), "--create"],
    await lost("domains.create", timeOut),
  );
  expect(created.stderr).toContain(
    `lost.example: outcome unknown. ${proxyText("domains.create")} \`zonewright domains show lost.example\` shows whether the domain was created.\n`,
  );
  const asked = ["apply", join(repo.folder, "blog.example.yaml"), "--request", "New"];
  expect((await runThrough(asked, await lost("changeRequests.create", timeOut))).stderr).toContain(
    `blog.example: outcome unknown. ${proxyText("changeRequests.create")} \`zonewright requests\` shows whether the request was made.\n`,
  );
  // A proxy that does not know the path has not passed the call on.
  const unknown = { status: 404, text: "<html>404</html>" };
  const refused = await runThrough(
    ["apply", join(repo.folder, "blog.example.yaml")],
    await lost("importZonefile", unknown),
  );
  expect(refused.stderr).toContain("blog.example: not applied. HTTP 404 ");
});

/** A proxy that loses the first answer to a call of a procedure. A limit refuses the next three. */
const losing = (procedure: string) => {
  let calls = 0;
  return proxyOf(zw, async (call, forward) => {
    if (!call.includes(procedure)) return undefined;
    calls += 1;
    if (calls === 1) await forward();
    return calls === 1 ? null : calls <= 4 ? limited(0) : undefined;
  });
};

test("a change whose answer is lost just before a limit is reached is made once, and reported as made", async () => {
  const file = join(repo.folder, "park.example.csv");
  const asked = await runThrough(["apply", file, "--request", "Once"], await losing("changeRequests.create"));
  expect(asked).toEqual({ exitCode: 0, stderr: "" });
  const { requests } = await cli.json<{ requests: { title: string }[] }>(["requests"]);
  expect(requests.filter(({ title }) => title === "Once")).toHaveLength(1);
  expect(await runThrough(["apply", file], await losing("importZonefile"))).toEqual({ exitCode: 0, stderr: "" });
  expect(await linesOf("park.example")).toHaveLength(1);
});

test("a plan that creates a domain shows how its file differs from the zone that is at the provider, and applies only that", async () => {
  await write("kept.example.zone", "www 300 IN A 192.0.2.1\n");
  const args = ["apply", join(repo.folder, "kept.example.zone"), "--create", "--yes"];
  await cli.must(args);
  await forgetDomain("kept.example");
  await write("kept.example.zone", "www 300 IN A 192.0.2.2\n");
  const out = join(repo.folder, "kept.json");
  const planned = await cli.run(["plan", join(repo.folder, "kept.example.zone"), "--create", "--out", out]);
  expect(planned.stdout).toContain("~ www 300 A 192.0.2.1 → 192.0.2.2\n");
  expect(await cli.must(args)).toContain("kept.example: applied as revision 2, 1 updated.\n");
  await forgetDomain("kept.example");
  // The zone at the provider is another one now.
  const stale = await cli.run(["apply", out, "--yes"]);
  expect(stale).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("The zone that it would have has changed since the plan was made. Plan again."),
  });
});

test("a plan names each domain that cannot be created and why, and apply then changes nothing anywhere", async () => {
  const ben = await zw.member("ben");
  await zw.admin.post("/api/provider-configs", { kind: "manual", name: "Members", config: {}, membersMayUse: true });
  const { body } = await ben.post("/api/auth/me/tokens", {
    name: "CI",
    permissions: ["domains:read", "domains:write", "records:read", "records:write", "providers:read"],
  });
  const env = { ZONEWRIGHT_TOKEN: (body as { token: string }).token };
  const files = {
    "ben.example.zone": "www 300 IN A 192.0.2.1\n",
    "below.shop.example.zone": "www 300 IN A 192.0.2.1\n",
    "park.example.zone": "www 300 IN A 192.0.2.1\n",
    "twice.example.zone": "www 300 IN A 192.0.2.1\nwww 300 IN CNAME ben.example.\n",
  };
  for (const [name, text] of Object.entries(files)) await write(`members/${name}`, text);
  const args = [join(repo.folder, "members"), "--create", "--provider", "Members"];
  const plan = await cli.run(["plan", ...args, "--json"], { env });
  expect(plan.exitCode).toBe(1);
  const { errors, zones } = JSON.parse(plan.stdout) as { errors: object[]; zones: object[] };
  expect(errors).toMatchObject([
    {
      domain: "below.shop.example",
      reasons: [expect.stringContaining("lies below a domain that somebody else has")],
    },
    { domain: "park.example", reasons: [expect.stringContaining("Another user has park.example here.")] },
    { domain: "twice.example", reasons: [expect.stringContaining("A CNAME must be the only record of its name")] },
  ]);
  expect(zones).toMatchObject([{ domain: "ben.example" }]);
  const apply = await cli.run(["apply", ...args, "--yes"], { env });
  expect(apply).toMatchObject({ exitCode: 1, stdout: "", stderr: expect.stringMatching(/Nothing was changed\.\n$/) });
  expect((await ben.get("/api/domains")).body).toMatchObject({ total: 0 });
});

test("if a domain cannot be created after all, no record is changed anywhere, and what was created is named", async () => {
  await write("race/first.example.zone", "www 300 IN A 192.0.2.1\n");
  await write("race/second.example.zone", "www 300 IN A 192.0.2.1\n");
  await write("race/park.example.csv", repository["park.example.csv"]);
  const proxy = createServer((request, response) => {
    const isSecond = request.url?.includes("domains.create") === true;
    // Somebody else is faster.
    const ahead = isSecond ? zw.admin.post("/api/domains", { name: "second.example" }) : Promise.resolve();
    void ahead.then(() => passedOn(request, response));
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void proxy.close());
  const env = { ZONEWRIGHT_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
  const { exitCode, stdout, stderr } = await cli.run(["apply", join(repo.folder, "race"), "--create", "--yes"], {
    env,
  });
  expect({ exitCode, stdout }).toMatchObject({ exitCode: 1, stdout: expect.not.stringContaining("applied as") });
  expect(stderr).toContain("second.example: not applied. This domain already exists.\n");
  expect(stderr).toContain(
    "first.example: not applied. The domain was created, but no record was changed, because another domain could not be created.\n",
  );
  for (const domain of ["first.example", "park.example"]) expect(await linesOf(domain)).toEqual([]);
});

test("Ctrl-C while domains are created names those that exist now, and changes no record", async () => {
  const names = Array.from({ length: 20 }, (_, index) => `made${index}.example`);
  for (const name of names) await write(`made/${name}.zone`, "www 300 IN A 192.0.2.1\n");
  const creating = Promise.withResolvers<void>();
  const stopping = Promise.withResolvers<void>();
  const proxy = createServer((request, response) => {
    const isCreation = request.url?.includes("domains.create") === true;
    if (isCreation) creating.resolve();
    void (isCreation ? stopping.promise : Promise.resolve()).then(() => passedOn(request, response));
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void proxy.close());
  const { exitCode, stdout, stderr } = await cli.run(["apply", join(repo.folder, "made"), "--create", "--yes"], {
    env: { ZONEWRIGHT_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` },
    interruptWhen: creating.promise,
    once: {
      printed: /Stopping once/,
      act: () => {
        stopping.resolve();
        return stopping.promise;
      },
    },
  });
  const { body } = await zw.admin.get("/api/domains?limit=100");
  const present = new Set((body as { domains: { name: string }[] }).domains.map(({ name }) => name));
  const created = names.filter((name) => present.has(name));
  expect(created.length).toBeGreaterThan(0);
  expect(names.filter((name) => stderr.includes(`${name}: not applied. The domain was created,`))).toEqual(created);
  const undone = names.length - created.length;
  expect({ exitCode, stdout }).toEqual({
    exitCode: 130,
    stdout: expect.stringContaining(
      `0 of 20 zones applied, ${created.length} only created, ${undone} not started.`,
    ) as string,
  });
  expect(await linesOf(created[0] ?? "")).toEqual([]);
});

test("Ctrl-C lets the calls that are under way end, and says what was done", async () => {
  for (let index = 0; index < 20; index++) {
    const name = `many${index}.example`;
    await zw.admin.post("/api/domains", { name, ...(await byHand()) });
    await write(`many/${name}.zone`, "www 300 IN A 192.0.2.1\n");
  }
  const { exitCode, stdout } = await cli.run(["apply", join(repo.folder, "many"), "--yes"], {
    columns: 80,
    interruptAt: /1 of 20 zones applied/,
  });
  const [, applied = "", undone = ""] = /^(\d+) of 20 zones applied, (\d+) not started\.$/m.exec(stdout) ?? [];
  expect({ exitCode, sum: Number(applied) + Number(undone) }).toEqual({ exitCode: 130, sum: 20 });
  const plan = await cli.run(["plan", join(repo.folder, "many"), "--json"]);
  expect((JSON.parse(plan.stdout) as { creates: number }).creates).toBe(Number(undone));
});

/** A proxy that answers calls which apply a file in its own way, and says when the first one has come. */
async function applying(answer: () => ReturnType<Parameters<typeof proxyOf>[1]>) {
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const url = await proxyOf(zw, async (call) => {
    if (!call.includes("importZonefile")) return undefined;
    resolve();
    return await answer();
  });
  return { begun, env: { ZONEWRIGHT_URL: url } };
}

test("Ctrl-C while a limit is waited for begins no further change", async () => {
  const { begun, env } = await applying(() => Promise.resolve(limited(3600)));
  const args = ["apply", repo.folder, "--yes", "--only", "park.example", "blog.example"];
  const { exitCode, stdout } = await cli.run(args, { env, interruptWhen: begun });
  expect({ exitCode, last: stdout.trim().split("\n").at(-1) }).toEqual({
    exitCode: 130,
    last: "0 of 2 zones applied, 2 not started.",
  });
});

test("a second Ctrl-C leaves calls that are under way, and names the zones whose outcome is unknown", async () => {
  const { begun, env } = await applying(() => new Promise(() => undefined));
  const args = ["apply", join(repo.folder, "park.example.csv"), "--yes"];
  const { exitCode, stderr } = await cli.run(args, { env, interruptWhen: begun, interruptAt: /Stopping once/ });
  expect({ exitCode, last: stderr.trim().split("\n").at(-1) }).toEqual({
    exitCode: 130,
    last: "park.example: outcome unknown. The command was interrupted. `zonewright history park.example` shows whether it was applied.",
  });
});

test("a saved plan is a file that only its owner reads, and one that is none is refused", async () => {
  const out = join(repo.folder, "plan.json");
  await cli.run(["plan", repo.folder, "--out", out]);
  expect(JSON.parse(await readFile(out, "utf8"))).toMatchObject({ version: 1 });
  expect((await stat(out)).mode & 0o777).toBe(0o600);
  for (const text of ["{}", '{"version":1,"zones":[{}]}', '{"version":1,"zones":[null]}']) {
    await writeFile(out, text);
    expect((await cli.run(["apply", out, "--yes"])).stderr).toBe(
      `${out} is not a plan. Make one with \`zonewright plan … --out ${out}\`.\n`,
    );
  }
});
