import { existsSync } from "node:fs";
import { join } from "node:path";
import { createClient, isZonewrightError } from "../../client-sdk/src/index.ts";
import { expect, vi } from "vitest";
import { assign, idOf } from "../accounts/assignments/assigned.ts";
import { entries } from "../notifications/audit/trail.ts";
import { approve, creating, readRequest, requested, verdict } from "../zones/change-requests/requested.ts";
import { storeFinding } from "../registry/delegation/found.ts";
import { jobOf, started } from "../bulk/replacements/replaced.ts";
import { patience } from "../support/patience.ts";
import { RestClient } from "../support/rest-client.ts";
import type { Zonewright } from "../support/zonewright.ts";
import { manualZone, type Body } from "../support/zones.ts";
import { LinkedTemplate } from "../bulk/templates/linked.ts";
import { powerdnsClient } from "../dns-service/update-clients/powerdns-api/client.ts";
import { transfer } from "../support/name-servers/transfer-client.ts";
import { deleted, madeAnew, primaryConfig, type Proofs } from "./proof.ts";

let count = 0;
const unique = (name: string) => `${name}-${(count += 1)}`;

/** What happens to each thing of a domain that is deleted. */
export const ofDomain = (zw: Zonewright): Proofs => ({
  "records and history": {
    columns: [
      "records.domain_id",
      "change_sets.domain_id",
      "server_managed_records.domain_id",
      "reverse_follows.domain_id",
      "acme_challenges.domain_id",
    ],
    async prove() {
      const zone = await manualZone(zw);
      await zone.add("A", "www", "192.0.2.1");
      const again = await madeAnew(zw, zone);
      expect((await zone.get("/records")).status).toBe(404);
      expect((await zone.get("/history")).status).toBe(404);
      expect([await again.records(), await again.history()]).toEqual([[], []]);
    },
  },
  "snapshots and their schedule": {
    columns: ["snapshots.domain_id"],
    async prove() {
      const zone = await manualZone(zw);
      await zw.admin.put(zone.path, { snapshotSchedule: "daily" });
      expect((await zone.post("/snapshots")).status).toBe(201);
      const again = await madeAnew(zw, zone);
      expect((await again.get("/snapshots")).body.total).toBe(0);
      expect((await again.detail()).snapshotSchedule).toBe("off");
    },
  },
  assignments: {
    columns: ["assignments.domain_id"],
    async prove() {
      const zone = await manualZone(zw);
      const member = await zw.member(unique("assigned"));
      await assign(zw, member, zone.id, "*");
      const again = await madeAnew(zw, zone);
      expect((await member.get(again.path)).status).toBe(404);
      expect((await zw.admin.get(`/api/assignments?userId=${await idOf(member)}`)).body.assignments).toEqual([]);
      const events = (await member.get("/api/notifications")).body.notifications.map(({ event }: Body) => event);
      expect(events).toContain("assignment.delete");
    },
  },
  "pending requests for access": {
    columns: ["assignment_requests.domain_id"],
    async prove() {
      const zone = await manualZone(zw);
      const member = await zw.member(unique("asks"));
      const asked = { domainName: zone.name, subdomainPattern: "www", access: "read" };
      const { body: request } = await member.post("/api/assignments/requests", asked);
      await deleted(zw.admin, zone.path);
      const approval = `/api/assignments/requests/${request.id}/approve`;
      expect((await zw.admin.post(approval)).status).toBe(409);
      const again = await madeZone(zw, zone.name);
      expect((await zw.admin.post(approval)).status).toBe(200);
      expect((await member.get(`/api/domains/${again}`)).status).toBe(200);
    },
  },
  "open change requests": {
    columns: ["change_requests.domain_id"],
    async prove() {
      const zone = await manualZone(zw);
      const member = await zw.member(unique("author"));
      await assign(zw, member, zone.id, "*");
      const made = await requested(member, zone, creating("www"));
      await deleted(zw.admin, zone.path);
      for (const client of [member, zw.admin]) expect((await readRequest(client, made)).state).toBe("withdrawn");
    },
  },
  "scheduled change requests": {
    async prove() {
      const zone = await manualZone(zw);
      const member = await zw.member(unique("planner"));
      await assign(zw, member, zone.id, "*");
      const applyAt = new Date(Date.now() + 3_600_000).toISOString();
      const made = await requested(member, zone, creating("www"), { applyAt });
      expect((await approve(zw.admin, made)).status).toBe(200);
      const again = await madeAnew(zw, zone);
      expect((await verdict(zw.admin, made, "apply")).status).toBe(409);
      expect(await again.records()).toEqual([]);
    },
  },
  "replacements that are running": {
    columns: ["batch_items.domain_id"],
    async prove() {
      const [one, other] = [await manualZone(zw), await manualZone(zw)];
      for (const zone of [one, other]) await zone.add("A", "@", "10.99.0.1");
      const jobId = await started(zw.admin, { recordType: "A", value: "10.99.0.1", newValue: "192.0.2.99" });
      await deleted(zw.admin, one.path);
      await zw.services.batches.run();
      expect(await jobOf(zw.admin, jobId)).toMatchObject({ state: "done", progress: { domains: 1, done: 1 } });
    },
  },
  "links to templates": {
    columns: ["domain_templates.domain_id"],
    async prove() {
      const template = await LinkedTemplate.of(zw, unique("ends"));
      const zone = await manualZone(zw);
      await template.link(zone);
      const again = await madeAnew(zw, zone);
      expect((await again.get("/templates")).body.templates).toEqual([]);
      expect(await template.plan()).toMatchObject({ domains: [], unchanged: 0 });
    },
  },
  "delegation findings": {
    columns: ["delegations.domain_id", "delegation_findings.domain_id"],
    async prove() {
      const zone = await manualZone(zw);
      await storeFinding(zw, zone.id);
      const again = await madeAnew(zw, zone);
      expect((await again.get("/delegation")).body.findings).toEqual([]);
    },
  },
  "hosts whose [certificates](registrations.md#watch-certificates) are watched": {
    columns: ["tls_watches.domain_id", "tls_hosts.domain_id", "certificate_notices.domain_id"],
    async prove() {
      const zone = await manualZone(zw);
      await zw.admin.put(`${zone.path}/tls-hosts`, { mode: "listed", hosts: [{ host: "www" }] });
      const again = await madeAnew(zw, zone);
      expect((await again.get("/tls-hosts")).body).toMatchObject({ mode: "off", hosts: [] });
    },
  },
  "reminders before expiry": {
    columns: ["expiry_reminders.domain_id"],
    async prove() {
      const zone = await manualZone(zw);
      await zw.admin.put(zone.path, { expiresAt: new Date(Date.now() + 86_400_000).toISOString() });
      const again = await madeAnew(zw, zone);
      expect((await again.detail()).expiresAt).toBeNull();
    },
  },
  "its [mirrors](mirrors.md)": {
    columns: ["mirrors.domain_id"],
    async prove() {
      const zone = await manualZone(zw);
      const folder = unique("mirror");
      const config = { kind: "zonefile", name: folder, config: { folder } };
      const { body } = await zw.admin.post("/api/provider-configs", config);
      const mirror = await zone.post("/mirrors", { providerConfigId: body.id });
      await zone.post(`/mirrors/${mirror.body.mirrorId}/reconcile`);
      const again = await madeAnew(zw, zone);
      expect((await again.get("/mirrors")).body.mirrors).toEqual([]);
      expect(existsSync(join(zw.dataDir, "zones", folder, `${zone.name}.zone`))).toBe(true);
    },
  },
  "settings, metadata and comments that clients of [PowerDNS's API](powerdns-clients.md) gave it": {
    columns: ["powerdns_zones.domain_id", "powerdns_metadata.domain_id", "powerdns_comments.domain_id"],
    async prove() {
      const zone = await manualZone(zw);
      const client = await powerdnsClient(zw.admin);
      const at = `/zones/${zone.name}.`;
      const shown = async () => {
        const { account, rrsets } = (await client.get(at)).body;
        return [account, (await client.get(`${at}/metadata`)).body.length, rrsets[0].comments.length];
      };
      const soa = { name: `${zone.name}.`, type: "SOA", changetype: "REPLACE", comments: [{ content: "ours" }] };
      expect((await client.send("PUT", at, { account: "team" })).status).toBe(204);
      expect((await client.send("PUT", `${at}/metadata/X-NOTE`, { metadata: ["a"] })).status).toBe(200);
      expect((await client.patch(zone.name, [soa])).status).toBe(204);
      expect(await shown()).toEqual(["team", 1, 1]);
      await madeAnew(zw, zone);
      expect(await shown()).toEqual(["", 0, 0]);
    },
  },
  "its zone at secondaries": {
    columns: ["primary_zones.domain_id", "secondary_revisions.domain_id"],
    async prove() {
      const { port, path, catalog } = await primaryConfig(zw);
      const name = `${unique("transferred")}.example`;
      const { body } = await zw.admin.post("/api/domains", { name, providerConfigId: path.split("/").at(-1) });
      expect((await transfer(port, name)).rcode).toBe(0);
      const members = async () => (await transfer(port, catalog)).lines.filter((line) => line.includes(" PTR ")).length;
      expect(await members()).toBe(1);
      await deleted(zw.admin, `/api/domains/${body.id}?force=true`);
      expect((await transfer(port, name)).rcode).toBe(5);
      expect(await members()).toBe(0);
    },
  },
  "personal tokens that are narrowed to it alone": {
    columns: [],
    async prove() {
      const zone = await manualZone(zw);
      const wish = { name: "Narrowed", permissions: ["domains:read"], domainIds: [zone.id] };
      const { body } = await zw.admin.post("/api/auth/me/tokens", wish);
      const token = new RestClient(zw.url, body.token);
      expect((await token.get("/api/domains")).body.total).toBe(1);
      await madeAnew(zw, zone);
      await vi.waitFor(async () => expect((await token.get("/api/domains")).status).toBe(401), patience);
    },
  },
  "calendar feeds that are narrowed to it alone": {
    columns: [],
    async prove() {
      const zone = await manualZone(zw);
      const wish = { name: "Renewals", domainIds: [zone.id] };
      const { body } = await zw.admin.post("/api/auth/me/feeds", wish);
      const fetched = () => zw.nobody.get(`/api/calendar/${body.token}.ics`);
      expect((await fetched()).status).toBe(200);
      await madeAnew(zw, zone);
      expect((await fetched()).status).toBe(404);
    },
  },
  "TSIG keys for it": {
    columns: ["tsig_keys.domain_id"],
    async prove() {
      const zone = await manualZone(zw);
      const { body } = await zw.admin.post("/api/auth/me/tsig-keys", { domainId: zone.id });
      await madeAnew(zw, zone);
      expect(await zw.services.tsigKeyCredentials.named(body.keyName)).toBeNull();
      const { body: list } = await zw.admin.get("/api/auth/me/tsig-keys");
      expect(list.keys.map(({ id }: Body) => id)).not.toContain(body.id);
      const [entry] = await entries(zw.admin, { targetId: body.id, action: "tsig_key.delete" });
      expect(entry?.before).toMatchObject({ keyName: body.keyName, domainId: zone.id });
    },
  },
  "streams that watch it": {
    async prove() {
      const zone = await manualZone(zw);
      const { promise: began, resolve: begin } = Promise.withResolvers<unknown>();
      const { promise: failure, resolve: fail } = Promise.withResolvers<unknown>();
      const client = createClient({ url: zw.url, token: zw.admin.token });
      client.domains.watch.subscribe({ ids: [zone.id] }, { onData: begin, onError: fail });
      await began;
      await deleted(zw.admin, zone.path);
      const error = await failure;
      expect(isZonewrightError(error) && error.code).toBe("NOT_FOUND");
    },
  },
});

async function madeZone(zw: Zonewright, name: string): Promise<string> {
  const { body } = await zw.admin.post("/api/domains", { name });
  return body.id;
}
