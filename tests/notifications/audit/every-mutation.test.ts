import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Caller } from "../../../server/access/caller.ts";
import { restProcedures } from "../../../server/api/rest.ts";
import { batchJobName } from "../../../server/bulk/batches/batch.ts";
import { storeBatch } from "../../../server/bulk/batches/store.ts";
import { queries } from "../../../server/database/database.ts";
import { appRouter } from "../../../client-sdk/app-router.ts";
import { Clock } from "../../support/clock.ts";
import { patience } from "../../support/patience.ts";
import { RestClient, type Answer } from "../../support/rest-client.ts";
import { startMailServer, type MailServer } from "../../support/servers/mail-server.ts";
import {
  registered as registeredName,
  startGandi,
  type RegistrarAccount,
} from "../../support/vendors/registrars/account.ts";
import { startCloudflare, type CloudflareServer } from "../../support/vendors/cloudflare/server.ts";
import { adminPassword, memberPassword, startZonewright, type Zonewright } from "../../support/zonewright.ts";
import { site } from "../../support/second-factors/security-key.ts";
import { storeFinding } from "../../registry/delegation/found.ts";
import { identityCalls } from "./identity-calls.ts";
import { changed as changedOf, website as websiteTemplate } from "../../bulk/templates/templates.ts";
import { openVerification } from "../../support/verify-email.ts";
import { authorized, pkce, startedDevice, type Device } from "../../accounts/auth/cli-sign-ins.ts";
import { narrowedToken } from "../../dns-service/update-clients/narrowed.ts";
import { secondFactorCalls } from "./second-factor-calls.ts";
import { entries } from "./trail.ts";

const clock = new Clock();
let mail: MailServer;
let registrar: RegistrarAccount;
let signer: CloudflareServer;
let zw: Zonewright & { stop(): Promise<void> };

/** The resources that the calls below use. */
let domain: string;
let record: string;
let v1Record: string;
let config: string;
let zonefiles: string;
let made = 0;
const identity = identityCalls(() => zw);

beforeAll(async () => {
  mail = await startMailServer();
  [registrar, signer] = await Promise.all([startGandi(), startCloudflare()]);
  zw = await startZonewright({
    env: { SMTP_URL: mail.url, SITE_URL: site, EGRESS_ALLOW: "127.0.0.1" },
    now: clock.now,
  });
  const { body: list } = await zw.admin.get("/api/provider-configs");
  zonefiles = list.configs.find(({ kind }: { kind: string }) => kind === "zonefile").id;
  domain = (await zw.admin.post("/api/domains", { name: "trail.example" })).body.id;
  config = (await newConfig()).body.id;
  record = (await newRecord()).body.id;
  v1Record = (await newRecord("/api/v1")).body.id;
  await identity.start();
});

afterAll(async () => {
  await identity.stop();
  await zw.stop();
  await mail.stop();
  await Promise.all([registrar.stop(), signer.stop()]);
});

function newConfig(): Promise<Answer> {
  made += 1;
  return zw.admin.post("/api/provider-configs", { kind: "manual", name: `Manual ${made}` });
}

function newRegistrar(): Promise<Answer> {
  made += 1;
  const { config } = registrar;
  return zw.admin.post("/api/registrar-configs", { kind: "gandi", name: `Registrar ${made}`, config });
}

async function importedPortfolio(): Promise<Answer> {
  made += 1;
  const csv = `name,group\ntrail.example,Table ${made}\n`;
  const { body: plan } = await zw.admin.post("/api/domains/import", { csv, dryRun: true });
  return await zw.admin.post("/api/domains/import", { csv, planHash: plan.planHash });
}

async function startedPortfolio(): Promise<Answer> {
  made += 1;
  const csv = `name,group\ntrail.example,Table ${made}\n`;
  const { body: plan } = await zw.admin.post("/api/domains/import", { csv, dryRun: true });
  return await zw.admin.post("/api/domains/import/start", { csv, planHash: plan.planHash });
}

