import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { pkce, startedDevice } from "../../accounts/auth/cli-sign-ins.ts";
import { builtCli } from "../../support/cli.ts";
import { startLogin } from "../../support/cli-login.ts";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import { Clock, minute } from "../../support/clock.ts";
import { programEnv } from "../../support/programs.ts";
import { adminPassword } from "../../support/zonewright.ts";

const clock = new Clock();
const site = useConsole({ now: clock.now });

/** Listens as `zonewright login` does. @returns its port, and the first answer */
async function listening() {
  const answered = Promise.withResolvers<URLSearchParams>();
  const server = createServer((req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? "/", "http://127.0.0.1");
    if (pathname === "/callback") answered.resolve(searchParams);
    res.setHeader("content-type", "text/html").end("<title>Done</title>");
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port: (server.address() as AddressInfo).port, answer: answered.promise };
}

async function configFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "zonewright-login-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a command with the stored token. It must succeed. */
async function listDomains(folder: string): Promise<void> {
  const env = { ...programEnv, HOME: folder, XDG_CONFIG_HOME: folder };
  await promisify(execFile)(process.execPath, [await builtCli(), "domains", "list"], { env });
}

const pathOf = (port: number, codeChallenge: string) =>
  `/authorize?client=cli&port=${port}&state=the-state&code_challenge=${codeChallenge}`;

test("a person approves zonewright login after signing in, with fewer permissions, and its commands work", async () => {
  const folder = await configFolder();
  const args = ["--permissions", "domains:read,records:read,records:write"];
  const { shown, ended } = await startLogin({ url: site.url, folder, args });
  const page = await site.signedInByForm({ path: shown.slice(site.url.length) });
  await page.getByRole("heading", { name: "The command line on this computer asks to act as admin." }).waitFor();
  await expectAccessible(page);
  await photograph(page, "authorize");
  expect(await page.getByRole("checkbox").count()).toBe(3);
  await page.getByRole("group", { name: "Records" }).getByLabel("Write").uncheck();
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByText("Signed in. Close this page and return to the command line.").waitFor();
  expect(page.url().startsWith("http://127.0.0.1:")).toBe(true);
  const { exitCode, stderr } = await ended;
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining(`Signed in to ${site.url}.`)]);
  const { tokens } = (await site.zonewright.admin.get("/api/auth/me/tokens")).body;
  expect(tokens[0]).toMatchObject({ name: "zonewright login", permissions: ["domains:read", "records:read"] });
  await listDomains(folder);
});

test("the command line hears that it was refused, and a link that is incomplete approves nothing", async () => {
  const { port, answer } = await listening();
  const page = await site.signedIn({ path: pathOf(port, pkce().codeChallenge) });
  await page.getByRole("button", { name: "Refuse" }).click();
  expect(Object.fromEntries(await answer)).toEqual({ error: "access_denied", state: "the-state" });
  await page.goto(`${site.url}${pathOf(0, pkce().codeChallenge)}`);
  await page.getByText("This link is incomplete. Run zonewright login again.").waitFor();
  expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
});

test("a session that is not confirmed confirms itself before it approves, and the page goes on by itself", async () => {
  const { port, answer } = await listening();
  const { codeVerifier, codeChallenge } = pkce();
  const page = await site.signedIn({ path: pathOf(port, codeChallenge) });
  await page.getByRole("button", { name: "Approve" }).waitFor();
  clock.advance(11 * minute);
  site.expected.push("403");
  await page.getByRole("button", { name: "Approve" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Password").fill(adminPassword);
  await dialog.getByRole("button", { name: "Confirm" }).click();
  const code = (await answer).get("code");
  expect((await site.zonewright.nobody.post("/api/auth/cli/token", { code, codeVerifier })).status).toBe(200);
});

test("a person types the code of a device, sees its address and permissions, and approves or refuses it", async () => {
  const folder = await configFolder();
  const args = ["--device", "--permissions", "domains:read,records:write"];
  const { shown: userCode, ended } = await startLogin({ url: site.url, folder, args });
  // The address cannot fill in the code.
  const page = await site.signedIn({ path: `/device?userCode=${userCode}&user_code=${userCode}` });
  const code = page.getByLabel("Code");
  expect(await code.inputValue()).toBe("");
  await expectAccessible(page);
  await photograph(page, "device-code");
  site.expected.push("400");
  await code.fill("0000-0000");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("No device waits with this code.").waitFor();
  await code.fill(userCode.toLowerCase());
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("heading", { name: "The device at 127.0.0.1 asks to act as admin." }).waitFor();
  await expectAccessible(page);
  await photograph(page, "device");
  await page.getByRole("group", { name: "Domains" }).getByLabel("Read").uncheck();
  await page.getByRole("group", { name: "Records" }).getByLabel("Write").uncheck();
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByText("Select at least one permission, or refuse.").waitFor();
  await page.getByRole("group", { name: "Domains" }).getByLabel("Read").check();
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByText("Approved. The device signs in within seconds.").waitFor();
  expect((await ended).exitCode).toBe(0);
  await listDomains(folder);

  const stranger = await startedDevice(site.zonewright.nobody);
  await page.getByRole("button", { name: "Enter another code" }).click();
  await code.fill(stranger.userCode);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Refuse" }).click();
  await page.getByText("Refused. The device gets nothing.").waitFor();
  expect((await stranger.poll()).body.detail).toBe("access_denied");
});

test("the pages fit a phone and the dark theme without accessibility findings", async () => {
  const page = await site.signedIn({ dark: true, width: 320, path: pathOf(1, pkce().codeChallenge) });
  await page.getByRole("button", { name: "Approve" }).waitFor();
  await expectAccessible(page);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
});
