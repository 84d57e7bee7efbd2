import type { z } from "zod";
import type { ProviderError } from "../provider.ts";
import { VendorCalls, type VendorEnvironment } from "../vendor-api/calls.ts";
import {
  batchResult,
  madeZone,
  recordPage,
  zonePage,
  type Batch,
  type Paging,
  type ServedRecord,
  type ServedZone,
} from "./api.ts";
import { readPages } from "../vendor-api/pages.ts";
import { reasonIn, refusesToken, saysZoneMissing, type Refusal } from "./refusals.ts";

export interface CloudflareAccess {
  apiToken: string;
  accountId?: string | undefined;
  endpoint: string;
}

export type Answer<T> = { ok: true; value: T } | { ok: false; refusal: Refusal };

type Sdk = Awaited<ReturnType<typeof loadSdk>>;
type Client = ReturnType<typeof clientOf>;

/** The largest pages allowed. */
const zonesAPage = 50;
const recordsAPage = 5_000;
/** Longer than any call may take including its waits, so that this timeout never applies. */
const timeoutMilliseconds = 24 * 3_600_000;
export const cloudflareAddress = "https://api.cloudflare.com/client/v4";

/** Calls Cloudflare's API through its own package, which sends through our egress and does not retry. */
export class CloudflareClient {
  readonly calls: VendorCalls;
  readonly accountId: string | undefined;
  readonly #access: CloudflareAccess;

  constructor(access: CloudflareAccess, environment: VendorEnvironment) {
    this.#access = access;
    this.accountId = access.accountId;
    this.calls = new VendorCalls({
      name: "Cloudflare",
      address: access.endpoint,
      environment,
      secrets: [access.apiToken],
      // The limit is 1,200 in five minutes, dashboard included
      // (https://developers.cloudflare.com/fundamentals/api/reference/limits/).
      quotas: { address: cloudflareAddress, limits: [{ calls: 1_100, seconds: 300 }] },
    });
  }