/** Turns automatic renewal of a domain off. */
async function changedRegistration(): Promise<Answer> {
  registrar.domains.set("registered.example", registeredName());
  const { body: added } = await zw.admin.post("/api/domains", { name: "registered.example" });
  await zw.admin.put(`/api/domains/${added.id}`, { registrarConfigId: (await newRegistrar()).body.id });
  const path = `/api/domains/${added.id}/registration`;
  const { body: plan } = await zw.admin.put(path, { autoRenew: false, dryRun: true });
  return await zw.admin.put(path, { autoRenew: false, planHash: plan.planHash });
}

function newRecord(base = "/api"): Promise<Answer> {
  made += 1;
  return zw.admin.post(`${base}/domains/${domain}/records`, {
    recordType: "A",
    name: `host-${made}`,
    value: "192.0.2.1",
  });
}

function newHost(): { recordType: string; name: string; value: string } {
  made += 1;
  return { recordType: "A", name: `host-${made}`, value: "192.0.2.1" };
}

async function writeZone(name: string, lines: string[]): Promise<void> {
  const soa = `@ 3600 IN SOA ns1.example.net. hostmaster.example.net. 1 3600 900 1209600 300`;
  await writeFile(
    join(zw.dataDir, "zones", `${name}.zone`),
    [`$ORIGIN ${name}.`, soa, "@ 3600 NS ns1.example.net.", ...lines, ""].join("\n"),
  );
}

async function ofDrifted(way: "sync" | "push"): Promise<Answer> {
  const name = `${way}.example`;
  const zone = (await zw.admin.post("/api/domains", { name })).body.id;
  await writeZone(name, ["www 300 A 192.0.2.9"]);
  return await zw.admin.post(`/api/domains/${zone}/${way}`, { force: true });
}

async function imported(): Promise<Answer> {
  await writeZone("imported.example", []);
  return await zw.admin.post(`/api/provider-configs/${zonefiles}/import`, { zones: ["imported.example"] });
}

async function applied(): Promise<Answer> {
  const changes = [{ action: "create", record: newHost() }];
  const { body } = await zw.admin.post(`/api/domains/${domain}/records/plan`, { changes });
  return await zw.admin.post(`/api/domains/${domain}/records/apply`, { changes, planHash: body.planHash });
}

async function rolledBack(): Promise<Answer> {
  const { body } = await zw.admin.post(`/api/domains/${domain}/snapshots`);
  await newRecord();
  return await zw.admin.post(`/api/domains/${domain}/snapshots/${body.id}/rollback`, { force: true });
}

async function restored(): Promise<Answer> {
  const { revision } = (await zw.admin.get(`/api/domains/${domain}`)).body;
  await newRecord();
  return await zw.admin.post(`/api/domains/${domain}/restore`, { revision, force: true });
}

async function revertedChange(): Promise<Answer> {
  await newRecord();
  const { body } = await zw.admin.get(`/api/domains/${domain}/history`);
  return await zw.admin.post(`/api/domains/${domain}/history/${body.entries[0].id}/revert`);
}

/** Replaces the address of one record. */
async function replaced(): Promise<Answer> {
  const { id } = (await newRecord()).body;
  const request = { recordType: "A", value: `198.51.100.${made % 250}`, newValue: "192.0.2.251", domainIds: [domain] };
  await zw.admin.put(`/api/domains/${domain}/records/${id}`, { value: request.value });
  const { body } = await zw.admin.post("/api/records/replace/plan", request);
  return await zw.admin.post("/api/records/replace/apply", { ...request, planHash: body.planHash, force: true });
}

/** Waits until no run is on its way that the calls before have asked for. It would carry out whatever is stored meanwhile. */
async function noRun(): Promise<void> {
  const runs = sql`select from jobs.job where name = ${batchJobName} and state <= 'active' and start_after <= now()`;
  await vi.waitFor(
    async () => expect((await runs.execute(queries(zw.services.database.fork()))).rows).toEqual([]),
    patience,
  );
}

/** Stops a job that no run has begun. */
async function stopped(): Promise<Answer> {
  await noRun();
  const { body: me } = await zw.admin.get("/api/auth/me");
  const caller: Caller = {
    userId: me.id,
    username: me.username,
    role: me.role,
    sessionId: null,
    tokenId: null,
    permissions: "all",
    narrowing: null,
    ip: null,
    requestId: null,
    at: new Date(),
  };
  const request = { recordType: "A", value: "192.0.2.1", newValue: "192.0.2.2" };
  const batch = { kind: "replace", request, force: false, revertsId: null, now: new Date() } as const;
  const item = { domainId: domain, planHash: "none", detail: null, error: null };
  const jobId = await storeBatch(zw.services.database.fork(), caller, batch, [item]);
  return await zw.admin.post(`/api/records/replace/${jobId}/stop`);
}

