import { startBind } from "../../support/name-servers/bind.ts";
import { startFaultyProxy, type FaultyProxy } from "./faulty-proxy.ts";
import { startPowerdns } from "../../support/name-servers/powerdns-api.ts";
import { recordLines } from "../../support/records/presentation.ts";
import { nsupdate } from "../../support/name-servers/nsupdate.ts";
import { dnsWire, powerdnsWire } from "./wire-requests.ts";

/** A name server with one zone, reached through a proxy that injects faults. */
export interface Backend {
  /** The provider configuration: through the proxy. */
  readonly configuration: { kind: string; name: string; config: Record<string, unknown> };
  readonly proxy: FaultyProxy;
  /** What `dig` gets in a transfer, past the proxy. */
  served(zone: string): Promise<string[]>;
  /** Replaces a name's records with these, TTL 300, bypassing Zonewright. */
  edit(zone: string, name: string, type: string, rdatas: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

/** A check for drift in the background asks the server, too, and would meet a fault that waits for the call of a test. */
export const withoutDriftChecks = { DRIFT_CHECK: "off" };

/** A busy machine may be slow. */
const timeoutSeconds = 60;

/** BIND by dynamic update. @param forbidden names that its policy protects from changes */
export async function bindBackend(zones: readonly string[], forbidden: readonly string[] = []): Promise<Backend> {
  const server = await startBind(zones, { forbidden });
  const proxy = await startFaultyProxy(server.port, dnsWire);
  const config = { ...server.config, port: proxy.port, timeoutSeconds };
  return {
    configuration: { kind: "rfc2136", name: "BIND", config },
    proxy,
    served: async (zone) => recordLines(await server.transfer(zone)),
    edit: (zone, name, type, rdatas) =>
      nsupdate(server, zone, [
        `update delete ${name}.${zone}. ${type}`,
        ...rdatas.map((rdata) => `update add ${name}.${zone}. 300 ${type} ${rdata}`),
      ]),
    async stop() {
      await proxy.stop();
      await server.stop();
    },
  };
}

/** PowerDNS by its API. */
export async function powerdnsBackend(): Promise<Backend> {
  const server = await startPowerdns();
  const proxy = await startFaultyProxy(Number(new URL(server.url).port), powerdnsWire);
  const config = { url: `http://127.0.0.1:${proxy.port}`, apiKey: server.apiKey, timeoutSeconds };
  return {
    configuration: { kind: "powerdns", name: "PowerDNS", config },
    proxy,
    served: async (zone) => recordLines(await server.transfer(zone)),
    async edit(zone, name, type, rdatas) {
      const records = rdatas.map((content) => ({ content, disabled: false }));
      const rrset = { name: `${name}.${zone}.`, type, ttl: 300, changetype: "REPLACE", records };
      await server.call("PATCH", `/zones/${zone}.`, { rrsets: [rrset] });
    },
    async stop() {
      await proxy.stop();
      await server.stop();
    },
  };
}
