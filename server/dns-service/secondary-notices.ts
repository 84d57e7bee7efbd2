import { qualifiedName } from "../dns/names/views.ts";
import type { TypedNotice } from "../notifications/notify.ts";

/** A secondary that fell behind, is ahead, or recovered. */
export interface SecondaryChange {
  kind: "behind" | "ahead" | "recovered";
  address: string;
  /** The first zone by name. */
  domain: { id: string; name: string; view: string; ownerId: string | null };
  /** How many zones it concerns. */
  zones: number;
  /** Why the secondary could not be reached; null: it answered. */
  error: string | null;
}

type SecondaryEvent = "zone.secondary_behind" | "zone.secondary_ahead" | "zone.secondary_recovered";

/** Returns the notice of a change, one for all zones of a secondary. */
export function secondaryNotice({ kind, address, domain, zones, error }: SecondaryChange): TypedNotice<SecondaryEvent> {
  const name = qualifiedName(domain);
  const which = zones === 1 ? name : `${name} and ${zones - 1} more zones`;
  const text = {
    behind: {
      title: `${address} is behind with ${which}`,
      content: `The secondary ${address} has lacked a change of ${which} for ten minutes. ${error ?? "It answers, but with an older serial."} Check its log, its key, and the firewall in both directions.`,
    },
    ahead: {
      title: `${address} is ahead with ${which}`,
      content: `The secondary ${address} serves a newer serial of ${which} than Zonewright has, as after a restore from a backup. It will not transfer changes. Raise the serial of the zone. If it signs the zone by itself, list it in \`signingSecondaries\` instead.`,
    },
    recovered: {
      title: `${address} serves ${which} again`,
      content: `The secondary ${address} has caught up with ${which}.`,
    },
  }[kind];
  return {
    event: `zone.secondary_${kind}`,
    ...text,
    level: kind === "recovered" ? "success" : "warning",
    metadata: { domainId: domain.id, domainName: name, address, zones },
    to: { userIds: zones === 1 && domain.ownerId !== null ? [domain.ownerId] : [], administrators: true },
  };
}