async function revertedReplacement(): Promise<Answer> {
  const { jobId } = (await replaced()).body;
  await vi.waitFor(async () => {
    const { body } = await zw.admin.get(`/api/records/replace/${jobId}`);
    if (body.finishedAt === null) throw new Error("The job goes on.");
  }, patience);
  return await zw.admin.post(`/api/records/replace/${jobId}/revert`, { force: true });
}

async function signedOut(): Promise<Answer> {
  return await (await zw.signIn("admin", adminPassword)).post("/api/auth/logout");
}

async function deletedDomain(): Promise<Answer> {
  const { body } = await zw.admin.post("/api/domains", { name: "deleted.example" });
  return await zw.admin.delete(`/api/domains/${body.id}`);
}

async function deletedConfig(): Promise<Answer> {
  return await zw.admin.delete(`/api/provider-configs/${(await newConfig()).body.id}`);
}

function newChannel(): Promise<Answer> {
  made += 1;
  const config = { to: "team@example.com" };
  return zw.admin.post("/api/notifications", {
    channel: "email",
    name: `Mail ${made}`,
    config,
    events: ["zone.drift"],
  });
}

async function changedChannel(): Promise<Answer> {
  const { body } = await newChannel();
  return await zw.admin.put(`/api/notifications/configs/${body.id}`, { enabled: false });
}

async function deletedChannel(): Promise<Answer> {
  return await zw.admin.delete(`/api/notifications/configs/${(await newChannel()).body.id}`);
}

async function newUser(): Promise<Answer> {
  made += 1;
  const username = `user-${made}`;
  const email = `${username}@example.com`;
  return await zw.admin.post("/api/users", { username, email, password: memberPassword, role: "member" });
}

async function deletedUser(): Promise<Answer> {
  return await zw.admin.delete(`/api/users/${(await newUser()).body.id}`);
}

async function changedUser(): Promise<Answer> {
  return await zw.admin.put(`/api/users/${(await newUser()).body.id}`, { displayName: "Another" });
}

function newInvitation(): Promise<Answer> {
  return zw.admin.post("/api/invitations", { role: "member", maxUses: 1, expiresAt: null });
}

async function deletedInvitation(): Promise<Answer> {
  return await zw.admin.delete(`/api/invitations/${(await newInvitation()).body.id}`);
}

async function registered(): Promise<Answer> {
  const { body } = await newInvitation();
  const account = { username: "invited", password: memberPassword };
  return await zw.nobody.post("/api/auth/register", { inviteCode: body.code, ...account });
}

async function forgotten(email: string): Promise<Answer> {
  const answer = await zw.nobody.post("/api/auth/password/forgot", { email });
  await zw.services.background.settled();
  return answer;
}

async function reset(): Promise<Answer> {
  const { email } = (await newUser()).body;
  await forgotten(email);
  const [, token = ""] = /token=([\w-]+)/.exec((await mail.next(email)).text) ?? [];
  return await zw.nobody.post("/api/auth/password/reset", { token, newPassword: `${memberPassword} again` });
}

/** A separate member whose address is not yet verified. */
async function claimant() {
  made += 1;
  const username = `claimant-${made}`;
  const client = await zw.member(username);
  const email = `${username}@example.com`;
  await client.put("/api/auth/me/email", { currentPassword: memberPassword, email });
  return { client, email };
}

async function newAssignment(): Promise<Answer> {
  return await zw.admin.post("/api/assignments", { userId: (await newUser()).body.id, domainId: domain });
}

async function deletedAssignment(): Promise<Answer> {
  return await zw.admin.delete(`/api/assignments/${(await newAssignment()).body.id}`);
}

function newRequest(): Promise<Answer> {
  made += 1;
  return zw.admin.post("/api/assignments/requests", { domainId: domain, subdomainPattern: `host-${made}` });
}

async function decided(verb: "approve" | "reject"): Promise<Answer> {
  return await zw.admin.post(`/api/assignments/requests/${(await newRequest()).body.id}/${verb}`);
}

