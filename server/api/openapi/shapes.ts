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
