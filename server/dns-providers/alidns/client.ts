import { randomUUID, createHash, createHmac } from "node:crypto";
import { z } from "zod";
import type { Answer, Refusal } from "../single-record-api/record-calls.ts";
import type { ProviderEnvironment, ProviderError } from "../provider.ts";
import { maybe, messageIn, parsedJson, percentEncoded } from "../vendor-api/text.ts";
import { VendorCalls, type VendorAnswer, type VendorEnvironment } from "../vendor-api/calls.ts";

export const vendorName = "Alibaba Cloud DNS";

/** Operations that change data. All others are retried. */
const changing = new Set(["AddDomain", "AddDomainRecord", "UpdateDomainRecord", "DeleteDomainRecord"]);

/**
 * Codes of a write that the vendor did not begin, because an earlier one in the domain has not ended. Others met them with real
 * accounts: alicloud provider #541, #2976, #3813, #5412; traefik #11584.
 */
const busyCodes = new Set(["LastOperationNotFinished", "RecordForbidden.DNSChange", "DnsSystemBusyness"]);

const refusalBody = z.object({ Code: z.string(), Message: maybe(z.string()) });

/** Makes calls to the API, version 2015-01-09. */
export class AlidnsClient {
  readonly #vendor: VendorCalls;
  readonly #url: URL;
  readonly #key: AccessKey;
  readonly #now: () => Date;

  constructor(url: string, key: AccessKey, environment: VendorEnvironment & Pick<ProviderEnvironment, "now">) {
    this.#url = new URL(url);
    this.#key = key;
    this.#now = environment.now;
    this.#vendor = new VendorCalls({
      name: vendorName,
      address: url,
      environment,
      secrets: [key.secret],
      throttles: ({ text }) => refusalIn(text)?.code.startsWith("Throttling") ?? false,
    });
  }

  /** Makes a call. @throws ProviderError for failures unrelated to this call: no access, no connection, too many calls. */
  async call<T>(
    action: string,
    parameters: Readonly<Record<string, string | number>>,
    schema: z.ZodType<T>,
  ): Promise<Answer<T>> {
    const query = canonicalQuery({ ...parameters, Lang: "en" });
    const changes = changing.has(action);
    const answer = await this.#vendor.send({
      method: "POST",
      url: `${this.#url.origin}/?${query}`,
      // Each attempt needs its own nonce and time.
      headers: () =>
        signedHeaders(
          { host: this.#url.host, action, version: "2015-01-09", query, date: this.#now(), nonce: randomUUID() },
          this.#key,
        ),
      changes,
      isBusy: (given) => changes && isBusy(action, given),
    });
    if (answer.status >= 400) {
      const { code, message } = refusalIn(answer.text) ?? {
        code: String(answer.status),
        message: messageIn(answer.text),
      };
      const refusal = { code, message: this.#vendor.plain(message) || "no reason given" };
      const denied = this.#denied(answer.status, refusal);
      if (denied) throw denied;
      return { ok: false, refusal };
    }
    const parsed = schema.safeParse(parsedJson(answer.text));
    if (parsed.success) return { ok: true, value: parsed.data };
    throw this.#vendor.notItsApi(changes ? "unknown" : "none", parsed.error);
  }

  /** Returns the failure for a refusal of the credentials; null for other refusals. */
  #denied(status: number, { code, message }: Refusal): ProviderError | null {
    if (/^(?:InvalidAccessKeyId|SignatureDoesNotMatch|IncompleteSignature)/.test(code)) {
      // The message for a wrong signature repeats the whole request.
      const reason = code.startsWith("Signature") ? "the signature does not match" : message;
      return this.#failure(
        `rejects the access key of this provider configuration. Enter its id and secret again (${code}: ${reason})`,
      );
    }
    if (code.startsWith("InvalidTimeStamp")) {
      return this.#failure(`says that this machine's clock is wrong. Set the clock (${code}: ${message})`);
    }
    if (status === 401 || status === 403 || /^(?:Forbidden|NoPermission)/.test(code)) {
      return this.#failure(
        `rejects the access key of this provider configuration. Grant its RAM user the permissions listed in docs/providers/alidns.md (${code}: ${message})`,
      );
    }
    return null;
  }

  #failure(predicate: string): ProviderError {
    return this.#vendor.failure(predicate, "none");
  }
}

