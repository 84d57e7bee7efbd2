import { expect } from "vitest";
import { asPresented, recordLines, type ListedRecord } from "../../support/records/presentation.ts";
import type { Answer, RestClient } from "../../support/rest-client.ts";
import type { Backend } from "./backends.ts";

export interface ShownRecord extends ListedRecord {
  id: string;
}

/** A zone that Zonewright manages at a name server. */
export class ManagedZone {
  readonly name: string;
  /** Below /api. */
  readonly path: string;
  readonly backend: Backend;
  /** A new client after each restart. */
  client: RestClient;

  constructor(name: string, path: string, backend: Backend, client: RestClient) {
    this.name = name;
    this.path = path;
    this.backend = backend;
    this.client = client;
  }

  create(name: string, value: string, ttl = 300): Promise<Answer> {
    return this.client.post(`${this.path}/records`, { recordType: "A", name, value, ttl });
  }

  /** Plans and applies. */
  async apply(changes: readonly unknown[]): Promise<Answer> {
    const { body } = await this.client.post(`${this.path}/records/plan`, { changes });
    return await this.client.post(`${this.path}/records/apply`, { changes, planHash: body.planHash, force: true });
  }

  /** Whether a plan warns of an edit made elsewhere. */
  async editedElsewhere(): Promise<boolean> {
    const changes = [{ action: "create", record: { recordType: "A", name: "planned", value: "192.0.2.254" } }];
    const { body } = await this.client.post(`${this.path}/records/plan`, { changes });
    return body.warnings.some((warning: string) => warning.includes("outside Zonewright"));
  }

  async records(): Promise<ShownRecord[]> {
    const records: ShownRecord[] = [];
    for (let page = 1; ; page++) {
      const { body } = await this.client.get(`${this.path}/records?limit=500&page=${page}`);
      records.push(...body.records);
      if (records.length >= body.total) return records;
    }
  }

  async named(name: string): Promise<ShownRecord[]> {
    return (await this.records()).filter((record) => record.name === name);
  }

  /** The newest change sets first. */
  async history(): Promise<Record<string, unknown>[]> {
    const { body } = await this.client.get(`${this.path}/history?limit=100`);
    return body.entries;
  }
}

/** Changes that no server takes in one message: 600 kB on the wire, and each octet as four characters in the JSON that PowerDNS reads. */
export function hugeSet(prefix: string) {
  return Array.from({ length: 100 }, (_, index) => ({
    action: "create",
    record: { recordType: "TXT", name: `${prefix}-${index}`, value: `${index} `.padEnd(2_000, "東") },
  }));
}

/** Adds the zone through the backend. */
export async function manage(admin: RestClient, name: string, backend: Backend): Promise<ManagedZone> {
  const config = await admin.post("/api/provider-configs", backend.configuration);
  const { status, body } = await admin.post("/api/domains", { name, providerConfigId: config.body.id });
  expect({ status, body }).toMatchObject({ status: 201 });
  return new ManagedZone(name, `/api/domains/${body.id}`, backend, admin);
}

/** Every edit first settles pending changes, so any edit will do. */
export async function settle({ client, path }: ManagedZone): Promise<void> {
  const probe = { recordType: "A", name: "probe", value: "192.0.2.253" };
  const { status, body } = await client.post(`${path}/records`, probe);
  expect({ status, body }).toMatchObject({ status: 201 });
  expect((await client.delete(`${path}/records/${body.id}`)).status).toBe(200);
}

/** Nothing is open. */
export async function expectNothingOpen(zone: ManagedZone): Promise<void> {
  expect((await zone.history()).filter(({ state }) => state === "pending")).toEqual([]);
}

/**
 * The list is what the name server serves, and nothing is open.
 * @param unseen lines of what others have put there and no sync has brought in
 * @returns the list
 */
export async function expectAgreement(zone: ManagedZone, unseen: readonly string[] = []): Promise<ShownRecord[]> {
  await expectNothingOpen(zone);
  const records = await zone.records();
  const lines = [...recordLines(asPresented(zone.name, records)), ...unseen].toSorted();
  expect(lines).toEqual(await zone.backend.served(zone.name));
  return records;
}

/** Expects that a sync has nothing to do: Zonewright matches the name server. */
export async function expectInSync({ client, path }: ManagedZone): Promise<void> {
  const { status, body } = await client.post(`${path}/sync`);
  expect({ status, body }).toMatchObject({ status: 200, body: { created: 0, updated: 0, deleted: 0 } });
}
