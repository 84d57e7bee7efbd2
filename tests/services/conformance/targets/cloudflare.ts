import { knownKind } from "../../../../server/dns-providers/kinds.ts";
import { createEgress } from "../../../../server/net/egress.ts";
import { startCloudflare as startServer } from "../../../support/vendors/cloudflare/server.ts";
import { zone } from "../group.ts";
import type { Target } from "../targets.ts";

const now = () => new Date();

/** Cloudflare's API in this process, with a zone on the Free plan. */
export async function startCloudflare(): Promise<Target> {
  const server = await startServer();
  const egress = createEgress({ allow: ["127.0.0.1"], now });
  const kind = knownKind("cloudflare");
  const config = { apiToken: server.token, accountId: server.accountId, endpoint: server.url };
  const provider = kind.connect?.(config, { zonesFolder: "/nowhere", now, egress });
  if (!provider) throw new Error("Cloudflare has a back end.");
  await provider.createZone(zone);
  return {
    kind,
    provider,
    async stop() {
      await egress.close();
      await server.stop();
    },
  };
}