/**
 * Returns whether a write may be repeated because the vendor is busy. It also answers that with `InternalError` (alicloud provider #848).
 * As a server error this says nothing about what was done, so then only deletions are repeated: twice is the same as once.
 */
function isBusy(action: string, { status, text }: VendorAnswer): boolean {
  const { code = "" } = refusalIn(text) ?? {};
  return busyCodes.has(code) || (code === "InternalError" && (status < 500 || action === "DeleteDomainRecord"));
}

function refusalIn(text: string): Refusal | null {
  const parsed = refusalBody.safeParse(parsedJson(text));
  return parsed.success ? { code: parsed.data.Code, message: parsed.data.Message ?? "" } : null;
}

/** A record as returned by DescribeDomainRecords. */
const servedRecord = z.object({
  RecordId: z.string(),
  RR: z.string(),
  Type: z.string(),
  Value: z.string(),
  TTL: z.int(),
  /** Only on MX records. */
  Priority: maybe(z.int()),
  /** The resolvers that get this record; `default` for all. */
  Line: maybe(z.string()).transform((line) => line ?? "default"),
  Status: maybe(z.string()).transform((status) => status ?? "ENABLE"),
  /** Whether answers are chosen by weight. */
  LbaStatus: maybe(z.boolean()),
  Weight: maybe(z.int()),
});
export type AlidnsRecord = z.infer<typeof servedRecord>;

export const recordPage = z.object({
  TotalCount: z.int(),
  DomainRecords: z.object({ Record: z.array(servedRecord) }),
});

/** `PunyCode` is present for names that are not ASCII. */
export const domainPage = z.object({
  TotalCount: z.int(),
  Domains: z.object({ Domain: z.array(z.object({ DomainName: z.string(), PunyCode: maybe(z.string()) })) }),
});

/** The limits of a domain's edition. */
export const domainInfo = z.object({ DomainName: z.string(), MinTtl: maybe(z.int()) });

export const madeRecord = z.object({ RecordId: z.string() });
export const done = z.object({ RequestId: z.string() });

/**
 * The parts of a call that are signed (ACS3-HMAC-SHA256, "V3 request structure and signature"). All calls are POSTs to `/` without
 * a body.
 */
export interface SignedCall {
  host: string;
  action: string;
  version: string;
  /** The query string from `canonicalQuery`. */
  query: string;
  /** To the second, in UTC. */
  date: Date;
  /** Used once only. */
  nonce: string;
}

interface AccessKey {
  id: string;
  secret: string;
}

const algorithm = "ACS3-HMAC-SHA256";

/** Returns the headers of a call with its signature. `host` is left out because the connection sets it. */
export function signedHeaders(call: SignedCall, key: AccessKey): Record<string, string> {
  const sent = {
    "x-acs-action": call.action,
    "x-acs-content-sha256": sha256(""),
    "x-acs-date": call.date.toISOString().replace(/\.\d+Z$/, "Z"),
    "x-acs-signature-nonce": call.nonce,
    "x-acs-version": call.version,
  };
  const signed = Object.entries({ host: call.host, ...sent });
  const names = signed.map(([name]) => name).join(";");
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join("");
  const request = ["POST", "/", call.query, lines, names, sent["x-acs-content-sha256"]].join("\n");
  const signature = createHmac("sha256", key.secret)
    .update(`${algorithm}\n${sha256(request)}`)
    .digest("hex");
  return { ...sent, authorization: `${algorithm} Credential=${key.id},SignedHeaders=${names},Signature=${signature}` };
}

/** Returns parameters as a query string, sorted by name. */
export function canonicalQuery(parameters: Readonly<Record<string, string | number>>): string {
  return Object.entries(parameters)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${percentEncoded(name)}=${percentEncoded(String(value))}`)
    .join("&");
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
