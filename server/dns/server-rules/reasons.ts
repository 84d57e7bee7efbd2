import { absoluteName } from "../names/names.ts";
import type { Addresses } from "./name-servers.ts";

const states: Readonly<Record<Addresses["state"], string>> = {
  fine: "would be fine",
  missing: "would have no A or AAAA record",
  below: "would have no A or AAAA record",
  alias: "would be a CNAME (RFC 2181 §10.3)",
  redirected: "would be below a DNAME",
};

/** Returns why servers refuse a zone with this name server; `owner` is the owner of its NS record. */
export function nameServerReason(zone: string, owner: string, target: string, { state }: Addresses): string {
  const of = owner === "@" ? "the zone" : `the delegation ${owner}`;
  return `${absoluteName(target, zone)} is a name server of ${of} and ${states[state]}; name servers would refuse the zone.`;
}

/** Returns why servers refuse a name below a DNAME. */
export function redirectionReason(name: string, above: string): string {
  const owner = above === "@" ? "the apex" : above;
  return `${name} is below ${owner}, which has a DNAME; no names may exist below a DNAME (RFC 6672 §2.4).`;
}
