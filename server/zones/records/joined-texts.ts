import type { ProviderKind } from "../../dns-providers/provider.ts";
import { recordKey, type RecordData } from "../../dns/record.ts";
import { filtered, flatMapped, mapped, type Steps } from "../../platform/slices.ts";

/** Why a kind takes no strings. Follows its name in a sentence. */
export const cutsTexts = "stores a TXT as one text and splits it into strings itself";

/** Records as a provider can hold them, with warnings about what they lose there. */
export interface HeldRecords<Data extends RecordData> {
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
