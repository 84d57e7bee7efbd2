import { beforeAll, describe, expect, test } from "vitest";
import {
  operationsOf,
  redirects,
  responseOf,
  type ApiDocument,
  type FoundOperation,
} from "../support/api/api-document.ts";
import { misfits, type JsonSchema } from "../support/api/json-schema.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { SITE_URL: "https://dns.example.com" } });

let document: ApiDocument;
let operations: FoundOperation[];
beforeAll(async () => {
  document = (await zw.nobody.get("/api/openapi.json")).body;
  operations = operationsOf(document);
});

/** What a check finds wrong, with the operation where it is. */
function wrong(check: (found: FoundOperation) => boolean): string[] {
  return operations.filter((found) => !check(found)).map(({ method, path }) => `${method} ${path}`);
}

function declaredInPath({ operation }: FoundOperation): string[] {
  return (operation.parameters ?? [])
    .filter((one) => one.in === "path" && one.required === true)
    .map(({ name }) => name);
}

function writtenInPath({ path }: FoundOperation): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

/** A `tempToken` opens its own calls, regardless of its owner; all other callers must sign in. */
function refusesStrangers({ path, operation: { responses } }: FoundOperation): boolean {
  const awaitingSecondFactor = ["/2fa/verify", "/2fa/email/send", "/2fa/passkey/options"].includes(path);
  return "401" in responses && (awaitingSecondFactor ? !("403" in responses) : "403" in responses);
}

function requiresField({ operation }: FoundOperation): boolean {
  const name = operation.requestBody?.content["application/json"]?.schema.$ref?.split("/").at(-1) ?? "";
  return (document.components.schemas[name]?.required ?? []).length > 0;
}

/** Whether an operation lists without a page or a cursor, so that clients read its answer whole. */
function listsWithoutPages({ method, operation }: FoundOperation): boolean {
  const parameters = new Set((operation.parameters ?? []).map(({ name }) => name));
  const isList = method === "GET" && operation.operationId.startsWith("list");
  return isList && !(parameters.has("page") && parameters.has("limit")) && !parameters.has("cursor");
}

function takesIfMatch({ operation }: FoundOperation): boolean {
  return (operation.parameters ?? []).some(({ name, in: place }) => place === "header" && name === "If-Match");
}

function tellsVersion({ operation: { responses } }: FoundOperation): boolean {
  return "ETag" in ((responses["201"] ?? responses["200"])?.headers ?? {});
}

/** Every schema of the document, with where it stands. */
function schemas(): [at: string, schema: JsonSchema][] {
  const found: [string, JsonSchema][] = [];
  const visit = (schema: JsonSchema | undefined, at: string) => {
    if (!schema) return;
    found.push([at, schema]);
    for (const [name, property] of Object.entries(schema.properties ?? {})) visit(property, `${at}.${name}`);
    for (const [index, option] of [...(schema.anyOf ?? []), ...(schema.prefixItems ?? [])].entries())
      visit(option, `${at}/${index}`);
    visit(schema.items, `${at}[]`);
    if (typeof schema.additionalProperties === "object") visit(schema.additionalProperties, `${at}{}`);
  };
  for (const [name, schema] of Object.entries(document.components.schemas)) visit(schema, name);
  for (const { path, operation } of operations) {
    for (const parameter of operation.parameters ?? []) visit(parameter.schema, `${path}?${parameter.name}`);
    for (const media of Object.values(operation.requestBody?.content ?? {})) visit(media.schema, `${path} body`);
    for (const [status, response] of Object.entries(operation.responses)) {
      for (const media of Object.values(response.content ?? {})) visit(media.schema, `${path} ${status}`);
    }
  }
  return found;
}

