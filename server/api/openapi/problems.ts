import { errorCodes } from "../../platform/errors.ts";
import type { Response, Schema } from "./shapes.ts";

/** The schema of every error answer. */
export const problemSchema: Schema = {
  type: "object",
  description: "What went wrong and what to do (RFC 9457). Every error has this form.",
  required: ["type", "title", "status", "detail", "code", "message", "issues", "requestId"],
  additionalProperties: false,
  properties: {
    type: { type: "string", description: "Always about:blank; `code` tells errors apart." },
    title: { type: "string", description: "The kind of error in a few words." },
    status: { type: "integer", description: "The HTTP status." },
    detail: { type: "string", description: "What went wrong here, for a person." },
    code: { type: "string", enum: Object.keys(errorCodes), description: "The kind of error, for a program." },
    message: { type: "string", description: "Equals `detail`." },
    issues: {
      type: ["array", "null"],
      description: "The fields at fault.",
      items: {
        type: "object",
        required: ["path", "message"],
        additionalProperties: false,
        properties: {
          path: { type: "array", items: { type: ["string", "integer"] }, description: "Where in the input." },
          message: { type: "string", description: "What is wrong there." },
        },
      },
    },
    requestId: { type: "string", description: "Finds this request in the log; also in X-Request-Id." },
  },
  example: {
    type: "about:blank",
    title: "Bad request",
    status: 400,
    detail: "value: 999.1.2.3 is not an IPv4 address; write it like 192.0.2.1.",
    code: "BAD_REQUEST",
    message: "value: 999.1.2.3 is not an IPv4 address; write it like 192.0.2.1.",
    issues: [{ path: ["value"], message: "999.1.2.3 is not an IPv4 address; write it like 192.0.2.1." }],
    requestId: "6a1f4f0e-6d3c-4a57-9a39-3a1c2f7c8f10",
  },
};

const problemStatuses = Object.groupBy(Object.entries(errorCodes), ([, { status }]) => String(status));

const problemHeaders: Record<string, Record<string, unknown>> = {
  401: { "WWW-Authenticate": { description: "How to sign in: `Bearer`.", schema: { type: "string" } } },
  429: {
    "Retry-After": { description: "Seconds to wait before the next try.", schema: { type: "integer" } },
    RateLimit: {
      description: 'What is left of each quota, and the seconds until it is renewed: `"requests";r=0;t=42`.',
      schema: { type: "string" },
    },
    "RateLimit-Policy": {
      description: 'The quotas, and their windows in seconds: `"requests";q=6000;w=60`.',
      schema: { type: "string" },
    },
  },
  503: { "Retry-After": { description: "Seconds to wait before the next try.", schema: { type: "integer" } } },
};

/** One named response per error status, so that operations refer to it instead of repeating it. */
export const problemResponses: Record<string, Response> = Object.fromEntries(
  Object.entries(problemStatuses).map(([status, entries = []]) => [
    `Problem${status}`,
    {
      description: entries.map(([code, { title, when }]) => `${title} (${code}). ${when}`).join(" "),
      headers: {
        "X-Request-Id": { description: "Finds this request in the log.", schema: { type: "string" } },
        ...problemHeaders[status],
      },
      content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
    },
  ]),
);
