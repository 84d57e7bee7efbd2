import { Failure, tooOld } from "../failure.ts";
import { send } from "../transport.ts";

/** A JSON Schema, as far as this file reads it. */
export interface Schema {
  type?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  [keyword: string]: unknown;
}

interface Operation {
  operationId?: string;
  parameters?: readonly { name: string; in: string; required?: boolean; description?: string; schema?: Schema }[];
  requestBody?: { content?: Record<string, { schema?: Schema }> };
}

/** The API document of a server, as far as this file reads it. */
export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** Reads the document that the server makes from its procedures. @throws Failure if there is none */
export async function apiDocument(url: string): Promise<ApiDocument> {
  const response = await send(`${url}/api/openapi.json`, { signal: AbortSignal.timeout(60_000) });
  if (response.status === 404) throw new Failure(await tooOld());
  if (!response.ok) throw new Failure(`${url} did not return its API document (status ${response.status}).`);
  return (await response.json()) as ApiDocument;
}

/** Returns the schemas of an operation's parameters and body fields, by name; null if the server has no such operation. */
export function fieldsOf(
  document: ApiDocument,
  operationId: string,
): Record<string, Schema & { isRequired: boolean }> | null {
  const operation = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .find((one) => one.operationId === operationId);
  if (!operation) return null;
  const fields: Record<string, Schema & { isRequired: boolean }> = {};
  for (const { name, required = false, description, schema = {} } of operation.parameters ?? [])
    fields[name] = {
      ...inlined(schema, document),
      ...(description === undefined ? {} : { description }),
      isRequired: required,
    };
  const body = inlined(operation.requestBody?.content?.["application/json"]?.schema ?? {}, document);
  for (const [name, schema] of Object.entries(body.properties ?? {}))
    fields[name] = { ...schema, isRequired: body.required?.includes(name) ?? false };
  return fields;
}

/** Keywords of OpenAPI that JSON Schema does not have. */
const foreign = new Set(["discriminator", "example", "xml", "externalDocs", "deprecated"]);

/** Returns a schema without references, which clients of assistants often do not follow. */
function inlined(schema: Schema, document: ApiDocument): Schema {
  const { $ref, ...rest } = schema;
  if (typeof $ref === "string") {
    const name = $ref.slice($ref.lastIndexOf("/") + 1);
    return inlined({ ...document.components.schemas[name], ...rest }, document);
  }
  const result: Schema = {};
  for (const [keyword, value] of Object.entries(rest)) {
    if (foreign.has(keyword)) continue;
    result[keyword] =
      keyword === "properties" ? mapped(value as Record<string, Schema>, document) : within(value, document);
  }
  return result;
}

function within(value: unknown, document: ApiDocument): unknown {
  if (Array.isArray(value)) return value.map((each) => within(each, document));
  return typeof value === "object" && value !== null ? inlined(value as Schema, document) : value;
}

function mapped(properties: Record<string, Schema>, document: ApiDocument): Record<string, Schema> {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, inlined(schema, document)]));
}
