import { describe, expect, test } from "vitest";
import type { ApiDocument, ApiOperation } from "../support/api/api-document.ts";
import type { JsonSchema } from "../support/api/json-schema.ts";
import { breakingChanges } from "./breaking-changes.ts";

function json(schema: JsonSchema) {
  return { content: { "application/json": { schema } } };
}

/** A document with one call, which takes and answers with these. */
function documentOf(parts: { body?: JsonSchema; answer?: JsonSchema; query?: JsonSchema; required?: boolean }) {
  const parameter = { name: "q", in: "query", required: parts.required ?? false, schema: parts.query ?? {} };
  return {
    paths: {
      "/things": {
        post: {
          operationId: "things",
          ...(parts.query ? { parameters: [parameter] } : {}),
          ...(parts.body ? { requestBody: json(parts.body) } : {}),
          responses: { 200: parts.answer ? json(parts.answer) : {} },
        },
      },
    },
    components: { schemas: { Tree: tree } },
  } as unknown as ApiDocument;
}

const tree: JsonSchema = {
  type: "object",
  properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/components/schemas/Tree" } } },
  required: ["name", "children"],
};
const text: JsonSchema = { type: "string" };
const list = (items: JsonSchema): JsonSchema => ({ type: "array", items });
const map = (values: JsonSchema): JsonSchema => ({ type: "object", additionalProperties: values });
const named = (names: string[]): JsonSchema => ({ ...map(text), propertyNames: { type: "string", enum: names } });
/** An object that ignores unknown fields. */
const open = (properties: Record<string, JsonSchema>): JsonSchema => ({
  ...object(properties),
  additionalProperties: true,
});
const object = (properties: Record<string, JsonSchema>, required: string[] = []): JsonSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

function postOf({ paths }: ApiDocument): ApiOperation {
  const call = paths["/things"]?.["post"];
  if (!call) throw new Error("There is no such call.");
  return call;
}

function renameJson(content: Record<string, object>): void {
  content["text/plain"] = content["application/json"] ?? {};
  delete content["application/json"];
}

/** A document whose problem documents have these codes, required or not. */
function problemsOf(codes: string[], required = ["code"]): ApiDocument {
  const schema = object({ code: { type: "string", enum: codes } }, required);
  const document = documentOf({});
  document.components.responses = { Problem409: { content: { "application/problem+json": { schema } } } };
  return document;
}

test("an unchanged document breaks nothing, even with schemas that contain themselves", () => {
  const document = documentOf({ body: tree, answer: { $ref: "#/components/schemas/Tree" }, query: text });
  expect(breakingChanges(document, document)).toEqual([]);
});

test("a removed call breaks clients, and a new one does not", () => {
  const none = { ...documentOf({}), paths: {} };
  expect(breakingChanges(documentOf({}), none)).toEqual(["POST /things is gone"]);
  expect(breakingChanges(none, documentOf({}))).toEqual([]);
});

describe("changes to what clients send", () => {
  test.each<[string, JsonSchema, JsonSchema]>([
    ["a new required field", object({}), object({ a: text }, ["a"])],
    ["a newly required field", object({ a: text }), object({ a: text }, ["a"])],
    ["a field that is no longer accepted", object({ a: text }), object({})],
    ["another type", object({ a: text }), object({ a: { type: "integer" } })],
    ["dropping null", { type: ["string", "null"] }, text],
    ["dropping null from alternatives", { anyOf: [text, { type: "null" }] }, text],
    ["a removed enum value", { type: "string", enum: ["a", "b"] }, { type: "string", enum: ["a"] }],
    ["an enum instead of any text", text, { type: "string", enum: ["a"] }],
    ["a lower limit", { type: "integer", maximum: 9 }, { type: "integer", maximum: 8 }],
    ["a new limit", text, { type: "string", maxLength: 3 }],
    ["a limit below a value of an enum", { type: "string", enum: ["a", "bc"] }, { type: "string", maxLength: 1 }],
    ["a new pattern", text, { type: "string", pattern: "^a" }],
    ["a new format", text, { type: "string", format: "uuid" }],
    ["another item type", { type: "array", items: text }, { type: "array", items: { type: "integer" } }],
    ["another name for a field", object({ a: text }), object({ b: text })],
    ["another name for a field where unknown fields are ignored", open({ a: text }), open({ b: text })],
    ["a removed nested field", object({ a: list(object({ b: text })) }), object({ a: list(object({})) })],
    ["another default", { type: "integer", default: 50 }, { type: "integer", default: 20 }],
    ["a removed default", object({ a: { type: "integer", default: 50 } }), object({ a: { type: "integer" } })],
    ["another type under any name", map(text), map({ type: "integer" })],
    ["fewer names", named(["a", "b"]), named(["a"])],
    ["accepting only named fields", map(text), object({})],
    [
      "another first item",
      { type: "array", prefixItems: [text] },
      { type: "array", prefixItems: [{ type: "integer" }] },
    ],
    ["a higher minimum of items", { type: "array", items: text }, { type: "array", items: text, minItems: 1 }],
  ])("in a request, %s breaks clients", (_what, before, after) => {
    expect(breakingChanges(documentOf({ body: before }), documentOf({ body: after }))).toHaveLength(1);
  });

  test.each<[string, JsonSchema, JsonSchema]>([
    ["a new field", object({}), object({ a: text })],
    ["a field that becomes optional", object({ a: text }, ["a"]), object({ a: text })],
    ["allowing null", text, { anyOf: [text, { type: "null" }] }],
    ["any number instead of integers", { type: "integer" }, { type: "number" }],
    ["an added enum value", { type: "string", enum: ["a"] }, { type: "string", enum: ["a", "b"] }],
    ["a higher limit", { type: "integer", maximum: 8 }, { type: "integer", maximum: 9 }],
    [
      "any text as long as the values of an enum",
      { type: "string", enum: ["a", "bc"] },
      { type: "string", maxLength: 2 },
    ],
    ["a new default", { type: "integer" }, { type: "integer", default: 20 }],
    ["more names", named(["a"]), named(["a", "b"])],
  ])("in a request, %s does not break clients", (_what, before, after) => {
    expect(breakingChanges(documentOf({ body: before }), documentOf({ body: after }))).toEqual([]);
  });

  test("a removed or newly required parameter breaks clients", () => {
    expect(breakingChanges(documentOf({ query: text }), documentOf({}))).toHaveLength(1);
    expect(breakingChanges(documentOf({}), documentOf({ query: text, required: true }))).toHaveLength(1);
    expect(breakingChanges(documentOf({}), documentOf({ query: text }))).toEqual([]);
  });
});

