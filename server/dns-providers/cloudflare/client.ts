import { z } from "zod";
import type { ProviderError } from "../provider.ts";
import { VendorCalls, type VendorEnvironment } from "../vendor-api/calls.ts";
import { readPages } from "../vendor-api/pages.ts";
import { parsedJson, maybe } from "../vendor-api/text.ts";

// The parts of Cloudflare's API in use (https://developers.cloudflare.com/api/resources/dns/subresources/records/). Other fields
// are ignored.

const paging = z.object({ total_count: maybe(z.int()), total_pages: maybe(z.int()) });

export type Paging = z.infer<typeof paging>;

const zone = z.object({
  id: z.string(),
  name: z.string(),
  status: maybe(z.string()),
  /** `full`; `partial`: a CNAME set-up; `secondary`: transferred from a primary server; `internal`. */
  type: maybe(z.string()),
  plan: maybe(z.object({ legacy_id: maybe(z.string()) })),
});

export type ServedZone = z.infer<typeof zone>;

export const zonePage = z.object({ result: z.array(zone), result_info: maybe(paging) });
const madeZone = z.object({ result: zone });

const record = z.object({
  id: z.string(),
  /** Absolute, without a trailing dot, in A-labels. */
  name: z.string(),
  type: z.string(),
  ttl: z.number(),
  content: maybe(z.string()).transform((content) => content ?? ""),
  priority: maybe(z.number()),
  data: maybe(z.record(z.string(), z.unknown())),
  proxied: maybe(z.boolean()).transform((proxied) => proxied ?? false),
  comment: maybe(z.string()),
  tags: maybe(z.array(z.string())),
  settings: maybe(z.record(z.string(), z.unknown())),
  private_routing: maybe(z.boolean()),
  meta: maybe(z.object({ read_only: maybe(z.boolean()) })),
});

/** A record as Cloudflare returns it. */
export type ServedRecord = z.infer<typeof record>;

export const recordPage = z.object({ result: z.array(record), result_info: maybe(paging) });

/** `active` and `pending`: signed; pending until the parent zone has the DS record. */
const dnssec = z.object({
  result: z.object({
    status: maybe(z.string()),
    flags: maybe(z.number()),
    algorithm: maybe(z.coerce.number()),
    public_key: maybe(z.string()),
  }),
});

const done = maybe(z.array(z.object({ id: z.string() })));
export const batchResult = z.object({ result: z.object({ deletes: done, patches: done, posts: done }) });

/** The fields of a record to write. Comments and tags are left out, so that a patch preserves them. */
export interface RecordBody {
  name: string;
  type: string;
  ttl: number;
  content?: string;
  data?: Readonly<Record<string, unknown>>;
  priority?: number;
  proxied?: boolean;
  comment?: string;
  tags?: readonly string[];
  settings?: Readonly<Record<string, unknown>>;
  private_routing?: boolean;
}

/** Changes that Cloudflare makes in one database transaction: deletes, then patches, then posts. */
export interface Batch {
  deletes: { id: string }[];
  patches: (RecordBody & { id: string })[];
  posts: RecordBody[];
}

interface CloudflareAccess {
  apiToken: string;
  accountId?: string | undefined;
  endpoint: string;
}

export type Answer<T> = { ok: true; value: T } | { ok: false; refusal: Refusal };

/** The largest pages allowed. */
const zonesAPage = 50;
const recordsAPage = 5_000;
export const cloudflareAddress = "https://api.cloudflare.com/client/v4";
/**
 * The limit is 1,200 in five minutes for each user, whatever the token, and dashboard included
 * (https://developers.cloudflare.com/fundamentals/api/reference/limits/).
 */
export const cloudflareLimits = [{ calls: 1_100, seconds: 300 }];

/** Calls Cloudflare's API v4. */
export class CloudflareClient {
  readonly calls: VendorCalls;
  readonly accountId: string | undefined;
  readonly #base: string;
  readonly #token: string;

  constructor({ apiToken, accountId, endpoint }: CloudflareAccess, environment: VendorEnvironment) {
    this.#base = endpoint.replace(/\/+$/, "");
    this.#token = apiToken;
    this.accountId = accountId;
    this.calls = new VendorCalls({
      name: "Cloudflare",
      address: endpoint,
      environment,
      secrets: [apiToken],
      // Users are unknown; tokens of one account often have one.
      ...(accountId !== undefined && { account: accountId }),
      quotas: { address: cloudflareAddress, limits: cloudflareLimits },
    });
  }

  /** Yields zones, or those of one name, page by page. @throws ProviderError */
  async *zones(name?: string): AsyncGenerator<ServedZone> {
    const filter = {
      ...(name === undefined ? {} : { name }),
      ...(this.accountId === undefined ? {} : { "account.id": this.accountId }),
    };
    const list = { name: "The list of zones", pageSize: zonesAPage };
    for await (const page of this.#pages(list, zonePage, "/zones", filter)) yield* page;
  }

  /** @throws ProviderError */
  async makeZone(name: string, accountId: string): Promise<Answer<unknown>> {
    return await this.#ask(madeZone, "POST", "/zones", { name, account: { id: accountId }, type: "full" });
  }

  /** Yields a zone's records, or those of one name, page by page. @throws ProviderError, also if the zone changes meanwhile */
  async *records(zoneId: string, name?: string): AsyncGenerator<ServedRecord[]> {
    const filter = { ...(name === undefined ? {} : { "name.exact": name }), order: "name" };
    const list = { name: "The records of the zone", pageSize: recordsAPage, mustBeComplete: true };
    yield* this.#pages(list, recordPage, recordsPath(zoneId), filter);
  }

  #pages<Entry extends { id: string }>(
    list: { name: string; pageSize: number; mustBeComplete?: boolean },
    schema: z.ZodType<{ result: Entry[]; result_info?: Paging | undefined }>,
    path: string,
    filter: Readonly<Record<string, string>>,
  ): AsyncGenerator<Entry[]> {
    return readPages({ vendor: this.calls.name, idOf: ({ id }: Entry) => id, ...list }, async (page) => {
      const query = new URLSearchParams({ ...filter, page: String(page), per_page: String(list.pageSize) });
      const { result: entries, result_info: info } = this.#sure(await this.#ask(schema, "GET", `${path}?${query}`));
      return { entries, total: info?.total_count ?? null, isLast: page >= (info?.total_pages ?? 1) };
    });
  }

