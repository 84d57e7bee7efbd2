import type { ApiDocument, Call, Media, Schema } from "./api-document.ts";
import { printed } from "./markdown.ts";
import { resolved } from "./schema-text.ts";

const exampleId = "01a1fb0f-6204-7000-abd4-276e976be8b7";
const exampleMoment = "2027-03-01T00:00:00.000Z";

/** Whether an object's example includes an optional property. */
type Shows = (property: Schema) => boolean;

/** Builds an example response from the examples in its schema. @throws Error if one is missing */
export function answerExample({ schema, example }: Media, document: ApiDocument): unknown {
  return example ?? exampleOf(schema, document, () => true);
}

/** Returns the operation's example body, or builds one from required fields and fields with an example. */
export function bodyExample({ schema, example }: Media, document: ApiDocument): unknown {
  return example ?? exampleOf(schema, document, (property) => ownExample(property) !== undefined);
}

function exampleOf(given: Schema, document: ApiDocument, shows: Shows): unknown {
  const schema = resolved(given, document);
  if (schema.example !== undefined) return schema.example;
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf?.[0]) return exampleOf(schema.anyOf[0], document, shows);
  if (schema.format === "uuid") return exampleId;
  if (schema.format === "date-time") return exampleMoment;
  if (schema.type === "boolean") return true;
  if (schema.type === "array") return schema.items ? [exampleOf(schema.items, document, shows)] : [];
  if (schema.type !== "object")
    throw new Error(`There is no example of this ${String(schema.type)}: ${schema.description ?? ""}`);
  const { properties = {}, required = [] } = schema;
  const fields = Object.entries(properties).filter(([name, property]) => required.includes(name) || shows(property));
  return Object.fromEntries(fields.map(([name, property]) => [name, exampleOf(property, document, shows)]));
}

/** Returns a schema's example, also from its nullable form. */
function ownExample(schema: Schema): unknown {
  return schema.example ?? schema.anyOf?.map((option) => option.example).find((example) => example !== undefined);
}

/** Returns the URL of a call with example parameters: all of the path, and query parameters that are required or have an example. */
function addressExample({ path, operation: { parameters = [] } }: Call, document: ApiDocument): string {
  const example = (name: string) => {
    const parameter = parameters.find((one) => one.name === name);
    if (!parameter) throw new Error(`${path} does not describe its ${name}.`);
    return String(parameter.example ?? exampleOf(parameter.schema, document, () => true));
  };
  const query = parameters
    .filter((one) => one.in === "query" && (one.required || one.example !== undefined))
    .map(({ name }) => `${name}=${encodeURIComponent(example(name))}`);
  const address = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => example(name));
  return query.length === 0 ? address : `${address}?${query.join("&")}`;
}

/** Returns a call as a shell command. @param who as in docs/rights.md */
export function curl(call: Call, who: string, document: ApiDocument): string {
  const { method, operation } = call;
  const token = who === "tempToken" ? "$TEMP_TOKEN" : "$TOKEN";
  const media = operation.requestBody?.content["application/json"];
  const body = media ? printed(bodyExample(media, document)) : "{}";
  const streams = "text/event-stream" in (operation.responses["200"]?.content ?? {});
  const options = [streams ? "--no-buffer " : "", method === "GET" ? "" : `-X ${method} `].join("");
  const lines = [
    `curl ${options}"$ZONEWRIGHT${addressExample(call, document)}"`,
    ...(who === "anybody" ? [] : [`-H "Authorization: Bearer ${token}"`]),
    ...(body === "{}" ? [] : ["-H 'Content-Type: application/json'", `-d '${body.replaceAll("'", String.raw`'\''`)}'`]),
  ];
  return lines.join(" \\\n  ");
}
