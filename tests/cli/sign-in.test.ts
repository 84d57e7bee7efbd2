import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { useCli } from "../support/cli.ts";
import { startLogin as started } from "../support/cli-login.ts";
import { Clock, minute, second } from "../support/clock.ts";
import { patience } from "../support/patience.ts";
import { adminPassword, useZonewright } from "../support/zonewright.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now });
const cli = useCli(zw);
const credentials = () => join(cli.configFolder, "zonewright/credentials.json");
beforeEach(async () => {
  zw.admin.token = (await zw.signIn("admin", adminPassword)).token;
});
afterEach(() => rm(credentials(), { force: true }));

/** Without the variables, so that only stored credentials count. */
const unset = { ZONEWRIGHT_URL: "", ZONEWRIGHT_TOKEN: "" };

const login = (...args: string[]) => cli.run(["login", "--url", zw.url, ...args], { env: unset });

/** `zonewright login` as it waits for the browser. */
async function startLogin(args: string[] = [], env: Record<string, string> = {}) {
  const { shown, ended } = await started({ url: zw.url, folder: cli.configFolder, args, env });
  const address = new URL(shown);
  return { address, callback: `http://127.0.0.1:${address.searchParams.get("port")}/callback`, ended };
}

/** Calls what listens, with any Host header. @returns status and page */
async function get(address: string, headers: Record<string, string> = {}): Promise<{ status: number; page: string }> {
  return await new Promise((resolve, reject) => {
    request(address, { headers }, (res) => {
      let page = "";
      res.setEncoding("utf8").on("data", (text: string) => (page += text));
      res.on("end", () => resolve({ status: res.statusCode ?? 0, page }));
    })
      .on("error", reject)
      .end();
  });
}

/** Approves as the console does. @returns where it sends the browser */
async function approve({ address, callback }: { address: URL; callback: string }): Promise<string> {
  const { searchParams } = address;
  const { body } = await zw.admin.post("/api/auth/cli/authorize", {
    permissions: searchParams.get("permissions")?.split(","),
    codeChallenge: searchParams.get("code_challenge"),
  });
  return `${callback}?${new URLSearchParams({ code: body.code, state: searchParams.get("state") ?? "" })}`;
}

describe("zonewright login", () => {
  test("login stores the token that was approved in the browser, with its end, for later commands", async () => {
    const waiting = await startLogin(["--permissions", "domains:read, records:read"]);
    expect(Object.fromEntries(waiting.address.searchParams)).toEqual({
      client: "cli",
      port: expect.stringMatching(/^\d+$/),
      state: expect.stringMatching(/^[\w-]{22}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      permissions: "domains:read,records:read",
    });
    const { status, page } = await get(await approve(waiting));
    expect([status, page]).toEqual([200, expect.stringContaining("Signed in.")]);
    const { exitCode, stderr } = await waiting.ended;
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringContaining(`Signed in to ${zw.url}. The token is in ${credentials()}`),
    ]);
    expect((await stat(credentials())).mode & 0o777).toBe(0o600);
    const stored = JSON.parse(await readFile(credentials(), "utf8")) as { token: string; expiresAt: string };
    expect(stderr).toContain(`works until ${stored.expiresAt.slice(0, 10)}.`);
    expect(stderr).not.toContain(stored.token);
    await cli.must(["domains", "list"], { env: unset });
    expect((await zw.admin.get("/api/auth/me/tokens")).body.tokens[0].permissions).toEqual([
      "domains:read",
      "records:read",
    ]);
  });

  test("login opens the address in the browser that BROWSER names", async () => {
    const [browser, opened] = [join(cli.configFolder, "browser"), join(cli.configFolder, "opened")];
    await writeFile(browser, `#!/bin/sh\necho "$1" > '${opened}.part' && mv '${opened}.part' '${opened}'\n`, {
      mode: 0o755,
    });
    const waiting = await startLogin([], { BROWSER: browser });
    await vi.waitFor(async () => expect(await readFile(opened, "utf8")).toBe(`${waiting.address.href}\n`), patience);
  });

  test("what listens answers only the browser with the right state, at its own address, once", async () => {
    const waiting = await startLogin();
    const right = await approve(waiting);
    const { port } = new URL(waiting.callback);
    expect((await get(right.replace(/state=[^&]+/, "state=wrong"))).status).toBe(404);
    expect((await get(waiting.callback)).status).toBe(404);
    expect((await get(right.replace("/callback", "/"))).status).toBe(404);
    expect((await get(right, { host: `rebound.example:${port}` })).status).toBe(404);
    expect((await get(right)).status).toBe(200);
    expect((await waiting.ended).exitCode).toBe(0);
    await expect(get(right)).rejects.toThrow("ECONNREFUSED");
  });

  test("a refusal in the browser, and a code of somebody else, end with one line and store nothing", async () => {
    const refused = await startLogin();
    const state = refused.address.searchParams.get("state") ?? "";
    const answer = await get(`${refused.callback}?${new URLSearchParams({ error: "access_denied", state })}`);
    expect([answer.status, answer.page]).toEqual([400, expect.stringContaining("Not signed in.")]);
    const { exitCode, stderr } = await refused.ended;
    expect(exitCode).toBe(1);
    expect(stderr.trim().split("\n").at(-1)).toBe("You refused the sign-in. Nothing was stored.");

    const [mine, other] = [await startLogin(), await startLogin()];
    const theirs = new URL(await approve(other));
    theirs.port = new URL(mine.callback).port;
    theirs.searchParams.set("state", mine.address.searchParams.get("state") ?? "");
    expect((await get(theirs.href)).status).toBe(400);
    const ended = await mine.ended;
    expect([ended.exitCode, ended.stderr]).toEqual([1, expect.stringContaining("does not match the code challenge")]);
    await expect(stat(credentials())).rejects.toThrow("ENOENT");
  });

  test("login ends with what to do if nobody approves in time", async () => {
    const late = await login("--wait", "0");
    expect([late.exitCode, late.stderr.trim().split("\n").at(-1)]).toEqual([
      1,
      "Nobody approved the sign-in. Run `zonewright login` again, or `zonewright login --device` if this computer has no browser.",
    ]);
  });

  test("login says what is wrong with its options, before it opens anything", async () => {
    expect(await login("--permissions", "zones:read")).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^--permissions has "zones:read"\. Choose from domains:read, .+\.\n$/),
    });
    expect((await login("--wait", "86401")).stderr).toBe("--wait must be at most 86400 seconds (a day).\n");
    expect((await login("--token", "x", "--device")).stderr).toBe(
      "--token already supplies a token. Leave out --device and --permissions.\n",
    );
  });
});

