import type { ProviderKind } from "../dns-providers/provider.ts";
import { flatMapped, type Steps } from "../platform/slices.ts";
import { nameOf, valueOf, type PlannedChange, type RecordData } from "../dns/record.ts";

const named = 3;

/** Returns a warning if the provider stores names of changed records in lower case. The records here keep them as written. */
export function* loweredNames(
  { name, lowersCase }: Pick<ProviderKind, "name" | "lowersCase">,
  changes: readonly PlannedChange[],
): Steps<string[]> {
  if (lowersCase === undefined) return [];
  const found = new Set(
    yield* flatMapped(changes, ({ before, after }) => (after ? loweredIn(after, before, lowersCase === "names") : [])),
  );
  if (found.size === 0) return [];
  const more = found.size > named ? ` and ${found.size - named} more` : "";
  return [
    `${name} stores ${lowersCase === "owners" ? "record names" : "names"} in lower case: ${[...found].slice(0, named).join(", ")}${more}. ` +
      "They stay as written here. DNS ignores the difference.",
  ];
}

function loweredIn(after: RecordData, before: RecordData | null, values: boolean): string[] {
  return [
    ...(after.writtenName !== undefined && after.writtenName !== before?.writtenName ? [nameOf(after)] : []),
    ...(values && after.writtenValue !== undefined && after.writtenValue !== before?.writtenValue
      ? [valueOf(after)]
      : []),
  ];
}
