import { readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { RouterOutputs } from "../../client-sdk/src/index.ts";
import { useCli } from "../support/cli.ts";
import { minute } from "../support/clock.ts";
import { useZonewright } from "../support/zonewright.ts";
import { manualConfig } from "../support/zones.ts";

type Imported = RouterOutputs["portfolio"]["import"] & { job?: RouterOutputs["replacements"]["get"] };

/** Jobs run when a test says so, and what happens between two calls is certain. */
const zw = useZonewright({ env: { JOBS: "off" } });
const cli = useCli(zw);
/** One more than the console and the command line import without a job, and one that fails. */
const names = Array.from({ length: 102 }, (_, index) => `many${index + 100}.example`);
const [first = "", second = ""] = names;
const run = () => zw.services.batches.run();
const tableOf = (notes: string) => `name,notes\n${names.map((name) => `${name},${notes}\n`).join("")}`;
const by = (name: string) => (row: { name: string }) => row.name === name;
const jobOf = (stderr: string) => /zonewright replace show (\S+)`/.exec(stderr)?.[1] ?? "";

/** What happens to the next calls that ask for a job: each is passed on unless one of these loses it, or never answers. */
let asked: (() => Promise<"lost" | "silent" | undefined>)[] = [];
/** How many answers to calls that start a job are lost from now on, after the server has sent them. */
let lostStarts = 0;
/** Whether the server is one that has no jobs for imports. */
let isOld = false;
let proxy: Server;
let env: Record<string, string>;

beforeAll(async () => {
  const providerConfigId = await manualConfig(zw);
  for (const name of names) await zw.admin.post("/api/domains", { name, providerConfigId });
  proxy = createServer((request, response) => {
    const passOn = async () => {
      const path = request.url ?? "";
      const about = path.includes("replacements.get") ? await asked.shift()?.() : undefined;
      if (about === "lost") return void request.socket.destroy();
      if (about === "silent") return undefined;
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const { authorization = "", "content-type": type = "", "idempotency-key": key = "" } = request.headers;
      const answer = await fetch(zw.url + (isOld ? path.replace("startImport", "importOfTomorrow") : path), {
        method: request.method ?? "GET",
        headers: {
          authorization,
          ...(type === "" ? {} : { "content-type": type }),
          ...(key === "" ? {} : { "idempotency-key": String(key) }),
        },
        ...(parts.length === 0 ? {} : { body: Buffer.concat(parts) }),
      });
      if (path.includes("startImport") && lostStarts > 0) {
        lostStarts -= 1;
        return void request.socket.destroy();
      }
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
      return void response.end(await answer.text());
    };
    void passOn();
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  env = { ZONEWRIGHT_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
});
afterAll(() => void proxy.close());

const passOn = async () => {
  await run();
  return undefined;
};
const lose = () => Promise.resolve("lost" as const);
const jobs = async () => {
  const { body } = await zw.admin.get("/api/records/replace");
  return body.jobs as { jobId: string }[];
};
const stopJob = async () => {
  await zw.admin.post(`/api/records/replace/${(await jobs())[0]?.jobId}/stop`);
  return await passOn();
};
const byHand = async (name: string) => {
  const { body } = await zw.admin.get(`/api/domains?search=${name}`);
  await zw.admin.put(`/api/domains/${body.domains[0].id}`, { notes: "By hand" });
  return await passOn();
};

test("an import of more than 100 domains goes on as a job through a lost connection, and reports each row that was not carried out", async () => {
  const file = join(cli.configFolder, "many.csv");
  const undo = join(cli.configFolder, "undo.csv");
  await writeFile(file, `${tableOf("Imported")}nowhere.example,x\n`);
  const options = ["portfolio", "import", file, "--yes", "--skip-refused", "--undo-to", undo];
  asked = [lose, lose, () => byHand(second)];
  const { exitCode, stdout, stderr } = await cli.run([...options, "--json"], { env });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: "1 row could not be changed meanwhile. Import the table again.\n",
  });
  const done = JSON.parse(stdout) as Imported;
  expect(done).toMatchObject({
    applied: true,
    changed: 101,
    unchanged: 0,
    refused: 2,
    job: { state: "done", progress: { domains: 102, done: 101, failed: 1 } },
  });
  expect(done.rows).toHaveLength(103);
  expect(done.rows.find(by(second))).toMatchObject({ changes: [], refusal: expect.stringContaining("meanwhile") });
  expect(done.rows.find(by(first))).toMatchObject({ changes: [{ after: "Imported" }], refusal: null });
  const others = names.filter((name) => name !== second);
  expect(done.undo).toBe(`name,view,notes\r\n${others.map((name) => `${name},,\r\n`).join("")}`);
  expect(await readFile(undo, "utf8")).toBe(done.undo);
  asked = [passOn];
  const taken = await cli.run(["portfolio", "import", undo, "--clear", "--yes"], { env });
  expect(taken).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("notes: Imported → –\n") });
  expect(taken.stderr).toMatch(
    /^101 to change, 0 unchanged, 0 refused\.\nChanged 101 domains\.\nTo undo it: zonewright replace undo \S+\n$/,
  );
});

test("Ctrl-C leaves the job of an import running, says how to look at it and stop it, and keeps the table that takes it back", async () => {
  const undo = join(cli.configFolder, "interrupted.csv");
  const file = join(cli.configFolder, "more.csv");
  await writeFile(file, tableOf("Interrupted"));
  const { exitCode, stderr } = await cli.run(["portfolio", "import", file, "--yes", "--undo-to", undo], {
    columns: 80,
    interruptAt: /0 of 102 domains/,
  });
  const job = jobOf(stderr);
  expect(exitCode).toBe(130);
  expect(stderr).toContain(
    `The server carries on. \`zonewright replace show ${job}\` shows its progress, \`zonewright replace stop ${job}\` stops it.\n`,
  );
  expect((await readFile(undo, "utf8")).split("\r\n")).toHaveLength(names.length + 2);
  expect(await cli.json(["replace", "show", job])).toMatchObject({ state: "running", progress: { waiting: 102 } });
  await cli.must(["replace", "stop", job]);
  await run();
  expect(await cli.must(["replace", "show", job])).toBe("stopped: 102 skipped\n");
});

