import { createHash } from "node:crypto";
import type { HeldZone } from "../../changes/pipeline.ts";
import type { PlannedChange } from "../live-record.ts";

/** What ties a plan to the zone as it was and to its changes. */
export function planHash(zone: HeldZone, changes: readonly PlannedChange[]): string {
  const content = changes.map(({ action, id, before, after }) => [
    action,
    action === "create" ? null : id,
    before?.version,
    after,
  ]);
  const digest = createHash("sha256")
    .update(JSON.stringify([zone.id, content]))
    .digest("base64url");
  return revisionPart(zone) + digest;
}

/** What it begins with: the revision of the zone. */
export function revisionPart({ revision }: HeldZone): string {
  return `${revision}.`;
}
