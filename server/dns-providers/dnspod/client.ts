import { z } from "zod";
import type { Answer, Refusal } from "../single-record-api/answers.ts";
import type { ProviderEnvironment } from "../provider.ts";
import { maybe } from "../vendor-api/maybe.ts";
import { VendorCalls, type VendorEnvironment } from "../vendor-api/calls.ts";
import { parsedJson } from "../vendor-api/text.ts";
import { authorization, contentType, type SecretKey } from "./signature.ts";

export const vendorName = "DNSPod";
export const dnspodAddress = "https://dnspod.tencentcloudapi.com";

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
      // "Default limit on the rate of requests: 20 a second", for each action.
      quotas: { address: dnspodAddress, limits: [{ calls: 20, seconds: 1 }] },
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
