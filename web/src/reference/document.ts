/** The parts of the API document (OpenAPI 3.1, JSON Schema 2020-12) that the page shows. */
export interface ApiDocument {
  readonly info: { readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
  };
}

interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly [string];
  readonly deprecated?: boolean;
  readonly security: readonly object[];
  readonly servers?: readonly { readonly url: string }[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, ResponseObject | { readonly $ref: string }>>;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description?: string }>>;
  readonly content?: Content;
}

export interface Parameter {
  readonly in: "path" | "query" | "header";
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** What is returned for one status. */
export interface Answer {
  readonly status: string;
  readonly description: string;
  readonly contentType: string | null;
  readonly schema: Schema | null;
  readonly headers: readonly { readonly name: string; readonly description: string }[];
}

/** One call, with everything that the page says about it. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** From the root of the server, with parameters in braces. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly deprecated: boolean;
  /** Whether it needs no credentials. */
  readonly open: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | null;
  readonly answers: readonly Answer[];
  readonly errors: readonly Answer[];
  /** What a search looks in first, in small letters: its name, path and group. */
  readonly names: string;
}

/** All operations, in the order of the document. */
export function operationsOf(document: ApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationOf(document, path, method, operation)),
  );
}

function operationOf(document: ApiDocument, path: string, method: string, operation: OperationObject): Operation {
  const { operationId: id, summary, description, tags, parameters, requestBody, responses } = operation;
  const base = (operation.servers ?? document.servers)[0]?.url ?? "/";
  const whole = base.replace(/\/$/, "") + path;
  const answers = Object.entries(responses).map(([status, response]) =>
    answerOf(status, "$ref" in response ? responseAt(document, response.$ref) : response),
  );
  return {
    id,
    method: method.toUpperCase(),
    path: whole,
    tag: tags[0],
    summary,
    description,
    deprecated: operation.deprecated ?? false,
    open: operation.security.length === 0,
    parameters,
    body: requestBody?.content["application/json"]?.schema ?? null,
    answers: answers.filter(({ status }) => Number(status) < 400),
    errors: answers.filter(({ status }) => Number(status) >= 400),
    names: `${summary} ${method} ${whole} ${id} ${tags[0]}`.toLowerCase(),
  };
}

function responseAt(document: ApiDocument, ref: string): ResponseObject {
  return document.components.responses[ref.slice(ref.lastIndexOf("/") + 1)] ?? { description: "" };
}

function answerOf(status: string, { description, headers = {}, content = {} }: ResponseObject): Answer {
  const [contentType = null] = Object.keys(content);
  return {
    status,
    description,
    contentType,
    schema: contentType === null ? null : (content[contentType]?.schema ?? null),
    headers: Object.entries(headers).map(([name, header]) => ({ name, description: header.description ?? "" })),
  };
}

/** The operations that have all words in their names; if there are none, those that have them in their description as well. */
export function searched(operations: readonly Operation[], search: string): readonly Operation[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const having = (textOf: (operation: Operation) => string) =>
    operations.filter((operation) => words.every((word) => textOf(operation).includes(word)));
  const named = having(({ names }) => names);
  return named.length > 0 ? named : having(({ names, description }) => `${names} ${description.toLowerCase()}`);
}

/** The schema that a reference names, with what is said beside the reference. */
export function resolved(document: ApiDocument, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const { $ref, ...beside } = schema;
  const target = document.components.schemas[$ref.slice($ref.lastIndexOf("/") + 1)];
  return target ? { ...resolved(document, target), ...beside } : beside;
}

/** The forms of a value, without null. */
function formsOf(document: ApiDocument, schema: Schema): Schema[] {
  const whole = resolved(document, schema);
  const forms = whole.anyOf ?? whole.oneOf;
  return forms ? forms.flatMap((form) => formsOf(document, form)).filter(({ type }) => type !== "null") : [whole];
}

/** A type in words, such as `array of string or null`. */
export function typeOf(document: ApiDocument, schema: Schema): string {
  return typesOf(document, schema).join(" or ");
}

function typesOf(document: ApiDocument, schema: Schema): string[] {
  const whole = resolved(document, schema);
  const forms = whole.anyOf ?? whole.oneOf;
  if (forms) return [...new Set(forms.flatMap((form) => typesOf(document, form)))].toSorted(nullLast);
  if (whole.const !== undefined) return [JSON.stringify(whole.const)];
  const types = typeof whole.type === "string" ? [whole.type] : (whole.type ?? ["any"]);
  return types.map((type) => {
    if (type === "array" && whole.items) return `array of ${typeOf(document, whole.items)}`;
    return type === "string" && whole.format !== undefined ? whole.format : type;
  });
}

function nullLast(a: string, b: string): number {
  return Number(a === "null") - Number(b === "null");
}

/** The limits of a value in words, such as `1 to 63 characters`. */
export function limitsOf(document: ApiDocument, schema: Schema): string {
  const [form = {}] = formsOf(document, schema);
  const limits = [
    between(form.minLength, form.maxLength, "characters"),
    between(form.minimum, form.maximum, ""),
    between(form.minItems, form.maxItems, "items"),
  ];
  return limits.filter((limit) => limit !== null).join(", ");
}

function between(from: number | undefined, to: number | undefined, unit: string): string | null {
  // The bounds of exact integers say nothing.
  const [least, most] = [from, to].map((bound) =>
    Math.abs(bound ?? 0) === Number.MAX_SAFE_INTEGER ? undefined : bound,
  );
  if (least === undefined && most === undefined) return null;
  const range =
    most === undefined ? `at least ${least}` : least === undefined ? `at most ${most}` : `${least} to ${most}`;
  return `${range} ${unit}`.trim();
}

/** The values that a schema lists, or those of its items. */
export function valuesOf(document: ApiDocument, schema: Schema): readonly unknown[] {
  return formsOf(document, schema).flatMap(({ enum: values, items }) =>
    values ? values : items ? valuesOf(document, items) : [],
  );
}

/** The objects whose fields a value has: its own, or those of its items. More than one if it has several forms. */
export function objectsOf(document: ApiDocument, schema: Schema): Schema[] {
  return formsOf(document, schema).flatMap((form) =>
    form.properties ? [form] : form.items ? objectsOf(document, form.items) : [],
  );
}

/**
 * A value to begin with: what the document has as an example, else made from the fields that are required, or from all if none is.
 * @param depth how many objects lie around it; what refers to itself ends somewhere
 */
export function exampleOf(document: ApiDocument, schema: Schema, depth = 0): unknown {
  const whole = resolved(document, schema);
  if (whole.example !== undefined) return whole.example;
  const [form = {}] = formsOf(document, whole);
  if (form.example !== undefined) return form.example;
  if (form.const !== undefined) return form.const;
  if (form.enum) return form.enum[0];
  if (form.properties && depth < 6) {
    const { properties, required = [] } = form;
    const names = required.length > 0 ? required : Object.keys(properties);
    return Object.fromEntries(names.map((name) => [name, exampleOf(document, properties[name] ?? {}, depth + 1)]));
  }
  if (form.items) return [exampleOf(document, form.items, depth + 1)];
  return whole.default ?? { string: "", integer: 0, number: 0, boolean: false, object: {} }[String(form.type)] ?? null;
}
