import type { DnsRecord } from "@zonewright/client";
import { client } from "../../api.ts";
import type { Edit } from "./draft.ts";

/** The names that are asked for at a time: a browser has six connections, and the page needs some of them. */
const atATime = 4;

/** The records that edits are about, as they are now, by their id. One call for each of their names. */
export async function presentRecords(
  domainId: string,
  edits: readonly Edit[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, DnsRecord>> {
  const names = edits.flatMap((edit) => (edit.kind === "create" ? [] : [edit.before.name]));
  return await recordsAt(domainId, names, signal);
}

/** The records of some names, by their id. One call for each name. */
export async function recordsAt(
  domainId: string,
  all: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, DnsRecord>> {
  const names = new Set(all).values();
  const found = new Map<string, DnsRecord>();
  const ask = async () => {
    for (const name of names) {
      for await (const record of client.eachRecord({ id: domainId, name }, { signal })) found.set(record.id, record);
    }
  };
  await Promise.all(Array.from({ length: atATime }, ask));
  return found;
}
