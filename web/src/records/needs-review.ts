import type { Zone } from "../zone/use-zone.ts";
import type { OwnRights } from "./assigned-rights.ts";
import type { Plan } from "./draft/use-draft.ts";

interface Person {
  role: string;
  rights: Pick<OwnRights, "writes">;
}

/** Returns whether a person's changes need a review before they are made. The service decides; this says it before it is asked. */
export function needsReview(
  { reviewRequired, reviewAcme }: Pick<Zone, "reviewRequired" | "reviewAcme">,
  { role, rights }: Person,
  plan: Pick<Plan, "creates" | "updates" | "deletes"> | null,
): boolean {
  const touched = plan
    ? [...plan.creates, ...plan.deletes, ...plan.updates.flatMap(({ before, after }) => [before, after])]
    : [];
  if (!touched.every(rights.writes)) return true;
  if (reviewRequired === "off" || (reviewRequired === "members" && role === "admin")) return false;
  if (reviewAcme || plan === null) return true;
  return !touched.every(({ name, recordType }) => recordType === "TXT" && /^_acme-challenge(?:\.|$)/.test(name));
}
