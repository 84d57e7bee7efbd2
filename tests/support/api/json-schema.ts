/** A JSON Schema (2020-12) as our document uses it. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  /** Names the field that distinguishes the options of `oneOf`: a hint for generators that excludes nothing. */
  discriminator?: { propertyName: string; mapping?: Record<string, string> };
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  propertyNames?: JsonSchema;
  items?: JsonSchema;
  prefixItems?: JsonSchema[];
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  format?: string;
  default?: unknown;
  description?: string;
  example?: unknown;
}

const known = new Set(
  (
    "$ref type enum const anyOf oneOf discriminator properties required additionalProperties propertyNames items prefixItems " +
    "minItems maxItems minLength maxLength minimum maximum pattern format default description example"
  ).split(" "),
);

const formats: Record<string, RegExp> = {
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/,
};

/**
 * Says where and how a value does not fit a schema; empty when it does.
 * @throws Error for a keyword that it does not know, so that nothing goes unchecked.
 */
export function misfits(value: unknown, schema: JsonSchema, root: object, at = "$"): string[] {
  for (const keyword of Object.keys(schema)) {
    if (!known.has(keyword)) throw new Error(`The schema checker does not know ${keyword} (${at}).`);
  }
  if (schema.$ref !== undefined) return misfits(value, resolve(schema.$ref, root), root, at);
  const found: string[] = [];
  const complain = (text: string) => found.push(`${at} ${text}: ${JSON.stringify(value)?.slice(0, 200)}`);
  if (schema.anyOf && !schema.anyOf.some((option) => misfits(value, option, root, at).length === 0)) {
    complain("fits no alternative");
  }
  if (schema.oneOf) {
    const fitting = schema.oneOf.filter((option) => misfits(value, option, root, at).length === 0).length;
    if (fitting !== 1) complain(`fits ${fitting} alternatives`);
  }
  if (schema.type !== undefined && ![schema.type].flat().some((type) => isOfType(value, type))) {
    complain(`is not ${[schema.type].flat().join(" or ")}`);
  }
  if (schema.enum && !schema.enum.includes(value)) complain(`is none of ${schema.enum.join(", ")}`);
  if ("const" in schema && schema.const !== value) complain(`is not ${String(schema.const)}`);
  if (typeof value === "string") found.push(...stringMisfits(value, schema, at));
  if (typeof value === "number") {
    if (value < (schema.minimum ?? -Infinity)) complain("is too small");
    if (value > (schema.maximum ?? Infinity)) complain("is too large");
  }
  if (Array.isArray(value)) found.push(...arrayMisfits(value, schema, root, at));
  else if (typeof value === "object" && value !== null) found.push(...objectMisfits(value, schema, root, at));
  return found;
}

/** Follows a reference within the document. */
export function resolve(reference: string, root: object): JsonSchema {
  let target: unknown = root;
  for (const part of reference.replace(/^#\//, "").split("/")) {
    target = (target as Record<string, unknown> | undefined)?.[part];
  }
  if (target === undefined) throw new Error(`There is nothing at ${reference}.`);
  return target as JsonSchema;
}

function isOfType(value: unknown, type: string): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isSafeInteger(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === type;
}

function stringMisfits(value: string, schema: JsonSchema, at: string): string[] {
  const found: string[] = [];
  if (value.length < (schema.minLength ?? 0)) found.push(`${at} is too short`);
  if (value.length > (schema.maxLength ?? Infinity)) found.push(`${at} is too long`);
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, "u").test(value)) found.push(`${at} is malformed`);
  if (schema.format !== undefined) {
    const form = formats[schema.format];
    if (!form) throw new Error(`The schema checker does not know the format ${schema.format} (${at}).`);
    const right = form.test(value) && (schema.format !== "date-time" || !Number.isNaN(Date.parse(value)));
    if (!right) found.push(`${at} is no ${schema.format}: ${JSON.stringify(value).slice(0, 200)}`);
  }
  return found;
}

function arrayMisfits(value: unknown[], schema: JsonSchema, root: object, at: string): string[] {
  const found: string[] = [];
  if (value.length < (schema.minItems ?? 0)) found.push(`${at} has too few items`);
  if (value.length > (schema.maxItems ?? Infinity)) found.push(`${at} has too many items`);
  for (const [index, item] of value.entries()) {
    const itemSchema = schema.prefixItems?.[index] ?? schema.items;
    if (itemSchema) found.push(...misfits(item, itemSchema, root, `${at}[${index}]`));
  }
  return found;
}

function objectMisfits(value: object, schema: JsonSchema, root: object, at: string): string[] {
  const found: string[] = [];
  const properties = schema.properties ?? {};
  for (const name of schema.required ?? []) if (!Object.hasOwn(value, name)) found.push(`${at} lacks ${name}`);
  for (const [name, item] of Object.entries(value)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties;
    if (property === false) found.push(`${at} has the unknown field ${JSON.stringify(name)}`);
    else if (typeof property === "object") found.push(...misfits(item, property, root, `${at}.${name}`));
    if (schema.propertyNames) found.push(...misfits(name, schema.propertyNames, root, `${at} field name`));
  }
  return found;
}
