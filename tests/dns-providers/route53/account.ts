import { afterAll, beforeAll } from "vitest";
import { startRoute53, type Route53Server } from "../../support/vendors/route53/server.ts";
import { Clock } from "../../support/clock.ts";
import { settleOpen, wait } from "../settling.ts";
import { useZonewright, type Zonewright } from "../../support/zonewright.ts";
import { freshName, Zone, type Body } from "../../support/zones.ts";

/** A service, a Route 53 account, and the service's configuration for it. */
export interface Account {
  zw: Zonewright;
  /** Settles the changes that unanswered calls left pending. */
  settle(): Promise<void>;
  /** Advances the clock. */
  wait(milliseconds: number): Promise<void>;
  server: Route53Server;
  config: Body;
  /** Creates a configuration; omitted fields default to those of the account. */
  configure(fields?: Record<string, string>): Promise<Body>;
  /** A domain of ours whose zone is made there, and the id that it has there. */
  zone(): Promise<{ zone: Zone; hosted: string }>;
  /** A domain of ours for a zone that is there already. */
  adopt(name: string, providerConfigId?: string): Promise<Zone>;
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
    server: undefined as unknown as Route53Server,
    config: undefined,
    async configure(fields = {}) {
      const { accessKeyId, secretAccessKey, url: endpoint } = account.server;
      const config = { accessKeyId, secretAccessKey, endpoint, ...fields };
      const { status, body } = await zw.admin.post("/api/provider-configs", {
        kind: "route53",
        name: `Route 53 ${++configs}`,
        config,
      });
      if (status !== 201) throw new Error(JSON.stringify(body));
      return body;
    },
    async zone() {
      const name = freshName();
      const hosted = account.server.addZone(name);
      return { zone: await account.adopt(name), hosted };
    },
    async adopt(name, providerConfigId = account.config.id) {
      const { status, body } = await zw.admin.post("/api/domains", { name, providerConfigId });
      if (status !== 201) throw new Error(JSON.stringify(body));
      return new Zone(zw, body);
    },
  };
  beforeAll(async () => {
    account.server = await startRoute53();
    account.config = await account.configure();
  });
  afterAll(() => account.server.stop());
  return account;
}