function newToken(): Promise<Answer> {
  return zw.admin.post("/api/auth/me/tokens", { name: "Script", permissions: ["domains:read"] });
}

function newFeed(): Promise<Answer> {
  return zw.admin.post("/api/auth/me/feeds", { name: "Renewals" });
}

async function deletedFeed(): Promise<Answer> {
  return await zw.admin.delete(`/api/auth/me/feeds/${(await newFeed()).body.id}`);
}

async function deletedToken(): Promise<Answer> {
  return await zw.admin.delete(`/api/auth/me/tokens/${(await newToken()).body.id}`);
}

/** Starts a device and decides about it. */
async function decidedDevice(verb: "approve" | "refuse"): Promise<{ device: Device; decision: Answer }> {
  const device = await startedDevice(zw.nobody);
  const permissions = verb === "approve" ? { permissions: ["domains:read"] } : {};
  const body = { userCode: device.userCode, ...permissions };
  return { device, decision: await zw.admin.post(`/api/auth/device/${verb}`, body) };
}

/** Approves a program. */
function authorizedProgram(): Promise<Answer> {
  const wish = { permissions: ["domains:read"], codeChallenge: pkce().codeChallenge };
  return zw.admin.post("/api/auth/cli/authorize", wish);
}

function newKey(): Promise<Answer> {
  return zw.admin.post("/api/auth/me/tsig-keys", { domainId: domain });
}

async function deletedKey(path: string): Promise<Answer> {
  return await zw.admin.delete(`${path}/${(await newKey()).body.id}`);
}

async function endedSession(): Promise<Answer> {
  await zw.signIn("admin", adminPassword);
  const { body } = await zw.admin.get("/api/auth/me/sessions");
  return await zw.admin.delete(`/api/auth/me/sessions/${body.sessions[1].id}`);
}

/** Publishes or deletes a challenge with a narrowed token. */
async function challenged(verb: "present" | "cleanup"): Promise<Answer> {
  const client = new RestClient(zw.url, await narrowedToken(zw.admin, { domainIds: [domain] }));
  const challenge = { fqdn: "_acme-challenge.trail.example", value: `for-${verb}` };
  if (verb === "cleanup") await client.post("/api/acme/present", challenge);
  return await client.post(`/api/acme/${verb}`, challenge);
}

function newTemplate(): Promise<Answer> {
  made += 1;
  return zw.admin.post("/api/templates", websiteTemplate(`site-${made}`));
}

async function changedTemplate(): Promise<Answer> {
  const { id, serviceId } = (await newTemplate()).body;
  return await zw.admin.put(`/api/templates/${id}`, websiteTemplate(serviceId, { version: 2 }));
}

async function deletedTemplate(): Promise<Answer> {
  return await zw.admin.delete(`/api/templates/${(await newTemplate()).body.id}`);
}

/** Applies a template at a new host. */
/** Names below `example` are never checked. */
async function checkedOutside(what: "delegation" | "dnssec", name: string): Promise<Answer> {
  const { body } = await zw.admin.post("/api/domains", { name });
  return await zw.admin.post(`/api/domains/${body.id}/${what}/check`);
}

/** Makes a domain that its provider can sign. @returns the path of its DNSSEC */
async function unsignedDomain(name: string): Promise<string> {
  const { token: apiToken, accountId, url: endpoint } = signer;
  const config = { kind: "cloudflare", name: `Signer ${++made}`, config: { apiToken, accountId, endpoint } };
  const { body } = await zw.admin.post("/api/provider-configs", config);
  const { body: added } = await zw.admin.post("/api/domains", { name, providerConfigId: body.id });
  return `/api/domains/${added.id}/dnssec`;
}

/** Publishes DS records in a zone here. */
async function publishedDs(): Promise<Answer> {
  const path = await unsignedDomain("shop.parent.example");
  await zw.admin.post(path, { enabled: true });
  const { body: parent } = await zw.admin.post("/api/domains", { name: "parent.example" });
  const delegation = { recordType: "NS", name: "shop", value: "ns.example.net" };
  await zw.admin.post(`/api/domains/${parent.id}/records`, delegation);
  return await zw.admin.post(`${path}/publish-ds`);
}

