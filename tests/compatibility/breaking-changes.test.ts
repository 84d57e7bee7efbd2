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
/** What passes over fields that it does not know. */
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

/** A document whose problem documents have these codes, and have them always or not. */
function problemsOf(codes: string[], required = ["code"]): ApiDocument {
  const schema = object({ code: { type: "string", enum: codes } }, required);
  const document = documentOf({});
  document.components.responses = { Problem409: { content: { "application/problem+json": { schema } } } };
  return document;
}

test("nothing breaks where nothing changes, with schemas that contain themselves", () => {
  const document = documentOf({ body: tree, answer: { $ref: "#/components/schemas/Tree" }, query: text });
  expect(breakingChanges(document, document)).toEqual([]);
});

test("a call that is gone breaks, one that is new does not", () => {
  const none = { ...documentOf({}), paths: {} };
  expect(breakingChanges(documentOf({}), none)).toEqual(["POST /things is gone"]);
  expect(breakingChanges(none, documentOf({}))).toEqual([]);
});

describe("of what clients send", () => {
  test.each<[string, JsonSchema, JsonSchema]>([
    ["a new field that must be there", object({}), object({ a: text }, ["a"])],
    ["a field that must be there now", object({ a: text }), object({ a: text }, ["a"])],
    ["a field that is not taken any more", object({ a: text }), object({})],
    ["another type", object({ a: text }), object({ a: { type: "integer" } })],
    ["null no more", { type: ["string", "null"] }, text],
    ["null no more, by alternatives", { anyOf: [text, { type: "null" }] }, text],
    ["a value fewer", { type: "string", enum: ["a", "b"] }, { type: "string", enum: ["a"] }],
    ["values instead of any text", text, { type: "string", enum: ["a"] }],
    ["a lower limit", { type: "integer", maximum: 9 }, { type: "integer", maximum: 8 }],
    ["a limit", text, { type: "string", maxLength: 3 }],
    ["a form", text, { type: "string", pattern: "^a" }],
    ["a format", text, { type: "string", format: "uuid" }],
    ["an item's type", { type: "array", items: text }, { type: "array", items: { type: "integer" } }],
    ["another name for a field", object({ a: text }), object({ b: text })],
    ["another name for a field where others are passed over", open({ a: text }), open({ b: text })],
    ["a field deep within that is gone", object({ a: list(object({ b: text })) }), object({ a: list(object({})) })],
    ["another default", { type: "integer", default: 50 }, { type: "integer", default: 20 }],
    ["a default no more", object({ a: { type: "integer", default: 50 } }), object({ a: { type: "integer" } })],
    ["another type under any name", map(text), map({ type: "integer" })],
    ["fewer names", named(["a", "b"]), named(["a"])],
    ["no names but its own", map(text), object({})],
    [
      "another first item",
      { type: "array", prefixItems: [text] },
      { type: "array", prefixItems: [{ type: "integer" }] },
    ],
    ["more items needed", { type: "array", items: text }, { type: "array", items: text, minItems: 1 }],
  ])("%s breaks", (_what, before, after) => {
    expect(breakingChanges(documentOf({ body: before }), documentOf({ body: after }))).toHaveLength(1);
  });

  test.each<[string, JsonSchema, JsonSchema]>([
    ["a new field", object({}), object({ a: text })],
    ["a field that may be left out now", object({ a: text }, ["a"]), object({ a: text })],
    ["null as well", text, { anyOf: [text, { type: "null" }] }],
    ["any number instead of whole ones", { type: "integer" }, { type: "number" }],
    ["a value more", { type: "string", enum: ["a"] }, { type: "string", enum: ["a", "b"] }],
    ["a higher limit", { type: "integer", maximum: 8 }, { type: "integer", maximum: 9 }],
    ["a default where there was none", { type: "integer" }, { type: "integer", default: 20 }],
    ["more names", named(["a"]), named(["a", "b"])],
  ])("%s does not break", (_what, before, after) => {
    expect(breakingChanges(documentOf({ body: before }), documentOf({ body: after }))).toEqual([]);
  });

  test("a parameter that is gone, or is needed now, breaks", () => {
    expect(breakingChanges(documentOf({ query: text }), documentOf({}))).toHaveLength(1);
    expect(breakingChanges(documentOf({}), documentOf({ query: text, required: true }))).toHaveLength(1);
    expect(breakingChanges(documentOf({}), documentOf({ query: text }))).toEqual([]);
  });
});