  /** Yields zones, or those of one name, page by page. @throws ProviderError */
  async *zones(name?: string): AsyncGenerator<ServedZone> {
    const filter = {
      ...(name === undefined ? {} : { name }),
      ...(this.accountId === undefined ? {} : { account: { id: this.accountId } }),
    };
    const list = { name: "The list of zones", pageSize: zonesAPage };
    const pages = this.#pages(list, zonePage, (client, page) =>
      client.zones.list({ ...filter, page, per_page: zonesAPage }),
    );
    for await (const page of pages) yield* page;
  }

  /** @throws ProviderError */
  makeZone(name: string, accountId: string): Promise<Answer<ServedZone>> {
    return this.#ask(madeZone, "unknown", (client) =>
      client.zones.create({ name, account: { id: accountId }, type: "full" }),
    );
  }

  /** Yields a zone's records, or those of one name, page by page. @throws ProviderError, also if the zone changes meanwhile */
  async *records(zoneId: string, name?: string): AsyncGenerator<ServedRecord[]> {
    const filter = name === undefined ? {} : { name: { exact: name } };
    const list = { name: "The records of the zone", pageSize: recordsAPage, mustBeComplete: true };
    yield* this.#pages(list, recordPage, (client, page) =>
      client.dns.records.list({ zone_id: zoneId, ...filter, order: "name", page, per_page: recordsAPage }),
    );
  }

  #pages<Entry extends { id: string }>(
    list: { name: string; pageSize: number; mustBeComplete?: boolean },
    schema: z.ZodType<{ result: Entry[]; result_info?: Paging | undefined }>,
    call: (client: Client, page: number) => PromiseLike<{ result?: unknown; result_info?: unknown }>,
  ): AsyncGenerator<Entry[]> {
    return readPages({ vendor: this.calls.name, idOf: ({ id }: Entry) => id, ...list }, async (page) => {
      const { result: entries, result_info: info } = this.#sure(
        await this.#ask(schema, "none", (client) =>
          call(client, page).then(({ result, result_info }) => ({ result, result_info })),
        ),
      );
      return { entries, total: info?.total_count ?? null, isLast: page >= (info?.total_pages ?? 1) };
    });
  }

  /**
   * Carries out a batch. @returns the ids of what was posted, in order. @throws ProviderError with effect `unknown` if it may have
   * been carried out
   */
  async batch(zoneId: string, { deletes, patches, posts }: Batch): Promise<Answer<string[]>> {
    const answer = await this.#ask(batchResult, "unknown", (client, { asParams }) =>
      client.dns.records.batch(asParams({ zone_id: zoneId, deletes, patches, posts })),
    );
    if (!answer.ok) return answer;
    const done = answer.value;
    const isAll = [
      [deletes, done.deletes],
      [patches, done.patches],
      [posts, done.posts],
    ].every(([sent = [], answered]) => (answered?.length ?? 0) === sent?.length);
    if (isAll) return { ok: true, value: (done.posts ?? []).map(({ id }) => id) };
    throw this.calls.failure("did not report on every change sent. The zone must be read again.", "unknown");
  }

  /** Returns the value of a call that has no reason to be refused. @throws ProviderError */
  #sure<T>(answer: Answer<T>): T {
    if (answer.ok) return answer.value;
    throw this.refused(answer.refusal);
  }

  /** Returns the failure for a refused call. */
  refused(refusal: Refusal): ProviderError {
    return this.calls.failure(`refused the call (${refusal.status}): ${refusal.reason}`, "none", {
      zoneMissing: saysZoneMissing(refusal),
    });
  }

  /** @param effect what the call may have done if its answer cannot be read. */
  async #ask<T>(
    schema: z.ZodType<T>,
    effect: "none" | "unknown",
    work: (client: Client, sdk: Sdk) => PromiseLike<unknown>,
  ): Promise<Answer<T>> {
    const sdk = await loadSdk();
    let failure: unknown = null;
    const client = clientOf(sdk, this.#access, async (url, init) => {
      try {
        return await this.#send(url, init ?? {});
      } catch (error) {
        // The package replaces this error with its own.
        failure = error;
        throw error;
      }
    });
    let given: unknown;
    try {
      given = await work(client, sdk);
    } catch (error) {
      if (failure instanceof Error) throw failure;
      if (error instanceof sdk.APIError && typeof error.status === "number") {
        return { ok: false, refusal: this.#refusal(error.status, error.error) };
      }
      throw this.calls.notItsApi(effect, error);
    }
    const parsed = schema.safeParse(given);
    if (!parsed.success) throw this.calls.notItsApi(effect, parsed.error);
    return { ok: true, value: parsed.data };
  }

  #refusal(status: number, body: unknown): Refusal {
    const { codes, reason } = reasonIn(body);
    const refusal = { status, codes, reason: this.calls.plain(reason) };
    if (!refusesToken(refusal)) return refusal;
    throw this.calls.failure(
      `rejects the token of this provider configuration. Enter one with the permissions Zone Read and DNS Edit for its zones (${refusal.reason})`,
      "none",
    );
  }

  async #send(url: string | URL | Request, { method = "GET", headers, body }: RequestInit): Promise<Response> {
    const given = new Headers(headers);
    const forwarded = ["accept", "authorization", "content-type"].flatMap((name) => {
      const value = given.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    const answer = await this.calls.send({
      method: methodOf(method),
      url: typeof url === "string" ? url : url instanceof URL ? url.href : url.url,
      headers: Object.fromEntries(forwarded),
      ...(typeof body === "string" ? { body } : {}),
      changes: method.toUpperCase() !== "GET",
    });
    const { status, headers: answered, text } = answer;
    const type = answered.get("content-type");
    return new Response(text === "" ? null : text, { status, headers: type === null ? {} : { "content-type": type } });
  }
}

function methodOf(method: string): "GET" | "POST" {
  const upper = method.toUpperCase();
  if (upper === "GET" || upper === "POST") return upper;
  throw new Error(`No call to Cloudflare uses ${upper}.`);
}

/** Loads the package when the first call is made: it is 15,000 lines and takes 45 MB of memory. */
async function loadSdk() {
  const [{ createClient }, { APIError }, { BaseRecords }, { BaseZones }] = await Promise.all([
    import("cloudflare/tree-shakable"),
    import("cloudflare/core/error"),
    import("cloudflare/resources/dns/records"),
    import("cloudflare/resources/zones/zones"),
  ]);
  type Params = Parameters<InstanceType<typeof BaseRecords>["batch"]>[0];
  /** Casts a batch: the package has a type per record type, which a table of fields cannot match. */
  const asParams = (params: { zone_id: string } & Batch) => params as unknown as Params;
  return { createClient, APIError, resources: [BaseRecords, BaseZones] as const, asParams };
}

type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Sets every option, so that the package does not read the environment. */
function clientOf({ createClient, resources }: Sdk, { apiToken, endpoint }: CloudflareAccess, fetch: Fetch) {
  return createClient({
    resources,
    apiToken,
    apiKey: null,
    apiEmail: null,
    userServiceKey: null,
    baseURL: endpoint.replace(/\/+$/, ""),
    maxRetries: 0,
    timeout: timeoutMilliseconds,
    logLevel: "off",
    fetch,
  });
}
