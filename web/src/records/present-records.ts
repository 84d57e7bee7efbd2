import type { DnsRecord } from "@zonewright/client";
import { client } from "../api.ts";
import type { Edit } from "./draft/draft.ts";

/** The records that edits are about, as they are now, by their id. One call for each of their names. */
export async function presentRecords(
  domainId: string,
  edits: readonly Edit[],
): Promise<ReadonlyMap<string, DnsRecord>> {
  const names = new Set(edits.flatMap((edit) => (edit.kind === "create" ? [] : [edit.before.name])));
  const found = new Map<string, DnsRecord>();
  for (const name of names) {
    for await (const record of client.eachRecord({ id: domainId, name })) found.set(record.id, record);
  }
  return found;
}
