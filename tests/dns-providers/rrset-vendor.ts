import { afterAll, beforeAll, beforeEach } from "vitest";
import { harbour as exampleKind } from "../../examples/provider-kind/harbour.ts";
import { knownKind, withAnyConfig } from "../../server/dns-providers/kinds.ts";
import type {
  ChangeOutcome,
  DnsProvider,
  ProviderEnvironment,
  RecordChange,
} from "../../server/dns-providers/provider.ts";
import { VendorAccounts } from "../../server/dns-providers/vendor-api/accounts.ts";
import { createEgress, type Egress } from "../../server/platform/net/egress.ts";
import { Clock } from "../support/clock.ts";
import { harbour } from "../support/vendors/rrsets/harbour.ts";
import { startRrsetVendor, type RrsetDialect, type RrsetServer } from "../support/vendors/rrsets/server.ts";
import { record } from "./zone-folder.ts";

/** The zone of a simulated account. */
export const zone = "harbour.example";

/** An answer that has no effect. */
export const reply = (body: object, status = 200) => ({ after: false, reply: { status, body: JSON.stringify(body) } });
export const a = (name: string, value = "192.0.2.1", ttl = 3600) => record(name, "A", value, ttl);

interface Vendor {
  server: RrsetServer;
  provider: DnsProvider;
  clock: Clock;
  /** Connects, with limits and tokens of its own unless it shares `accounts`. */
  connect(
    fields?: Record<string, string | undefined>,
    more?: Pick<ProviderEnvironment, "accounts" | "purpose">,
  ): DnsProvider;
  apply: (changes: RecordChange[], atomic?: boolean) => Promise<ChangeOutcome[]>;
  /** What the account holds beside what a new zone has. */
  held: () => string[];
}

/** An account with one zone, anew for each test. */
export function useVendor(dialect: RrsetDialect): Vendor {
  let egress: Egress;
  const kind = dialect === harbour ? withAnyConfig(exampleKind) : knownKind(dialect.kind);
  const vendor = {
    connect(fields = {}, more = {}) {
      const { server, clock } = vendor;
      const config = kind.configSchema.parse({ ...server.config, ...fields });
      const accounts = new VendorAccounts({ now: clock.now, pause: clock.pause });
      const connected = kind.connect?.(config, { zonesFolder: "/nowhere", now: clock.now, egress, accounts, ...more });
      if (!connected) throw new Error(`${dialect.kind} has no back end`);
      return connected;
    },
    apply: async (changes, atomic = false) => (await vendor.provider.applyChanges(zone, changes, { atomic })).outcomes,
    held: () => vendor.server.store.lines(zone),
  } as Vendor;
  beforeAll(async () => {
    vendor.server = await startRrsetVendor(dialect);
    egress = createEgress({ allow: ["127.0.0.1"], now: () => new Date() });
  });
  afterAll(async () => {
    await egress.close();
    await vendor.server.stop();
  });
  beforeEach(() => {
    const { server } = vendor;
    server.forgetFaults();
    server.store.zones.clear();
    server.store.addZone(zone);
    server.calls.length = 0;
    vendor.clock = new Clock();
    vendor.provider = vendor.connect();
  });
  return vendor;
}
