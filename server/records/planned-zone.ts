import type { PlannedChange } from "../dns/record.ts";
import { privateAddressWarnings } from "./private-addresses.ts";
import { reverseWarnings } from "./reverse-warnings.ts";
import { signedElsewhere } from "./signature-warnings.ts";

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

/** Returns what a plan over many zones warns of in one of them, apart from losses. */
export function zoneWarnings(
  zone: Parameters<typeof reverseWarnings>[0] & { view: string; signedElsewhere: boolean },
  changes: readonly PlannedChange[],
): string[] {
  return [
    ...privateAddressWarnings(zone, changes),
    ...reverseWarnings(zone, changes),
    ...(zone.signedElsewhere ? [signedElsewhere] : []),
  ];
}
