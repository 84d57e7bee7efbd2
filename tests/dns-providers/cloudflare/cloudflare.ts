import { afterAll, beforeAll, beforeEach } from "vitest";
import { freshName, Zone, type Body } from "../../support/zones.ts";
import type { StoredRecord } from "../../support/vendors/cloudflare/record-forms.ts";
import { startCloudflare, type CloudflareServer } from "../../support/vendors/cloudflare/server.ts";
import { Clock } from "../../support/clock.ts";
import { settleOpen, wait } from "../settling.ts";
import { useZonewright, type Zonewright } from "../../support/zonewright.ts";

/** A running service and Cloudflare's API, which it may reach. */
export interface Harness {
  readonly zw: Zonewright;
  /** Settles the changes that unanswered calls left pending. */
  settle(): Promise<void>;
  /** Advances the clock. */
  wait(milliseconds: number): Promise<void>;
  readonly server: CloudflareServer;
  /** Makes a provider configuration. @returns its id */
  configure(config?: Record<string, string>): Promise<string>;
  /** A new domain whose zone is at Cloudflare. */
  zone(plan?: string): Promise<Zone>;
}

/** Starts both for a file of tests; the log of calls and the faults are empty before each test. */
export function useCloudflare(): Harness {
  const clock = new Clock();
  const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1" }, now: clock.now, pause: clock.pause });
  let server: CloudflareServer | undefined;
  let configs = 0;
  let usual: Promise<string> | undefined;
  const running = () => {
    if (!server) throw new Error("The server is not running yet.");
    return server;
  };
  beforeAll(async () => {
    server = await startCloudflare();
  });
  beforeEach(() => {
    running().forgetCalls();
    running().vendor.forgetFaults();
  });
  afterAll(() => running().stop());

  async function configure(config: Record<string, string> = {}): Promise<string> {
    const { token, accountId, url } = running();
    const values = { apiToken: token, accountId, endpoint: url, ...config };
    const { status, body } = await zw.admin.post("/api/provider-configs", {
      kind: "cloudflare",
      name: `Cloudflare ${++configs}`,
      config: values,
    });
    if (status !== 201) throw new Error(`not made: ${status} ${JSON.stringify(body)}`);
    return body.id;
  }

  return {
    zw,
    settle: () => settleOpen(zw, clock),
    wait: (milliseconds) => wait(zw, clock, milliseconds),
    get server() {
      return running();
    },
    configure,
    async zone(plan = "free") {
      const name = freshName();
      running().addZone(name, plan);
      usual ??= configure();
      const { status, body } = await zw.admin.post("/api/domains", { name, providerConfigId: await usual });
      if (status !== 201) throw new Error(`not made: ${status} ${JSON.stringify(body)}`);
      running().forgetCalls();
      return new Zone(zw, body);
    },
  };
}

/** What Cloudflare has, as `name type content`, sorted. */
export function linesAt(server: CloudflareServer, zone: Zone): string[] {
  return server
    .records(zone.name)
    .map(({ name, type, content }) => `${name} ${type} ${content}`)
    .toSorted();
}

/** The one record of that name. */
export function recordAt(server: CloudflareServer, zone: Zone, name: string): StoredRecord {
  const found = server.records(zone.name).filter((record) => record.name === `${name}.${zone.name}`);
  const [first] = found;
  if (!first || found.length > 1) throw new Error(`${found.length} records of ${name}`);
  return first;
}

/** The write calls received. */
export function writes(server: CloudflareServer): Body[] {
  return server.calls.filter(({ method }) => method !== "GET").map(({ body }) => body);
}

/** What a sync would change: nothing if Zonewright shows what Cloudflare has. */
export async function difference(zone: Zone): Promise<Body> {
  const { status, body } = await zone.post("/sync", { dryRun: true });
  const { created, updated, deleted } = body;
  return { status, created, updated, deleted };
}

export const none = { status: 200, created: 0, updated: 0, deleted: 0 };
