import { afterAll, beforeAll } from "vitest";
import { startCloudflare, type CloudflareServer } from "../../support/vendors/cloudflare/server.ts";
import type { Zonewright } from "../../support/zonewright.ts";

/** A stand-in of Cloudflare, and a configuration for it. */
interface Cloud {
  server: CloudflareServer;
  configId: string;
}

/** Starts the stand-in before the tests of a file and stops it after them. Use the result only within tests and hooks. */
export function useCloudflare(zw: Zonewright): Cloud {
  const cloud = {} as Cloud;
  beforeAll(async () => {
    cloud.server = await startCloudflare();
    const { token, accountId, url } = cloud.server;
    const config = { apiToken: token, accountId, endpoint: url };
    const { body } = await zw.admin.post("/api/provider-configs", { kind: "cloudflare", name: "Cloud", config });
    cloud.configId = body.id;
  });
  afterAll(() => cloud.server.stop());
  return cloud;
}
