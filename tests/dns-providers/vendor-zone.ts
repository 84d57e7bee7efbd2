import { expect } from "vitest";
import { Zone, type Body } from "../support/zones.ts";
import type { Faults } from "../support/vendors/faults.ts";
import type { Zonewright } from "../support/zonewright.ts";

let configs = 0;

/** Creates a configuration and checks that the answer has no secrets. @returns its id */
export async function configure(
  zw: Zonewright,
  kind: string,
  config: Record<string, string>,
  secrets: readonly string[],
): Promise<string> {
  const { status, body } = await zw.admin.post("/api/provider-configs", { kind, name: `${kind} ${++configs}`, config });
  expect({ status, body }).toMatchObject({ status: 201 });
  for (const secret of secrets) expect(JSON.stringify(body)).not.toContain(secret);
  return body.id;
}

/** Imports a zone of the vendor. */
export async function importZone(zw: Zonewright, config: string, name: string): Promise<Zone> {
  const { body } = await zw.admin.post(`/api/provider-configs/${config}/import`, { zones: [name] });
  const [result] = body.results;
  expect(result).toMatchObject({ success: true, error: null });
  return new Zone(zw, { id: result.domainId, name });
}

/** Adds a zone that is new at the vendor, or takes over the one that is there. */
export async function newZone(zw: Zonewright, config: string, name: string): Promise<Zone> {
  const { status, body } = await zw.admin.post("/api/domains", { name, providerConfigId: config });
  expect({ status, body }).toMatchObject({ status: 201 });
  return new Zone(zw, { id: body.id, name });
}

/** The record with this name and value. */
export async function recordOf(zone: Zone, name: string, value: string): Promise<Body> {
  const found = (await zone.records()).filter((one) => one.name === name && one.value === value);
  expect(found).toHaveLength(1);
  return found[0];
}

/** Plans and applies a set of changes. */
export async function applySet(zone: Zone, changes: object[]): Promise<Body> {
  const { body: plan } = await zone.post("/records/plan", { changes });
  return await zone.post("/records/apply", { changes, planHash: plan.planHash });
}

/** The newest change set of the zone. */
export async function lastChange(zone: Zone): Promise<Body> {
  const [last] = await zone.history();
  return last;
}

/** Expects that a sync finds nothing to do: the list matches the vendor. */
export async function expectInSync(zone: Zone): Promise<void> {
  const { status, body } = await zone.post("/sync", { dryRun: true });
  expect({ status, body }).toMatchObject({ status: 200, body: { created: 0, updated: 0, deleted: 0 } });
}

/** Expects that every fault struck and that the list matches the vendor. */
export async function expectSettled(faults: Faults, zone: Zone): Promise<void> {
  expect(faults.left).toBe(0);
  await expectInSync(zone);
}
