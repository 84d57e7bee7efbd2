import { describe, expect, test } from "vitest";
import type { ApiDocument } from "../support/api/api-document.ts";
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
const object = (properties: Record<string, JsonSchema>, required: string[] = []): JsonSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

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
    ["a value more", { type: "string", enum: ["a"] }, { type: "string", enum: ["a", "b"] }],
  ])("%s breaks", (_what, before, after) => {
    expect(breakingChanges(documentOf({ answer: before }), documentOf({ answer: after }))).toHaveLength(1);
  });

  test.each<[string, JsonSchema, JsonSchema]>([
    ["a new field", object({ a: text }, ["a"]), object({ a: text, b: text }, ["a", "b"])],
    ["null no more", { anyOf: [text, { type: "null" }] }, text],
    ["a value fewer", { type: "string", enum: ["a", "b"] }, { type: "string", enum: ["a"] }],
  ])("%s does not break", (_what, before, after) => {
    expect(breakingChanges(documentOf({ answer: before }), documentOf({ answer: after }))).toEqual([]);
  });

  test("a status that is answered no more breaks", () => {
    const after = documentOf({});
    const post = after.paths["/things"]?.["post"];
    if (post) post.responses = { 201: {} };
    expect(breakingChanges(documentOf({}), after)).toHaveLength(1);
  });
});
