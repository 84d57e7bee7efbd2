import type { RestClient } from "../../support/rest-client.ts";
import { addPasskey, securityKey } from "../../support/second-factors/security-key.ts";
import { adminPassword, memberPassword } from "../../support/zonewright.ts";
import { freshName } from "../../support/zones.ts";
import { builtInTemplates } from "../../../server/bulk/templates/built-in/list.ts";
import { storeFinding } from "../../registry/delegation/found.ts";
import { changed as changedTemplate, website as websiteTemplate } from "../../bulk/templates/templates.ts";
import { registered, type RegistrarAccount } from "../../support/vendors/registrars/account.ts";
import type { CloudflareServer } from "../../support/vendors/cloudflare/server.ts";
import type { Zonewright } from "../../support/zonewright.ts";

/** IDs, by their parameter names in paths. */
export type Ids = Readonly<Record<string, string>>;

/** Creates the resource. @returns its ID */
export async function made(client: RestClient, path: string, body?: object): Promise<string> {
  const answer = await client.post(path, body);
  if (answer.status !== 201) throw new Error(`Nothing was made at ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body.id;
}

const host = () => ({ recordType: "A", name: freshName().replace(".example", ""), value: "192.0.2.1" });

const deletion = ({ recordId }: Ids) => [{ action: "delete", recordId }];

/** How to make a call that works: on which resource, with which body or query. */
interface Call {
  thing: (owner: RestClient) => Promise<Ids>;
  body?: (ids: Ids, caller: RestClient) => object | Promise<object>;
  query?: (ids: Ids) => string;
}

/** A working call of each procedure that takes an ID, on a resource that belongs to `owner`. */
export interface WorkingCalls {
  calls: Record<string, Call>;
  /** A zone of this client with a record. */
  zone: (client: RestClient) => Promise<Ids>;
  /** The ID of a client's user. */
  userId: (client: RestClient) => Promise<string>;
}

/**
 * @param forMembers the ID of a configuration that members may use
 * @param member the member to assign zones to
 * @param gandi an account at a simulated registrar
 * @param cloudflare a vendor that signs zones, simulated
 */
export function workingCalls(
  zw: Zonewright,
  forMembers: () => string,
  member: () => RestClient,
  gandi: () => RegistrarAccount,
  cloudflare: () => CloudflareServer,
): WorkingCalls {
  async function domain(client: RestClient): Promise<string> {
    return await made(client, "/api/domains", { name: freshName(), providerConfigId: forMembers() });
  }

  async function zone(client: RestClient): Promise<Ids> {
    const id = await domain(client);
    return { id, recordId: await made(client, `/api/domains/${id}/records`, host()) };
  }

  /** With the change set that made its record. */
  async function changedZone(client: RestClient): Promise<Ids> {
    const ids = await zone(client);
    const { body } = await client.get(`/api/domains/${ids["id"]}/history`);
    return { ...ids, changeSetId: body.entries[0].id };
  }

  async function zoneWithSnapshot(client: RestClient): Promise<Ids> {
    const ids = await zone(client);
    return { ...ids, snapshotId: await made(client, `/api/domains/${ids["id"]}/snapshots`) };
  }

  const userIds = new Map<RestClient, Promise<string>>();
  function userId(client: RestClient): Promise<string> {
    const known = userIds.get(client) ?? client.get("/api/auth/me").then(({ body }) => String(body.id));
    userIds.set(client, known);
    return known;
  }

  let primaryConfig: Promise<string> | undefined;
  /** A zone of this client that secondaries transfer. */
  async function primaryZone(client: RestClient): Promise<Ids> {
    const config = { nameServers: "ns1.example.net", contact: "dns@example.net" };
    const body = { kind: "primary", name: "Secondaries", config, membersMayUse: true };
    primaryConfig ??= made(zw.admin, "/api/provider-configs", body);
    const providerConfigId = await primaryConfig;
    return { id: await made(client, "/api/domains", { name: freshName(), providerConfigId }) };
  }

  let folderConfig: Promise<string> | undefined;
  function inFolder(): Promise<string> {
    const body = { kind: "zonefile", name: "Folder", config: { folder: "folder" }, membersMayUse: true };
    return (folderConfig ??= made(zw.admin, "/api/provider-configs", body));
  }

  /** A zone of this client with a provider. */
  async function zoneAtProvider(client: RestClient): Promise<Ids> {
    const body = { name: freshName(), providerConfigId: await inFolder() };
    return { id: await made(client, "/api/domains", body) };
  }

  let signerConfig: Promise<string> | undefined;
  /** A zone of this client that its provider signs. */
  async function signedZone(client: RestClient): Promise<Ids> {
    const { token: apiToken, accountId, url: endpoint } = cloudflare();
    const config = { apiToken, accountId, endpoint };
    const body = { kind: "cloudflare", name: "Signer", config };
    signerConfig ??= made(zw.admin, "/api/provider-configs", body);
    const id = await made(zw.admin, "/api/domains", { name: freshName(), providerConfigId: await signerConfig });
    await zw.admin.put(`/api/domains/${id}`, { ownerId: await userId(client) });
    await zw.admin.post(`/api/domains/${id}/dnssec`, { enabled: true });
    return { id };
  }

  /** A zone of this client with a mirror. */
  async function mirroredZone(client: RestClient): Promise<Ids> {
    const ids = await zone(client);
    const { body } = await client.post(`/api/domains/${ids["id"]}/mirrors`, { providerConfigId: await inFolder() });
    return { ...ids, mirrorId: body.mirrorId };
  }

  /** A notification of this client. */
  async function notification(owner: RestClient): Promise<Ids> {
    const id = await userId(owner);
    await zw.services.notifications.notify(zw.services.database.fork(), {
      event: "zone.drift",
      title: "For a test",
      content: "Of who may read it.",
      level: "info",
      metadata: {},
      to: { userIds: [id] },
    });
    const { body } = await owner.get("/api/notifications");
    return { id: body.notifications[0].id };
  }

  const providers = ["google", "github", "gitlab", "dingtalk", "feishu", "oidc", "custom"];
  let count = 0;
  function another(word: string): string {
    count += 1;
    return `${word}-${count}`;
  }

  const ofAdmin = (path: string, body: () => object) => async (): Promise<Ids> => ({
    id: await made(zw.admin, path, body()),
  });
  const user = ofAdmin("/api/users", () => ({ username: another("user"), password: memberPassword, role: "member" }));
  const assignment = async () => {
    const body = { userId: await userId(member()), domainId: await domain(zw.admin) };
    return await ofAdmin("/api/assignments", () => body)();
  };
  const request = async () => {
    const body = { domainId: await domain(zw.admin) };
    return await ofAdmin("/api/assignments/requests", () => body)();
  };
  const invitation = ofAdmin("/api/invitations", () => ({ role: "member" }));
  const identityConfig = ofAdmin("/api/oauth/providers", () => ({
    providerId: providers.pop(),
    clientId: "client",
    enabled: false,
  }));
  const channel = ofAdmin("/api/notifications", () => ({
    channel: "web",
    name: another("Channel"),
    config: { administrators: true },
    events: ["zone.drift"],
  }));
  const template = ofAdmin("/api/templates", () => websiteTemplate(another("site")));
  /** A built-in template with one variable: a text at the apex. */
  const [templateId = ""] = builtInTemplates.flatMap(({ id, template }) =>
    template.serviceId === "txt-verification" ? [id] : [],
  );
  const variables = { text: "proof" };
  const toApply = async (owner: RestClient) => ({ ...(await zone(owner)), templateId });
  /** A template that has changed since it was linked to a zone. */
  const linkedTemplate = async (): Promise<Ids> => {
    const serviceId = another("linked");
    const id = await made(zw.admin, "/api/templates", websiteTemplate(serviceId));
    const path = `/api/domains/${(await zone(zw.admin))["id"]}/templates/${id}`;
    const values = { variables: { target: "www.example.net" } };
    const { body: plan } = await zw.admin.post(`${path}/plan`, values);
    await zw.admin.post(`${path}/apply`, { ...values, planHash: plan.planHash, linked: true });
    await zw.admin.put(`/api/templates/${id}`, changedTemplate(serviceId));
    return { id };
  };
  const toUnlink = async (owner: RestClient) => {
    const ids = await zone(owner);
    const path = `/api/domains/${ids["id"]}/templates/${templateId}`;
    const { body: plan } = await owner.post(`${path}/plan`, { variables });
    const { body } = await owner.post(`${path}/apply`, { variables, planHash: plan.planHash });
    return { ...ids, appliedId: body.applied.id };
  };
  const providerConfig = ofAdmin("/api/provider-configs", () => ({
    kind: "zonefile",
    name: another("Files"),
    config: { folder: "." },
  }));

  const registrarConfig = ofAdmin("/api/registrar-configs", () => ({
    kind: "gandi",
    name: another("Account"),
    config: gandi().config,
  }));

  /** A zone of this client whose name is in an account at a registrar. */
  const registeredZone = async (owner: RestClient): Promise<Ids> => {
    const id = await domain(owner);
    const { body } = await zw.admin.get(`/api/domains/${id}`);
    gandi().domains.set(body.name, registered());
    await zw.admin.put(`/api/domains/${id}`, { registrarConfigId: (await registrarConfig())["id"] });
    return { id };
  };

  /** A replacement of this client that has ended. */
  const replacement = async (owner: RestClient): Promise<Ids> => {
    const { id = "" } = await zone(owner);
    const request = { recordType: "A", value: "192.0.2.1", newValue: "192.0.2.2", domainIds: [id] };
    const { body: plan } = await owner.post("/api/records/replace/plan", request);
    const applied = { ...request, planHash: plan.planHash, force: true };
    const { jobId } = (await owner.post("/api/records/replace/apply", applied)).body;
    // The queue looks for runs whose wake-up it missed every ten seconds only.
    await zw.services.batches.run();
    const { body } = await owner.get(`/api/records/replace/${jobId}`);
    if (body.finishedAt === null) throw new Error("The job goes on.");
    return { jobId };
  };

  /** A request of somebody else for a zone of this client. */
  let requester: RestClient | null = null;
  const changeRequest = async (owner: RestClient): Promise<Ids> => {
    const domainId = await domain(owner);
    requester ??= await zw.member("requester");
    await made(zw.admin, "/api/assignments", { userId: await userId(requester), domainId, access: "write" });
    return { id: await made(requester, `/api/domains/${domainId}/change-requests`, requestedHost()) };
  };
  const requestedHost = () => ({ title: "A host", changes: [{ action: "create", record: host() }] });
  const hashOf = async (id: string | undefined): Promise<string> =>
    (await zw.admin.get(`/api/change-requests/${id}`)).body.changesHash ?? "none";
  const approvedRequest = async (owner: RestClient): Promise<Ids> => {
    const { id } = await changeRequest(owner);
    await zw.admin.post(`/api/change-requests/${id}/approve`, { changesHash: await hashOf(id) });
    return { id: id ?? "" };
  };
  const ownRequest = async (owner: RestClient): Promise<Ids> => {
    const domainId = await domain(owner);
    return { id: await made(owner, `/api/domains/${domainId}/change-requests`, requestedHost()) };
  };

  async function tsigKey(owner: RestClient): Promise<Ids> {
    return { id: await made(owner, "/api/auth/me/tsig-keys", { domainId: await domain(owner) }) };
  }

  const calls: Record<string, Call> = {
    "tokens.delete": {
      thing: async (owner) => ({ id: await made(owner, "/api/auth/me/tokens", { name: "Mine", permissions: [] }) }),
    },
    "feeds.delete": { thing: async (owner) => ({ id: await made(owner, "/api/auth/me/feeds", { name: "Mine" }) }) },
    "tsigKeys.delete": { thing: tsigKey },
    "tsigKeys.revoke": { thing: tsigKey },
    "sessions.delete": {
      thing: async (owner) => {
        const { body: me } = await owner.get("/api/auth/me");
        const elsewhere = await zw.signIn(me.username, memberPassword);
        const { body } = await elsewhere.get("/api/auth/me/sessions");
        return { id: body.sessions.find(({ current }: { current: boolean }) => current).id };
      },
    },
    "twoFactor.deletePasskey": {
      thing: async (owner) => {
        const { id } = await addPasskey(owner, securityKey());
        return { id };
      },
      body: (_ids, caller) => ({ currentPassword: caller === zw.admin ? adminPassword : memberPassword }),
    },
    "assignments.delete": { thing: assignment },
    "assignments.approve": { thing: request },
    "assignments.reject": { thing: request },
    "users.get": { thing: user },
    "users.update": { thing: user, body: () => ({ displayName: "Another" }) },
    "users.delete": { thing: user },
    "users.access": { thing: user },
    "users.revokeAccess": { thing: user },
    "invitations.delete": { thing: invitation },
    "identityConfigs.update": { thing: identityConfig, body: () => ({ enabled: false }) },
    "identityConfigs.delete": { thing: identityConfig },
    "identityConfigs.testGroups": { thing: identityConfig, body: () => ({ claims: { groups: ["dns"] } }) },
    "providerConfigs.update": { thing: providerConfig, body: () => ({ membersMayUse: true }) },
    "providerConfigs.delete": { thing: providerConfig },
    "providerConfigs.test": { thing: providerConfig },
    "providerConfigs.zones": { thing: providerConfig },
    "providerConfigs.import": { thing: providerConfig, body: () => ({ zones: ["nowhere.example"] }) },
    "providerConfigs.importProgress": { thing: providerConfig },
    "registrations.get": { thing: zone },
    "registrations.update": { thing: registeredZone, body: () => ({ autoRenew: false, dryRun: true }) },
    "dnssec.get": { thing: zone },
    "dnssec.check": { thing: zone },
    "dnssec.set": { thing: signedZone, body: () => ({ enabled: true }) },
    "dnssec.publishDs": { thing: signedZone },
    "tlsHosts.get": { thing: zone },
    "tlsHosts.set": { thing: zone, body: () => ({ mode: "listed", hosts: [{ host: "www" }] }) },
    "registrarConfigs.update": { thing: registrarConfig, body: () => ({ name: another("Registrar") }) },
    "registrarConfigs.delete": { thing: registrarConfig },
    "registrarConfigs.test": { thing: registrarConfig },
    "registrarConfigs.domains": { thing: registrarConfig },
    "channels.update": { thing: channel, body: () => ({ enabled: false }) },
    "channels.delete": { thing: channel },
    "channels.test": { thing: channel },
    "channels.deliveries": { thing: channel },
    "notifications.read": { thing: notification },
    "notifications.delete": { thing: notification },
    "domains.get": { thing: zone },
    "domains.update": { thing: zone, body: () => ({ notes: "Seen" }) },
    "domains.delete": { thing: zone },
    "domains.compare": { thing: zone, body: (ids) => ({ with: ids["id"] }) },
    "domains.sync": { thing: zoneAtProvider },
    "domains.push": { thing: zoneAtProvider },
    "domains.setExpiryRemind": { thing: zone, body: () => ({ expiryRemindDays: [7], autoCheckExpiry: false }) },
    "domains.setExpiry": { thing: zone, body: () => ({ expiresAt: "2030-01-01T00:00:00Z" }) },
    "domains.checkExpiry": { thing: zone },
    "secondaries.get": { thing: zone },
    "secondaries.raiseSerial": { thing: primaryZone },
    "mirrors.list": { thing: zone },
    "mirrors.create": { thing: zone, body: async () => ({ providerConfigId: await inFolder() }) },
    "mirrors.reconcile": { thing: mirroredZone },
    "mirrors.delete": { thing: mirroredZone },
    "delegation.get": { thing: zone },
    "delegation.check": { thing: zone },
    "delegation.checkServed": { thing: zone, body: () => ({ name: "@", recordType: "NS" }) },
    "delegation.snooze": {
      thing: zone,
      body: async ({ id = "" }) => ({ ...(await storeFinding(zw, id)), until: null }),
    },
    "records.list": { thing: zone },
    "records.create": { thing: zone, body: host },
    "records.update": { thing: zone, body: () => ({ ttl: 77 }) },
    "records.delete": { thing: zone },
    "records.bulkCreate": { thing: zone, body: () => ({ records: [host()] }) },
    "records.plan": { thing: zone, body: (ids) => ({ changes: deletion(ids) }) },
    "records.applyPlan": {
      thing: zone,
      body: async (ids) => {
        const changes = deletion(ids);
        const { body } = await zw.admin.post(`/api/domains/${ids["id"]}/records/plan`, { changes });
        return { changes, planHash: body.planHash ?? "none" };
      },
    },
    "records.health": { thing: zone },
    "records.export": { thing: zone },
    "records.exportZonefile": { thing: zone },
    "records.planZonefile": { thing: zone, body: () => ({ zonefile: "file 60 A 192.0.2.3\n" }) },
    "records.importZonefile": { thing: zone, body: () => ({ zonefile: "file 60 A 192.0.2.3\n", mode: "merge" }) },
    "records.history": { thing: zone },
    "records.revert": { thing: changedZone, body: () => ({ force: true }) },
    "replacements.get": { thing: replacement },
    "replacements.stop": { thing: replacement },
    "replacements.revert": { thing: replacement, body: () => ({ force: true }) },
    "changeRequests.plan": { thing: zone, body: (ids) => ({ changes: deletion(ids) }) },
    "changeRequests.planZonefile": { thing: zone, body: () => ({ zonefile: "file 60 A 192.0.2.3\n" }) },
    "changeRequests.create": { thing: zone, body: requestedHost },
    "changeRequests.get": { thing: changeRequest },
    "changeRequests.approve": { thing: changeRequest, body: async ({ id }) => ({ changesHash: await hashOf(id) }) },
    "changeRequests.reject": { thing: changeRequest },
    "changeRequests.withdraw": { thing: ownRequest },
    "changeRequests.applyRequest": { thing: approvedRequest },
    "changeRequests.listComments": { thing: changeRequest },
    "changeRequests.comment": { thing: changeRequest, body: () => ({ text: "Seen" }) },
    "snapshots.list": { thing: zone },
    "snapshots.create": { thing: zone },
    "snapshots.get": { thing: zoneWithSnapshot },
    "snapshots.diff": { thing: zoneWithSnapshot, query: ({ snapshotId }) => `?from=${snapshotId}&to=${snapshotId}` },
    "snapshots.rollback": { thing: zoneWithSnapshot, body: () => ({ force: true }) },
    "snapshots.restore": { thing: zoneWithSnapshot, body: () => ({ revision: 0, force: true }) },
    "templates.update": {
      thing: template,
      body: async ({ id }) => (await zw.admin.get(`/api/templates/${id}`)).body.template ?? websiteTemplate("none"),
    },
    "templates.delete": { thing: template },
    "templates.linkedPlan": { thing: template },
    "templates.applyLinked": {
      thing: linkedTemplate,
      body: async ({ id }) => {
        const { body } = await zw.admin.post(`/api/templates/${id}/linked/plan`);
        return { planHash: body.planHash ?? "none", force: true };
      },
    },
    "templates.listApplied": { thing: zone },
    "templates.plan": { thing: toApply, body: () => ({ variables }) },
    "templates.applyPlan": {
      thing: toApply,
      body: async (ids) => {
        const { body } = await zw.admin.post(`/api/domains/${ids["id"]}/templates/${ids["templateId"]}/plan`, {
          variables,
        });
        return { variables, planHash: body.planHash ?? "none" };
      },
    },
    "templates.unlink": { thing: toUnlink },
    "v1.getDomain": { thing: zone },
    "v1.listRecords": { thing: zone },
    "v1.createRecord": { thing: zone, body: host },
    "v1.updateRecord": { thing: zone, body: () => ({ ttl: 78 }) },
    "v1.deleteRecord": { thing: zone },
  };
  return { calls, zone, userId };
}
