import type { Plan } from "./draft/use-draft.ts";
import type { Zone } from "../zone/use-zone.ts";

/** Returns whether a person's changes need a review before they are made. The service decides; this says it before it is asked. */
export function needsReview(
  { reviewRequired, reviewAcme }: Pick<Zone, "reviewRequired" | "reviewAcme">,
  role: string,
  plan: Pick<Plan, "creates" | "updates" | "deletes"> | null,
): boolean {
  if (reviewRequired === "off" || (reviewRequired === "members" && role === "admin")) return false;
  if (reviewAcme || plan === null) return true;
  const touched = [...plan.creates, ...plan.deletes, ...plan.updates.flatMap(({ before, after }) => [before, after])];
  return !touched.every(({ name, recordType }) => recordType === "TXT" && /^_acme-challenge(?:\.|$)/.test(name));
}
