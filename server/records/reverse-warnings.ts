import { touchedAddresses } from "../dns/reverse/touched.ts";
import type { ReverseMode } from "../database/tables/domains.ts";
import type { PlannedChange } from "../dns/record.ts";

/** Returns what the plan over many zones says about PTR records: which of them change is decided when its job comes to the zone. */
export function reverseWarnings(
  { name, reverse }: { name: string; reverse: ReverseMode },
  changes: readonly PlannedChange[],
): string[] {
  if (reverse === "off" || touchedAddresses(name, changes).length === 0) return [];
  return [
    reverse === "follow"
      ? "PTR records follow the addresses of this domain once it is changed. This plan does not list them."
      : "This plan leaves PTR records as they are: `reverse` is `offer`, and a plan over many domains cannot offer them. See the reverse report afterwards.",
  ];
}