/** A domain with a mirror. */
async function mirrored(name: string): Promise<{ path: string; made: Answer }> {
  const folder = name.replace(".", "-");
  const config = await zw.admin.post("/api/provider-configs", { kind: "zonefile", name: folder, config: { folder } });
  const { body } = await zw.admin.post("/api/domains", { name });
  const path = `/api/domains/${body.id}/mirrors`;
  return { path, made: await zw.admin.post(path, { providerConfigId: config.body.id }) };
}

async function reconciledMirror(): Promise<Answer> {
  const { path, made } = await mirrored("reconciled.example");
  return await zw.admin.post(`${path}/${made.body.mirrorId}/reconcile`);
}

async function deletedMirror(): Promise<Answer> {
  const { path, made } = await mirrored("unmirrored.example");
  return await zw.admin.delete(`${path}/${made.body.mirrorId}`);
}

async function raisedSerial(): Promise<Answer> {
  const config = { nameServers: "ns1.example.net", contact: "dns@example.net" };
  const made = await zw.admin.post("/api/provider-configs", { kind: "primary", name: "Serials", config });
  const { body } = await zw.admin.post("/api/domains", { name: "serial.example", providerConfigId: made.body.id });
  return await zw.admin.post(`/api/domains/${body.id}/secondaries/raise-serial`);
}

async function snoozedFinding(): Promise<Answer> {
  const finding = await storeFinding(zw, domain);
  return await zw.admin.post(`/api/domains/${domain}/delegation/snooze`, { ...finding, until: null });
}

async function appliedTemplate(): Promise<Answer> {
  const path = `/api/domains/${domain}/templates/${(await newTemplate()).body.id}`;
  const body = { variables: { target: "target.example.net" }, host: `host-${made}` };
  const { body: plan } = await zw.admin.post(`${path}/plan`, body);
  return await zw.admin.post(`${path}/apply`, { ...body, planHash: plan.planHash, force: true });
}

/** Applies a template that has changed since it was linked to a domain. */
async function appliedLinked(): Promise<Answer> {
  const { id, serviceId } = (await newTemplate()).body;
  // A domain of its own, because the job changes it while other calls go on.
  const { body: linked } = await zw.admin.post("/api/domains", { name: `linked-${made}.example` });
  const path = `/api/domains/${linked.id}/templates/${id}`;
  const body = { variables: { target: "shop.example.net" } };
  const { planHash } = (await zw.admin.post(`${path}/plan`, body)).body;
  await zw.admin.post(`${path}/apply`, { ...body, planHash, linked: true });
  await zw.admin.put(`/api/templates/${id}`, changedOf(serviceId));
  const { body: plan } = await zw.admin.post(`/api/templates/${id}/linked/plan`);
  return await zw.admin.post(`/api/templates/${id}/linked/apply`, { planHash: plan.planHash, force: true });
}

async function unlinkedTemplate(): Promise<Answer> {
  return await zw.admin.delete(`/api/domains/${domain}/templates/${(await appliedTemplate()).body.applied.id}`);
}

/** A request of the member who is called `requester`. */
async function newChangeRequest(by: RestClient): Promise<string> {
  const changes = [{ action: "create", record: newHost() }];
  return (await by.post(`/api/domains/${domain}/change-requests`, { title: "A host", changes })).body.id;
}

let requester: RestClient | null = null;

/** Makes a call on a request of another user. */
async function onRequest(verb: string, body?: (id: string) => Promise<object>): Promise<Answer> {
  if (!requester) {
    requester = await zw.member("requester");
    const { body: me } = await requester.get("/api/auth/me");
    await zw.admin.post("/api/assignments", { userId: me.id, domainId: domain, access: "write" });
  }
  const id = await newChangeRequest(requester);
  return await zw.admin.post(`/api/change-requests/${id}/${verb}`, await body?.(id));
}

const hashOf = async (id: string) => ({
  changesHash: (await zw.admin.get(`/api/change-requests/${id}`)).body.changesHash,
});

