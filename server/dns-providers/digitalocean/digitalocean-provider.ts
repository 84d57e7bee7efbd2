import { absoluteName, parseZoneName, readHost } from "../../dns/names/names.ts";
import type { RecordData } from "../../dns/record.ts";
import { parseZoneFile } from "../../dns/zone-file/parse.ts";
import type { Soa } from "../../dns/zone-file/soa.ts";
import { applyToRecords } from "../applying/apply-to-records.ts";
import { allOrNone, outcomesFrom } from "../applying/change-outcomes.ts";
import {
  ProviderError,
  type ApplyOptions,
  type ApplyResult,
  type DnsProvider,
  type RecordChange,
} from "../provider.ts";
import type { DigitalOceanApi } from "./api.ts";
import { applySteps } from "./apply-steps.ts";
import { touchedNames } from "../applying/touched-records.ts";
import { lateSeconds } from "../vendor-api/calls.ts";
import { stepGroups } from "./steps.ts";
import { readRecord, type ServedRecord } from "./wire-records.ts";

/** Up to this many names are asked for one by one; beyond it the whole domain. */
const fewNames = 5;

/** The domains of one account. The zone file that the API shows may be behind, so there is no mark of a domain's content. */
export function digitalOceanProvider(api: DigitalOceanApi): DnsProvider {
  return {
    settlesAfterSeconds: lateSeconds,
    listZones: () => listZones(api),
    createZone: (zone) => createZone(api, zone),
    readZone: (zone) => readZone(api, zone),
    applyChanges: (zone, changes, options = {}) => applyChanges(api, zone, changes, options),
    readSoa: (zone) => readZoneSoa(api, zone),
    fingerprint: () => Promise.resolve(null),
  };
}

async function listZones(api: DigitalOceanApi): Promise<string[]> {
  const zones: string[] = [];
  for await (const names of api.domains()) {
    for (const name of names) {
      const zone = readHost(name, "");
      if (zone.ok && parseZoneName(zone.value).ok) zones.push(zone.value);
    }
  }
  return zones.toSorted();
}

async function createZone(api: DigitalOceanApi, zone: string): Promise<void> {
  if (await api.domain(zone)) return;
  const made = await api.createDomain(zone);
  if (!made.ok) throw new ProviderError(`${api.name} does not make the domain ${zone}: ${made.message}`, "none");
}

async function* readZone(api: DigitalOceanApi, zone: string): AsyncGenerator<RecordData[]> {
  const seen = new Set<number>();
  for await (const page of api.records(zone)) yield fresh(zone, page, seen).map(({ data }) => data);
}

/** Records of a page that no page before had: what somebody adds meanwhile moves the others to later pages. */
function fresh(zone: string, page: Parameters<typeof readRecord>[1][], seen: Set<number>): ServedRecord[] {
  return page
    .flatMap((record) => readRecord(zone, record) ?? [])
    .filter(({ id }) => {
      if (seen.has(id)) return false;
      seen.add(id);
      return true;
    });
}

async function applyChanges(
  api: DigitalOceanApi,
  zone: string,
  changes: readonly RecordChange[],
  { together = false, beforeCall = () => Promise.resolve() }: ApplyOptions,
): Promise<ApplyResult> {
  const present = await recordsAt(api, zone, touchedNames(changes));
  const { records, outcomes } = applyToRecords(
    present.map(({ data }) => data),
    changes,
    { place: "the domain", refusal: () => null },
  );
  const decided = together ? allOrNone(outcomes) : outcomes;
  const standing = changes.filter((_, index) => decided[index]?.ok);
  if (standing.length === 0) return { outcomes: decided, before: null, after: null };
  const refusals = await applySteps(api, zone, stepGroups(present, records, standing, together), beforeCall);
  const sent = outcomesFrom(changes, refusals);
  return { outcomes: decided.map((one, index) => (one.ok ? (sent[index] ?? one) : one)), before: null, after: null };
}

async function recordsAt(api: DigitalOceanApi, zone: string, names: ReadonlySet<string>): Promise<ServedRecord[]> {
  const found: ServedRecord[] = [];
  const seen = new Set<number>();
  const asked = names.size > fewNames ? [undefined] : [...names].map((name) => absoluteName(name, zone));
  for (const fullName of asked) {
    for await (const page of api.records(zone, fullName)) found.push(...fresh(zone, page, seen));
  }
  return found.filter(({ data }) => names.has(data.name));
}

async function readZoneSoa(api: DigitalOceanApi, zone: string): Promise<Soa | null> {
  const domain = await api.domain(zone);
  const parsed = parseZoneFile(domain?.zoneFile ?? "", { zone, keepBadData: true });
  return parsed.ok ? parsed.soa : null;
}
