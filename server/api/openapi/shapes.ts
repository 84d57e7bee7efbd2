import { errorCodes } from "../../platform/errors.ts";

/** A JSON Schema in the document. */
export interface Schema {
  $ref?: string;
  example?: unknown;
  properties?: Record<string, Schema>;
  description?: string;
  required?: string[];
  anyOf?: Schema[];
  [key: string]: unknown;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  description?: string;
  schema: Schema;
  [key: string]: unknown;
}

export interface Response {
  description: string;
  headers?: Record<string, unknown>;
  content?: Record<string, Media>;
}

interface Media {
  schema: Schema;
  example?: unknown;
}

export interface Operation {
  operationId: string;
  description?: string;
  parameters?: Parameter[];
  responses: Record<string, Response | { $ref: string }>;
  requestBody?: { required?: boolean; content: Record<string, Media> };
  security?: unknown;
  [key: string]: unknown;
}

/** The parts of an OpenAPI document used here. */
export interface OpenApiDocument {
  openapi: string;
  info: object;
  servers: { url: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Response>; [key: string]: unknown };
  tags: { name: string; description: string }[];
  [key: string]: unknown;
}

/** The schema of every error response. */
export const problemSchema: Schema = {
  type: "object",
  description: "An error: what is wrong and what to do (RFC 9457). All errors have this form.",
  required: ["type", "title", "status", "detail", "code", "message", "issues", "requestId"],
  additionalProperties: false,
  properties: {
    type: { type: "string", description: "Always about:blank; use `code` to distinguish errors." },
    title: { type: "string", description: "A short name of the error." },
    status: { type: "integer", description: "The HTTP status." },
    detail: { type: "string", description: "What is wrong and what to do, for people." },
    code: { type: "string", enum: Object.keys(errorCodes), description: "The error code, for programs." },
    message: { type: "string", description: "Same as `detail`." },
    issues: {
      type: ["array", "null"],
      description: "The invalid fields; null for other errors.",
      items: {
        type: "object",
        required: ["path", "message"],
        additionalProperties: false,
        properties: {
          path: {
            type: "array",
            items: { type: ["string", "integer"] },
            description: "Path of the field in the input.",
          },
          message: { type: "string", description: "What is wrong with the field." },
        },
      },
    },
    requestId: { type: "string", description: "Identifies the request in the log; same as X-Request-Id." },
  },
  example: {
    type: "about:blank",
    title: "Bad request",
    status: 400,
    detail: 'value: The A value must be an IPv4 address of four numbers from 0 to 255, such as "192.0.2.1".',
    code: "BAD_REQUEST",
    message: 'value: The A value must be an IPv4 address of four numbers from 0 to 255, such as "192.0.2.1".',
    issues: [
      {
        path: ["value"],
        message: 'The A value must be an IPv4 address of four numbers from 0 to 255, such as "192.0.2.1".',
      },
    ],
    requestId: "6a1f4f0e-6d3c-4a57-9a39-3a1c2f7c8f10",
  },
};

const problemStatuses = Object.groupBy(Object.entries(errorCodes), ([, { status }]) => String(status));

const problemHeaders: Record<string, Record<string, unknown>> = {
  401: { "WWW-Authenticate": { description: "The authentication scheme: `Bearer`.", schema: { type: "string" } } },
  429: {
    "Retry-After": { description: "Seconds to wait before retrying.", schema: { type: "integer" } },
    RateLimit: {
      description: 'Remaining calls of each quota and seconds until it resets: `"requests";r=0;t=42`.',
      schema: { type: "string" },
    },
    "RateLimit-Policy": {
      description: 'The quotas and their windows in seconds: `"requests";q=6000;w=60`.',
      schema: { type: "string" },
    },
  },
  503: { "Retry-After": { description: "Seconds to wait before retrying.", schema: { type: "integer" } } },
};

/** One named response per error status, referenced by operations. */
export const problemResponses: Record<string, Response> = Object.fromEntries(
  Object.entries(problemStatuses).map(([status, entries = []]) => [
    `Problem${status}`,
    {
      description: entries.map(([code, { title, when }]) => `${title} (${code}). ${when}`).join(" "),
      headers: {
        "X-Request-Id": { description: "Identifies the request in the log.", schema: { type: "string" } },
        ...problemHeaders[status],
      },
      content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
    },
  ]),
);
