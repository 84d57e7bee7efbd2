import { toUnicodeName } from "../../dns/names/names.ts";
import { ok } from "../../platform/result.ts";
import { ProviderError, type DnsProvider } from "../provider.ts";
import { refusedCall, refusedRecord, type Refusal, type StoredRecord } from "../single-record-api/record-calls.ts";
import { recordAccountProvider, type RecordAccount } from "../single-record-api/provider.ts";
import { apexCname, isQueryable } from "../single-record-api/vendor-values.ts";
import { readPages } from "../vendor-api/pages.ts";
import { done, domainInfo, domainPage, madeRecord, recordPage, vendorName, type AlidnsClient } from "./client.ts";
import { readOnlyReason } from "./limits.ts";
import { readRecord, recordParameters } from "./records.ts";

const domainsOnPage = 100;
const recordsOnPage = 500;
/** The smallest TTL of the lowest edition. */
export const highestFloorSeconds = 600;

export function alidnsProvider(client: AlidnsClient): DnsProvider {
  return recordAccountProvider({
    vendor: vendorName,
    zones: () => zones(client),
    createZone: (zone) => createZone(client, zone),
    records: (zone, name) => records(client, zone, name),
    ...recordCalls(client),
    readOnlyReason,
    apexCname,
    mostQueries: 4,
    isQueryable,
    // A domain takes one write at a time.
    concurrency: 1,
    ttlFloor: { setBy: "the edition of", highestSeconds: highestFloorSeconds, ofZone: (zone) => minTtl(client, zone) },
  });
}

async function* zones(client: AlidnsClient): AsyncGenerator<string[]> {
  const list = {
    vendor: vendorName,
    name: "The list of domains",
    pageSize: domainsOnPage,
    idOf: ({ DomainName }: { DomainName: string }) => DomainName,
  };
  const pages = readPages(list, async (page) => {
    const answer = await client.call("DescribeDomains", { PageNumber: page, PageSize: domainsOnPage }, domainPage);
    if (!answer.ok) throw refusedCall(vendorName, "did not list its domains", answer.refusal);
    const { Domains: domains, TotalCount: total } = answer.value;
    return { entries: domains.Domain, total, isLast: page * domainsOnPage >= total };
  });
  for await (const page of pages) yield page.map(({ DomainName: shown, PunyCode: ascii }) => ascii || shown);
}

async function createZone(client: AlidnsClient, zone: string): Promise<void> {
  const added = await client.call("AddDomain", domainOf(zone), done);
  if (added.ok) return;
  // The domain may be in this account already, or in another one.
  if ((await client.call("DescribeDomainInfo", domainOf(zone), domainInfo)).ok) return;
  throw refusedCall(vendorName, `did not add the domain ${zone}`, added.refusal);
}

async function* records(client: AlidnsClient, zone: string, name?: string): AsyncGenerator<StoredRecord[]> {
  const list = {
    vendor: vendorName,
    name: `The zone ${zone}`,
    pageSize: recordsOnPage,
    idOf: ({ RecordId }: { RecordId: string }) => RecordId,
    mustBeComplete: true,
  };
  const filter: Record<string, string> = name === undefined ? {} : { SearchMode: "COMBINATION", RRKeyWord: name };
  const pages = readPages(list, async (page) => {
    const parameters = { ...domainOf(zone), ...filter, PageNumber: page, PageSize: recordsOnPage, Direction: "ASC" };
    const answer = await client.call("DescribeDomainRecords", parameters, recordPage);
    if (!answer.ok) throw noZone(zone, answer.refusal);
    const { DomainRecords: served, TotalCount: total } = answer.value;
    return { entries: served.Record, total, isLast: page * recordsOnPage >= total };
  });
  for await (const page of pages) {
    yield page.filter(({ Type: type }) => type !== "SOA").map((record) => readRecord(zone, record));
  }
}

async function minTtl(client: AlidnsClient, zone: string): Promise<number> {
  const answer = await client.call("DescribeDomainInfo", domainOf(zone), domainInfo);
  if (!answer.ok) throw noZone(zone, answer.refusal);
  return answer.value.MinTtl ?? 0;
}

function recordCalls(client: AlidnsClient): Pick<RecordAccount, "create" | "update" | "remove"> {
  return {
    async create(zone, record) {
      const answer = await client.call(
        "AddDomainRecord",
        { ...domainOf(zone), ...recordParameters(record) },
        madeRecord,
      );
      return answer.ok ? ok(answer.value.RecordId) : refusedRecord(vendorName, answer.refusal);
    },
    async update(_zone, id, record) {
      const answer = await client.call("UpdateDomainRecord", { RecordId: id, ...recordParameters(record) }, madeRecord);
      return answer.ok ? ok(null) : refusedRecord(vendorName, answer.refusal);
    },
    async remove(_zone, id) {
      const answer = await client.call("DeleteDomainRecord", { RecordId: id }, madeRecord);
      // A repeated deletion may find that an earlier attempt was carried out.
      const isGone = !answer.ok && answer.refusal.code === "DomainRecordNotBelongToUser";
      return answer.ok || isGone ? ok(null) : refusedRecord(vendorName, answer.refusal);
    },
  };
}

/** Names a domain the way the vendor lists it, in Unicode. */
function domainOf(zone: string): { DomainName: string } {
  return { DomainName: toUnicodeName(zone) };
}

function noZone(zone: string, refusal: Refusal): ProviderError {
  if (refusal.code === "IncorrectDomainUser") {
    const what = `refuses the access key of this provider configuration for the zone ${zone}, which belongs to another account`;
    return refusedCall(vendorName, what, refusal);
  }
  if (refusal.code === "InvalidDomainName.NoExist") {
    return new ProviderError(`${vendorName} has no zone ${zone}.`, "none", { zoneMissing: true });
  }
  return refusedCall(vendorName, `did not show the zone ${zone}`, refusal);
}
