import {
  throughProvider,
  type DnsProvider,
  type LimitedRecord,
  type ProviderKind,
  type ZoneRefusals,
} from "../../dns-providers/provider.ts";
import { AppError, type Issue } from "../../platform/errors.ts";
import { isProviderType, isVendorType, typeNumber } from "../../dns/zone-file/type-names.ts";
import { newId } from "../../platform/ids.ts";
import {
  isActive,
  isEditableType,
  recordKey,
  type PlannedChange,
  type RecordData,
  type StatedData,
  type LiveRecord,
} from "../../dns/record.ts";
import { atOnce, filtered, flatMapped, type Steps, mapped } from "../../platform/slices.ts";
import { nameFaults } from "../../dns/server-rules/host-names.ts";

/** Returns why the provider cannot store a record, or its name servers would not load it. Checked before anything is sent. @param zone its name */
export function limitIssues(record: LimitedRecord, kind: ProviderKind, zone: string): Issue[] {
  const issues: Issue[] = [];
  if (!storesType(record.recordType, kind)) {
    issues.push({ path: ["recordType"], message: `${kind.name} cannot store ${record.recordType} records.` });
  }
  const automatic = kind.automaticTtl;
  if ((record.ttl < kind.minTtl || record.ttl > kind.maxTtl) && record.ttl !== automatic) {
    const choice = automatic === undefined ? "" : `, or ${automatic} for automatic`;
    const message = `${kind.name} requires a TTL from ${kind.minTtl} to ${kind.maxTtl} seconds${choice}.`;
    issues.push({ path: ["ttl"], message });
  }
  if (record.proxied && !kind.supportsProxied) {
    issues.push({ path: ["proxied"], message: `${kind.name} has no proxy. Leave \`proxied\` out or set it to false.` });
  }
  if (record.strings !== null && kind.cutsTexts) {
    issues.push({ path: ["strings"], message: `${kind.name} ${cutsTexts}. Leave \`strings\` out.` });
  }
  const unsupported = kind.unsupportedReason?.(record) ?? null;
  if (unsupported) issues.push({ path: [unsupported.field], message: `${kind.name} ${unsupported.reason}` });
  const reason = readOnlyReason(record, kind);
  if (reason !== null) issues.push({ path: ["recordType"], message: reason });
  const faults = kind.serverRules?.checkNames ? nameFaults(record, zone) : [];
  issues.push(...faults.map(({ field, reason }) => ({ path: [field], message: `${kind.name} ${reason}` })));
  for (const mirror of kind.strictMirrors ?? []) {
    const others = limitIssues(withPlainTtl(kind, mirror.kind, record), mirror.kind, zone);
    issues.push(
      // Texts that its provider splits itself keep their value there.
      ...others
        .filter(({ path: [field] }) => field !== "strings")
        .map(({ path, message }) => ({ path, message: `The strict mirror ${mirror.name} refuses it: ${message}` })),
    );
  }
  return issues;
}

/** Returns the smallest TTL from the given one on that a kind surely stores. An automatic TTL, and one above its largest, stays. */
export function storedTtl(
  { minTtl, documentedMinTtl = minTtl, ttls, automaticTtl }: ProviderKind,
  ttl: number,
): number {
  if (ttl === automaticTtl) return ttl;
  const least = Math.max(ttl, minTtl, documentedMinTtl);
  return ttls?.find((one) => one >= least) ?? least;
}

/** Returns a kind as it takes records that its zone had: reverts and rollbacks bring them back. */
export function restoring(kind: ProviderKind): ProviderKind {
  return kind.restoresVendorTypes ? { ...kind, vendorTypes: true } : kind;
}

/** Returns whether a kind stores a type. `any` does not include types of other vendors. */
function storesType(recordType: string, { recordTypes, vendorTypes = false }: ProviderKind): boolean {
  if (recordTypes !== "any") return recordTypes.includes(recordType);
  if (isVendorType(recordType)) return vendorTypes;
  return isEditableType(recordType) || typeNumber(recordType) !== null || (vendorTypes && !isProviderType(recordType));
}

/**
 * Returns the kind with what this zone refuses, and with its minimum TTL, if zones differ in them. Asks for the TTL only if one may be too
 * short. @throws AppError PROVIDER_ERROR, also if the zone takes no changes
 */
export async function kindOfZone(
  { providerZone, kind, provider }: { providerZone: string; kind: ProviderKind; provider: DnsProvider | null },
  ttls: readonly (number | undefined)[],
): Promise<ProviderKind> {
  const refusals = await refusalsOf(provider, providerZone);
  if (refusals) {
    if (refusals.everything !== null) throw new AppError("PROVIDER_ERROR", refusals.everything);
    const ofKind = kind.unsupportedReason;
    const unsupportedReason = (record: LimitedRecord) => ofKind?.(record) ?? refusals.record(record);
    return await withMinTtl({ providerZone, kind: { ...kind, unsupportedReason }, provider }, ttls);
  }
  return await withMinTtl({ providerZone, kind, provider }, ttls);
}

/** A provider that cannot be asked leaves the refusal to the application. */
async function refusalsOf(provider: DnsProvider | null, zone: string): Promise<ZoneRefusals | null> {
  return (await provider?.refusalsOf?.(zone).catch(() => null)) ?? null;
}

async function withMinTtl(
  { providerZone, kind, provider }: { providerZone: string; kind: ProviderKind; provider: DnsProvider | null },
  ttls: readonly (number | undefined)[],
): Promise<ProviderKind> {
  const { minTtl, anyZoneMinTtl = minTtl, automaticTtl } = kind;
  const isShort = (ttl = anyZoneMinTtl) => ttl >= minTtl && ttl < anyZoneMinTtl && ttl !== automaticTtl;
  if (!provider?.minTtl || !ttls.some((ttl) => isShort(ttl))) return kind;
  return { ...kind, minTtl: Math.max(minTtl, await throughProvider(provider.minTtl(providerZone))) };
}