/** For each procedure that changes something: its audit action, a call, and the caller if not the administrator. */
const reported: Record<string, [action: string, call: () => Promise<Answer>, by?: "visitor" | "member"]> = {
  ...secondFactorCalls(() => zw, clock),
  ...identity.calls,
  "auth.login": [
    "auth.sign_in",
    () => zw.nobody.post("/api/auth/login", { username: "admin", password: adminPassword }),
  ],
  "auth.logout": ["auth.sign_out", signedOut],
  "auth.register": ["user.register", registered, "visitor"],
  "auth.forgotPassword": ["user.forgot_password", async () => await forgotten((await newUser()).body.email), "visitor"],
  "auth.resetPassword": ["user.reset_password", reset, "visitor"],
  "auth.verifyEmail": [
    "user.verify_email",
    async () => await openVerification(zw.nobody, mail, (await claimant()).email),
    "visitor",
  ],
  "profile.resendVerification": [
    "user.request_email_verification",
    async () => await (await claimant()).client.post("/api/auth/me/email/resend"),
    "member",
  ],
  "auth.authorizeCli": ["auth.authorize_cli", authorizedProgram],
  "auth.cliToken": [
    "token.create",
    async () => await zw.nobody.post("/api/auth/cli/token", await authorized(zw.admin)),
  ],
  "auth.approveDevice": ["auth.approve_device", async () => (await decidedDevice("approve")).decision],
  "auth.refuseDevice": ["auth.refuse_device", async () => (await decidedDevice("refuse")).decision],
  "auth.deviceToken": ["token.create", async () => await (await decidedDevice("approve")).device.poll()],
  "tokens.create": ["token.create", newToken],
  "tokens.delete": ["token.delete", deletedToken],
  "feeds.create": ["feed.create", newFeed],
  "feeds.delete": ["feed.delete", deletedFeed],
  "tsigKeys.create": ["tsig_key.create", newKey],
  "tsigKeys.delete": ["tsig_key.delete", () => deletedKey("/api/auth/me/tsig-keys")],
  "tsigKeys.revoke": ["tsig_key.delete", () => deletedKey("/api/tsig-keys")],
  "sessions.delete": ["session.revoke", endedSession],
  "profile.update": ["user.update_profile", () => zw.admin.put("/api/auth/me/profile", { nickname: "Root" })],
  "profile.changePassword": [
    "user.change_password",
    () => zw.admin.put("/api/auth/me/password", { currentPassword: adminPassword, newPassword: adminPassword }),
  ],
  "profile.changeEmail": [
    "user.change_email",
    () => zw.admin.put("/api/auth/me/email", { currentPassword: adminPassword, email: "root@example.com" }),
  ],
  "users.create": ["user.create", newUser],
  "users.update": ["user.update", changedUser],
  "users.delete": ["user.delete", deletedUser],
  "users.revokeAccess": [
    "user.revoke_access",
    async () => await zw.admin.delete(`/api/users/${(await newUser()).body.id}/access`),
  ],
  "invitations.create": ["invitation.create", newInvitation],
  "invitations.delete": ["invitation.delete", deletedInvitation],
  "assignments.create": ["assignment.create", newAssignment],
  "assignments.delete": ["assignment.delete", deletedAssignment],
  "assignments.request": ["assignment.request", newRequest],
  "assignments.approve": ["assignment.approve", () => decided("approve")],
  "assignments.reject": ["assignment.reject", () => decided("reject")],
  "domains.create": ["domain.create", () => zw.admin.post("/api/domains", { name: "created.example" })],
  "domains.update": ["domain.update", () => zw.admin.put(`/api/domains/${domain}`, { groupName: "shop" })],
  "domains.delete": ["domain.delete", deletedDomain],
  "domains.sync": ["records.sync", () => ofDrifted("sync")],
  "domains.push": ["records.push", () => ofDrifted("push")],
  "portfolio.import": ["domain.update", importedPortfolio],
  "portfolio.startImport": ["domain.import_table", startedPortfolio],
  "domains.setExpiry": [
    "domain.set_expiry",
    () => zw.admin.put(`/api/domains/${domain}/expiry`, { expiresAt: "2030-01-01T00:00:00Z" }),
  ],
  "domains.setExpiryRemind": [
    "domain.set_expiry_remind",
    () => zw.admin.put(`/api/domains/${domain}/expiry-remind`, { expiryRemindDays: [3] }),
  ],
  "secondaries.raiseSerial": ["domain.raise_serial", raisedSerial],
  "mirrors.create": ["mirror.create", async () => (await mirrored("mirrored.example")).made],
  "mirrors.reconcile": ["mirror.reconcile", reconciledMirror],
  "mirrors.delete": ["mirror.delete", deletedMirror],
  "delegation.check": ["domain.check_delegation", () => checkedOutside("delegation", "trail.zone")],
  "delegation.snooze": ["domain.snooze_delegation", snoozedFinding],
  "domains.checkExpiry": ["domain.check_expiry", () => zw.admin.post(`/api/domains/${domain}/check-expiry`)],
  "acme.present": ["records.edit", () => challenged("present")],
  "acme.cleanup": ["records.edit", () => challenged("cleanup")],
  "records.create": ["records.edit", () => newRecord()],
  "records.update": ["records.edit", () => zw.admin.put(`/api/domains/${domain}/records/${record}`, { ttl: 77 })],
  "records.delete": ["records.edit", () => zw.admin.delete(`/api/domains/${domain}/records/${record}`)],
  "records.bulkCreate": [
    "records.bulk",
    () => zw.admin.post(`/api/domains/${domain}/records/bulk`, { records: [newHost(), newHost()] }),
  ],
  "records.applyPlan": ["records.edit", applied],
  "records.importZonefile": [
    "records.import",
    () => zw.admin.post(`/api/domains/${domain}/zonefile`, { zonefile: "file 60 A 192.0.2.3\n", mode: "merge" }),
  ],
  "records.revert": ["records.revert", revertedChange],
  "replacements.applyPlan": ["replacement.apply", replaced],
  "replacements.stop": ["replacement.stop", stopped],
  "replacements.revert": ["replacement.revert", revertedReplacement],
  "changeRequests.create": [
    "change_request.create",
    () =>
      zw.admin.post(`/api/domains/${domain}/change-requests`, {
        title: "A host",
        changes: [{ action: "create", record: newHost() }],
      }),
  ],
  "changeRequests.approve": ["change_request.approve", () => onRequest("approve", hashOf)],
  "changeRequests.reject": ["change_request.reject", () => onRequest("reject")],
  "changeRequests.comment": [
    "change_request.comment",
    () => onRequest("comments", () => Promise.resolve({ text: "Seen" })),
  ],
  "changeRequests.withdraw": [
    "change_request.withdraw",
    async () => await zw.admin.post(`/api/change-requests/${await newChangeRequest(zw.admin)}/withdraw`),
  ],
  "changeRequests.applyRequest": [
    "change_request.apply",
    async () => await zw.admin.post(`/api/change-requests/${await newChangeRequest(zw.admin)}/apply`),
  ],
  "snapshots.create": ["snapshot.create", () => zw.admin.post(`/api/domains/${domain}/snapshots`)],
  "snapshots.rollback": ["records.rollback", rolledBack],
  "snapshots.restore": ["records.rollback", restored],
  "templates.create": ["template.create", newTemplate],
  "templates.update": ["template.update", changedTemplate],
  "templates.delete": ["template.delete", deletedTemplate],
  "templates.applyPlan": ["template.apply", appliedTemplate],
  "templates.applyLinked": ["template.apply_linked", appliedLinked],
  "templates.unlink": ["template.unlink", unlinkedTemplate],
  "channels.create": ["channel.create", newChannel],
  "channels.update": ["channel.update", changedChannel],
  "channels.delete": ["channel.delete", deletedChannel],
  "providerConfigs.create": ["provider_config.create", newConfig],
  "providerConfigs.update": [
    "provider_config.update",
    () => zw.admin.put(`/api/provider-configs/${config}`, { membersMayUse: true }),
  ],
  "providerConfigs.delete": ["provider_config.delete", deletedConfig],
  "registrations.update": ["domain.change_registration", changedRegistration],
  "dnssec.check": ["domain.check_dnssec", () => checkedOutside("dnssec", "signed.zone")],
  "dnssec.set": [
    "domain.set_dnssec",
    async () => await zw.admin.post(await unsignedDomain("unsigned.example"), { enabled: true }),
  ],
  "dnssec.publishDs": ["records.edit", publishedDs],
  "tlsHosts.set": [
    "domain.change_tls_hosts",
    () => zw.admin.put(`/api/domains/${domain}/tls-hosts`, { mode: "listed", hosts: [] }),
  ],
  "registrarConfigs.create": ["registrar_config.create", newRegistrar],
  "registrarConfigs.update": [
    "registrar_config.update",
    async () =>
      await zw.admin.put(`/api/registrar-configs/${(await newRegistrar()).body.id}`, { name: `Renamed ${made}` }),
  ],
  "registrarConfigs.delete": [
    "registrar_config.delete",
    async () => await zw.admin.delete(`/api/registrar-configs/${(await newRegistrar()).body.id}`),
  ],
  "providerConfigs.import": ["domain.import", imported],
  "v1.createRecord": ["records.edit", () => newRecord("/api/v1")],
  "v1.updateRecord": ["records.edit", () => zw.admin.put(`/api/v1/domains/${domain}/records/${v1Record}`, { ttl: 78 })],
  "v1.deleteRecord": ["records.edit", () => zw.admin.delete(`/api/v1/domains/${domain}/records/${v1Record}`)],
};

