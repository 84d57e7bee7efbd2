import type { OwnRights } from "../zone/assigned-rights.ts";
import { isBound } from "../zone/review-rule.ts";
import type { Zone } from "../zone/use-zone.ts";
import type { Plan } from "./draft/use-draft.ts";

interface Person {
  role: string;
  rights: Pick<OwnRights, "writes">;
}

type Rule = Pick<Zone, "reviewRequired" | "reviewAcme">;

/** Returns whether a person's changes need a review before they are made. The service decides; this says it before it is asked. */
export function needsReview(
  zone: Rule,
  { role, rights }: Person,
  plan: Pick<Plan, "creates" | "updates" | "deletes"> | null,
): boolean {
  const others = plan ? [...plan.creates, ...plan.deletes] : [];
  if (plan && ![...others, ...sides(plan.updates)].every(rights.writes)) return true;
  if (!isBound(zone, role)) return false;
  if (plan === null) return true;
  const published = [...others, ...sides(plan.updates.filter(isPublished))];
  return published.length > 0 && (zone.reviewAcme || !published.every(isAcmeChallenge));
}

const sides = (updates: Plan["updates"]) => updates.flatMap(({ before, after }) => [before, after]);

const notes: ReadonlySet<string> = new Set(["comment", "ownerId", "reviewAt"]);

/** Returns whether an update changes more than notes, which nobody has to review. */
const isPublished = ({ changes }: Plan["updates"][number]) => Object.keys(changes).some((field) => !notes.has(field));

const isAcmeChallenge = ({ name, recordType }: { name: string; recordType: string }) =>
  recordType === "TXT" && /^_acme-challenge(?:\.|$)/.test(name);
