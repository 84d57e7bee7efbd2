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
