import { expect } from "vitest";
import { asPresented, recordLines, type ListedRecord } from "../../support/presentation.ts";
import type { Answer, RestClient } from "../../support/rest-client.ts";
import type { Backend } from "./backends.ts";

export interface ShownRecord extends ListedRecord {
  id: string;
}

/** A zone that Zonewright manages at a name server, and what must be true of the two. */
export class ManagedZone {
  readonly name: string;
  /** Below /api. */
  readonly path: string;
  /** Another one after a restart. */
  client: RestClient;
  readonly #backend: Backend;

  constructor(name: string, path: string, client: RestClient, backend: Backend) {
    this.name = name;
    this.path = path;
    this.client = client;
    this.#backend = backend;
  }

  create(name: string, value: string, ttl = 300): Promise<Answer> {
    return this.client.post(`${this.path}/records`, { recordType: "A", name, value, ttl });
  }

  async records(): Promise<ShownRecord[]> {
    const { body } = await this.client.get(`${this.path}/records?limit=500`);
    expect(body.records).toHaveLength(body.total);
    return body.records;
  }

  async named(name: string): Promise<ShownRecord[]> {
    return (await this.records()).filter((record) => record.name === name);
  }

  /** The newest change sets first. */
  async history(): Promise<Record<string, unknown>[]> {
    const { body } = await this.client.get(`${this.path}/history?limit=100`);
    return body.entries;
  }

  /** Every edit settles what is open first, so any will do. */
  async settle(): Promise<void> {
    const { status, body } = await this.create("probe", "192.0.2.253");
    expect({ status, body }).toMatchObject({ status: 201 });
    expect((await this.client.delete(`${this.path}/records/${body.id}`)).status).toBe(200);
  }

  /** The list is what the name server serves, and nothing is open. */
  async expectAgreement(): Promise<void> {
    expect((await this.history()).filter(({ state }) => state === "pending")).toEqual([]);
    expect(recordLines(asPresented(this.name, await this.records()))).toEqual(await this.#backend.served(this.name));
  }
}

/** Adds the zone through the backend. */
export async function manage(admin: RestClient, name: string, backend: Backend): Promise<ManagedZone> {
  const config = await admin.post("/api/provider-configs", backend.configuration);
  expect({ status: config.status, body: config.body }).toMatchObject({ status: 201 });
  const { status, body } = await admin.post("/api/domains", { name, providerConfigId: config.body.id });
  expect({ status, body }).toMatchObject({ status: 201 });
  return new ManagedZone(name, `/api/domains/${body.id}`, admin, backend);
}
