import { toUnicodeName } from "../../dns/names/names.ts";
import { realPause, type Pause } from "../../platform/pause.ts";
import { ok } from "../../platform/result.ts";
import { ProviderError, type DnsProvider } from "../provider.ts";
import { refusedCall, refusedRecord, type Refusal, type StoredRecord } from "../single-record-api/record-calls.ts";
import { recordAccountProvider, type RecordAccount } from "../single-record-api/provider.ts";
import { apexCname, isQueryable } from "../single-record-api/vendor-values.ts";
import { readPages } from "../vendor-api/pages.ts";
import {
  done,
  domainInfo,
  domainList,
  madeRecord,
  packageDetails,
  recordList,
  vendorName,
  type DnspodClient,
} from "./client.ts";
import { readOnlyReason } from "./limits.ts";
import { readRecord, recordParameters } from "./records.ts";

/** The largest page of domains, and of records. */
const onPage = 3_000;
/** The smallest TTL of the lowest package. */
export const highestFloorSeconds = 600;
/** "New records have a short index delay; if they are not found, try again after 30 seconds" (DescribeRecordList). */
const lagSeconds = 30;
/** Pauses between readings that may not show a new record yet; together they last as long as the delay. */
const pausesMilliseconds = [1_000, 2_000, 4_000, 8_000, 15_000];

export function dnspodProvider(client: DnspodClient, pause: Pause = realPause): DnsProvider {
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
    ttlFloor: { setBy: "the package of", highestSeconds: highestFloorSeconds, ofZone: (zone) => minTtl(client, zone) },
    readLag: { seconds: lagSeconds, pausesMilliseconds, pause },
  });
}

async function* zones(client: DnspodClient): AsyncGenerator<string[]> {
  const list = {
    vendor: vendorName,
    name: "The list of domains",
    pageSize: onPage,
    idOf: ({ Name }: { Name: string }) => Name,
  };
  const pages = readPages(list, async (page) => {
    const parameters = { Type: "ALL", Offset: (page - 1) * onPage, Limit: onPage };
    const answer = await client.call("DescribeDomainList", parameters, domainList);
    if (!answer.ok && isEmptyList(answer.refusal)) return emptyPage;
    if (!answer.ok) throw refusedCall(vendorName, "did not list its domains", answer.refusal);
    const { DomainTotal: total } = answer.value.DomainCountInfo;
    return { entries: answer.value.DomainList ?? [], total, isLast: page * onPage >= total };
  });
  for await (const page of pages) yield page.map(({ Name: shown, Punycode: ascii }) => ascii || shown);
}

async function createZone(client: DnspodClient, zone: string): Promise<void> {
  const added = await client.call("CreateDomain", domainOf(zone), done);
  if (added.ok || added.refusal.code === "FailedOperation.DomainExists") return;
  throw refusedCall(vendorName, `did not add the domain ${zone}`, added.refusal);
}

async function* records(client: DnspodClient, zone: string, name?: string): AsyncGenerator<StoredRecord[]> {
  const list = {
    vendor: vendorName,
    name: `The zone ${zone}`,
    pageSize: onPage,
    idOf: ({ RecordId }: { RecordId: number }) => RecordId,
    // The total is that of the zone, also where records are filtered by name.
    mustBeComplete: name === undefined,
  };
  const filter = name === undefined ? {} : { Subdomain: name };
  const pages = readPages(list, async (page) => {
    const range = { Offset: (page - 1) * onPage, Limit: onPage, ErrorOnEmpty: "no" };
    const answer = await client.call("DescribeRecordList", { ...domainOf(zone), ...filter, ...range }, recordList);
    if (!answer.ok && isEmptyList(answer.refusal)) return emptyPage;
    if (!answer.ok) throw noZone(zone, answer.refusal);
    const entries = answer.value.RecordList ?? [];
    return { entries, total: answer.value.RecordCountInfo.TotalCount, isLast: entries.length < onPage };
  });
  for await (const page of pages) {
    yield page.filter(({ Type: type }) => type !== "SOA").map((record) => readRecord(zone, record));
  }
}

async function minTtl(client: DnspodClient, zone: string): Promise<number> {
  const domain = await client.call("DescribeDomain", domainOf(zone), domainInfo);
  if (!domain.ok) throw noZone(zone, domain.refusal);
  const packages = await client.call("DescribePackageDetail", {}, packageDetails);
  if (!packages.ok) throw refusedCall(vendorName, "did not show its packages", packages.refusal);
  const { Grade: grade } = domain.value.DomainInfo;
  return packages.value.Info.find(({ DomainGrade: code }) => code === grade)?.MinTtl ?? 0;
}

function recordCalls(client: DnspodClient): Pick<RecordAccount, "create" | "update" | "remove"> {
  return {
    async create(zone, record) {
      const answer = await client.call("CreateRecord", { ...domainOf(zone), ...recordParameters(record) }, madeRecord);
      return answer.ok ? ok(String(answer.value.RecordId)) : refusedRecord(vendorName, answer.refusal);
    },
    async update(zone, id, record) {
      const parameters = { ...domainOf(zone), RecordId: Number(id), ...recordParameters(record) };
      const answer = await client.call("ModifyRecord", parameters, madeRecord);
      return answer.ok ? ok(null) : refusedRecord(vendorName, answer.refusal);
    },
    async remove(zone, id) {
      const answer = await client.call("DeleteRecord", { ...domainOf(zone), RecordId: Number(id) }, done);
      return answer.ok ? ok(null) : refusedRecord(vendorName, answer.refusal);
    },
  };
}

/** Names a domain the way the vendor lists it, in Unicode. */
function domainOf(zone: string): { Domain: string } {
  return { Domain: toUnicodeName(zone) };
}

const emptyPage = { entries: [], total: null, isLast: true };

function isEmptyList({ code }: Refusal): boolean {
  return code.startsWith("ResourceNotFound.NoDataOf");
}

function noZone(zone: string, refusal: Refusal): ProviderError {
  if (refusal.code === "OperationDenied.NoPermissionToOperateDomain") {
    const what = `refuses the key of this provider configuration for the zone ${zone}; the zone belongs to another account, or the key lacks the permission`;
    return refusedCall(vendorName, what, refusal);
  }
  if (refusal.code === "InvalidParameterValue.DomainNotExists") {
    return new ProviderError(`${vendorName} has no zone ${zone}.`, "none", { zoneMissing: true });
  }
  return refusedCall(vendorName, `did not show the zone ${zone}`, refusal);
}
