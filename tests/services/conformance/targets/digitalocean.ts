import { knownKind } from "../../../../server/dns-providers/kinds.ts";
import { createEgress } from "../../../../server/net/egress.ts";
import { startDigitalOcean as startServer } from "../../../support/vendors/digitalocean/server.ts";
import { zone } from "../group.ts";
import type { Target } from "../targets.ts";

const now = () => new Date();

export async function startDigitalOcean(): Promise<Target> {
  const { token, url, stop } = await startServer();
  const egress = createEgress({ allow: ["127.0.0.1"], now });
  const kind = knownKind("digitalocean");
  const provider = kind.connect?.({ token, endpoint: url }, { zonesFolder: "/nowhere", now, egress });
  if (!provider) throw new Error("digitalocean has no back end");
  await provider.createZone(zone);
  return {
    kind,
    provider,
    async stop() {
      await egress.close();
      await stop();
    },
  };
}
