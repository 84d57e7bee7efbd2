import { afterAll, beforeAll, beforeEach } from "vitest";
import { Clock } from "../../support/clock.ts";
import { dsOf, registered, type RegistrarAccount } from "../../support/vendors/registrars/account.ts";
import { registrarKinds, startRegistrars, type Registrars } from "../../support/vendors/registrars/all.ts";
import { adminPassword, startZonewright, type Zonewright } from "../../support/zonewright.ts";
import type { Body } from "../../support/zones.ts";
import { content, reset, startPrivateRoot, zoneName, type PrivateRoot } from "../delegation/private-root.ts";

export const publicKey = Buffer.alloc(64, 7).toString("base64");
/** The DS record of that key. */
export const ds = dsOf(zoneName, 13, publicKey);

/** A domain that is registered at every registrar, Gandi unless a test chooses another one, below a root of its own. */
class RegisteredDomain {
  readonly clock = new Clock();
  root!: PrivateRoot;
  accounts!: Registrars;
  readonly configs: Record<string, string> = {};
  zw!: Zonewright & { stop(): Promise<void> };
  path!: string;

  get gandi(): RegistrarAccount {
    return this.accounts.gandi;
  }

  async start(): Promise<void> {
    [this.root, this.accounts] = await Promise.all([startPrivateRoot(), startRegistrars()]);
    const env = { RESOLVER_ROOTS: this.root.roots, EGRESS_ALLOW: "127.0.0.0/8", JOBS: "off" };
    this.zw = await startZonewright({ env, now: this.clock.now, pause: () => Promise.resolve() });
    for (const kind of registrarKinds) {
      const { config } = this.accounts[kind];
      this.configs[kind] = (await this.zw.admin.post("/api/registrar-configs", { kind, name: kind, config })).body.id;
    }
    const { body } = await this.zw.admin.post("/api/domains", { name: zoneName });
    this.path = `/api/domains/${body.id}`;
  }

  async stop(): Promise<void> {
    await this.zw.stop();
    await Promise.all([...Object.values(this.accounts).map((one) => one.stop()), this.root.internet.stop()]);
  }

  async reset(): Promise<void> {
    reset(this.root);
    for (const { domains } of Object.values(this.accounts))
      domains.set(zoneName, registered({ nameServers: ["ns1.one.tld", "ns2.one.tld"] }));
    this.zw.admin.token = (await this.zw.signIn("admin", adminPassword)).token;
    await this.zw.admin.put(this.path, { registrarConfigId: this.configs["gandi"], reviewRequired: "off" });
  }

  /** What Gandi has of the name. */
  account() {
    return this.gandi.domains.get(zoneName) ?? registered();
  }

  /** Gives the zone the key of `ds`. */
  signZone(): void {
    const signed = [...content(), `${zoneName} DNSKEY 257 3 13 ${publicKey}`];
    this.root.first.zones = { [zoneName]: signed };
    this.root.second.zones = { [zoneName]: signed };
  }

  put(body: object, client = this.zw.admin) {
    return client.put(`${this.path}/registration`, body);
  }

  /** Plans a change, and carries the plan out. */
  async changed(wanted: object, more: object = {}): Promise<{ plan: Body; status: number; body: Body }> {
    const { body: plan } = await this.put({ ...wanted, dryRun: true });
    const { status, body } = await this.put({ ...wanted, planHash: plan.planHash, ...more });
    return { plan, status, body };
  }
}

/** Starts such a domain before the tests of a file; before each, it is registered as at first. */
export function useRegisteredDomain(): RegisteredDomain {
  const at = new RegisteredDomain();
  beforeAll(async () => await at.start());
  beforeEach(async () => await at.reset());
  afterAll(async () => await at.stop());
  return at;
}