test("an import whose job somebody stops ends with 1, lists the domains that were not begun, and keeps no table to take it back", async () => {
  const undo = join(cli.configFolder, "stopped.csv");
  asked = [stopJob];
  const { exitCode, stdout, stderr } = await cli.run(["portfolio", "import", "-", "--yes", "--undo-to", undo], {
    env,
    input: tableOf("Stopped"),
  });
  expect({ exitCode, last: stderr.trimEnd().split("\n").at(-1) }).toEqual({
    exitCode: 1,
    last: "The job was stopped.",
  });
  expect(stdout).toContain(`\n2\t${first}\trefused: The job was stopped before this domain.\n`);
  expect(await readFile(undo, "utf8")).toBe("");
});

test("an import whose job was started is followed although the answer to its start was lost", async () => {
  lostStarts = 1;
  asked = [passOn];
  const input = tableOf("Lost");
  const done = await cli.json<Imported>(["portfolio", "import", "-", "--yes"], { env, input });
  expect(done).toMatchObject({ changed: 102, job: { state: "done", progress: { done: 102 } } });
  expect((await jobs())[0]).toMatchObject({ jobId: done.job?.jobId });
});

test("an import that never gets the answer to its start says that its job may be running, and where jobs are listed", async () => {
  const before = (await jobs()).length;
  lostStarts = 3;
  const { exitCode, stderr } = await cli.run(["portfolio", "import", "-", "--yes"], { env, input: tableOf("Unknown") });
  expect({ exitCode, last: stderr.trimEnd().split("\n").at(-1) }).toEqual({
    exitCode: 1,
    last: "No response while the job was being started. It may be running. The console lists jobs under Replace, and `zonewright replace undo` takes one back.",
  });
  expect(await jobs()).toHaveLength(before + 1);
  await run();
});

test("an import that gets no answer for ten minutes gives up and says how to follow its job, which goes on", async () => {
  const { now } = Date;
  const later = vi.spyOn(Date, "now");
  const tenMinutesPass = () => {
    later.mockImplementation(() => now() + 11 * minute);
    return lose();
  };
  asked = [tenMinutesPass, ...Array.from({ length: 20 }, () => lose)];
  const { exitCode, stderr } = await cli.run(["portfolio", "import", "-", "--yes"], { env, input: tableOf("Silent") });
  later.mockRestore();
  asked = [];
  const job = jobOf(stderr);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: expect.stringContaining(
      `No response for 10 minutes. Check the address and the connection. The server carries on. \`zonewright replace show ${job}\``,
    ),
  });
  await run();
  expect(await cli.must(["replace", "show", job])).toBe("done: 102 changed\n");
});

test("an import goes on to follow its job after a call that got no answer within the time limit of the client", async () => {
  const limits: (() => void)[] = [];
  const { setTimeout: later } = globalThis;
  const timers = vi.spyOn(globalThis, "setTimeout").mockImplementation((act: () => void, wait?: number) => {
    if (wait === 120_000) limits.push(act);
    return later(act, wait);
  });
  const neverAnswer = () => {
    limits.at(-1)?.();
    return Promise.resolve("silent" as const);
  };
  asked = [neverAnswer, passOn];
  const input = tableOf("Slow");
  const ended = cli.json<Imported>(["portfolio", "import", "-", "--yes"], { env, input });
  const done = await ended.finally(() => timers.mockRestore());
  expect(asked).toEqual([]);
  expect(done).toMatchObject({ changed: 102, job: { state: "done" } });
});

test("an import whose job can no longer be read says how to follow it", async () => {
  const permissions = ["domains:read", "domains:write", "records:read"];
  const { body } = await zw.admin.post("/api/auth/me/tokens", { name: "Revoked", permissions });
  asked = [
    async () => {
      await zw.admin.delete(`/api/auth/me/tokens/${body.id}`);
      return undefined;
    },
  ];
  const { exitCode, stderr } = await cli.run(["portfolio", "import", "-", "--yes"], {
    env: { ...env, ZONEWRIGHT_TOKEN: body.token },
    input: tableOf("Revoked"),
  });
  const { jobId = "" } = (await jobs())[0] ?? {};
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining("invalid or has expired") });
  expect(stderr).toContain(`The server carries on. \`zonewright replace show ${jobId}\` shows its progress`);
  await run();
});

test("an import needs no job with a token that may not follow one, nor at a server without such jobs", async () => {
  const permissions = ["domains:read", "domains:write"];
  const { body } = await zw.admin.post("/api/auth/me/tokens", { name: "Domains", permissions });
  const without = { env: { ...env, ZONEWRIGHT_TOKEN: body.token }, input: tableOf("Without") };
  const done = await cli.json<Imported>(["portfolio", "import", "-", "--yes"], without);
  expect(done).toMatchObject({ applied: true, changed: 102 });
  expect(done.job).toBeUndefined();
  isOld = true;
  const input = tableOf("Old");
  expect(await cli.json<Imported>(["portfolio", "import", "-", "--yes"], { env, input })).toMatchObject({
    changed: 102,
  });
});
