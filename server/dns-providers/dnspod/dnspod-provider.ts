import { parseZoneName, toUnicodeName } from "../../dns/names/names.ts";
import { recordKey, type RecordData } from "../../dns/record.ts";
import { realPause, type Pause } from "../../platform/pause.ts";
import { ok } from "../../platform/result.ts";
import { refusedCall, refusedRecord, type Refusal } from "../one-by-one/answers.ts";
import { applyOneByOne } from "../one-by-one/apply-changes.ts";
import { eachOnce, type RecordCalls, type StoredRecord } from "../one-by-one/stored-records.ts";
import { namesToAsk } from "../one-by-one/names-to-ask.ts";
import {
  ProviderError,
  type ApplyOptions,
  type ApplyResult,
  type DnsProvider,
  type RecordChange,
} from "../provider.ts";
import { done, domainInfo, domainList, madeRecord, packageDetails, recordList } from "./api.ts";
import { vendorName, type DnspodClient } from "./client.ts";
import { keptReason } from "./limits.ts";
import { readRecord, recordParameters } from "./records.ts";
import { PageTurner } from "../vendor-api/page-turner.ts";
import { storeWithFloor } from "../one-by-one/ttl-floor.ts";
import { touchedNames } from "../applying/touched-records.ts";
import { lateSeconds } from "../vendor-api/calls.ts";

/** The largest page of domains, and of records. */
const onPage = 3_000;
/** The floor of the lowest package. */
export const highestFloorSeconds = 600;
/** "New records have a short index delay; if they are not found, try again after 30 seconds": what its lists of records are behind. */
const lagSeconds = 30;
/** Between readings that may not show yet what was made a moment ago; all of the lag together. */
const pausesMilliseconds = [1_000, 2_000, 4_000, 8_000, 15_000];

/** The API neither knows a transaction nor shows a serial: changes go one by one, and there is no mark of a zone's content. */
export function dnspodProvider(client: DnspodClient, pause: Pause = realPause): DnsProvider {
  return {
    settlesAfterSeconds: lateSeconds + lagSeconds,
    readLagSeconds: lagSeconds,
    listZones: () => listZones(client),
    createZone: (zone) => createZone(client, zone),
    readZone: (zone) => readZone(client, zone),
    applyChanges: (zone, changes, options = {}) => applyChanges(client, zone, changes, options, pause),
    minTtl: (zone) => minTtl(client, zone),
    readSoa: () => Promise.resolve(null),
    fingerprint: () => Promise.resolve(null),
  };
}

async function listZones(client: DnspodClient): Promise<string[]> {
  const names = new Set<string>();
  const turner = new PageTurner(vendorName);
  for (let offset = 0; ; offset += onPage) {
    const answer = await client.call("DescribeDomainList", { Type: "ALL", Offset: offset, Limit: onPage }, domainList);
    if (!answer.ok && isEmptyList(answer.refusal)) return [...names].toSorted();
    if (!answer.ok) throw refusedCall(vendorName, "it does not list its domains", answer.refusal);
    const listed = answer.value.DomainList ?? [];
    for (const { Name: shown, Punycode: ascii } of listed) {
      const zone = parseZoneName(ascii || shown);
      if (zone.ok) names.add(zone.value);
    }
    const [first] = listed;
    const { DomainTotal: total } = answer.value.DomainCountInfo;
    if (offset + onPage >= total) return [...names].toSorted();
    if (!first)
      throw new ProviderError(`${vendorName}: its list of domains was changed while it was read; try again.`, "none");
    turner.turn(first.Name, Math.ceil(total / onPage));
  }
}

async function createZone(client: DnspodClient, zone: string): Promise<void> {
  const added = await client.call("CreateDomain", domainOf(zone), done);
  if (added.ok || added.refusal.code === "FailedOperation.DomainExists") return;
  throw refusedCall(vendorName, `it does not add the domain ${zone}`, added.refusal);
}

async function* readZone(client: DnspodClient, zone: string): AsyncGenerator<RecordData[]> {
  for await (const records of pages(client, zone)) {
    const batch = eachOnce(records).map(({ data }) => data);
    if (batch.length > 0) yield batch;
  }
}

/**
 * @param name of the records; all when left out.
 * @throws ProviderError too when records came or went between two pages, because one may have been missed.
 */
