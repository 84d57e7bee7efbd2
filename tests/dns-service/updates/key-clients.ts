import type { TsigKey } from "../../../server/dns/wire/tsig.ts";
import { UpdateClient } from "../../support/name-servers/update-client.ts";
import type { RestClient } from "../../support/rest-client.ts";
import type { Zonewright } from "../../support/zonewright.ts";

/** What a key is limited to. */
export interface KeyLimits {
  access?: "update" | "read" | "both";
  hostPattern?: string;
  recordTypes?: readonly string[];
  algorithm?: TsigKey["algorithm"];
}

/** A new key of a user for a domain. */
export async function newKey(
  owner: RestClient,
  domainId: string,
  limits: KeyLimits = {},
): Promise<{ id: string; tsig: TsigKey }> {
  const { status, body } = await owner.post("/api/auth/me/tsig-keys", { domainId, access: "both", ...limits });
  if (status !== 201) throw new Error(`The key was not created: ${JSON.stringify(body)}`);
  const { id, keyName: name, algorithm, secret } = body;
  return { id, tsig: { name, algorithm, secret: Buffer.from(secret, "base64") } };
}

/** A domain, a key of the administrator for it, and a client with that key. */
export async function newZone(
  zw: Zonewright,
  name: string,
  { providerConfigId, ...limits }: KeyLimits & { providerConfigId?: string } = {},
) {
  const domain = await zw.admin.post("/api/domains", { name, ...(providerConfigId ? { providerConfigId } : {}) });
  if (domain.status !== 201) throw new Error(`The domain was not created: ${JSON.stringify(domain.body)}`);
  const id: string = domain.body.id;
  const key = await newKey(zw.admin, id, limits);
  const [port = 0] = zw.services.dnsService.ports;
  const path = `/api/domains/${id}/records`;
  return {
    id,
    key,
    path,
    client: new UpdateClient(port, name, key.tsig),
    clientWith: async (owner: RestClient, more: KeyLimits) =>
      new UpdateClient(port, name, (await newKey(owner, id, more)).tsig),
    add: async (...records: readonly Record<string, unknown>[]) => {
      for (const record of records) {
        const { status, body } = await zw.admin.post(path, record);
        if (status !== 201) throw new Error(`The record was not created: ${JSON.stringify(body)}`);
      }
    },
    /** The records as `name ttl type value`, sorted. */
    lines: async (): Promise<string[]> => {
      const { body } = await zw.admin.get(`${path}?limit=500`);
      const records: { name: string; ttl: number; recordType: string; value: string }[] = body.records;
      return records.map((one) => `${one.name} ${one.ttl} ${one.recordType} ${one.value}`).toSorted();
    },
    revision: async (): Promise<number> => (await zw.admin.get(`/api/domains/${id}`)).body.revision,
  };
}
