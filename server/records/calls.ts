import type { Caller } from "../auth/caller.ts";
import type { HttpPort } from "../context.ts";
import type { EntityManager } from "../database/database.ts";
import type { RecordInput } from "./drafts.ts";
import { ifMatchVersion, setVersionTag } from "./if-match.ts";
import type { Records } from "./service.ts";

/** What a procedure has at hand. */
interface Scope {
  services: { records: Records };
  em: EntityManager;
  caller: Caller;
  http: HttpPort;
}

/** Calls that two procedures offer, one below /api and one below /api/v1, with `ETag` and `If-Match` (RFC 9110 §13.1.1). */
export async function createRecord({ services, em, caller, http }: Scope, input: RecordInput & { id: string }) {
  const record = await services.records.create(em, caller, input);
  setVersionTag(http, record);
  return record;
}

export async function updateRecord(
  { services, em, caller, http }: Scope,
  input: Partial<RecordInput> & { id: string; recordId: string },
) {
  const record = await services.records.update(em, caller, input, ifMatchVersion(http));
  setVersionTag(http, record);
  return record;
}

export async function deleteRecord({ services, em, caller, http }: Scope, input: { id: string; recordId: string }) {
  await services.records.delete(em, caller, input, ifMatchVersion(http));
  return { success: true as const };
}
