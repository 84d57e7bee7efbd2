import { knownKind } from "../../../../server/dns-providers/kinds.ts";
import { createEgress } from "../../../../server/net/egress.ts";
import { startAlidnsServer } from "../../../support/vendors/alidns/server.ts";
import { zone } from "../group.ts";

const now = () => new Date();

/** A fake of the vendor, with a zone of the edition that takes every TTL. */
export async function startAlidns() {
  const server = await startAlidnsServer();
  const { url, accessKeyId, accessKeySecret } = server;
  const egress = createEgress({ allow: ["127.0.0.1"], now });
  const kind = knownKind("alidns");
  const provider = kind.connect?.({ url, accessKeyId, accessKeySecret }, { zonesFolder: "/nowhere", now, egress });
  if (!provider) throw new Error("alidns has no back end");
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
