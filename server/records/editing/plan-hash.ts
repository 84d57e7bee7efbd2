import { createHash } from "node:crypto";
import type { ZoneContext } from "../../changes/pipeline.ts";
import type { PlannedChange } from "../../dns/live-record.ts";
import type { Steps } from "../../platform/slices.ts";

/** In steps: what ties a plan to the zone as it was and to its changes. */
export function* planHash(zone: ZoneContext, changes: readonly PlannedChange[]): Steps<string> {
  const hash = createHash("sha256").update(JSON.stringify(zone.id));
  for (const { action, id, before, after } of changes) {
    hash.update(JSON.stringify([action, action === "create" ? null : id, before?.version, after]));
    yield;
  }
  return revisionPart(zone) + hash.digest("base64url");
}

/** What it begins with: the revision of the zone. */
export function revisionPart({ revision }: ZoneContext): string {
  return `${revision}.`;
}