/** Procedures that are mutations only by their method, each with the reason why they are not audited. */
const silent: Record<string, string> = {
  "auth.refresh": "It goes on with a session, every quarter of an hour; the reuse of a rotated token is told.",
  "auth.passkeyOptions": "It only begins a sign-in.",
  "auth.startDevice": "It only begins a sign-in.",
  "auth.findDevice": "It changes nothing.",
  "profile.updatePreferences": "It changes only what the user's own pages show.",
  "auth.confirmOptions": "It only begins a confirmation.",
  "twoFactor.setupTotp": "What it makes protects nothing before it is turned on.",
  "twoFactor.passkeyCreationOptions": "It only begins the making of a passkey.",
  "twoFactor.sendEmailCode": "It is a step of a sign-in, whose end is told.",
  "twoFactor.passkeyOptions": "It is a step of a sign-in, whose end is told.",
  "identity.bindStart": "It only sends the browser away; the binding is told when it comes back.",
  "identityConfigs.testGroups": "It changes nothing.",
  "changeRequests.plan": "It changes nothing.",
  "changeRequests.planZonefile": "It changes nothing.",
  "records.plan": "It changes nothing.",
  "records.planZonefile": "It changes nothing.",
  "domains.plan": "It changes nothing.",
  "templates.plan": "It changes nothing.",
  "templates.linkedPlan": "It changes nothing.",
  "domains.compare": "It changes nothing.",
  "delegation.checkServed": "It changes nothing.",
  "replacements.plan": "It changes nothing.",
  "notifications.read": "What people have read is nobody's business, and gone with the next restart.",
  "notifications.readAll": "The same.",
  "notifications.delete": "It tidies one's own list, which is gone with the next restart.",
  "notifications.deleteAll": "The same.",
  "providerConfigs.test": "It changes nothing.",
  "registrarConfigs.test": "It changes nothing.",
  "channels.test": "It changes nothing.",
  "domains.previewExpiry": "It changes nothing.",
};