describe("changes to what clients receive", () => {
  test.each<[string, JsonSchema, JsonSchema]>([
    ["a removed field", object({ a: text }, ["a"]), object({})],
    ["a field that becomes optional", object({ a: text }, ["a"]), object({ a: text })],
    ["allowing null", text, { type: ["string", "null"] }],
    ["allowing null among alternatives", text, { anyOf: [text, { type: "null" }] }],
    ["another type", { type: "integer" }, text],
    ["a second value of a constant", { type: "string", enum: ["a"] }, { type: "string", enum: ["a", "b"] }],
    ["another name for a field", object({ a: text }, ["a"]), object({ b: text }, ["b"])],
    ["a removed optional field", object({ a: text }), object({})],
    ["a removed field within a list", list(object({ a: text }, ["a"])), list(object({}))],
    ["any text instead of an enum", { type: "string", enum: ["a"] }, text],
    ["another format", { type: "string", format: "date-time" }, text],
    ["another type under any name", map(text), map({ type: "integer" })],
    [
      "another first item",
      { type: "array", prefixItems: [text] },
      { type: "array", prefixItems: [{ type: "integer" }] },
    ],
  ])("in an answer, %s breaks clients", (_what, before, after) => {
    expect(breakingChanges(documentOf({ answer: before }), documentOf({ answer: after }))).toHaveLength(1);
  });

  test.each<[string, JsonSchema, JsonSchema]>([
    ["a new field", object({ a: text }, ["a"]), object({ a: text, b: text }, ["a", "b"])],
    ["dropping null", { anyOf: [text, { type: "null" }] }, text],
    ["a growing list of enum values", { enum: ["a", "b"] }, { enum: ["a", "b", "c"] }],
    ["a removed enum value", { type: "string", enum: ["a", "b"] }, { type: "string", enum: ["a"] }],
  ])("in an answer, %s does not break clients", (_what, before, after) => {
    expect(breakingChanges(documentOf({ answer: before }), documentOf({ answer: after }))).toEqual([]);
  });

  test("a problem document that loses a field breaks clients, and one with another code does not", () => {
    const before = problemsOf(["CONFLICT", "NOT_FOUND"]);
    expect(breakingChanges(before, problemsOf(["CONFLICT", "NOT_FOUND", "GONE"]))).toEqual([]);
    expect(breakingChanges(before, problemsOf(["CONFLICT", "NOT_FOUND"], []))).toHaveLength(1);
    expect(breakingChanges(before, problemsOf(["CONFLICT"]))).toEqual([]);
  });
});

describe("changes to a call itself", () => {
  const before = documentOf({ body: object({ a: text }), answer: object({ a: text }, ["a"]) });

  test.each<[string, (call: ApiOperation) => void]>([
    ["another status", (call) => (call.responses = { 201: call.responses["200"] ?? {} })],
    ["another name", (call) => (call.operationId = "thingies")],
    ["a newly required sign-in", (call) => (call.security = [{ bearer: [] }])],
    ["a removed body", (call) => delete call.requestBody],
    ["a newly required body", (call) => (call.requestBody = { ...json(object({ a: text })), required: true })],
    ["text instead of JSON", (call) => renameJson(call.responses["200"]?.content ?? {})],
    ["a removed header", (call) => delete call.responses["200"]?.headers],
  ])("in a call, %s breaks clients", (_what, change) => {
    const [older, newer] = [structuredClone(before), structuredClone(before)];
    for (const document of [older, newer]) {
      const call = postOf(document);
      call.security = [];
      if (call.requestBody) call.requestBody.required = false;
      Object.assign(call.responses["200"] ?? {}, { headers: { ETag: { description: "", schema: text } } });
    }
    expect(breakingChanges(older, newer)).toEqual([]);
    change(postOf(newer));
    expect(breakingChanges(older, newer)).toHaveLength(1);
  });

  test("another path or method breaks clients", () => {
    const { post } = before.paths["/things"] ?? {};
    for (const paths of [{ "/items": { post } }, { "/things": { put: post } }]) {
      expect(breakingChanges(before, { ...before, paths } as unknown as ApiDocument)).toEqual(["POST /things is gone"]);
    }
  });

  test("a new, required body breaks clients", () => {
    expect(breakingChanges(documentOf({}), documentOf({ body: object({}) }))).toHaveLength(1);
  });
});