async function* pages(client: DnspodClient, zone: string, name?: string): AsyncGenerator<StoredRecord[]> {
  const ids = new Set<number>();
  const turner = new PageTurner(vendorName);
  for (let offset = 0; ; offset += onPage) {
    const filter = name === undefined ? {} : { Subdomain: name };
    const parameters = { ...domainOf(zone), ...filter, Offset: offset, Limit: onPage, ErrorOnEmpty: "no" };
    const answer = await client.call("DescribeRecordList", parameters, recordList);
    if (!answer.ok && isEmptyList(answer.refusal)) return;
    if (!answer.ok) throw noZone(zone, answer.refusal);
    const served = answer.value.RecordList ?? [];
    const fresh = served.filter(({ RecordId: id }) => !ids.has(id));
    for (const { RecordId: id } of fresh) ids.add(id);
    yield fresh.filter(({ Type: type }) => type !== "SOA").map((record) => readRecord(zone, record));
    const [first] = served;
    if (first && served.length >= onPage) {
      turner.turn(first.RecordId, Math.ceil(answer.value.RecordCountInfo.TotalCount / onPage));
      continue;
    }
    if (name !== undefined || ids.size === answer.value.RecordCountInfo.TotalCount) return;
    throw new ProviderError(`${vendorName}: the zone ${zone} was changed while it was read; try again.`, "none");
  }
}

async function applyChanges(
  client: DnspodClient,
  zone: string,
  changes: readonly RecordChange[],
  { together = false, beforeCall }: ApplyOptions,
  pause: Pause,
): Promise<ApplyResult> {
  const floors = { vendor: vendorName, edition: "package", highestFloorSeconds };
  const store = await storeWithFloor(zone, changes, floors, () => minTtl(client, zone));
  const present = await recordsFor(client, zone, changes, pause);
  const outcomes = await applyOneByOne({
    present: present.filter(({ data }) => keptReason(data) === null),
    changes,
    together,
    store,
    calls: recordCalls(client, zone),
    beforeCall,
  });
  return { outcomes, before: null, after: null };
}

async function minTtl(client: DnspodClient, zone: string): Promise<number> {
  const domain = await client.call("DescribeDomain", domainOf(zone), domainInfo);
  if (!domain.ok) throw noZone(zone, domain.refusal);
  const packages = await client.call("DescribePackageDetail", {}, packageDetails);
  if (!packages.ok) throw refusedCall(vendorName, "it does not show its packages", packages.refusal);
  const { Grade: grade } = domain.value.DomainInfo;
  return packages.value.Info.find(({ DomainGrade: code }) => code === grade)?.MinTtl ?? 0;
}

/** The records at the names that the changes touch; asked for again where one is missing that may only be too new. */
async function recordsFor(
  client: DnspodClient,
  zone: string,
  changes: readonly RecordChange[],
  pause: Pause,
): Promise<StoredRecord[]> {
  const needed = changes.flatMap(({ before }) => (before ? [recordKey(before)] : []));
  const names = touchedNames(changes);
  for (const milliseconds of [...pausesMilliseconds, null]) {
    const present = await recordsAt(client, zone, names);
    const keys = new Set(present.map(({ data }) => recordKey(data)));
    if (milliseconds === null || needed.every((key) => keys.has(key))) return present;
    await pause(milliseconds);
  }
  return [];
}

async function recordsAt(client: DnspodClient, zone: string, names: ReadonlySet<string>): Promise<StoredRecord[]> {
  const found: StoredRecord[] = [];
  for (const name of namesToAsk(names) ?? [undefined]) {
    for await (const page of pages(client, zone, name)) found.push(...page);
  }
  return found.filter(({ data }) => names.has(data.name));
}

function recordCalls(client: DnspodClient, zone: string): RecordCalls {
  const domain = domainOf(zone);
  return {
    async create(record) {
      const answer = await client.call("CreateRecord", { ...domain, ...recordParameters(record) }, madeRecord);
      return answer.ok ? ok(String(answer.value.RecordId)) : refusedRecord(vendorName, answer.refusal);
    },
    async update(id, record) {
      const parameters = { ...domain, RecordId: Number(id), ...recordParameters(record) };
      const answer = await client.call("ModifyRecord", parameters, madeRecord);
      return answer.ok ? ok(null) : refusedRecord(vendorName, answer.refusal);
    },
    async remove(id) {
      const answer = await client.call("DeleteRecord", { ...domain, RecordId: Number(id) }, done);
      return answer.ok ? ok(null) : refusedRecord(vendorName, answer.refusal);
    },
  };
}

/** A domain goes by the name that it is listed with, in Unicode. */
function domainOf(zone: string): { Domain: string } {
  return { Domain: toUnicodeName(zone) };
}

function isEmptyList({ code }: Refusal): boolean {
  return code.startsWith("ResourceNotFound.NoDataOf");
}

function noZone(zone: string, refusal: Refusal): ProviderError {
  if (refusal.code === "OperationDenied.NoPermissionToOperateDomain") {
    const what = `it does not let the key of this provider configuration operate the zone ${zone}; it is another account's, or the key lacks the permission`;
    return refusedCall(vendorName, what, refusal);
  }
  if (refusal.code === "InvalidParameterValue.DomainNotExists") {
    return new ProviderError(`${vendorName} has no zone ${zone}.`, "none", { zoneMissing: true });
  }
  return refusedCall(vendorName, `it does not show the zone ${zone}`, refusal);
}
