import { Unprocessable } from "./refusals.ts";
import type { FoundZone } from "./zones.ts";

/** Kinds of zones that are maintained here. All of them are kept as the domain's provider keeps it. */
const ownKinds: ReadonlySet<string> = new Set(["native", "master", "primary", "producer"]);

/**
 * Refuses settings that would change what the zone is. All others, such as `soa_edit_api`, `api_rectify` and `account`, mean nothing here and
 * are accepted.
 * @param zone null: a new one
 * @throws Unprocessable
 */
export function refuseMeaning(given: Readonly<Record<string, unknown>>, zone: Pick<FoundZone, "signed"> | null): void {
  const { kind, dnssec } = given;
  if (kind !== undefined && (typeof kind !== "string" || !ownKinds.has(kind.toLowerCase())))
    throw new Unprocessable(
      "BAD_REQUEST",
      "`kind` must be Native, Master or Producer: Zonewright copies no zones from other servers.",
    );
  if (dnssec === true && zone?.signed !== true)
    throw new Unprocessable(
      "BAD_REQUEST",
      "`dnssec`: Zonewright does not sign zones. Turn signing on at the DNS provider, or leave `dnssec` out.",
    );
  if (zone !== null && given["rrsets"] !== undefined)
    throw new Unprocessable("BAD_REQUEST", "PUT changes no records. Send `rrsets` with PATCH.");
}