describe("the OpenAPI document", () => {
  test("the document is OpenAPI 3.1, and says what it describes and where it is served", () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info.title).toBe("Zonewright");
    expect(document.info.version).toMatch(/^\d+\.\d+\.\d+/);
    expect(document.info.description).not.toBe("");
    expect(document.servers.map(({ url }) => url)).toEqual(["/api", "https://dns.example.com/api"]);
    expect(document.components.securitySchemes).toMatchObject({ bearer: { type: "http", scheme: "bearer" } });
  });

  test("the document has each path once, whatever its parameters are named", () => {
    const normalised = Object.keys(document.paths).map((path) => path.toLowerCase().replaceAll(/\{.+?\}/g, "{}"));
    expect(new Set(normalised).size).toBe(normalised.length);
    for (const path of Object.keys(document.paths)) expect(path).toMatch(/^(?:\/[a-z0-9-]+|\/\{\w+\})+$/);
  });

  test("every reference in the document resolves, and every schema is referenced", () => {
    const text = JSON.stringify(document);
    const references = new Set(
      [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/([\w.]+)"/g)].map(([, a, b]) => `${a}/${b}`),
    );
    const there = new Set(Object.keys(document.components.schemas).map((name) => `schemas/${name}`));
    for (const name of Object.keys(document.components.responses)) there.add(`responses/${name}`);
    expect([...references].filter((name) => !there.has(name))).toEqual([]);
    expect([...there].filter((name) => name.startsWith("schemas/") && !references.has(name))).toEqual([]);
  });

  test("the document names its entities, and uses the names", () => {
    const names = ["User", "CurrentUser", "Domain", "DomainDetail", "DnsRecord", "Snapshot", "SnapshotDiff", "Problem"];
    expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(names));
    const list = document.components.schemas["RecordPage"]?.properties?.["records"];
    expect(list?.items).toEqual({ $ref: "#/components/schemas/DnsRecord" });
    for (const { operation } of operations) {
      for (const media of Object.values(operation.requestBody?.content ?? {}))
        expect(media.schema.$ref).toMatch(/^#\/components\/schemas\/\w+Body$/);
    }
  });
});

describe("every operation", () => {
  test("every list takes `page` and `limit`, or a cursor", () => {
    expect(wrong((found) => !listsWithoutPages(found))).toEqual([]);
  });

  test("every operation has a summary, a description, one of the document's tags and a unique operationId", () => {
    const tags = new Set(document.tags.map(({ name }) => name));
    for (const tag of document.tags) expect(tag.description).not.toBe("");
    expect(wrong(({ operation }) => (operation.summary ?? "") !== "")).toEqual([]);
    expect(wrong(({ operation }) => (operation.description ?? "") !== "")).toEqual([]);
    expect(wrong(({ operation }) => operation.tags?.length === 1 && tags.has(operation.tags[0] ?? ""))).toEqual([]);
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(wrong(({ operation }) => /^[a-z][A-Za-z0-9]+$/.test(operation.operationId))).toEqual([]);
  });

  test("every operation declares the parameters of its path, and describes all parameters", () => {
    expect(wrong((found) => declaredInPath(found).join() === writtenInPath(found).join())).toEqual([]);
    expect(
      wrong(({ operation }) => (operation.parameters ?? []).every(({ description = "" }) => description !== "")),
    ).toEqual([]);
  });

  test("every operation requires the bearer, or says that nothing is required", () => {
    const open = operations.filter(({ operation }) => operation.security?.length === 0).map(({ path }) => path);
    expect(open.toSorted()).toEqual([
      "/auth/cli/token",
      "/auth/device",
      "/auth/device/token",
      "/auth/email/verify",
      "/auth/login",
      "/auth/logout",
      "/auth/oauth/exchange-ticket",
      "/auth/oauth/providers",
      "/auth/oauth/{providerId}/authorize",
      "/auth/oauth/{providerId}/callback",
      "/auth/oauth/{providerId}/callback-url",
      "/auth/oauth/{providerId}/register",
      "/auth/passkey",
      "/auth/passkey/options",
      "/auth/password/forgot",
      "/auth/password/reset",
      "/auth/refresh",
      "/auth/register",
      "/oauth/oidc",
    ]);
    expect(
      wrong(({ operation, path }) => open.includes(path) || JSON.stringify(operation.security) === '[{"bearer":[]}]'),
    ).toEqual([]);
  });

  test("every operation answers without a token as its security says", async () => {
    for (const { method, path, operation } of operations.filter(({ operation }) => operation.security?.length !== 0)) {
      const { status } = await zw.nobody.send(method, `/api${path.replaceAll(/\{\w+\}/g, crypto.randomUUID())}`);
      expect({ operation: operation.operationId, status }).toEqual({ operation: operation.operationId, status: 401 });
    }
  });

  test("every operation documents one success, with a body or redirect target, and problems for all else", () => {
    for (const found of operations) {
      const { operation } = found;
      const [success, ...others] = Object.keys(operation.responses).filter((status) => /^[23]/.test(status));
      expect(others).toEqual([]);
      const { content = {}, headers = {} } = responseOf(document, operation, success ?? "") ?? {};
      const [tells] = redirects(found) ? Object.keys(headers) : Object.keys(content);
      expect(redirects(found) ? ["Location"] : ["application/json", "text/plain", "text/event-stream"]).toContain(
        tells,
      );
      for (const status of Object.keys(operation.responses).filter((one) => one !== success)) {
        expect(operation.responses[status]).toEqual({ $ref: `#/components/responses/Problem${status}` });
        expect(responseOf(document, operation, status)?.content).toEqual({
          "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
        });
      }
      expect(operation.responses).toHaveProperty("400");
      expect(operation.responses).toHaveProperty("500");
    }
  });

  test("every operation that requires a sign-in can refuse it", () => {
    expect(wrong((found) => found.operation.security?.length === 0 || refusesStrangers(found))).toEqual([]);
  });

  test("operations that create something return 201, those that start a job 202, redirects 302, and all others 200", () => {
    const created = operations.filter(({ operation }) => "201" in operation.responses);
    expect(created.map(({ operation }) => operation.operationId).toSorted()).toEqual([
      "commentChangeRequest",
      "createAssignment",
      "createChangeRequest",
      "createChannel",
      "createDomain",
      "createFeed",
      "createIdentityConfig",
      "createInvitation",
      "createPasskey",
      "createProviderConfig",
      "createRecord",
      "createRegistrarConfig",
      "createSnapshot",
      "createTemplate",
      "createToken",
      "createTsigKey",
      "createUser",
      "register",
      "registerExternally",
      "requestAssignment",
      "v1CreateRecord",
    ]);
    const starting = operations.filter(({ operation }) => "202" in operation.responses);
    expect(starting.map(({ operation }) => operation.operationId).toSorted()).toEqual([
      "applyLinkedTemplate",
      "applyReplacement",
      "revertReplacement",
      "startPortfolioImport",
    ]);
    expect(
      wrong((found) => redirects(found) || ["200", "201", "202"].some((status) => status in found.operation.responses)),
    ).toEqual([]);
  });

  test("an operation requires a body only if a field of it is required", () => {
    expect(
      wrong(
        (found) =>
          found.operation.requestBody === undefined || found.operation.requestBody.required === requiresField(found),
      ),
    ).toEqual([]);
  });

  test("operations on a record accept If-Match where they may refuse, and return the version in ETag", () => {
    expect(wrong((found) => takesIfMatch(found) === "412" in found.operation.responses)).toEqual([]);
    expect(operations.filter(tellsVersion).map(({ operation }) => operation.operationId)).toEqual([
      "createRecord",
      "updateRecord",
      "v1CreateRecord",
      "v1UpdateRecord",
    ]);
  });
});