  /**
   * Carries out a batch. @returns the ids of what was posted, in order. @throws ProviderError with effect `unknown` if it may have
   * been carried out
   */
  async batch(zoneId: string, batch: Batch): Promise<Answer<string[]>> {
    const answer = await this.#ask(batchResult, "POST", `${recordsPath(zoneId)}/batch`, batch);
    if (!answer.ok) return answer;
    const { result: done } = answer.value;
    const isAll = (["deletes", "patches", "posts"] as const).every(
      (list) => (done[list]?.length ?? 0) === batch[list].length,
    );
    if (isAll) return { ok: true, value: (done.posts ?? []).map(({ id }) => id) };
    throw this.calls.failure("did not report on every change sent. The zone must be read again.", "unknown");
  }

  /** Returns the data of the DNSKEY record that the DS record stands for; null if the zone is not signed. @throws ProviderError */
  async signingKey(zoneId: string): Promise<Buffer | null> {
    const { result } = this.#sure(await this.#ask(dnssec, "GET", `${zonePath(zoneId)}/dnssec`));
    const { status, flags = 257, algorithm = 13, public_key: key = "" } = result;
    if (status !== "active" && status !== "pending") return null;
    return Buffer.concat([Buffer.from([flags >> 8, flags & 0xff, 3, algorithm]), Buffer.from(key, "base64")]);
  }

  /** @throws ProviderError */
  async setSigning(zoneId: string, enabled: boolean): Promise<void> {
    const body = { status: enabled ? "active" : "disabled" };
    this.#sure(await this.#ask(dnssec, "PATCH", `${zonePath(zoneId)}/dnssec`, body));
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

  async #ask<T>(
    schema: z.ZodType<T>,
    method: "GET" | "POST" | "PATCH",
    path: string,
    body?: object,
  ): Promise<Answer<T>> {
    const { status, text } = await this.calls.send({
      method,
      url: `${this.#base}${path}`,
      headers: {
        accept: "application/json",
        authorization: `Bearer ${this.#token}`,
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
      changes: method !== "GET",
      isSporadic: (answer) => mayBeSporadic(parsedJson(answer.text)),
    });
    const given = parsedJson(text);
    if (status < 200 || status > 299) return { ok: false, refusal: this.#refusal(status, given) };
    const parsed = schema.safeParse(given);
    if (parsed.success) return { ok: true, value: parsed.data };
    throw this.calls.notItsApi(method === "GET" ? "none" : "unknown", parsed.error);
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
}

function zonePath(zoneId: string): string {
  return `/zones/${encodeURIComponent(zoneId)}`;
}

function recordsPath(zoneId: string): string {
  return `${zonePath(zoneId)}/dns_records`;
}

interface Refusal {
  status: number;
  codes: readonly number[];
  /** Cloudflare's messages, each with its code. */
  reason: string;
}

const errorEntry = z.object({
  code: maybe(z.number()),
  message: maybe(z.string()).transform((message) => message ?? ""),
});
const body = z.object({
  errors: z.array(
    errorEntry
      .extend({ error_chain: maybe(z.array(errorEntry)) })
      .transform(({ error_chain: chain = [], ...error }) => [error].concat(chain)),
  ),
});

/** Returns the codes and messages in a refusal's body. */
function reasonIn(answer: unknown): { codes: number[]; reason: string } {
  const parsed = body.safeParse(answer);
  const errors = parsed.success ? parsed.data.errors.flat() : [];
  return {
    codes: errors.flatMap(({ code }) => code ?? []),
    reason:
      errors.map(({ code, message }) => (code === undefined ? message : `${message} (${code})`)).join(" ") ||
      "no reason given",
  };
}

/** Codes for a malformed header, an unknown or expired token, or one without the permission. */
const tokenCodes = new Set([6003, 6111, 9106, 9109, 10_000]);

function refusesToken({ status, codes }: Refusal): boolean {
  return status === 401 || status === 403 || codes.some((code) => tokenCodes.has(code));
}

/** Returns whether an answer refuses the token. */
export function refusesCloudflareToken(status: number, text: string): boolean {
  const { codes, reason } = reasonIn(parsedJson(text));
  return refusesToken({ status, codes, reason });
}

/** Returns Cloudflare's messages in a refusal's body, each with its code. */
export function cloudflareMessage(text: string): string {
  return reasonIn(parsedJson(text)).reason;
}

/** Returns whether it is "Authentication error", which also comes now and then for valid tokens (octodns/octodns-cloudflare#121). */
function mayBeSporadic(answer: unknown): boolean {
  return reasonIn(answer).codes.includes(10_000);
}

/** Codes for an identifier that is not a zone of this token. */
const noZoneCodes = new Set([1001, 1049, 7003]);

export function saysZoneMissing({ status, codes }: Refusal): boolean {
  // Codes above 80,000 are about records.
  return codes.some((code) => noZoneCodes.has(code)) || (status === 404 && !codes.some((code) => code > 80_000));
}

/** Returns whether the account already has a zone of this name. */
export function saysZoneExists({ codes }: Refusal): boolean {
  return codes.includes(1061);
}
