import { appRouter } from "../../client-sdk/app-router.ts";
import { openApiDocument } from "../../server/api/openapi/document.ts";

/** The parts of a JSON Schema that the reference shows. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  default?: unknown;
  description?: string;
  example?: unknown;
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
}

export interface Media {
  schema: Schema;
  example?: unknown;
}

interface ApiResponse {
  $ref?: string;
  description?: string;
  content?: Record<string, Media>;
}

interface ApiOperation {
  operationId: string;
  summary: string;
  description?: string;
  deprecated?: boolean;
  tags: string[];
  servers?: { url: string }[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, ApiResponse>;
}

/** The OpenAPI document as the reference reads it. */
export interface ApiDocument {
  info: { description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, ApiOperation>>;
  components: { schemas: Record<string, Schema> };
}

/** An operation with its method and path: `GET /api/domains/{id}`. */
export interface Call {
  method: string;
  path: string;
  operation: ApiOperation;
}

const siteUrl = "https://dns.example.com";

/** Returns the service's document. The version is a constant: the reference shows none. */
export function apiDocument(): ApiDocument {
  return openApiDocument(appRouter, { version: "0", siteUrl }) as unknown as ApiDocument;
}

const methods = ["GET", "POST", "PUT", "DELETE"];

/** Returns every operation; within a path in the order GET, POST, PUT, DELETE. */
export function callsOf(document: ApiDocument): Call[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .map(([method, operation]) => ({ method: method.toUpperCase(), path: `${baseOf(operation)}${path}`, operation }))
      .toSorted((one, other) => methods.indexOf(one.method) - methods.indexOf(other.method)),
  );
}

function baseOf({ servers }: ApiOperation): string {
  return servers?.[0] ? new URL(servers[0].url, siteUrl).pathname.replace(/\/$/, "") : "/api";
}
