import type { Caller } from "../access/caller.ts";
import type { HttpPort } from "../platform/http-port.ts";
import type { EntityManager } from "../database/database.ts";
import { AppError } from "../platform/errors.ts";
import type { RecordInput } from "./editing/drafts.ts";
import type { Records } from "./service.ts";

/** What a procedure has at hand. */
interface Scope {
  services: { records: Records };
  em: EntityManager;
  caller: Caller;
  http: HttpPort;
}

// Calls that two procedures offer, one below /api and one below /api/v1, with `ETag` and `If-Match` (RFC 9110 §13.1.1).

/** Creates a record; its answer carries the ETag. */
export async function createRecord({ services, em, caller, http }: Scope, input: RecordInput & { id: string }) {
  const record = await services.records.create(em, caller, input);
  setVersionTag(http, record);
  return record;
}

/** Changes a record, at the version of `If-Match` if there is one. */
export async function updateRecord(
  { services, em, caller, http }: Scope,
  input: Partial<RecordInput> & { id: string; recordId: string },
) {
  const record = await services.records.update(em, caller, input, ifMatchVersion(http));
  setVersionTag(http, record);
  return record;
}

/** Deletes a record, at the version of `If-Match` if there is one. */
export async function deleteRecord({ services, em, caller, http }: Scope, input: { id: string; recordId: string }) {
  await services.records.delete(em, caller, input, ifMatchVersion(http));
  return { success: true as const };
}

/** The version that `If-Match` names; null when it names none. @throws AppError BAD_REQUEST for anything but one version or `*` */
function ifMatchVersion(http: HttpPort): number | null {
  const header = http.header("if-match")?.trim();
  if (header === undefined || header === "" || header === "*") return null;
  const [, version] = /^"(\d{1,9})"$/.exec(header) ?? [];
  if (version === undefined) throw new AppError("BAD_REQUEST", 'If-Match must be the ETag of the record, such as "3".');
  return Number(version);
}

function setVersionTag(http: HttpPort, record: { version: number }): void {
  http.setHeader("ETag", `"${record.version}"`);
}
