import { addZone, freshName, manualConfig, type Body, type Zone } from "./zones.ts";
import type { Zonewright } from "./zonewright.ts";

let nets = 0;

/** A /24 that no other test of the file has, with its managed reverse zone. */
export interface Net {
  /** The address with this last number. */
  at(host: number): string;
  zone: Zone;
}

/** The name of the reverse zone of a fresh /24, and its addresses. */
export function freshNet(): { name: string; at: (host: number) => string } {
  nets += 1;
  const [high, low] = [nets >> 8, nets & 255];
  return { name: `${low}.${high}.44.in-addr.arpa`, at: (host) => `44.${high}.${low}.${host}` };
}

/** A reverse zone that lives in Zonewright only. */
export async function reverseNet(zw: Zonewright, more: object = {}): Promise<Net> {
  const { name, at } = freshNet();
  return { at, zone: await addZone(zw, { name, providerConfigId: await manualConfig(zw), ...more }) };
}

/** A forward zone that lives in Zonewright only. */
export async function forwardZone(zw: Zonewright, reverse: string, more: object = {}): Promise<Zone> {
  const zone = await addZone(zw, { name: freshName(), providerConfigId: await manualConfig(zw), ...more });
  await set(zone, { reverse });
  return zone;
}

/** Changes settings of a domain. */
export async function set(zone: Zone, patch: object): Promise<Body> {
  const { status, body } = await zone.client.put(zone.path, patch);
  if (status !== 200) throw new Error(`not changed: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** The PTR records of a zone as `owner target`. */
export async function pointers(zone: Zone): Promise<string[]> {
  const records = (await zone.records()).filter(({ recordType }) => recordType === "PTR");
  return records.map(({ name, value }) => `${name} ${value}`).toSorted();
}
