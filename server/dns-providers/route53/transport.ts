import type { Route53ClientConfig } from "@aws-sdk/client-route-53";
import type { VendorCalls } from "../vendor-api/calls.ts";
import { percentEncoded } from "../vendor-api/text.ts";

type Transport = Extract<NonNullable<Route53ClientConfig["requestHandler"]>, { handle: unknown }>;

/** A request as the SDK has signed it. */
interface SignedRequest {
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  query?: Record<string, string | string[] | null>;
  method: string;
  headers: Record<string, string>;
  body?: unknown;
}

/** A signature is good for five minutes. */
const staleAfterMilliseconds = 240_000;

/** The SDK's way to the network: it signs and reads, and our own door sends. */
export function transport(calls: VendorCalls): Transport {
  return {
    async handle({ protocol, hostname, port, path, query, method, headers, body }: SignedRequest) {
      const url = new URL(`${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}`);
      url.search = queryOf(query);
      // The connection says them itself.
      const { host: _host, "content-length": _length, ...sent } = headers;
      const answer = await calls.send({
        method: method === "POST" ? "POST" : "GET",
        url: url.href,
        headers: sent,
        ...(typeof body === "string" ? { body } : {}),
        changes: method === "POST",
        staleAfterMilliseconds,
      });
      // The SDK would take any page for an empty answer.
      if (answer.status < 300 && !/<\w+Response[\s>]/.test(answer.text)) {
        throw calls.notItsApi(method === "POST" ? "unknown" : "none");
      }
      return {
        response: {
          statusCode: answer.status,
          headers: Object.fromEntries(answer.headers),
          body: Buffer.from(withCode(answer.text)),
        },
      };
    },
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
  };
}

/** A refused batch has an answer of its own in the API's reference, which the SDK does not read: here in the form of all other errors. */
function withCode(text: string): string {
  if (!/^\s*(?:<\?[^>]*>\s*)?<InvalidChangeBatch[\s>]/.test(text)) return text;
  const messages = [...text.matchAll(/<Message>([^<]*)<\/Message>/g)].map(([, message]) => message);
  const error = `<Code>InvalidChangeBatch</Code><Message>${messages.join(" ")}</Message>`;
  return `<ErrorResponse><Error>${error}</Error></ErrorResponse>`;
}

/** As it was signed (SigV4). */
function queryOf(query: SignedRequest["query"] = {}): string {
  return Object.entries(query)
    .flatMap(([key, values]) => [values ?? ""].flat().map((value) => `${percentEncoded(key)}=${percentEncoded(value)}`))
    .join("&");
}
