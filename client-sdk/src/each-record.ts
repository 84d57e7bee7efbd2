import type { TRPCClient } from "@trpc/client";
import type { AppRouter, DnsRecord } from "./app-router.ts";

/** Which records to go through. */
export interface EachRecordInput {
  /** The domain's id. */
  id: string;
  /** Only records of this type. */
  type?: string | undefined;
  /** Only records with this in their name. */
  search?: string | undefined;
}

const pageSize = 500;

/** Goes through a domain's records page by page. */
export async function* eachRecord(
  client: TRPCClient<AppRouter>,
  input: EachRecordInput,
  options: { signal?: AbortSignal | undefined },
): AsyncGenerator<DnsRecord, void, undefined> {
  for (let page = 1, total = Infinity; (page - 1) * pageSize < total; page += 1) {
    const answer = await client.records.list.query({ ...input, page, limit: pageSize }, options);
    yield* answer.records;
    ({ total } = answer);
  }
}
