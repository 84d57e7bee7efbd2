import type { Answer, RestClient } from "../../support/rest-client.ts";
import type { Body, Zone } from "../../support/zones.ts";

/** The changes that create an A record. */
export function creating(name: string, value = "192.0.2.1") {
  return [{ action: "create", record: { recordType: "A", name, value } }];
}

/** Requests changes of a zone. */
export function request(client: RestClient, zone: Zone, changes: object[], fields: object = {}): Promise<Answer> {
  return client.post(`${zone.path}/change-requests`, { title: "For a test", changes, ...fields });
}

/** Requests changes of a zone. @throws Error if that is refused */
export async function requested(client: RestClient, zone: Zone, changes: object[], fields: object = {}): Promise<Body> {
  const answer = await request(client, zone, changes, fields);
  if (answer.status !== 201) throw new Error(`The request was refused: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

export const verdict = (
  client: RestClient,
  { id }: { id: string },
  verb: "approve" | "reject" | "withdraw" | "apply",
  body?: object,
) => client.post(`/api/change-requests/${id}/${verb}`, body);

/** Approves a request as it is now. */
export async function approve(client: RestClient, { id }: { id: string }, note?: string): Promise<Answer> {
  const { changesHash } = await readRequest(client, { id });
  return await verdict(client, { id }, "approve", { changesHash, ...(note === undefined ? {} : { note }) });
}

export async function readRequest(client: RestClient, { id }: { id: string }): Promise<Body> {
  return (await client.get(`/api/change-requests/${id}`)).body;
}

export async function requireReview(zw: { admin: RestClient }, zone: Zone, reviewRequired: string): Promise<void> {
  const { status } = await zw.admin.put(zone.path, { reviewRequired });
  if (status !== 200) throw new Error("The rule was not set.");
}
