import type { JsonSchema } from "./json-schema.ts";

/** The OpenAPI document as tests read it. */
export interface ApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, ApiOperation>>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, ApiResponse>;
    securitySchemes: Record<string, { type: string; scheme: string }>;
  };
}

export interface ApiOperation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  /** Its server, if not one of the document's servers. */
  servers?: { url: string }[];
  security?: Record<string, string[]>[];
  parameters?: {
    name: string;
    in: string;
    required?: boolean;
    description?: string;
    schema: JsonSchema;
    example?: unknown;
  }[];
  requestBody?: { required?: boolean; content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, ApiResponse & { $ref?: string }>;
}

export interface ApiResponse {
  description?: string;
  headers?: Record<string, { description: string; schema: JsonSchema }>;
  content?: Record<string, { schema: JsonSchema }>;
}

export interface FoundOperation {
  method: string;
  path: string;
  operation: ApiOperation;
}

/** Every operation, `GET /domains/{id}` and so on. */
export function operationsOf({ paths }: ApiDocument): FoundOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** The path of an operation on the service: below /api by default. */
export function addressOf({ path, operation: { servers } }: FoundOperation): string {
  return `${servers?.[0]?.url.replace(/\/$/, "") ?? "/api"}${path}`;
}

/** Whether an operation answers with a redirect instead of a body. */
export function redirects({ operation: { responses } }: FoundOperation): boolean {
  return "302" in responses;
}

/** Whether an operation answers with a stream, which does not end by itself. */
export function streams({ operation: { responses } }: FoundOperation): boolean {
  return "text/event-stream" in (responses["200"]?.content ?? {});
}

/** The response that an operation documents for a status, with its reference followed. */
export function responseOf(
  document: ApiDocument,
  { responses }: ApiOperation,
  status: string | number,
): ApiResponse | undefined {
  const response = responses[String(status)];
  if (response?.$ref === undefined) return response;
  return document.components.responses[response.$ref.replace("#/components/responses/", "")];
}

/** A clock that runs from the day before the moments that the document's examples name, so that these are in the future. */
export function clockOfExamples(): () => Date {
  const ahead = Date.parse("2027-02-28T00:00:00Z") - Date.now();
  return () => new Date(Date.now() + ahead);
}
