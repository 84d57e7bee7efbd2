import type { Route53ClientConfig } from "@aws-sdk/client-route-53";
import type { VendorCalls } from "../vendor-api/calls.ts";
import { percentEncoded } from "../vendor-api/text.ts";

type Transport = Extract<NonNullable<Route53ClientConfig["requestHandler"]>, { handle: unknown }>;

/** A request signed by the SDK. */
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

/** A signature is valid for five minutes. */
const staleAfterMilliseconds = 240_000;

/** Returns the SDK's request handler: the SDK signs and parses, and our egress sends. */
export function transport(calls: VendorCalls): Transport {
  return {
    async handle({ protocol, hostname, port, path, query, method, headers, body }: SignedRequest) {
      const url = new URL(`${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}`);
      url.search = queryOf(query);
      // The connection sets these itself.
      const { host: _host, "content-length": _length, ...sent } = headers;
      const answer = await calls.send({
        method: method === "POST" ? "POST" : "GET",
        url: url.href,
        headers: sent,
        ...(typeof body === "string" ? { body } : {}),
        changes: method === "POST",
        staleAfterMilliseconds,
      });
      // The SDK would read any page as an empty answer.
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

/** Rewrites the answer to a refused batch, whose own form the SDK does not read, into the form of all other errors. */
function withCode(text: string): string {
  if (!/^\s*(?:<\?[^>]*>\s*)?<InvalidChangeBatch[\s>]/.test(text)) return text;
  const messages = [...text.matchAll(/<Message>([^<]*)<\/Message>/g)].map(([, message]) => message);
  const error = `<Code>InvalidChangeBatch</Code><Message>${messages.join(" ")}</Message>`;
  return `<ErrorResponse><Error>${error}</Error></ErrorResponse>`;
}

/** Returns the query as it was signed (SigV4). */
function queryOf(query: SignedRequest["query"] = {}): string {
  return Object.entries(query)
    .flatMap(([key, values]) => [values ?? ""].flat().map((value) => `${percentEncoded(key)}=${percentEncoded(value)}`))
    .join("&");
}
