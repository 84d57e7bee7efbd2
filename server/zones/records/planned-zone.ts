import type { ProviderKind } from "../../dns-providers/provider.ts";
import { lockWarning } from "../changes/locks-and-reviews.ts";
import type { ReverseMode } from "../../database/tables/domains.ts";
import type { PlannedChange } from "../../dns/record.ts";
import { touchedAddresses } from "../../dns/reverse/pointers.ts";
import { AppError } from "../../platform/errors.ts";
import { atOnce } from "../../platform/slices.ts";
import { loweredNames, privateAddressWarnings, signedElsewhere } from "./warnings.ts";

/** One zone of a plan over many. */
export interface PlannedZone {
  domainId: string;
  /** With its view. */
  domainName: string;
  /** Empty if nothing is to change, and with an error. */
  changes: PlannedChange[];
  warnings: string[];
  /** Hash of the changes; null if there are none. */
  hash: string | null;
  /** Whether the changes pass the safety threshold. */
  needsForce: boolean;
  /** Why the zone cannot be changed; null if it can. */
  error: string | null;
}

/** Refuses a plan over several zones that changes locked records. @throws AppError CONFIRMATION_REQUIRED that names the first of them */
export function refuseLockedIn(zones: readonly Pick<PlannedZone, "domainName" | "changes">[]): void {
  for (const { domainName, changes } of zones) {
    const warning = lockWarning(changes);
    if (warning !== null) throw new AppError("CONFIRMATION_REQUIRED", `${domainName}: ${warning}`);
  }
}

/** Returns what a plan over many zones warns of in one of them, apart from losses. */
export function zoneWarnings(
  zone: { name: string; view: string; kind: ProviderKind; reverse: ReverseMode; signedElsewhere: boolean },
  changes: readonly PlannedChange[],
): string[] {
  const locked = lockWarning(changes);
  return [
    ...atOnce(privateAddressWarnings(zone, changes)),
    ...atOnce(loweredNames(zone.kind, changes)),
    ...(locked === null ? [] : [locked]),
    ...reverseWarnings(zone, changes),
    ...(zone.signedElsewhere ? [signedElsewhere] : []),
  ];
}

/** Returns what the plan over many zones says about PTR records: which of them change is decided when its job comes to the zone. */
function reverseWarnings(
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