test("every procedure that changes something is tested here, or has a documented reason why not", () => {
  const mutations = restProcedures(appRouter)
    .filter(({ meta }) => meta.openapi?.method !== "GET")
    .map(({ name }) => name);
  expect([...Object.keys(reported), ...Object.keys(silent)].toSorted()).toEqual(mutations.toSorted());
});

describe("every mutation leaves an audit entry", () => {
  test.each(Object.entries(reported))(
    "%s leaves an audit entry with actor, address and call",
    async (procedure, [action, call, by]) => {
      const answer = await call();
      if (answer.status >= 300) throw new Error(`The call failed: ${JSON.stringify(answer.body)}`);
      const requestId = answer.headers.get("x-request-id");
      const left = (await entries(zw.admin, { action })).filter((entry) => entry.requestId === requestId);
      const { body: me } = await zw.admin.get("/api/auth/me");
      const who = left[0]?.actorId === me.id ? "admin" : left[0]?.actorId ? "member" : "visitor";
      expect(who).toBe(by ?? "admin");
      const byToken = procedure.startsWith("acme.");
      expect(left.map(({ tokenId }) => tokenId !== null)).toEqual([byToken]);
      expect(left).toMatchObject([{ action, ip: "127.0.0.1", targetId: expect.any(String) }]);
    },
  );
});
