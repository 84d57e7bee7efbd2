import { throughProvider } from "../dns-providers/through-provider.ts";
import type { DnsProvider, LimitedRecord, ProviderKind } from "../dns-providers/provider.ts";
import type { Issue } from "../platform/errors.ts";
import { isProviderType, typeNumber } from "../dns/zone-file/type-names.ts";
import { newId } from "../platform/ids.ts";
import type { PlannedChange } from "../dns/live-record.ts";
import { cutsTexts } from "./joined-texts.ts";
import { recordKey, type RecordData } from "../dns/record.ts";
import { atOnce, filtered, flatMapped, type Steps } from "../platform/slices.ts";
import { nameFaults } from "../dns/server-rules/host-names.ts";

/** What the provider cannot store, or the name servers behind it do not load, checked before anything is sent. @param zone its name */
export function limitIssues(record: LimitedRecord, kind: ProviderKind, zone: string): Issue[] {
  const issues: Issue[] = [];
  if (!storesType(record.recordType, kind)) {
    issues.push({ path: ["recordType"], message: `${kind.name} cannot store ${record.recordType} records.` });
  }
  const automatic = kind.automaticTtl;
  if ((record.ttl < kind.minTtl || record.ttl > kind.maxTtl) && record.ttl !== automatic) {
    const choice = automatic === undefined ? "" : `, or ${automatic} for one that it chooses`;
    const message = `${kind.name} takes a TTL from ${kind.minTtl} to ${kind.maxTtl} seconds${choice}.`;
    issues.push({ path: ["ttl"], message });
  }
  if (record.proxied && !kind.supportsProxied) {
    issues.push({ path: ["proxied"], message: `${kind.name} has no proxy; leave proxied out or set it to false.` });
  }
  if (record.strings !== null && kind.cutsTexts) {
    issues.push({ path: ["strings"], message: `${kind.name} ${cutsTexts}; leave strings out.` });
  }
  const unsupported = kind.unsupportedReason?.(record) ?? null;
  if (unsupported) issues.push({ path: [unsupported.field], message: `${kind.name} ${unsupported.reason}` });
  const kept = keptReason(record, kind);
  if (kept !== null) issues.push({ path: ["recordType"], message: kept });
  const faults = kind.serverRules?.checkNames ? nameFaults(record, zone) : [];
  issues.push(...faults.map(({ field, reason }) => ({ path: [field], message: `${kind.name} ${reason}` })));
  return issues;
}

/** A type that is another provider's own is none of "any". */
function storesType(recordType: string, { recordTypes, vendorTypes = false }: ProviderKind): boolean {
  if (recordTypes !== "any") return recordTypes.includes(recordType);
  return typeNumber(recordType) !== null || (vendorTypes && !isProviderType(recordType));
}

/** Why a record of the provider's own is shown here and not changed, in a sentence that names the provider; null where it may be. */
export function keptReason(record: LimitedRecord, kind: ProviderKind): string | null {
  const reason = kind.keeps?.(record) ?? null;
  return reason === null ? null : `${kind.name} ${reason}`;
}

/** A planned change that the provider does not let through, because the record is its own. */
export interface KeptChange {
  record: RecordData;
  reason: string;
}

/** The records that only the provider knows to be its own, by `recordKey`; asked for where a plan changes something. @throws AppError PROVIDER_ERROR */
export async function keptThere(
  { name, kind, provider }: { name: string; kind: ProviderKind; provider: DnsProvider | null },
  planned: readonly PlannedChange[],
): Promise<ReadonlyMap<string, string>> {
  if (planned.length === 0 || !provider?.keptRecords) return new Map();
  const kept = await throughProvider(provider.keptRecords(name));
  return new Map([...kept].map(([key, reason]) => [key, `${kind.name} ${reason}`]));
}

/**
 * Parts a plan for a whole zone into what can be done and what would touch records that the provider keeps as its own.
 * @param there what `keptThere` says.
 */
export function withoutKept(
  planned: readonly PlannedChange[],
  kind: ProviderKind,
  there: ReadonlyMap<string, string> = new Map(),
): { changes: PlannedChange[]; kept: KeptChange[] } {
  return atOnce(partingKept(planned, kind, there));
}

/** {@link withoutKept} in steps. */
export function* partingKept(
  planned: readonly PlannedChange[],
  kind: ProviderKind,
  there: ReadonlyMap<string, string> = new Map(),
): Steps<{ changes: PlannedChange[]; kept: KeptChange[] }> {
  const kept: KeptChange[] = [];
  const reasonFor = (record: RecordData) => keptReason(record, kind) ?? there.get(recordKey(record)) ?? null;
  const each = yield* flatMapped(planned, (change) => apart(change, (record) => reasonFor(record) !== null));
  const changes = yield* filtered(each, ({ before, after }) => {
    const reason = (before && reasonFor(before)) ?? (after && reasonFor(after));
    if (reason !== null) kept.push({ record: after ?? before, reason });
    return reason === null;
  });
  return { changes, kept };
}

/** A plan may give the place of a record that is kept to another one, and the other way round: then one goes and one comes. */
function apart(change: PlannedChange, isKept: (record: RecordData) => boolean): PlannedChange[] {
  const { action, id, before, after } = change;
  if (action !== "update" || isKept(before) === isKept(after)) return [change];
  return [
    { action: "delete", id, before, after: null },
    { action: "create", id: newId(), before: null, after },
  ];
}

/** What a plan says of those. */
export function keptWarnings(kept: readonly KeptChange[]): string[] {
  return kept.map(({ record, reason }) => `${record.name} ${record.recordType} stays as it is: ${reason}`);
}
