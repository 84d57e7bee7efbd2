import { afterAll, beforeAll, onTestFinished } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { startIdentityVendor, vendorClient, type IdentityVendor } from "../../support/identity/vendors.ts";
import type { Answer } from "../../support/rest-client.ts";
import { rogueClient, startRogueProvider, type RogueProvider } from "../../support/identity/rogue-openid-provider.ts";
import type { Zonewright } from "../../support/zonewright.ts";

/** Providers on loopback, and temporary configurations of them. */
export interface LoopbackProviders {
  /** An OpenID provider that can be made to return false data. */
  readonly rogue: RogueProvider;
  /** A GitHub simulator. */
  readonly vendor: IdentityVendor;
  /** A valid configuration of each. */
  oidc(): object;
  github(): object;
  /** Changes fields of the discovery document for one test. */
  discovers(fields: Readonly<Record<string, unknown>>): void;
  /** Configures a provider for one test. */
  configured(config: object): Promise<Answer>;
  /** Configures a provider without reading its discovery document, as if the document had changed since. */
  enabledUnseen(config: object): Promise<void>;
}

export function useLoopbackProviders(zw: Zonewright): LoopbackProviders {
  let rogue: RogueProvider;
  let vendor: IdentityVendor;
  beforeAll(async () => {
    rogue = await startRogueProvider();
    vendor = await startIdentityVendor("github");
  });
  afterAll(async () => {
    await rogue.stop();
    await vendor.stop();
  });
  return {
    get rogue() {
      return rogue;
    },
    get vendor() {
      return vendor;
    },
    oidc: () => ({ providerId: "oidc", ...rogueClient, wellKnownUrl: rogue.wellKnownUrl }),
    github: () => ({ providerId: "github", ...vendorClient, ...vendor.endpoints }),
    discovers(fields) {
      Object.assign(rogue.discovery, fields);
      onTestFinished(() => {
        for (const field of Object.keys(fields)) delete rogue.discovery[field];
      });
    },
    async configured(config) {
      const answer = await zw.admin.post("/api/oauth/providers", config);
      if (answer.status === 201)
        onTestFinished(async () => {
          await zw.admin.delete(`/api/oauth/providers/${answer.body.id}`, { "x-confirm-delete": "true" });
        });
      return answer;
    },
    async enabledUnseen(config) {
      const { body } = await this.configured({ ...config, enabled: false });
      const em = zw.services.database.fork();
      await queries(em).updateTable("identity_configs").set({ enabled: true }).where("id", "=", body.id).execute();
    },
  };
}
