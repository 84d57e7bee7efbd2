import type { RestClient } from "../../support/rest-client.ts";

/** An audit entry as the API returns it. */
export interface Entry {
  id: string;
  at: string;
  actorId: string | null;
  tokenId: string | null;
  action: string;
  targetType: string;
  targetId: string | null;
  ip: string | null;
  requestId: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

/** Matching entries, newest first. */
export async function entries(admin: RestClient, filter: Record<string, string> = {}): Promise<Entry[]> {
  const { status, body } = await admin.get(`/api/audit?${new URLSearchParams({ limit: "100", ...filter }).toString()}`);
  if (status !== 200) throw new Error(`The trail answers ${status}: ${JSON.stringify(body)}`);
  return body.entries;
}
