import type { ApiDocument, Schema } from "./api-document.ts";

/** A field of a body or object, by its path: `changes[].record.ttl`. */
export interface FieldRow {
  field: string;
  type: string;
  required: boolean;
  description: string;
}

/** Returns the link to a named schema, relative to the page that refers to it. */
export type LinkTo = (name: string) => string;

/** Describes a type in words: `integer, 1 to 100, default 20`, `list of string, at most 50`, `[Domain](objects.md#domain) or null`. */
export function typeText(schema: Schema, linkTo: LinkTo): string {
  const { kind, limits } = typeOf(schema, linkTo);
  const fallback = schema.default === undefined || schema.default === null ? [] : [`default ${value(schema.default)}`];
  return [kind, ...limits, ...fallback].join(", ");
}

interface Type {
  kind: string;
  limits: string[];
}

function typeOf(schema: Schema, linkTo: LinkTo): Type {
  if (schema.$ref !== undefined) return { kind: linkTo(nameOf(schema.$ref)), limits: [] };
  if (schema.const !== undefined) return { kind: value(schema.const), limits: [] };
  if (schema.enum) return { kind: oneOf(schema.enum.map(value)), limits: [] };
  // Over tRPC it may be a `Date`, which the document lists as an alternative.
  if (schema.format === "date-time") return { kind: "string (ISO 8601)", limits: [] };
  const options =
    schema.anyOf ?? (Array.isArray(schema.type) ? schema.type.map((type) => ({ ...schema, type })) : null);
  if (options) {
    const types = options.map((option) => typeOf(option, linkTo));
    return {
      kind: types.map(({ kind }) => kind).join(" or "),
      limits: [...new Set(types.flatMap(({ limits }) => limits))],
    };
  }
  if (schema.type === "array") {
    const items = typeOf(schema.items ?? {}, linkTo);
    return {
      kind: `list of ${items.kind}`,
      limits: [...countOf(schema), ...items.limits.map((limit) => `each ${limit}`)],
    };
  }
  const kind = String(schema.type ?? "anything");
  return { kind: schema.format === "uuid" ? `${kind} (UUID)` : kind, limits: rangeOf(schema) };
}

function value(constant: unknown): string {
  return `\`${typeof constant === "string" ? constant : JSON.stringify(constant)}\``;
}

function oneOf(values: readonly string[]): string {
  return values.length < 3 ? values.join(" or ") : `one of ${values.join(" ")}`;
}

function countOf({ minItems, maxItems }: Schema): string[] {
  if (maxItems === undefined) return [];
  return [minItems === undefined ? `at most ${maxItems}` : `${minItems} to ${maxItems}`];
}

const anyInteger = 2_147_483_647;

function rangeOf({ minimum, maximum, minLength, maxLength }: Schema): string[] {
  if (maximum !== undefined && maximum < anyInteger) return [`${minimum ?? 0} to ${maximum}`];
  if (minimum !== undefined) return [`from ${minimum}`];
  if (maxLength !== undefined)
    return [`${minLength === undefined ? "at most" : `${minLength} to`} ${maxLength} characters`];
  return [];
}

export function nameOf(reference: string): string {
  return reference.split("/").at(-1) ?? "";
}

/** Resolves a reference. */
export function resolved(schema: Schema, document: ApiDocument): Schema {
  if (schema.$ref === undefined) return schema;
  const found = document.components.schemas[nameOf(schema.$ref)];
  if (!found) throw new Error(`There is no ${schema.$ref} in the document.`);
  return found;
}

/** Returns every field of an object, including those of nested unnamed objects. */
export function fieldRows(schema: Schema, linkTo: LinkTo, document: ApiDocument, prefix = ""): FieldRow[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const field = `${prefix}${name}`;
    const inner = innerObject(property);
    const row = {
      field,
      type: typeText(property, linkTo),
      required: schema.required?.includes(name) ?? false,
      description: property.description ?? resolved(property, document).description ?? "",
    };
    return [row].concat(inner ? fieldRows(inner.schema, linkTo, document, `${field}${inner.step}.`) : []);
  });
}

/** Returns the unnamed object in a field: directly, in a list, or nullable. */
function innerObject(schema: Schema): { schema: Schema; step: string } | null {
  if (schema.properties) return { schema, step: "" };
  if (schema.items?.properties) return { schema: schema.items, step: "[]" };
  return (schema.anyOf ?? []).map(innerObject).find((inner) => inner !== null) ?? null;
}
