import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { publish } from "../../notifications/publish.ts";
import { website } from "../../bulk/templates/templates.ts";
import type { Zonewright } from "../../support/zonewright.ts";

/** What calls may name: objects of ours, and objects of the same kind that belong elsewhere. */
export interface Ids {
  domain: string;
  record: string;
  snapshot: string;
  laterSnapshot: string;
  changeSet: string;
  /** A replacement in the other zone. */
  replacement: string;
  /** Of zone files: where the zones are. */
  zonefiles: string;
  /** One that may be changed. */
  config: string;
  /** Of an account at a registrar that does not answer. */
  registrarConfig: string;
  user: string;
  invitation: string;
  inviteCode: string;
  /** A mirror of the domain, and a configuration that may become another. */
  mirror: string;
  mirrorConfig: string;
  assignment: string;
  /** One to approve, and one to reject. */
  approvable: string;
  rejectable: string;
  /** Of GitHub, without a configuration that calls it. */
  identityConfig: string;
  notification: string;
  /** Of another user than the caller. */
  changeRequest: string;
  channel: string;
  template: string;
  othersRecord: string;
  othersSnapshot: string;
}

export const silentRegistrar = {
  kind: "gandi",
  config: { token: "registrar-token-for-tests", endpoint: "http://127.0.0.1:9/v5" },
};

/** Two fully furnished zones; calls use the first. */
export async function furnish(zw: Zonewright): Promise<Ids> {
  const { admin } = zw;
  const config = await admin.post("/api/provider-configs", { kind: "manual", name: "Fuzz" });
  const registrarConfig = await admin.post("/api/registrar-configs", { name: "Fuzz", ...silentRegistrar });
  const { body: list } = await admin.get("/api/provider-configs");
  const zonefiles = list.configs.find(({ kind }: { kind: string }) => kind === "zonefile");
  const [own, other] = await Promise.all(
    ["fuzz.example", "other.example"].map(async (name) => {
      const domain = await admin.post("/api/domains", { name, tags: ["fuzz"] });
      const path = `/api/domains/${domain.body.id}`;
      const record = await admin.post(`${path}/records`, { recordType: "A", name: "www", value: "192.0.2.1" });
      const snapshot = await admin.post(`${path}/snapshots`);
      await admin.post(`${path}/records`, { recordType: "MX", name: "@", value: "10 mail.example.com" });
      const later = await admin.post(`${path}/snapshots`);
      return { domain: domain.body, record: record.body, snapshot: snapshot.body, later: later.body };
    }),
  );
  const password = "a password of the fuzzed user";
  const user = await admin.post("/api/users", { username: "fuzz", password, role: "member" });
  const invitation = await admin.post("/api/invitations", { maxUses: 10_000 });
  const { id: domainId } = own?.domain ?? {};
  const assignment = await admin.post("/api/assignments", { userId: user.body.id, domainId });
  const ask = (domainName: string) => admin.post("/api/assignments/requests", { domainName });
  const [approvable, rejectable] = [await ask("fuzz.example"), await ask("other.example")];
  const identity = await admin.post("/api/oauth/providers", { providerId: "github", clientId: "fuzz" });
  const requester = await zw.member("requester");
  const { body: me } = await requester.get("/api/auth/me");
  await admin.post("/api/assignments", { userId: me.id, domainId, access: "write" });
  const changeRequest = await requester.post(`/api/domains/${domainId}/change-requests`, {
    title: "Fuzz",
    changes: [{ action: "create", record: { recordType: "A", name: "requested", value: "192.0.2.9" } }],
  });
  const [mirrored, free] = await Promise.all(
    ["mirrored", "free"].map((folder) =>
      admin.post("/api/provider-configs", { kind: "zonefile", name: folder, config: { folder } }),
    ),
  );
  // Its zones can be listed as well.
  await mkdir(join(zw.dataDir, "zones", "free"), { recursive: true });
  const mirror = await admin.post(`/api/domains/${domainId}/mirrors`, { providerConfigId: mirrored?.body.id });
  const channel = await admin.post("/api/notifications", {
    channel: "webhook",
    name: "Fuzz",
    config: { url: "http://127.0.0.1:9/fuzz", secret: "a key of at least 24 characters" },
    events: ["channel.disabled"],
  });
  const template = await admin.post("/api/templates", website("fuzz"));
  await publish(zw, { administrators: true });
  const { body: reported } = await admin.get("/api/notifications");
  if (!own || !other) throw new Error("The zones could not be made.");
  const { body: history } = await admin.get(`/api/domains/${own.domain.id}/history`);
  const request = { recordType: "A", value: "192.0.2.1", newValue: "192.0.2.2", domainIds: [other.domain.id] };
  const { body: plan } = await admin.post("/api/records/replace/plan", request);
  const replacement = await admin.post("/api/records/replace/apply", { ...request, planHash: plan.planHash });
  return {
    domain: own.domain.id,
    record: own.record.id,
    snapshot: own.snapshot.id,
    laterSnapshot: own.later.id,
    changeSet: history.entries[0].id,
    replacement: replacement.body.jobId,
    zonefiles: zonefiles.id,
    config: config.body.id,
    registrarConfig: registrarConfig.body.id,
    user: user.body.id,
    invitation: invitation.body.id,
    inviteCode: invitation.body.code,
    mirror: mirror.body.mirrorId,
    mirrorConfig: free?.body.id,
    assignment: assignment.body.id,
    approvable: approvable.body.id,
    rejectable: rejectable.body.id,
    identityConfig: identity.body.id,
    notification: reported.notifications[0].id,
    channel: channel.body.id,
    changeRequest: changeRequest.body.id,
    template: template.body.id,
    othersRecord: other.record.id,
    othersSnapshot: other.snapshot.id,
  };
}
