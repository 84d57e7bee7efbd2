import { absoluteName } from "../../dns/names/names.ts";
import { parseZoneFile } from "../../dns/zone-file/parse.ts";
import type { Soa } from "../../dns/zone-file/contents.ts";
import { ok, refuse, type Result } from "../../platform/result.ts";
import { ProviderError, type DnsProvider } from "../provider.ts";
import { recordAccountProvider, type RecordAccount } from "../single-record-api/provider.ts";
import type { StoredRecord } from "../single-record-api/record-calls.ts";
import type { DigitalOceanApi } from "./api.ts";
import { readRecord, writeRecord } from "./wire-records.ts";

/** Returns a provider for the domains of one account. The zone file that the API shows may be outdated, so zones have no fingerprint. */
export function digitalOceanProvider(api: DigitalOceanApi): DnsProvider {
  return {
    ...recordAccountProvider({
      vendor: api.name,
      zones: () => api.domains(),
      createZone: (zone) => createZone(api, zone),
      records: (zone, name) => records(api, zone, name),
      ...recordCalls(api),
      mostQueries: 5,
      concurrency: 1,
    }),
    readSoa: (zone) => readZoneSoa(api, zone),
  };
}

async function createZone(api: DigitalOceanApi, zone: string): Promise<void> {
  if (await api.domain(zone)) return;
  const created = await api.createDomain(zone);
  if (!created.ok) throw new ProviderError(`${api.name} did not create the domain ${zone}: ${created.message}`, "none");
}

async function* records(api: DigitalOceanApi, zone: string, name?: string): AsyncGenerator<StoredRecord[]> {
  const fullName = name === undefined ? undefined : absoluteName(name, zone);
  for await (const page of api.records(zone, fullName)) yield page.flatMap((record) => readRecord(zone, record) ?? []);
}

function recordCalls(api: DigitalOceanApi): Pick<RecordAccount, "create" | "update" | "remove"> {
  const answered = <T>(answer: Result<T>) =>
    answer.ok ? answer : refuse(`${api.name} refused the change: ${answer.message}`);
  return {
    async create(zone, record) {
      const created = answered(await api.create(zone, writeRecord(record)));
      return created.ok ? ok(String(created.value.id)) : created;
    },
    async update(zone, id, record) {
      const updated = answered(await api.update(zone, id, writeRecord(record)));
      return updated.ok ? ok(null) : updated;
    },
    async remove(zone, id) {
      const deleted = answered(await api.delete(zone, id));
      return deleted.ok ? ok(null) : deleted;
    },
  };
}

async function readZoneSoa(api: DigitalOceanApi, zone: string): Promise<Soa | null> {
  const domain = await api.domain(zone);
  const parsed = parseZoneFile(domain?.zoneFile ?? "", { zone, keepBadData: true });
  return parsed.ok ? parsed.soa : null;
}
