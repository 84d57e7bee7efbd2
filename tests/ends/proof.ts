import type { RestClient } from "../support/rest-client.ts";
import type { Zonewright } from "../support/zonewright.ts";
import type { Zone } from "../support/zones.ts";
import { addZone, manualConfig } from "../support/zones.ts";

/** A row of docs/guide/what-ends.md. */
interface Proof {
  /** Foreign keys in the database, as `table.column`, that the row is about. */
  columns?: readonly string[];
  prove: () => Promise<void>;
}

/** Proofs of one heading, by the first cell of their row. */
export type Proofs = Readonly<Record<string, Proof>>;

/** Deletes a domain, and adds another of the same name. */
export async function madeAnew(zw: Zonewright, zone: Zone): Promise<Zone> {
  await deleted(zw.admin, zone.path);
  return await addZone(zw, { name: zone.name, providerConfigId: await manualConfig(zw) });
}

let catalogs = 0;

/** Makes a configuration of kind `primary` that loopback may transfer from. */
export async function primaryConfig(zw: Zonewright): Promise<{ port: number; path: string; catalog: string }> {
  const catalog = `catalog-${(catalogs += 1)}.invalid`;
  const { body } = await zw.admin.post("/api/provider-configs", {
    kind: "primary",
    name: catalog,
    config: {
      nameServers: "ns1.example.net",
      contact: "dns@example.net",
      allowTransfer: "127.0.0.1",
      catalogZone: catalog,
    },
  });
  const [port = 0] = zw.services.dnsService.ports;
  return { port, path: `/api/provider-configs/${body.id}`, catalog };
}

/** @throws Error if it is refused */
export async function deleted(client: RestClient, path: string): Promise<void> {
  const { status, body } = await client.delete(path);
  if (status !== 200) throw new Error(`Not deleted: ${JSON.stringify(body)}`);
}

/** Makes a personal token. @returns a client that uses it */
export async function tokenOf(client: RestClient, permissions: string[]): Promise<{ id: string; program: RestClient }> {
  const { status, body } = await client.post("/api/auth/me/tokens", { name: "For a test", permissions });
  if (status !== 201) throw new Error(`No token: ${JSON.stringify(body)}`);
  const program = Object.assign(Object.create(Object.getPrototypeOf(client)), client) as RestClient;
  program.token = body.token;
  return { id: body.id, program };
}