const jsonType = { "content-type": "application/json" };

/** Stands before the service and lets its clock run, so that nobody has to wait for the interval. @returns its address */
async function hasty(
  beforePoll: (count: number, userCode: string) => Promise<unknown>,
  sendToken = (res: ServerResponse, token: string) => void res.writeHead(200, jsonType).end(token),
): Promise<string> {
  let polls = 0;
  let userCode = "";
  const forward = async (req: IncomingMessage, res: ServerResponse) => {
    if (req.url?.includes("deviceToken") === true) {
      clock.advance(10 * second);
      await beforePoll((polls += 1), userCode);
    }
    const { authorization = "" } = req.headers;
    const headers = { "content-type": "application/json", ...(authorization === "" ? {} : { authorization }) };
    const body = req.method === "POST" ? { body: await text(req) } : {};
    const response = await fetch(`${zw.url}${req.url}`, { method: req.method ?? "GET", headers, ...body });
    const answer = (await response.text()).replace('"interval":5', '"interval":0');
    userCode = /"userCode":"([^"]+)"/.exec(answer)?.[1] ?? userCode;
    if (response.ok && req.url?.includes("deviceToken") === true) sendToken(res, answer);
    else res.writeHead(response.status, jsonType).end(answer);
  };
  const server = createServer((req, res) => void forward(req, res));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("zonewright login --device", () => {
  test("login --device shows a code, asks until it is approved, and stores the token", async () => {
    const url = await hasty(async (count, userCode) => {
      if (count < 3) return;
      const { status } = await zw.admin.post("/api/auth/device/approve", { userCode, permissions: ["domains:read"] });
      expect(status).toBe(200);
    });
    const { exitCode, stderr } = await cli.run(["login", "--url", url, "--device"], { env: unset });
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringMatching(/\/device on any device .+:\n\n {2}\w{4}-\w{4}\n\nSigned in to /),
    ]);
    const stored = JSON.parse(await readFile(credentials(), "utf8")) as { url: string; expiresAt: string };
    expect([stored.url, Date.parse(stored.expiresAt) > Date.now()]).toEqual([url, true]);
    await cli.must(["domains", "list"], { env: unset });
  });

  test.each([
    ["lost", (res: ServerResponse) => void res.destroy()],
    ["a proxy's", (res: ServerResponse) => void res.writeHead(502).end("<html>Bad Gateway</html>")],
  ])("login --device says that a token may be left if the answer with it was %s", async (_, sendToken) => {
    const url = await hasty(
      async (_count, userCode) =>
        await zw.admin.post("/api/auth/device/approve", { userCode, permissions: ["domains:read"] }),
      sendToken,
    );
    const { exitCode, stderr } = await cli.run(["login", "--url", url, "--device"], { env: unset });
    expect([exitCode, stderr.trim().split("\n").at(-1)]).toEqual([
      1,
      "The code expired, or was approved and the answer was lost. Delete the token `zonewright login --device` in the console if it is there, and run `zonewright login --device` again.",
    ]);
    await expect(stat(credentials())).rejects.toThrow("ENOENT");
  });

  test("login --device says in one line that it was refused, or that its code expired", async () => {
    const refusing = await hasty(
      async (_count, userCode) => await zw.admin.post("/api/auth/device/refuse", { userCode }),
    );
    const refused = await cli.run(["login", "--url", refusing, "--device"], { env: unset });
    expect([refused.exitCode, refused.stderr.trim().split("\n").at(-1)]).toEqual([
      1,
      "The sign-in was refused in the console. Nothing was stored.",
    ]);
    const late = await hasty(async () => await Promise.resolve(clock.advance(10 * minute)));
    const expired = await cli.run(["login", "--url", late, "--device"], { env: unset });
    expect([expired.exitCode, expired.stderr.trim().split("\n").at(-1)]).toEqual([
      1,
      "The code expired before anybody approved it. Run `zonewright login --device` again.",
    ]);
    await expect(stat(credentials())).rejects.toThrow("ENOENT");
  });
});
