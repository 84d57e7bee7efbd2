import type { DnsRecord, Domain, RouterInputs, Snapshot } from "./app-router.ts";
import type { Procedures } from "./procedures.ts";

/** The options of an iteration, besides the list's filters. */
export interface EachOptions {
  /** Ends the iteration; the loop then fails with ABORTED. */
  signal?: AbortSignal | undefined;
  /** Items per page. Default: 100, which every list allows. */
  pageSize?: number | undefined;
}

/** A procedure that returns pages, such as `client.audit.list`. */
export interface PagedProcedure<Input extends object, Page extends { total: number }> {
  query(input: Input, options?: { signal?: AbortSignal }): Promise<Page>;
}

/** The type of a page's items. */
export type ItemOf<Page> = {
  [Key in keyof Page]: Page[Key] extends readonly (infer Item)[] ? Item : never;
}[keyof Page];

/** The records to iterate over: the domain's id and filters. */
export type EachRecordInput = WithoutPaging<RouterInputs["records"]["list"]>;
/** The domains to iterate over. */
export type EachDomainInput = WithoutPaging<Exclude<RouterInputs["domains"]["list"], void | undefined>>;
/** The snapshots to iterate over: the domain's id and filters. */
export type EachSnapshotInput = WithoutPaging<RouterInputs["snapshots"]["list"]>;

type WithoutPaging<Input> = Omit<Input, "page" | "limit">;

/** Iterates over lists of any length. */
export interface ListHelpers {
  /**
   * Yields every item of a paged list, fetched page by page as the loop proceeds:
   * `for await (const entry of client.each(client.audit.list, {}))`. Items added or removed meanwhile may be missed or repeated.
   */
  each<Input extends object, Page extends { total: number }>(
    list: PagedProcedure<Input, Page>,
    input: WithoutPaging<Input>,
    options?: EachOptions,
  ): AsyncGenerator<ItemOf<Page>, void, undefined>;
  /** Yields all records of a domain; see {@link ListHelpers.each}. */
  eachRecord(input: EachRecordInput, options?: EachOptions): AsyncGenerator<DnsRecord, void, undefined>;
  /** Yields all domains that you can see; see {@link ListHelpers.each}. */
  eachDomain(input?: EachDomainInput, options?: EachOptions): AsyncGenerator<Domain, void, undefined>;
  /** Yields all snapshots of a domain, newest first, without their records by default; see {@link ListHelpers.each}. */
  eachSnapshot(input: EachSnapshotInput, options?: EachOptions): AsyncGenerator<Snapshot, void, undefined>;
}

export function listHelpers({ records, domains, snapshots }: Procedures): ListHelpers {
  return {
    each,
    eachRecord: (input, options) => each(records.list, input, { pageSize: 500, ...options }),
    eachDomain: (input = {}, options = {}) => each(domains.list, input, options),
    eachSnapshot: (input, options) => each(snapshots.list, { records: "false", ...input }, options),
  };
}

async function* each<Input extends object, Page extends { total: number }>(
  list: PagedProcedure<Input, Page>,
  input: WithoutPaging<Input>,
  { signal, pageSize: limit = 100 }: EachOptions = {},
): AsyncGenerator<ItemOf<Page>, void, undefined> {
  const options = signal === undefined ? {} : { signal };
  for (let page = 1, total = Infinity; (page - 1) * limit < total; page += 1) {
    const answer = await list.query({ ...input, page, limit } as unknown as Input, options);
    const items = Object.values(answer).find((value) => Array.isArray(value)) as ItemOf<Page>[] | undefined;
    yield* items ?? [];
    ({ total } = answer);
  }
}
