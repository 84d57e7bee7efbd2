import { knownKind } from "../../../../server/dns-providers/kinds.ts";
import { createEgress } from "../../../../server/net/egress.ts";
import { startRoute53 as startServer } from "../../../support/vendors/route53/server.ts";
import { zone } from "../group.ts";
import type { Target } from "../targets.ts";

const now = () => new Date();

export async function startRoute53(): Promise<Target> {
  const { accessKeyId, secretAccessKey, url, stop } = await startServer();
  const egress = createEgress({ allow: ["127.0.0.1"], now });
  const kind = knownKind("route53");
  const provider = kind.connect?.(
    { accessKeyId, secretAccessKey, endpoint: url },
    { zonesFolder: "/nowhere", now, egress },
  );
  if (!provider) throw new Error("route53 has no back end");
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