describe("of what clients are sent", () => {
  test.each<[string, JsonSchema, JsonSchema]>([
    ["a field that is gone", object({ a: text }, ["a"]), object({})],
    ["a field that may be missing", object({ a: text }, ["a"]), object({ a: text })],
    ["null as well", text, { type: ["string", "null"] }],
    ["null as well, by alternatives", text, { anyOf: [text, { type: "null" }] }],
    ["another type", { type: "integer" }, text],
    ["another value where there was one", { type: "string", enum: ["a"] }, { type: "string", enum: ["a", "b"] }],
    ["another name for a field", object({ a: text }, ["a"]), object({ b: text }, ["b"])],
    ["a field gone that was not always there", object({ a: text }), object({})],
    ["a field gone within a list", list(object({ a: text }, ["a"])), list(object({}))],
    ["any text instead of values", { type: "string", enum: ["a"] }, text],
    ["another format", { type: "string", format: "date-time" }, text],
    ["another type under any name", map(text), map({ type: "integer" })],
    [
      "another first item",
      { type: "array", prefixItems: [text] },
      { type: "array", prefixItems: [{ type: "integer" }] },
    ],
  ])("%s breaks", (_what, before, after) => {
    expect(breakingChanges(documentOf({ answer: before }), documentOf({ answer: after }))).toHaveLength(1);
  });

  test.each<[string, JsonSchema, JsonSchema]>([
    ["a new field", object({ a: text }, ["a"]), object({ a: text, b: text }, ["a", "b"])],
    ["null no more", { anyOf: [text, { type: "null" }] }, text],
    ["a list of values that grows", { enum: ["a", "b"] }, { enum: ["a", "b", "c"] }],
    ["a value fewer", { type: "string", enum: ["a", "b"] }, { type: "string", enum: ["a"] }],
  ])("%s does not break", (_what, before, after) => {
    expect(breakingChanges(documentOf({ answer: before }), documentOf({ answer: after }))).toEqual([]);
  });

  test("a problem document without one of its fields breaks, one with another code does not", () => {
    const before = problemsOf(["CONFLICT", "NOT_FOUND"]);
    expect(breakingChanges(before, problemsOf(["CONFLICT", "NOT_FOUND", "GONE"]))).toEqual([]);
    expect(breakingChanges(before, problemsOf(["CONFLICT", "NOT_FOUND"], []))).toHaveLength(1);
    expect(breakingChanges(before, problemsOf(["CONFLICT"]))).toEqual([]);
  });
});

describe("of a call itself", () => {
  const before = documentOf({ body: object({ a: text }), answer: object({ a: text }, ["a"]) });

  test.each<[string, (call: ApiOperation) => void]>([
    ["another status", (call) => (call.responses = { 201: call.responses["200"] ?? {} })],
    ["another name", (call) => (call.operationId = "thingies")],
    ["a sign-in that is needed now", (call) => (call.security = [{ bearer: [] }])],
    ["no body any more", (call) => delete call.requestBody],
    ["a body that is needed now", (call) => (call.requestBody = { ...json(object({ a: text })), required: true })],
    ["text instead of JSON", (call) => renameJson(call.responses["200"]?.content ?? {})],
    ["a header that is gone", (call) => delete call.responses["200"]?.headers],
  ])("%s breaks", (_what, change) => {
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

  test("another path or method breaks", () => {
    const { post } = before.paths["/things"] ?? {};
    for (const paths of [{ "/items": { post } }, { "/things": { put: post } }]) {
      expect(breakingChanges(before, { ...before, paths } as unknown as ApiDocument)).toEqual(["POST /things is gone"]);
    }
  });

  test("a body that there was not, and that is needed now, breaks", () => {
    expect(breakingChanges(documentOf({}), documentOf({ body: object({}) }))).toHaveLength(1);
  });
});
