import type { z } from "zod";
import type { ProviderError } from "../provider.ts";
import { VendorCalls, type VendorEnvironment } from "../vendor-api/calls.ts";
import { batchResult, madeZone, recordPage, zonePage, type Batch, type ServedRecord, type ServedZone } from "./api.ts";
import { PageTurner } from "../vendor-api/page-turner.ts";
import { reasonIn, refusesToken, saysZoneMissing, type Refusal } from "./refusals.ts";

export interface CloudflareAccess {
  apiToken: string;
  accountId?: string | undefined;
  endpoint: string;
}

export type Answer<T> = { ok: true; value: T } | { ok: false; refusal: Refusal };

type Sdk = Awaited<ReturnType<typeof loadSdk>>;
type Client = ReturnType<typeof clientOf>;

/** The largest pages that there are. */
const zonesAPage = 50;
const recordsAPage = 5_000;
/** Longer than the calls themselves are given, with their waits for a turn. */
const timeoutMilliseconds = 24 * 3_600_000;
export const cloudflareAddress = "https://api.cloudflare.com/client/v4";

/** Cloudflare's API through its own package, whose calls leave by our door and are not repeated by it. */
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
      // 1,200 in five minutes, the dashboard's among them (https://developers.cloudflare.com/fundamentals/api/reference/limits/).
      quotas: { address: cloudflareAddress, limits: [{ calls: 1_100, seconds: 300 }] },
    });
  }

  /** Page by page. @throws ProviderError */
  async *zones(name?: string): AsyncGenerator<ServedZone> {
    const filter = {
      ...(name === undefined ? {} : { name }),
      ...(this.accountId === undefined ? {} : { account: { id: this.accountId } }),
    };
    const pages = new PageTurner(this.calls.name);
    for (let page = 1; ; page++) {
      const { result, result_info: info } = this.#sure(
        await this.#ask(zonePage, "none", (client) =>
          client.zones
            .list({ ...filter, page, per_page: zonesAPage })
            .then(({ result, result_info }) => ({ result, result_info })),
        ),
      );
      yield* result;
      const [first] = result;
      if (page >= (info?.total_pages ?? 1)) return;
      if (!first) throw this.calls.error("its list of zones was changed while it was being read; try again.", "none");
      pages.turn(first.id, info?.total_pages);
    }
  }

  /** @throws ProviderError */
  makeZone(name: string, accountId: string): Promise<Answer<ServedZone>> {
    return this.#ask(madeZone, "unknown", (client) =>
      client.zones.create({ name, account: { id: accountId }, type: "full" }),
    );
  }

  /** Those of a name, or all, page by page. @throws ProviderError, also when the zone changes in between and some were missed */
  async *records(zoneId: string, name?: string): AsyncGenerator<ServedRecord[]> {
    const filter = name === undefined ? {} : { name: { exact: name } };
    const seen = new Set<string>();
    const totals = new Set<number>();
    const pages = new PageTurner(this.calls.name);
    for (let page = 1; ; page++) {
      const { result, result_info: info } = this.#sure(
        await this.#ask(recordPage, "none", (client) =>
          client.dns.records
            .list({ zone_id: zoneId, ...filter, order: "name", page, per_page: recordsAPage })
            .then(({ result, result_info }) => ({ result, result_info })),
        ),
      );
      const fresh = result.filter(({ id }) => !seen.has(id));
      for (const { id } of fresh) seen.add(id);
      if (info?.total_count !== undefined) totals.add(info.total_count);
      if (fresh.length > 0) yield fresh;
      const [first] = result;
      if (first && page < (info?.total_pages ?? 1)) {
        pages.turn(first.id, info?.total_pages);
        continue;
      }
      if (totals.size > 1 || (totals.size === 1 && !totals.has(seen.size))) {
        throw this.calls.error("the zone was changed while it was being read; try again.", "none");
      }
      return;
    }
  }

  /** @returns the ids of what was posted, in order. @throws ProviderError with effect `unknown` when it may have been carried out */
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
    ].every(([sent = [], told]) => (told?.length ?? 0) === sent?.length);
    if (isAll) return { ok: true, value: (done.posts ?? []).map(({ id }) => id) };
    throw this.calls.error("its answer does not tell all that it was to do; the zone must be read again.", "unknown");
  }

  /** The value, for calls that have nothing to be refused. @throws ProviderError */
  #sure<T>(answer: Answer<T>): T {
    if (answer.ok) return answer.value;
    throw this.refused(answer.refusal);
  }

  /** A refusal as the failure of the whole call. */
  refused(refusal: Refusal): ProviderError {
    return this.calls.error(`it refuses the call (${refusal.status}): ${refusal.reason}`, "none", {
      zoneMissing: saysZoneMissing(refusal),
    });
  }

  /** @param effect what it may have done when the answer cannot be read. */
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
        // The package puts an error of its own in place of this one.
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
    throw this.calls.error(
      `it refuses the token of this provider configuration; give one with the rights Zone Read and DNS Edit for its zones (${refusal.reason})`,
      "none",
    );
  }

  async #send(url: string | URL | Request, { method = "GET", headers, body }: RequestInit): Promise<Response> {
    const given = new Headers(headers);
    const kept = ["accept", "authorization", "content-type"].flatMap((name) => {
      const value = given.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    const answer = await this.calls.send({
      method: methodOf(method),
      url: typeof url === "string" ? url : url instanceof URL ? url.href : url.url,
      headers: Object.fromEntries(kept),
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

/** Loaded when the first call is made: it is 15,000 lines and 45 MB of memory, for which others need not wait. */
async function loadSdk() {
  const [{ createClient }, { APIError }, { BaseRecords }, { BaseZones }] = await Promise.all([
    import("cloudflare/tree-shakable"),
    import("cloudflare/core/error"),
    import("cloudflare/resources/dns/records"),
    import("cloudflare/resources/zones/zones"),
  ]);
  type Params = Parameters<InstanceType<typeof BaseRecords>["batch"]>[0];
  /** The package has a type for each of twenty types of records, which a table of fields cannot name one by one. */
  const asParams = (params: { zone_id: string } & Batch) => params as unknown as Params;
  return { createClient, APIError, resources: [BaseRecords, BaseZones] as const, asParams };
}

type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Everything is given, so that the package looks for nothing in the environment. */
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
