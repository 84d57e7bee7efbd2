import { ownerWithin } from "../names/names.ts";
import { atOnce } from "../../platform/slices.ts";
import type { RecordData } from "../record.ts";
import { NamesInMemory } from "./known-names.ts";
import { addressesOf, isDelegatedAbove, isRefused, redirectionAbove } from "./name-servers.ts";
import { nameServerReason, redirectionReason } from "./reasons.ts";
import { serverViolationsAt } from "../zone-rules.ts";
import type { ServerRules } from "./rules.ts";

/** Returns why name servers would refuse a zone with these records, beyond record validation and the general zone rules. Pure. */
export function refusalsOf(zone: string, records: readonly RecordData[], rules: ServerRules): string[] {
  const known = atOnce(NamesInMemory.of(records));
  const byName = Map.groupBy(records, ({ name }) => name);
  const atNames = [...byName].flatMap(([name, some]) => serverViolationsAt(name, some, rules));
  const redirected = [...byName.keys()].flatMap((name) => {
    const above = redirectionAbove(known, name);
    return above === null ? [] : [redirectionReason(name, above)];
  });
  const unaddressed = records.flatMap(({ recordType, name, value }) => {
    const target = recordType === "NS" ? ownerWithin(value, zone) : null;
    if (target === null || isDelegatedAbove(known, name)) return [];
    const addresses = addressesOf(known, target);
    return isRefused(addresses, name) ? [nameServerReason(zone, name, target, addresses)] : [];
  });
  return [...atNames.map(({ message }) => message), ...redirected, ...unaddressed];
}