/** Returns why a record is read-only at its provider, in a sentence that names the provider; null if it can be changed. */
export function readOnlyReason(record: LimitedRecord, kind: ProviderKind): string | null {
  const reason = kind.readOnlyReason?.(record) ?? null;
  return reason === null ? null : `${kind.name} ${reason}`;
}

/** A planned change of a record that is read-only at the provider. */
export interface ReadOnlyChange {
  record: RecordData;
  reason: string;
  change: PlannedChange;
}

/** Asks the provider for read-only records that the records themselves do not show. @returns reasons by `recordKey` @throws AppError PROVIDER_ERROR */
export async function readOnlyAtProvider(
  { providerZone, kind, provider }: { providerZone: string; kind: ProviderKind; provider: DnsProvider | null },
  planned: readonly PlannedChange[],
): Promise<ReadonlyMap<string, string>> {
  if (planned.length === 0 || !provider?.readOnlyRecords) return new Map();
  const found = await throughProvider(provider.readOnlyRecords(providerZone));
  return new Map([...found].map(([key, reason]) => [key, `${kind.name} ${reason}`]));
}

/**
 * Splits a plan for a whole zone into changes that can be made and changes of read-only records.
 * @param there the result of `readOnlyAtProvider`.
 */
export function withoutReadOnly(
  planned: readonly PlannedChange[],
  kind: ProviderKind,
  there: ReadonlyMap<string, string> = new Map(),
): { changes: PlannedChange[]; readOnly: ReadOnlyChange[] } {
  return atOnce(partingReadOnly(planned, kind, there));
}

/** {@link withoutReadOnly} in steps. */
export function* partingReadOnly(
  planned: readonly PlannedChange[],
  kind: ProviderKind,
  there: ReadonlyMap<string, string> = new Map(),
): Steps<{ changes: PlannedChange[]; readOnly: ReadOnlyChange[] }> {
  const readOnly: ReadOnlyChange[] = [];
  const reasonFor = (record: StatedData) =>
    isActive(record) ? (readOnlyReason(record, kind) ?? there.get(recordKey(record)) ?? null) : null;
  const each = yield* flatMapped(planned, (change) => apart(change, (record) => reasonFor(record) !== null));
  const changes = yield* filtered(each, (change) => {
    const { before, after } = change;
    const reason = (before && reasonFor(before)) ?? (after && reasonFor(after));
    if (reason !== null) readOnly.push({ record: after ?? before, reason, change });
    return reason === null;
  });
  return { changes, readOnly };
}

/** Splits an update that turns a read-only record into another one, or the reverse, into a deletion and a creation. */
function apart(change: PlannedChange, isReadOnly: (record: StatedData) => boolean): PlannedChange[] {
  const { action, id, before, after } = change;
  if (action !== "update" || isReadOnly(before) === isReadOnly(after)) return [change];
  // Disabling one deletes it there.
  if (recordKey(before) === recordKey(after)) return [change];
  return [
    { action: "delete", id, before, after: null },
    { action: "create", id: newId(), before: null, after },
  ];
}

/** Returns the warnings that a plan shows for changes of read-only records. */
export function readOnlyWarnings(changes: readonly ReadOnlyChange[]): string[] {
  return changes.map(({ record, reason }) => `${record.name} ${record.recordType} stays unchanged: ${reason}`);
}

/** Replaces automatic TTLs with the source provider's actual values if the target has no equivalent. */
export function withPlainTtls(
  source: ProviderKind,
  target: ProviderKind,
  records: readonly LiveRecord[],
): readonly LiveRecord[] {
  const { automaticTtl, automaticSeconds } = source;
  if (automaticTtl === undefined || automaticSeconds === undefined || target.automaticTtl === automaticTtl)
    return records;
  return records.map((record) => withPlainTtl(source, target, record));
}

/** {@link withPlainTtls} for one record. */
export function withPlainTtl<Some extends { ttl: number }>(
  { automaticTtl, automaticSeconds }: ProviderKind,
  target: ProviderKind,
  record: Some,
): Some {
  if (automaticSeconds === undefined || record.ttl !== automaticTtl || target.automaticTtl === automaticTtl)
    return record;
  return { ...record, ttl: automaticSeconds };
}

/** Why a kind takes no strings. Follows its name in a sentence. */
const cutsTexts = "stores a TXT as one text and splits it into strings itself";

/** Records as a provider can hold them, with warnings about what they lose there. */
interface HeldRecords<Data extends RecordData> {
  records: readonly Data[];
  warnings: string[];
}

/**
 * Removes the strings from the records of a whole zone if its provider splits texts itself, instead of refusing the zone. Records that
 * differed only in their strings become one.
 */
export function* asHeld<Data extends RecordData>(
  records: readonly Data[],
  kind: ProviderKind,
): Steps<HeldRecords<Data>> {
  if (!kind.cutsTexts || !records.some(({ strings }) => strings !== null)) return { records, warnings: [] };
  const uncut = yield* filtered(records, ({ strings }) => strings === null);
  const known = new Set(yield* mapped(uncut, recordKey));
  const warnings: string[] = [];
  const joined = yield* flatMapped(records, (record): Data[] => {
    const { name, recordType, strings } = record;
    if (strings === null) return [];
    warnings.push(`${name} ${recordType} loses its ${strings.length} strings: ${kind.name} ${cutsTexts}.`);
    const whole = { ...record, strings: null };
    if (known.has(recordKey(whole))) return [];
    known.add(recordKey(whole));
    return [whole];
  });
  return { records: [...uncut, ...joined], warnings };
}
