import type { Plan } from "./use-draft.ts";

/** The longest time for which resolvers may still give an old answer, in seconds; null if nothing old is taken away. */
export function longestOldTtl(plan: Pick<Plan, "updates" | "deletes">): number | null {
  const old = [...plan.deletes, ...plan.updates.map(({ before }) => before)];
  const ttls = old.flatMap(({ ttl, status }) => (status === "disabled" ? [] : [ttl]));
  return ttls.length === 0 ? null : ttls.reduce((most, ttl) => Math.max(most, ttl), 0);
}
