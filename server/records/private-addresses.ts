import ipaddr from "ipaddr.js";
import { qualifiedName } from "../dns/names/views.ts";
import { servedChange, type PlannedChange } from "../dns/record.ts";
import { flatMapped, type Steps } from "../platform/slices.ts";

/** Loopback, RFC 1918, RFC 6598 (carrier-grade NAT), RFC 3927 and RFC 4291 §2.5.6 (link-local), RFC 4193 (unique local). */
const privateRanges: ReadonlySet<string> = new Set([
  "loopback",
  "private",
  "carrierGradeNat",
  "linkLocal",
  "uniqueLocal",
]);

const named = 3;

/** Returns a warning if changes add private addresses to a default view, which is usually the public one. */
export function* privateAddressWarnings(
  zone: { name: string; view: string },
  changes: readonly PlannedChange[],
): Steps<string[]> {
  if (zone.view !== "") return [];
  const found = yield* flatMapped(changes, (change) => {
    const { before, after } = servedChange(change) ?? { before: null, after: null };
    return after && after.value !== before?.value && isPrivate(after) ? [`${after.name} ${after.value}`] : [];
  });
  if (found.length === 0) return [];
  const more = found.length > named ? ` and ${found.length - named} more` : "";
  const internal = qualifiedName({ name: zone.name, view: "internal" });
  return [
    `Private addresses in the default view: ${found.slice(0, named).join(", ")}${more}. If the Internet sees this view, add them to another one, ` +
      `such as ${internal}.`,
  ];
}

function isPrivate({ recordType, value }: { recordType: string; value: string }): boolean {
  if (recordType !== "A" && recordType !== "AAAA") return false;
  return ipaddr.isValid(value) && privateRanges.has(ipaddr.process(value).range());
}
