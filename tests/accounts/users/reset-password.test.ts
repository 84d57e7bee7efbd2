import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { loadConfig } from "../../../server/ops/config/config.ts";
import { startServer, type RunningServer } from "../../../server/start.ts";
import { useIdentityHarness } from "../../support/identity/harness.ts";
import {
  authorize,
  browserFor,
  comeBack,
  invite,
  signedInClient,
  site,
} from "../../support/identity/external-sign-in.ts";
import { startOpenIdProvider, type OpenIdProvider } from "../../support/identity/openid-provider.ts";
import { placeMigratedCluster } from "../../support/migrated-cluster.ts";
import { freePorts, programEnv } from "../../support/programs.ts";
import { RestClient } from "../../support/rest-client.ts";
import { startMailServer, type MailServer } from "../../support/servers/mail-server.ts";
import { serviceOptions } from "../../support/service-process.ts";
import { adminPassword, type Zonewright } from "../../support/zonewright.ts";
import { nothingOpens, plantWaysIn } from "./ways-in.ts";

const program = new URL("../../../server/reset-password.ts", import.meta.url).pathname;
let dataDir: string;
let mail: MailServer;
let env: Record<string, string>;
let service: RunningServer;
let admin: RestClient;

/** Stands in for the service of other tests, for one that has its database in a folder, where the program finds it. */
const zw = {
  get url() {
    return service.url;
  },
  get nobody() {
    return new RestClient(service.url);
  },
  get admin() {
    return admin;
  },
  async signIn(username: string, password: string) {
    const { body } = await new RestClient(service.url).post("/api/auth/login", { username, password });
    return new RestClient(service.url, body.accessToken);
  },
} as unknown as Zonewright;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "zonewright-reset-"));
  await placeMigratedCluster(dataDir);
  mail = await startMailServer();
  const [port = 0] = await freePorts(1);
  env = { DATA_DIR: dataDir, PORT: String(port), SITE_URL: site, SMTP_URL: mail.url };
  service = await start();
  admin = await zw.signIn("admin", adminPassword);
});
const harness = useIdentityHarness(zw);

afterAll(async () => {
  await service.stop();
  await mail.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(): Promise<RunningServer> {
  const config = loadConfig({
    LOG_LEVEL: "silent",
    RATE_LIMIT: "off",
    RATE_LIMIT_COSTLY: "off",
    ADMIN_PASSWORD: adminPassword,
    JOBS: "off",
    ...env,
  });
  return await startServer(config, { announce: () => undefined });
}

function reset(...args: string[]) {
  return resetIn(dataDir, ...args);
}

function resetIn(folder: string, ...args: string[]) {
  return promisify(execFile)(process.execPath, [...serviceOptions, program, ...args], {
    env: { ...programEnv, DATA_DIR: folder, SMTP_URL: mail.url, SITE_URL: site },
  });
}

function login(username: string, password: string) {
  return zw.nobody.post("/api/auth/login", { username, password });
}

/** Extracts the password that the program prints. */
async function printed(username: string): Promise<string> {
  const { stdout } = await reset(username);
  const [, password = ""] = /^New password of \S+, shown only once: (\S{20})\n$/.exec(stdout) ?? [];
  return password;
}

test("a locked-out operator gets a new password while the service is stopped", async () => {
  await expect(reset("admin")).rejects.toThrow(/is in use by process/);
  await service.stop();
  await expect(reset()).rejects.toThrow(/Usage: npm run reset-password/);
  await expect(reset("nobody")).rejects.toThrow(/The user nobody does not exist\./);
  const password = await printed("ADMIN");
  service = await start();
  expect((await login("admin", adminPassword)).status).toBe(401);
  admin = await zw.signIn("admin", password);
  expect((await admin.get("/api/auth/me")).status).toBe(200);
}, 240_000);

test("where the service has no database, a reset makes none and says what to set", async () => {
  const elsewhere = await mkdtemp(join(tmpdir(), "zonewright-elsewhere-"));
  onTestFinished(() => rm(elsewhere, { recursive: true, force: true }));
  await expect(resetIn(elsewhere, "admin")).rejects.toThrow(`DATA_DIR: there is no database in ${elsewhere}.`);
  expect(await readdir(elsewhere)).not.toContain("database");
}, 240_000);

test("the operator's rescue removes all of an attacker's access: only the new password works", async () => {
  const account = await plantWaysIn(zw, harness, mail);
  await service.stop();
  const password = await printed(account.username);
  service = await start();
  const attempts = await account.tryEach();
  expect(attempts).toEqual(nothingOpens(attempts));
  expect(await login(account.username, password)).toMatchObject({ status: 200, body: { user: { id: account.id } } });
}, 240_000);

test("an operator recovers an installation whose administrators have their role from a group: each stays administrator", async () => {
  const provider = await startOpenIdProvider(`${site}/oauth/oidc`);
  const { wellKnownUrl, clientId, clientSecret } = provider;
  const groupRules = [{ group: "admins", role: "admin" }];
  const config = { providerId: "oidc", clientId, clientSecret, wellKnownUrl, groupsClaim: "groups", groupRules };
  expect((await admin.post("/api/oauth/providers", config)).status).toBe(201);
  const [ada] = [await byGroup(provider, "ada"), await byGroup(provider, "bob")];
  const { body: me } = await admin.get("/api/auth/me");
  expect((await ada.delete(`/api/users/${me.id}`)).status).toBe(200);
  await provider.stop();
  await service.stop();
  const printouts = [await reset("ada"), await reset("bob")];
  service = await start();
  for (const [index, username] of ["ada", "bob"].entries()) {
    const { stdout = "" } = printouts[index] ?? {};
    expect(stdout).toContain(`${username} had the role admin from a group. It is now given by hand.`);
    const client = await zw.signIn(username, / once: (\S{20})\n/.exec(stdout)?.[1] ?? "");
    expect((await client.get("/api/auth/me")).body.role).toBe("admin");
    const { body: own } = await client.get("/api/auth/me");
    const { body } = await client.get(`/api/audit?targetId=${own.id}&action=user.update`);
    expect(body.entries).toMatchObject([{ after: { role: "admin", roleGivenByHand: true } }]);
  }
}, 240_000);

/** Registers a user of a provider whose group makes them an administrator. */
async function byGroup(provider: OpenIdProvider, username: string): Promise<RestClient> {
  provider.accounts.set(username, { preferred_username: username, groups: ["admins"] });
  const browser = browserFor(zw);
  const back = await comeBack(browser, await provider.signIn(browser, await authorize(browser, "oidc"), username));
  const registration = { pendingToken: back["pending_token"], inviteCode: await invite(zw) };
  return signedInClient(zw, await zw.nobody.post("/api/auth/oauth/oidc/register", registration));
}
