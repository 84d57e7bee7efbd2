import { afterAll, beforeAll } from "vitest";
import { startDigitalOcean, type DigitalOceanServer } from "../../support/vendors/digitalocean/server.ts";
import { Clock } from "../../support/clock.ts";
import { settleOpen, wait } from "../settling.ts";
import { useZonewright, type Zonewright } from "../../support/zonewright.ts";
import { freshName, Zone, type Body } from "../../support/zones.ts";

/** A service, a DigitalOcean account, and the service's configuration for it. */
export interface Account {
  zw: Zonewright;
  /** Settles the changes that unanswered calls left pending. */
  settle(): Promise<void>;
  /** Advances the clock. */
  wait(milliseconds: number): Promise<void>;
  server: DigitalOceanServer;
  config: Body;
  configure(fields?: Record<string, string>): Promise<Body>;
  /** A domain of ours that is there, with its name servers only. */
  zone(): Promise<Zone>;
}

let configs = 0;

/** Use the result only within tests and hooks. */
export function useAccount(): Account {
  const clock = new Clock();
  const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1" }, now: clock.now, pause: clock.pause });
  const account: Account = {
    zw,
    settle: () => settleOpen(zw, clock),
    wait: (milliseconds) => wait(zw, clock, milliseconds),
    server: undefined as unknown as DigitalOceanServer,
    config: undefined,
    async configure(fields = {}) {
      const config = { token: account.server.token, endpoint: account.server.url, ...fields };
      const input = { kind: "digitalocean", name: `DigitalOcean ${++configs}`, config };
      const { status, body } = await zw.admin.post("/api/provider-configs", input);
      if (status !== 201) throw new Error(JSON.stringify(body));
      return body;
    },
    async zone() {
      const input = { name: freshName(), providerConfigId: account.config.id };
      const { status, body } = await zw.admin.post("/api/domains", input);
      if (status !== 201) throw new Error(JSON.stringify(body));
      return new Zone(zw, body);
    },
  };
  beforeAll(async () => {
    account.server = await startDigitalOcean();
    account.config = await account.configure();
  });
  afterAll(() => account.server.stop());
  return account;
}
