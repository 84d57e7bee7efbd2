import { client } from "../../api.ts";

/** Takes the change that led to a revision back, by a new one. Returns the new revision, or null if the history no longer has the change. */
export async function revert(domainId: string, revision: number): Promise<number | null> {
  const { entries } = await client.records.history.query({ id: domainId, limit: 100 });
  const entry = entries.find((each) => each.revision === revision);
  if (!entry) return null;
  const result = await client.records.revert.mutate({ id: domainId, changeSetId: entry.id });
  return result.revision ?? revision;
}
