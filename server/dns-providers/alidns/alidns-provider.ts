import { parseZoneName, toUnicodeName } from "../../dns/names/names.ts";
import type { RecordData } from "../../dns/record.ts";
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
import { done, domainInfo, domainPage, madeRecord, recordPage } from "./api.ts";
import { vendorName, type AlidnsClient } from "./client.ts";
import { keptReason } from "./limits.ts";
import { PageTurner } from "../vendor-api/page-turner.ts";
import { storeWithFloor } from "../one-by-one/ttl-floor.ts";
import { touchedNames } from "../applying/touched-records.ts";
import { lateSeconds } from "../vendor-api/calls.ts";
import { readRecord, recordParameters } from "./records.ts";

const domainsOnPage = 100;
const recordsOnPage = 500;
/** The floor of the lowest edition. */
export const highestFloorSeconds = 600;

/** The API neither knows a transaction nor shows a serial: changes go one by one, and there is no mark of a zone's content. */
export function alidnsProvider(client: AlidnsClient): DnsProvider {
  return {
    settlesAfterSeconds: lateSeconds,
    listZones: () => listZones(client),
    createZone: (zone) => createZone(client, zone),
    readZone: (zone) => readZone(client, zone),
    applyChanges: (zone, changes, options = {}) => applyChanges(client, zone, changes, options),
    minTtl: (zone) => minTtl(client, zone),
    readSoa: () => Promise.resolve(null),
    fingerprint: () => Promise.resolve(null),
  };
}

async function listZones(client: AlidnsClient): Promise<string[]> {
  const names = new Set<string>();
  const pages = new PageTurner(vendorName);
  for (let page = 1, count = 0; ; page++) {
    const answer = await client.call("DescribeDomains", { PageNumber: page, PageSize: domainsOnPage }, domainPage);
    if (!answer.ok) throw refusedCall(vendorName, "it does not list its domains", answer.refusal);
    const { Domains: domains, TotalCount: total } = answer.value;
    for (const { DomainName: shown, PunyCode: ascii } of domains.Domain) {
      const zone = parseZoneName(ascii || shown);
      if (zone.ok) names.add(zone.value);
    }
    count += domains.Domain.length;
    const [first] = domains.Domain;
    if (count >= total) return [...names].toSorted();
    if (!first)
      throw new ProviderError(`${vendorName}: its list of domains was changed while it was read; try again.`, "none");
    pages.turn(first.DomainName, Math.ceil(total / domainsOnPage));
  }
}

async function createZone(client: AlidnsClient, zone: string): Promise<void> {
  const added = await client.call("AddDomain", domainOf(zone), done);
  if (added.ok) return;
  // It may be ours already, or somebody else's.
  if ((await client.call("DescribeDomainInfo", domainOf(zone), domainInfo)).ok) return;
  throw refusedCall(vendorName, `it does not add the domain ${zone}`, added.refusal);
}

async function* readZone(client: AlidnsClient, zone: string): AsyncGenerator<RecordData[]> {
  for await (const records of pages(client, zone, {})) {
    const batch = eachOnce(records).map(({ data }) => data);
    if (batch.length > 0) yield batch;
  }
}

/** @throws ProviderError too when records came or went between two pages, because one may have been missed. */
async function* pages(
  client: AlidnsClient,
  zone: string,
  filter: Record<string, string>,
): AsyncGenerator<StoredRecord[]> {
  const ids = new Set<string>();
  const turner = new PageTurner(vendorName);
  for (let page = 1; ; page++) {
    const parameters = { ...domainOf(zone), ...filter, PageNumber: page, PageSize: recordsOnPage, Direction: "ASC" };
    const answer = await client.call("DescribeDomainRecords", parameters, recordPage);
    if (!answer.ok) throw noZone(zone, answer.refusal);
    const { DomainRecords: served, TotalCount: total } = answer.value;
    const fresh = served.Record.filter(({ RecordId: id }) => !ids.has(id));
    for (const { RecordId: id } of fresh) ids.add(id);
    yield fresh.filter(({ Type: type }) => type !== "SOA").map((record) => readRecord(zone, record));
    const [first] = served.Record;
    if (first && page * recordsOnPage < total) {
      turner.turn(first.RecordId, Math.ceil(total / recordsOnPage));
      continue;
    }
    if (ids.size === total) return;
    throw new ProviderError(`${vendorName}: the zone ${zone} was changed while it was read; try again.`, "none");
  }
}

async function applyChanges(
  client: AlidnsClient,
  zone: string,
  changes: readonly RecordChange[],
  { together = false, beforeCall }: ApplyOptions,
): Promise<ApplyResult> {
  const floors = { vendor: vendorName, edition: "edition", highestFloorSeconds };
  const store = await storeWithFloor(zone, changes, floors, () => minTtl(client, zone));
  const present = await recordsAt(client, zone, touchedNames(changes));
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

async function minTtl(client: AlidnsClient, zone: string): Promise<number> {
  const answer = await client.call("DescribeDomainInfo", domainOf(zone), domainInfo);
  if (!answer.ok) throw noZone(zone, answer.refusal);
  return answer.value.MinTtl ?? 0;
}

/** The records of some names. */
async function recordsAt(client: AlidnsClient, zone: string, names: ReadonlySet<string>): Promise<StoredRecord[]> {
  const filters = namesToAsk(names)?.map((name) => ({ SearchMode: "COMBINATION", RRKeyWord: name })) ?? [{}];
  const found: StoredRecord[] = [];
  for (const filter of filters) for await (const page of pages(client, zone, filter)) found.push(...page);
  return found.filter(({ data }) => names.has(data.name));
}

function recordCalls(client: AlidnsClient, zone: string): RecordCalls {
  return {
    async create(record) {
      const answer = await client.call(
        "AddDomainRecord",
        { ...domainOf(zone), ...recordParameters(record) },
        madeRecord,
      );
      return answer.ok ? ok(answer.value.RecordId) : refusedRecord(vendorName, answer.refusal);
    },
    async update(id, record) {
      const answer = await client.call("UpdateDomainRecord", { RecordId: id, ...recordParameters(record) }, madeRecord);
      return answer.ok ? ok(null) : refusedRecord(vendorName, answer.refusal);
    },
    async remove(id) {
      const answer = await client.call("DeleteDomainRecord", { RecordId: id }, madeRecord);
      return answer.ok ? ok(null) : refusedRecord(vendorName, answer.refusal);
    },
  };
}

/** A domain goes by the name that it is listed with, in Unicode. */
function domainOf(zone: string): { DomainName: string } {
  return { DomainName: toUnicodeName(zone) };
}

function noZone(zone: string, refusal: Refusal): ProviderError {
  if (refusal.code === "IncorrectDomainUser") {
    const what = `it does not let the access key of this provider configuration see the zone ${zone}, which it says is another account's`;
    return refusedCall(vendorName, what, refusal);
  }
  if (refusal.code === "InvalidDomainName.NoExist") {
    return new ProviderError(`${vendorName} has no zone ${zone}.`, "none", { zoneMissing: true });
  }
  return refusedCall(vendorName, `it does not show the zone ${zone}`, refusal);
}
