import { sql } from "kysely";
import type { Caller } from "../access/caller.ts";
import { accessColumns, outsideRights, rightsFrom, type Rights } from "../access/zone-access.ts";
import { jsonTexts, queries, type EntityManager } from "../database/database.ts";
import type { ReviewPolicy } from "../changes/locks-and-reviews.ts";
import type { ProviderConnections } from "../dns-providers/connections.ts";
import { knownKind } from "../dns-providers/kinds.ts";
import type { ProviderKind } from "../dns-providers/provider.ts";
import { qualifiedName } from "../dns/names/views.ts";
import { AppError } from "../platform/errors.ts";

/** A reverse zone as a plan of another zone sees it. */
export interface ReverseZone {
  id: string;
  name: string;
  /** Its name and view. */
  shownName: string;
  kind: ProviderKind;
  /** Null if the caller may not see the zone. */
  rights: Rights | null;
  /** Whether PTR records here may follow changes of people without rights here. */
  grants: boolean;
  /** Whether the caller's changes here need a review, so that PTR records cannot follow. */
  needsReview: boolean;
}

/** Reads reverse zones with the caller's rights in them, by id. */
export async function reverseZones(
  em: EntityManager,
  caller: Caller,
  connections: ProviderConnections,
  review: ReviewPolicy,
  ids: readonly string[],
): Promise<Map<string, ReverseZone>> {
  const rows = await queries(em)
    .selectFrom("domains")
    .innerJoin("provider_configs", "provider_configs.id", "domains.provider_config_id")
    .select([
      "domains.id",
      "domains.name",
      "domains.view",
      "domains.reverse_follow_grant",
      "domains.review_required",
      "provider_configs.id as config_id",
      "provider_configs.kind",
      "provider_configs.config",
    ])
    .select(accessColumns(caller))
    .where("domains.id", "in", sql<string>`(select value::uuid from ${jsonTexts(ids)})`)
    .execute();
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        name: row.name,
        shownName: qualifiedName(row),
        kind: kindOf(connections, { id: row.config_id, kind: row.kind, config: row.config }),
        rights: rightsFrom(caller, row),
        // A grant is for people and their own tokens. A narrowed one stays within what it names.
        grants: row.reverse_follow_grant && caller.narrowing === null,
        needsReview: review.binds({ reviewRequired: row.review_required }, caller.role),
      },
    ]),
  );
}

/** A configuration that cannot be used says so when the zone is changed. */
function kindOf(connections: ProviderConnections, stored: Parameters<ProviderConnections["connect"]>[0]): ProviderKind {
  try {
    return connections.connect(stored).kind;
  } catch (error) {
    if (error instanceof AppError) return knownKind(stored.kind);
    throw error;
  }
}

/** Returns whether the caller may see the PTR records of an owner. */
export function seesOwner({ rights }: ReverseZone, owner: string): boolean {
  return rights?.sees.includes({ recordType: "PTR", name: owner }) ?? false;
}

/** Returns why the caller may not change the PTR records of an owner; null if they may. */
export function beyondRights({ rights, grants, needsReview }: ReverseZone, owner: string): string | null {
  if (needsReview) return "The reverse zone requires a review of each change. Request this one there.";
  if (grants) return null;
  return rights ? outsideRights({ recordType: "PTR", name: owner }, rights) : "Others manage this reverse zone.";
}
