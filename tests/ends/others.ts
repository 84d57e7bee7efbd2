import { expect } from "vitest";
import { queries } from "../../server/database/database.ts";
import { beginImport } from "../../server/zones/domains/zone-imports.ts";
import { assign } from "../accounts/assignments/assigned.ts";
import {
  approve,
  creating,
  readRequest,
  requested,
  requireReview,
  verdict,
} from "../zones/change-requests/requested.ts";
import { jobOf, started } from "../bulk/replacements/replaced.ts";
import type { Zonewright } from "../support/zonewright.ts";
import { fileZone, manualZone } from "../support/zones.ts";
import { LinkedTemplate } from "../bulk/templates/linked.ts";
import { transfer } from "../support/name-servers/transfer-client.ts";
import { deleted, primaryConfig, tokenOf, type Proofs } from "./proof.ts";

let count = 0;
const unique = () => `ends-${(count += 1)}`;

/** What happens to what uses a provider configuration that is deleted. */
export const ofConfiguration = (zw: Zonewright): Proofs => ({
  "domains that use it": {
    columns: ["domains.provider_config_id"],
    async prove() {
      const path = await configuration(zw);
      const id = path.split("/").at(-1);
      const { body: domain } = await zw.admin.post("/api/domains", { name: "uses-it.example", providerConfigId: id });
      expect((await zw.admin.delete(path)).status).toBe(409);
      await deleted(zw.admin, `/api/domains/${domain.id}`);
      await deleted(zw.admin, path);
    },
  },
  "[mirrors](mirrors.md) there": {
    columns: ["mirrors.provider_config_id"],
    async prove() {
      const config = { kind: "zonefile", name: unique(), config: { folder: unique() } };
      const { id } = (await zw.admin.post("/api/provider-configs", config)).body;
      const path = `/api/provider-configs/${id}`;
      const zone = await manualZone(zw);
      const { body } = await zone.post("/mirrors", { providerConfigId: id });
      expect((await zw.admin.delete(path)).status).toBe(409);
      await deleted(zw.admin, `${zone.path}/mirrors/${body.mirrorId}`);
      await deleted(zw.admin, path);
    },
  },
  "finished imports": {
    columns: ["zone_imports.provider_config_id"],
    async prove() {
      const { body } = await zw.admin.post("/api/provider-configs", { kind: "zonefile", name: unique(), config: {} });
      const path = `/api/provider-configs/${body.id}`;
      const em = zw.services.database.fork();
      const importId = await beginImport(em, body.id, [], new Date());
      await deleted(zw.admin, path);
      expect((await zw.admin.get(`${path}/import`)).status).toBe(404);
      const left = queries(em).selectFrom("zone_imports").select("id").where("id", "=", importId);
      expect(await left.execute()).toEqual([]);
    },
  },
  "its catalog zone": {
    columns: ["primary_catalogs.provider_config_id"],
    async prove() {
      const { port, path, catalog } = await primaryConfig(zw);
      expect((await transfer(port, catalog)).rcode).toBe(0);
      await deleted(zw.admin, path);
      expect((await transfer(port, catalog)).rcode).toBe(5);
    },
  },
});

/** What happens to what a personal token did when it is deleted. */
export const ofToken = (zw: Zonewright): Proofs => ({
  "change requests that it made": {
    async prove() {
      const member = await zw.member(`tokens-${(count += 1)}`);
      const zone = await manualZone(zw);
      await assign(zw, member, zone.id, "*");
      const permissions = ["domains:read", "records:read", "records:write", "requests:read", "requests:write"];
      const { id, program } = await tokenOf(member, permissions);
      const made = await requested(program, zone, creating("www"));
      expect((await approve(zw.admin, made)).status).toBe(200);
      await deleted(member, `/api/auth/me/tokens/${id}`);
      expect((await verdict(zw.admin, made, "apply")).status).toBe(409);
      expect(await zone.records()).toEqual([]);
    },
  },
  "approvals that it gave": {
    async prove() {
      const member = await zw.member(`reviewed-${(count += 1)}`);
      const zone = await manualZone(zw);
      await assign(zw, member, zone.id, "*");
      await requireReview(zw, zone, "members");
      const made = await requested(member, zone, creating("www"));
      const { id, program } = await tokenOf(zw.admin, ["requests:read", "requests:write", "records:read"]);
      expect((await approve(program, made)).status).toBe(200);
      expect((await readRequest(member, made)).reviews).toMatchObject([{ counts: true }]);
      await deleted(zw.admin, `/api/auth/me/tokens/${id}`);
      expect((await verdict(member, made, "apply")).body.code).toBe("REVIEW_REQUIRED");
    },
  },
  "replacements that it started": {
    async prove() {
      const zone = await manualZone(zw);
      await zone.add("A", "@", "10.99.1.1");
      const { id, program } = await tokenOf(zw.admin, ["records:read", "records:write"]);
      const jobId = await started(program, { recordType: "A", value: "10.99.1.1", newValue: "192.0.2.98" });
      await deleted(zw.admin, `/api/auth/me/tokens/${id}`);
      await zw.services.batches.run();
      expect(await jobOf(zw.admin, jobId)).toMatchObject({ state: "stopped" });
    },
  },
});

/** What happens to the domains of a template that is deleted. */
export const ofTemplate = (zw: Zonewright): Proofs => ({
  "domains linked to it": {
    async prove() {
      const template = await LinkedTemplate.of(zw, `linked-end-${(count += 1)}`);
      const zone = await fileZone(zw);
      const applied = await template.link(zone);
      const path = `/api/templates/${template.id}`;
      expect((await zw.admin.delete(path)).status).toBe(409);
      await deleted(zw.admin, `${zone.path}/templates/${applied.id}`);
      await deleted(zw.admin, path);
    },
  },
  "records that it created": {
    async prove() {
      const template = await LinkedTemplate.of(zw, `created-end-${(count += 1)}`);
      const zone = await fileZone(zw);
      const applied = await template.link(zone);
      const before = await zone.lines();
      expect(before.length).toBeGreaterThan(0);
      await deleted(zw.admin, `${zone.path}/templates/${applied.id}`);
      await deleted(zw.admin, `/api/templates/${template.id}`);
      expect(await zone.lines()).toEqual(before);
    },
  },
});

/** Makes a configuration without a back end. @returns its path */
async function configuration(zw: Zonewright): Promise<string> {
  const { body } = await zw.admin.post("/api/provider-configs", { kind: "manual", name: unique() });
  return `/api/provider-configs/${body.id}`;
}
