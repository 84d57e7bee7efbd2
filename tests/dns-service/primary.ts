import { beforeAll } from "vitest";
import type { Zonewright } from "../support/zonewright.ts";

/** A configuration of kind `primary` that lets 127.0.0.1 transfer, and the port where it is served. */
interface Primary {
  port: number;
  configId: string;
}

/**
 * Creates the configuration, and a domain if one is named, before the tests of a file. Use the result only within tests and hooks.
 * @param zw listens for DNS
 */
export function usePrimary(zw: Zonewright, zone?: string): Primary {
  const primary = { port: 0, configId: "" };
  beforeAll(async () => {
    [primary.port = 0] = zw.services.dnsService.ports;
    const config = { nameServers: "ns1.example.net", contact: "dns@example.net", allowTransfer: "127.0.0.1" };
    const { body } = await zw.admin.post("/api/provider-configs", { kind: "primary", name: "Secondaries", config });
    primary.configId = body.id;
    if (zone !== undefined) await zw.admin.post("/api/domains", { name: zone, providerConfigId: primary.configId });
  });
  return primary;
}
