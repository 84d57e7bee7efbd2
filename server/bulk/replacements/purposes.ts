import type { BatchPurposes } from "../batches/batch.ts";
import { revertTitle } from "../batches/notices.ts";
import { liveAtNames } from "../../zones/changes/state/live-queries.ts";
import { planInversion } from "../../zones/records/inversion.ts";
import { kindOfZone } from "../../zones/records/provider-limits.ts";
import { namesWithValue } from "./find.ts";
import { withNameServer } from "./plan.ts";
import { readWanted, type ReplaceRequest } from "./wanted.ts";
import { planZonePart } from "./zone-part.ts";

/** What an item of a revert reverts. */
export interface RevertedItem {
  changeSetId: string;
}

/** Replacements, and reverts of batches. */
export const replacementPurposes: Pick<BatchPurposes, "replace" | "revert"> = {
  replace: {
    title: replacementTitle,
    async plan(em, zone, { request }) {
      const { wanted } = readWanted(request as ReplaceRequest);
      const names = withNameServer(zone, wanted, await namesWithValue(em, zone.id, wanted));
      const present = await liveAtNames(em, zone.id, names);
      const kind = await kindOfZone(zone, [wanted.newTtl ?? undefined]);
      return await planZonePart(em, { ...zone, kind }, wanted, present);
    },
  },
  revert: {
    title: (request) => revertTitle(replacementTitle(request)),
    plan: async (em, zone, { detail }) => await planInversion(em, zone, (detail as RevertedItem).changeSetId),
    reverted: (detail) => (detail as RevertedItem).changeSetId,
  },
};

function replacementTitle(request: unknown): string {
  const { recordType, value } = request as ReplaceRequest;
  return `Replacement of ${recordType} ${value}`;
}
