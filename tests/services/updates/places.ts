import { afterAll, beforeAll } from "vitest";
import { startBind } from "../../support/name-servers/bind.ts";
import { startPowerdns } from "../../support/name-servers/powerdns-api.ts";
import { startZonewright, type Zonewright } from "../../support/zonewright.ts";
import { startCloudflare } from "../../support/vendors/cloudflare/server.ts";

/** The kinds of providers whose zones take updates in these tests. */
export const kinds = ["rfc2136", "powerdns", "cloudflare", "primary", "zonefile", "manual"] as const;
export type Kind = (typeof kinds)[number];

/** Provider configurations of each kind, with the servers behind them. */
export class Places {
  readonly #running: { stop(): Promise<void> }[] = [];

  /** Creates the configuration of a kind for a zone, or finds the one that is there already. @returns its ID */
  async configFor(zw: Zonewright, kind: Kind, zone: string): Promise<string> {
    const config = await this.#start(kind, zone);
    if (config) {
      const { status, body } = await zw.admin.post("/api/provider-configs", { kind, name: zone, config });
      if (status !== 201) throw new Error(JSON.stringify(body));
      return body.id;
    }
    const { body } = await zw.admin.get("/api/provider-configs");
    const present: { id: string; kind: string }[] = body.configs;
    return present.find((one) => one.kind === kind)?.id ?? "";
  }

  async #start(kind: Kind, zone: string): Promise<Record<string, unknown> | null> {
    switch (kind) {
      case "rfc2136": {
        const bind = await startBind([zone], { forbidden: [`refused.${zone}`] });
        this.#running.push(bind);
        return { ...bind.config };
      }
      case "powerdns": {
        const server = await startPowerdns();
        this.#running.push(server);
        return { url: server.url, apiKey: server.apiKey };
      }
      case "cloudflare": {
        const server = await startCloudflare();
        this.#running.push(server);
        return { apiToken: server.token, accountId: server.accountId, endpoint: server.url };
      }
      case "primary":
        return { nameServers: "ns1.example.net", contact: "dns@example.net" };
      default:
        return null;
    }
  }

  async stop(): Promise<void> {
    for (const one of this.#running) await one.stop();
  }
}

/** Starts the service and closes it and all places after the tests of a file. Use the result only within tests and hooks. */
export function usePlaces(): { zw: Zonewright; places: Places } {
  const places = new Places();
  const started = { places } as { zw: Zonewright & { stop(): Promise<void> }; places: Places };
  beforeAll(async () => {
    started.zw = await startZonewright({ env: { DNS_LISTEN: "127.0.0.1:0", EGRESS_ALLOW: "127.0.0.1" } });
  });
  afterAll(async () => {
    await started.zw.stop();
    await places.stop();
  });
  return started;
}
