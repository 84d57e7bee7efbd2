import type { ServerKey } from "../../tests/support/name-servers/update-server.ts";
import { zoneFile, type Environment } from "../support/environment.ts";

/** Adds a configuration of kind `primary`. @returns its id */
export async function configure(
  { client }: Environment,
  name: string,
  config: Readonly<Record<string, string>>,
): Promise<string> {
  const fields = { nameServers: "ns1.example.net", contact: "dns@example.net", ...config };
  const { status, body } = await client.post("/api/provider-configs", { kind: "primary", name, config: fields });
  if (status !== 201) throw new Error(`the configuration failed: ${JSON.stringify(body)}`);
  return body.id;
}

/** Adds a domain with the records of `zoneFile`, besides its SOA. @returns its id */
export async function addZone(
  { client }: Environment,
  configId: string,
  name: string,
  records: number,
): Promise<string> {
  const { status, body } = await client.post("/api/domains", { name, providerConfigId: configId });
  if (status !== 201) throw new Error(`${name} failed: ${JSON.stringify(body)}`);
  const lines = zoneFile(name, records).split("\n");
  const zonefile = lines.filter((line) => !/ SOA |^@ NS /.test(line)).join("\n");
  const merged = await client.post(`/api/domains/${body.id}/zonefile`, { zonefile });
  if (merged.status !== 200) throw new Error(`${name} failed: ${JSON.stringify(merged.body)}`);
  return body.id;
}

/** Returns a key as the field `tsigKeys` takes it. */
export function keyText({ name, algorithm, secret }: ServerKey): string {
  return `${name}:${algorithm}:${secret}`;
}
