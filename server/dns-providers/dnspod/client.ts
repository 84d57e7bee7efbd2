import { z } from "zod";
import { createHash, createHmac } from "node:crypto";
import type { Answer, Refusal } from "../single-record-api/record-calls.ts";
import type { ProviderEnvironment } from "../provider.ts";
import { maybe, parsedJson } from "../vendor-api/text.ts";
import { VendorCalls, type VendorEnvironment } from "../vendor-api/calls.ts";

export const vendorName = "DNSPod";
export const dnspodAddress = "https://dnspod.tencentcloudapi.com";
/** "Default limit on the rate of requests: 20 a second", for each action. */
export const dnspodLimits = [{ calls: 20, seconds: 1 }];

/** Actions that change data. All others are retried. */
const changing = new Set(["CreateDomain", "CreateRecord", "ModifyRecord", "DeleteRecord"]);

const envelope = z.object({
  Response: z.looseObject({ Error: maybe(z.object({ Code: z.string(), Message: maybe(z.string()) })) }),
});

/** Makes calls to Tencent Cloud's API 3.0 for DNSPod, version 2021-03-23. Refusals come with status 200. */
export class DnspodClient {
  readonly #vendor: VendorCalls;
  readonly #url: URL;
  readonly #key: SecretKey;
  readonly #now: () => Date;

  constructor(url: string, key: SecretKey, environment: VendorEnvironment & Pick<ProviderEnvironment, "now">) {
    this.#url = new URL(url);
    this.#key = key;
    this.#now = environment.now;
    this.#vendor = new VendorCalls({
      name: vendorName,
      address: url,
      environment,
      secrets: [key.key],
      quotas: { address: dnspodAddress, limits: dnspodLimits },
      throttles: ({ text }) => refusalIn(text)?.code.startsWith("RequestLimitExceeded") ?? false,
    });
  }

  /** Makes a call. @throws ProviderError for failures unrelated to this call: no access, no connection, too many calls. */
  async call<T>(action: string, parameters: object, schema: z.ZodType<T>): Promise<Answer<T>> {
    const body = JSON.stringify(parameters);
    const changes = changing.has(action);
    const answer = await this.#vendor.send({
      method: "POST",
      url: `${this.#url.origin}/`,
      headers: () => this.#headers(action, body),
      body,
      changes,
    });
    const refusal = refusalIn(answer.text);
    if (refusal) return { ok: false, refusal: this.#checked(refusal, changes) };
    const parsed = z.object({ Response: schema }).safeParse(parsedJson(answer.text));
    if (parsed.success && answer.status === 200) return { ok: true, value: parsed.data.Response };
    throw this.#vendor.notItsApi(changes ? "unknown" : "none", parsed.error);
  }

  #headers(action: string, body: string): Record<string, string> {
    const date = this.#now();
    return {
      authorization: authorization({ host: this.#url.host, service: "dnspod", action, body, date }, this.#key),
      "content-type": contentType,
      "x-tc-action": action,
      "x-tc-timestamp": String(Math.floor(date.getTime() / 1_000)),
      "x-tc-version": "2021-03-23",
      "x-tc-language": "en-US",
    };
  }

  /**
   * Returns a refusal of the call itself. @throws ProviderError for a refusal of the credentials, or one that leaves the outcome
   * unknown
   */
  #checked({ code, message }: Refusal, changes: boolean): Refusal {
    const words = `(${code}: ${message})`;
    if (code === "AuthFailure.SignatureExpire") {
      throw this.#vendor.failure(`says that this machine's clock is wrong. Set the clock ${words}`, "none");
    }
    if (/^(?:AuthFailure\.)?UnauthorizedOperation/.test(code)) {
      throw this.#vendor.failure(
        `rejects the key of this provider configuration. Grant its user the permissions listed in docs/providers/dnspod.md ${words}`,
        "none",
      );
    }
    if (code === "AuthFailure.TokenFailure") {
      throw this.#vendor.failure(
        `says that this is a temporary key, which needs a token and ends within hours. Enter the permanent API key of a user ${words}`,
        "none",
      );
    }
    if (code.startsWith("AuthFailure")) {
      throw this.#vendor.failure(
        `rejects the key of this provider configuration. Enter its SecretId and SecretKey again ${words}`,
        "none",
      );
    }
    if (/^InternalError|^FailedOperation\.UnknowError$/.test(code)) {
      throw this.#vendor.failure(`failed ${words}`, changes ? "unknown" : "none");
    }
    return { code, message: this.#vendor.plain(message) };
  }
}

function refusalIn(text: string): Refusal | null {
  const parsed = envelope.safeParse(parsedJson(text));
  const refusal = parsed.success ? parsed.data.Response.Error : undefined;
  return refusal ? { code: refusal.Code, message: refusal.Message ?? "" } : null;
}

/** A record as returned by DescribeRecordList. */
const servedRecord = z.object({
  RecordId: z.int(),
  Name: z.string(),
  Type: z.string(),
  Value: z.string(),
  TTL: z.int(),
  /** The priority of an MX record; 0 for other types. */
  MX: z.int().nullish(),
  /** The resolvers that get this record. The default line has the id `0`. */
  Line: maybe(z.string()).transform((line) => line ?? ""),
  LineId: maybe(z.string()).transform((id) => id ?? "0"),
  Status: maybe(z.string()).transform((status) => status ?? "ENABLE"),
  /** Above 0 if answers are chosen by weight. */
  Weight: z.int().nullish(),
});
export type DnspodRecord = z.infer<typeof servedRecord>;

export const recordList = z.object({
  RecordCountInfo: z.object({ TotalCount: z.int() }),
  RecordList: z.array(servedRecord).nullish(),
});

export const domainList = z.object({
  DomainCountInfo: z.object({ DomainTotal: z.int() }),
  DomainList: z.array(z.object({ Name: z.string(), Punycode: maybe(z.string()) })).nullish(),
});

/** A domain's package. */
export const domainInfo = z.object({ DomainInfo: z.object({ Grade: z.string() }) });

/** The limits of packages. */
export const packageDetails = z.object({ Info: z.array(z.object({ DomainGrade: z.string(), MinTtl: z.int() })) });

export const madeRecord = z.object({ RecordId: z.int() });
export const done = z.object({ RequestId: z.string() });

/** The parts of a call that are signed ("Signature method v3", TC3-HMAC-SHA256). All calls are POSTs of JSON to `/`. */
interface SignedCall {
  host: string;
  /** The product: `dnspod`. */
  service: string;
  action: string;
  body: string;
  /** To the second. */
  date: Date;
}

interface SecretKey {
  id: string;
  key: string;
}

const algorithm = "TC3-HMAC-SHA256";
export const contentType = "application/json; charset=utf-8";

/** Returns the value of the `Authorization` header. It covers the headers for host, content type and action. */
export function authorization({ host, service, action, body, date }: SignedCall, { id, key }: SecretKey): string {
  const day = date.toISOString().slice(0, 10);
  const scope = `${day}/${service}/tc3_request`;
  const headers = `content-type:${contentType}\nhost:${host}\nx-tc-action:${action.toLowerCase()}\n`;
  const names = "content-type;host;x-tc-action";
  const request = ["POST", "/", "", headers, names, sha256(body)].join("\n");
  const toSign = [algorithm, Math.floor(date.getTime() / 1_000), scope, sha256(request)].join("\n");
  const signingKey = [day, service, "tc3_request"].reduce<string | Buffer>(hmac, `TC3${key}`);
  const signature = hmac(signingKey, toSign).toString("hex");
  return `${algorithm} Credential=${id}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
