import { knownKind } from "../../../../server/dns-providers/kinds.ts";
import { createEgress } from "../../../../server/net/egress.ts";
import { startDnspodServer } from "../../../support/vendors/dnspod/server.ts";
import { zone } from "../group.ts";

const now = () => new Date();

/** A fake of the vendor, with a zone of the package that takes every TTL. */
export async function startDnspod() {
  const server = await startDnspodServer();
  const { url, secretId, secretKey } = server;
  const egress = createEgress({ allow: ["127.0.0.1"], now });
  const kind = knownKind("dnspod");
  const provider = kind.connect?.({ url, secretId, secretKey }, { zonesFolder: "/nowhere", now, egress });
  if (!provider) throw new Error("dnspod has no back end");
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