describe("every schema", () => {
  test("every schema describes each of its fields", () => {
    const silent = schemas().flatMap(([at, schema]) =>
      Object.entries(schema.properties ?? {})
        .filter(([, property]) => property.$ref === undefined && (property.description ?? "") === "")
        .map(([name]) => `${at}.${name}`),
    );
    expect(silent).toEqual([]);
    const nameless = Object.entries(document.components.schemas).filter(
      ([, { description = "" }]) => description === "",
    );
    expect(nameless).toEqual([]);
  });

  test("every schema says whether it accepts unnamed fields", () => {
    const open = schemas().filter(
      ([, schema]) => schema.type === "object" && schema.properties && schema.additionalProperties === undefined,
    );
    expect(open.map(([at]) => at)).toEqual([]);
  });

  test("every schema has examples that fit it", () => {
    const examples = schemas().filter(([, schema]) => "example" in schema);
    expect(examples.flatMap(([at, schema]) => misfits(schema.example, schema, document, at))).toEqual([]);
  });
});

describe("the docs page", () => {
  test("the docs page loads only from the service itself, and everything that it loads exists", async () => {
    const page = await zw.nobody.get("/api/docs");
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toMatch(/^text\/html/);
    const assets = [...(page.body as string).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url = ""]) => url);
    expect(assets.length).toBeGreaterThanOrEqual(3);
    for (const asset of assets) {
      expect(asset).toMatch(/^\/api\/docs\/[\w./-]+$/);
      const { status, headers } = await zw.nobody.get(asset);
      expect({ asset, status }).toEqual({ asset, status: 200 });
      expect(headers.get("content-type")).toMatch(/css|javascript|svg/);
      expect(headers.get("cache-control")).toMatch(asset.includes("/assets/") ? /immutable/ : /max-age=3600/);
    }
  });
});
