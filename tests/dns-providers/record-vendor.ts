import { knownKind } from "../../server/dns-providers/kinds.ts";
import type { DnsProvider, ProviderEnvironment } from "../../server/dns-providers/provider.ts";
import { createEgress } from "../../server/platform/net/egress.ts";
import { startRecordVendor, type RecordDialect, type RecordServer } from "../support/vendors/records/server.ts";

/** The zone of a simulated account. */
export const zone = "harbour.example";

/** Finds every host on this machine. */
const lookup = () => Promise.resolve(["127.0.0.1"]);

/** Runs a test with an account that has one zone. @param fields of the configuration, beside those of the dialect @param more limits and a clock, unless they are its own */
export async function withAccount(
  dialect: RecordDialect,
  work: (server: RecordServer, provider: DnsProvider) => Promise<void>,
  fields: Record<string, string> | ((server: RecordServer) => Record<string, string>) = {},
  more: Pick<ProviderEnvironment, "accounts"> = {},
): Promise<void> {
  const server = await startRecordVendor(dialect);
  const egress = createEgress({ allow: ["127.0.0.1"], now: () => new Date(), lookup });
  server.store.addZone(zone);
  try {
    const environment = { zonesFolder: "/nowhere", now: () => new Date(), egress, ...more };
    const own = typeof fields === "function" ? fields(server) : fields;
    const provider = knownKind(dialect.kind).connect?.({ ...server.config, ...own }, environment);
    if (!provider) throw new Error(`${dialect.kind} has no back end`);
    await work(server, provider);
  } finally {
    await egress.close();
    await server.stop();
  }
}
