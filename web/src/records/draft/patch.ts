import type { Plan } from "./use-draft.ts";

/** The longest time for which resolvers may still give an old answer, in seconds; null if nothing old is taken away. */
export function longestOldTtl(plan: Pick<Plan, "updates" | "deletes">): number | null {
  const old = [...plan.deletes, ...plan.updates.map(({ before }) => before)];
  // A TTL of 1 may stand for one that the provider chooses, as that of a proxied record does.
  const ttls = old.flatMap(({ ttl, status }) => (status === "disabled" || ttl === 1 ? [] : [ttl]));
  return ttls.length === 0 ? null : ttls.reduce((most, ttl) => Math.max(most, ttl), 0);
}
