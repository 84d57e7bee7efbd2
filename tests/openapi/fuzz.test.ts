import * as fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { tell } from "../notifications/telling.ts";
import {
  addressOf,
  operationsOf,
  redirects,
  responseOf,
  streams,
  type ApiDocument,
  type FoundOperation,
} from "../support/api-document.ts";
import { misfits, resolve, type JsonSchema } from "../support/json-schema.ts";
import type { Answer, RestClient } from "../support/rest-client.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { LOG_LEVEL: process.env["FUZZ_LOG_LEVEL"] ?? "silent" } });
const requests = Number(process.env["FUZZ_REQUESTS"] ?? 3_000);
const seed = Number(process.env["FUZZ_SEED"] ?? 20_270_301);

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Place = (string | number)[];

/** What calls may name: objects of ours, and objects of the same kind that belong elsewhere. */
interface Ids {
  domain: string;
  record: string;
  snapshot: string;
  laterSnapshot: string;
  /** Of zone files: where the zones are. */
  zonefiles: string;
  /** One that may be changed. */
  config: string;
  user: string;
  invitation: string;
  inviteCode: string;
  assignment: string;
  /** One to approve, and one to reject. */
  approvable: string;
  rejectable: string;
  /** Of GitHub, which no configuration of it asks anything of. */
  identityConfig: string;
  notification: string;
  channel: string;
  othersRecord: string;
  othersSnapshot: string;
}

/** One change to a valid request. */
type Mutation =
  | { kind: "replace"; pick: number; value: Json }
  | { kind: "remove"; pick: number }
  | { kind: "add"; pick: number; key: string; value: Json };

interface Target {
  in: "path" | "query" | "body";
  place: Place;
}

interface Call {
  path: Record<string, string>;
  query: Record<string, string>;
  body: Json | undefined;
}

/** Values that some program somewhere stumbles over. */
const strangeTexts: Json[] = [
  [null, true, false, 0, -1, 1.5, 65_536, 2 ** 31, 2 ** 53, 1e308, -1e308],
  ["", " ", "a", "true", "false", "null", "0", "300", "1e3", "0x10", "-1", "NaN", "x".repeat(20_000)],
  ["\0", "a\u0001b", "line\nbreak", "\u007f", "\ud800", "a\udfffb", "\u202e", "﷽".repeat(300), "é", "e\u0301", "💥"],
  ["__proto__", "constructor", "toString", "' or 1=1 --", "%00", "%", "../../etc/passwd", "{}", "[]", "<b>", "\\"],
  ["*", "@", ".", "..", "-", "_", "a..b", "xn--", "xn--a", `${"a".repeat(64)}.example`, "1.2.3.4", "::1", "2027-02-30"],
  ["0000-00-00T00:00:00Z", "9999-12-31T23:59:59.999Z", "+275760-09-13T00:00:00.000Z", "1970-01-01T00:00:00-23:59"],
  ["00000000-0000-0000-0000-000000000000", "01a1fb0f-6204-7000-abd4-276e976be8b7"],
].flat();
const strangeValues = JSON.parse(
  `[[], [[]], [null], {}, {"a":{}}, [1,"2",null,{}], {"__proto__":{"admin":true}}, ${"[".repeat(100)}${"]".repeat(100)}]`,
) as Json[];
const longList: Json = Array.from({ length: 2_000 }, () => 0);

let document: ApiDocument;
let operations: FoundOperation[];
let ids: Ids;
let strange: Json[];

beforeAll(async () => {
  document = (await zw.nobody.get("/api/openapi.json")).body;
  // What is let in there stays; tests/notifications sends it what is wrong.
  operations = operationsOf(document).filter((found) => !streams(found));
  ids = await furnish(zw.admin);
  strange = [...strangeTexts, ...strangeValues, longList, ...Object.values(ids)];
});

/** Two zones with everything in them; calls go to the first. */
async function furnish(admin: RestClient): Promise<Ids> {
  const config = await admin.post("/api/provider-configs", { kind: "manual", name: "Fuzz" });
  const { body: list } = await admin.get("/api/provider-configs");
  const zonefiles = list.configs.find(({ kind }: { kind: string }) => kind === "zonefile");
  const [own, other] = await Promise.all(
    ["fuzz.example", "other.example"].map(async (name) => {
      const domain = await admin.post("/api/domains", { name, tags: ["fuzz"] });
      const path = `/api/domains/${domain.body.id}`;
      const record = await admin.post(`${path}/records`, { recordType: "A", name: "www", value: "192.0.2.1" });
      const snapshot = await admin.post(`${path}/snapshots`);
      await admin.post(`${path}/records`, { recordType: "MX", name: "@", value: "10 mail.example.com" });
      const later = await admin.post(`${path}/snapshots`);
      return { domain: domain.body, record: record.body, snapshot: snapshot.body, later: later.body };
    }),
  );
  const password = "a password of the fuzzed user";
  const user = await admin.post("/api/users", { username: "fuzz", password, role: "member" });
  const invitation = await admin.post("/api/invitations", { maxUses: 10_000 });
  const { id: domainId } = own?.domain ?? {};
  const assignment = await admin.post("/api/assignments", { userId: user.body.id, domainId });
  const ask = (domainName: string) => admin.post("/api/assignments/requests", { domainName });
  const [approvable, rejectable] = [await ask("fuzz.example"), await ask("other.example")];
  const identity = await admin.post("/api/oauth/providers", { providerId: "github", clientId: "fuzz" });
  const channel = await admin.post("/api/notifications", {
    channel: "webhook",
    name: "Fuzz",
    config: { url: "http://127.0.0.1:9/fuzz", secret: "a key of at least 24 characters" },
    events: ["channel.disabled"],
  });
  await tell(zw, { administrators: true });
  const { body: told } = await admin.get("/api/notifications");
  if (!own || !other) throw new Error("The zones could not be made.");
  return {
    domain: own.domain.id,
    record: own.record.id,
    snapshot: own.snapshot.id,
    laterSnapshot: own.later.id,
    zonefiles: zonefiles.id,
    config: config.body.id,
    user: user.body.id,
    invitation: invitation.body.id,
    inviteCode: invitation.body.code,
    assignment: assignment.body.id,
    approvable: approvable.body.id,
    rejectable: rejectable.body.id,
    identityConfig: identity.body.id,
    notification: told.notifications[0].id,
    channel: channel.body.id,
    othersRecord: other.record.id,
    othersSnapshot: other.snapshot.id,
  };
}

/** A value that a schema accepts: its example, else the simplest there is. */
function sample(schema: JsonSchema): Json {
  if (schema.$ref !== undefined) return sample(resolve(schema.$ref, document));
  if (schema.example !== undefined) return schema.example as Json;
  if (schema.default !== undefined) return schema.default as Json;
  if (schema.const !== undefined) return schema.const as Json;
  if (schema.enum) return schema.enum[0] as Json;
  if (schema.anyOf?.[0]) return sample(schema.anyOf[0]);
  if (schema.format === "uuid") return ids.domain;
  if (schema.type === "array") return [sample(schema.items ?? {})];
  if (schema.type === "object") {
    return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, one]) => [name, sample(one)]));
  }
  if (schema.type === "integer" || schema.type === "number") return schema.minimum ?? 0;
  if (schema.type === "boolean") return false;
  return "text";
}

/** What examples cannot know. */
function fillIn(operationId: string, body: Json | undefined, count: number): Json | undefined {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  const record = {
    recordType: "A",
    name: `host-${count}`,
    value: "192.0.2.7",
    ttl: 300,
    proxied: false,
    comment: null,
  };
  const filled = { ...body };
  if (operationId === "createUser") Object.assign(filled, { username: `user-${count}`, email: null });
  if (operationId === "updateUser")
    Object.assign(filled, { username: "fuzz", email: null, role: "member", disabled: false });
  if (operationId === "register")
    Object.assign(filled, { username: `guest-${count}`, email: null, inviteCode: ids.inviteCode });
  if (operationId === "createAssignment")
    Object.assign(filled, { userId: ids.user, subdomainPattern: `*.of-${count}` });
  if (operationId === "requestAssignment") {
    Object.assign(filled, { subdomainPattern: `*.of-${count}`, host: null });
    // Either of the two.
    delete filled["domainId"];
  }
  // Each provider once; what is not enabled is not asked.
  if (operationId === "createIdentityConfig")
    Object.assign(filled, { providerId: "google", wellKnownUrl: null, enabled: false });
  if (operationId === "updateIdentityConfig") filled["wellKnownUrl"] = null;
  if (operationId === "createInvitation") filled["expiresAt"] = null;
  if ("providerConfigId" in filled)
    filled["providerConfigId"] = operationId === "createDomain" ? ids.config : ids.zonefiles;
  if ("force" in filled) filled["force"] = true;
  if (operationId === "createDomain") filled["name"] = `zone-${count}.example`;
  if (operationId === "createProviderConfig")
    Object.assign(filled, { name: `Config ${count}`, kind: "manual", config: {} });
  if (operationId === "updateProviderConfig") Object.assign(filled, { name: "Fuzz", config: {} });
  if (operationId.endsWith("reateRecord")) Object.assign(filled, record);
  if (operationId.endsWith("pdateRecord")) Object.assign(filled, { ...record, name: "www" });
  if (operationId === "bulkCreateRecords") filled["records"] = [record, { ...record, value: "192.0.2.8" }];
  if ("changes" in filled)
    filled["changes"] = [
      { action: "create", record },
      { action: "update", recordId: ids.record, record: { ttl: 600 } },
    ];
  // Either zones or all of them.
  if (operationId === "importZones") delete filled["all"];
  if (operationId === "createChannel") filled["name"] = `Channel ${count}`;
  if (operationId === "updateChannel") {
    filled["name"] = "Fuzz";
    delete filled["channel"];
  }
  if ("expiryRemindDays" in filled) filled["expiryRemindDays"] = [30, 7];
  return filled;
}

function validCall({ path, operation }: FoundOperation, count: number): Call {
  const own: Record<string, string> = {
    id: ids.domain,
    recordId: ids.record,
    snapshotId: ids.snapshot,
    providerId: "github",
  };
  if (path.startsWith("/oauth/providers")) own["id"] = ids.identityConfig;
  if (path.startsWith("/provider-configs")) own["id"] = path.endsWith("}") ? ids.config : ids.zonefiles;
  if (path.startsWith("/notifications")) own["id"] = ids.notification;
  if (path.startsWith("/notifications/configs")) own["id"] = ids.channel;
  if (path.startsWith("/users")) own["id"] = ids.user;
  if (path.startsWith("/invitations")) own["id"] = ids.invitation;
  if (path.startsWith("/assignments")) own["id"] = ids.assignment;
  if (path.endsWith("/approve")) own["id"] = ids.approvable;
  if (path.endsWith("/reject")) own["id"] = ids.rejectable;
  const query: Record<string, string> = {};
  const inPath: Record<string, string> = {};
  for (const { name, in: where, schema } of operation.parameters ?? []) {
    if (where === "path") inPath[name] = own[name] ?? ids.domain;
    const snapshot = schema.format === "uuid" ? { from: ids.snapshot, to: ids.laterSnapshot }[name] : undefined;
    if (where === "query") query[name] = snapshot ?? asText(sample(schema));
  }
  const schema = bodySchema(operation);
  return { path: inPath, query, body: fillIn(operation.operationId, schema && sample(schema), count) };
}

function bodySchema(operation: FoundOperation["operation"]): JsonSchema | undefined {
  return operation.requestBody?.content["application/json"]?.schema;
}

/** Every place of a value, itself included. */
function placesOf(value: Json, place: Place = []): Place[] {
  if (typeof value !== "object" || value === null) return [place];
  const children = Array.isArray(value)
    ? value.map((child, index) => placesOf(child, [...place, index]))
    : Object.entries(value).map(([key, child]) => placesOf(child, [...place, key]));
  return [place, ...children.flat()];
}

function at(value: Json, place: Place): Json {
  return place.reduce<Json>((inner, part) => (inner as Record<string | number, Json>)[part] ?? null, value);
}

/** A copy with another value at a place; undefined removes it. */
function replaced(value: Json, place: Place, by: Json | undefined): Json {
  const [part, ...rest] = place;
  if (part === undefined) return by ?? null;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string | number, Json>;
  const child = rest.length === 0 ? by : replaced(copy[part] ?? null, rest, by);
  if (child === undefined) return withoutPart(copy, part);
  else Object.defineProperty(copy, part, { value: child, enumerable: true, configurable: true, writable: true });
  return copy;
}

function withoutPart(value: Record<string | number, Json>, part: string | number): Json {
  if (Array.isArray(value)) return value.filter((_, index) => index !== part) as Json[];
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== part));
}

/** Applies a mutation. @returns what it touched. A call that takes nothing gets something that it does not know. */
function mutate(call: Call, mutation: Mutation): Target {
  const body = call.body === undefined ? [] : placesOf(call.body).filter((place) => place.length > 0);
  const targets: Target[] = [
    ...Object.keys(call.path).map((name): Target => ({ in: "path", place: [name] })),
    ...Object.keys(call.query).map((name): Target => ({ in: "query", place: [name] })),
    ...body.map((place): Target => ({ in: "body", place })),
  ];
  if (mutation.kind === "add") return add(call, mutation);
  const target = targets[mutation.pick % Math.max(targets.length, 1)];
  if (!target) return add(call, { kind: "add", pick: 0, key: "unknown", value: 1 });
  const name = String(target.place[0]);
  const value = mutation.kind === "replace" ? mutation.value : undefined;
  if (target.in === "body") call.body = replaced(call.body ?? null, target.place, value);
  else if (value === undefined && target.in === "query") delete call.query[name];
  else call[target.in][name] = asText(value ?? "x");
  return target;
}

function add(call: Call, { key, pick, value }: Mutation & { kind: "add" }): Target {
  if (call.body === undefined) {
    call.query = replaced(call.query, [key], asText(value)) as Record<string, string>;
    return { in: "query", place: [key] };
  }
  const objects = placesOf(call.body).filter((place) => {
    const there = at(call.body ?? null, place);
    return typeof there === "object" && there !== null && !Array.isArray(there);
  });
  const place = [...(objects[pick % objects.length] ?? []), key];
  call.body = replaced(call.body, place, value);
  return { in: "body", place };
}

/** How a value looks in an address. Empty path segments and dots would lead to other routes. */
function asText(value: Json): string {
  const text = (typeof value === "string" ? value : JSON.stringify(value)).toWellFormed().slice(0, 2_000);
  return /^\.{0,2}$/.test(text) ? "x" : text;
}

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("replace" as const),
      pick: fc.nat(1_000),
      value: fc.oneof(
        { weight: 4, arbitrary: fc.nat(1_000).map((index) => strange[index % strange.length] ?? null) },
        { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }).map((value) => value as Json) },
        { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), pick: fc.nat(1_000) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("add" as const),
      pick: fc.nat(1_000),
      key: fc.constantFrom("unknown", "__proto__", "constructor", "toString", "hasOwnProperty", "Name", "ids"),
      value: fc.constantFrom<Json>(1, "x", null, {}, ["a"]),
    }),
  },
);

/** The body without the items of a bulk call, which are judged one by one, in its answer. */
function judgedAtOnce(operationId: string, body: Json | undefined): Json | undefined {
  const records = (body as { records?: Json } | undefined)?.records;
  if (operationId !== "bulkCreateRecords" || !Array.isArray(records)) return body;
  const record = { recordType: "A", name: "www", value: "192.0.2.1" };
  return { ...(body as { [key: string]: Json }), records: records.map(() => record) };
}

/** Whether the document says that a call is wrong, as seen from the one field that was touched. */
function isWrong(target: Target, call: Call, { operation }: FoundOperation): boolean {
  if (target.in === "body") {
    const schema = bodySchema(operation);
    return schema !== undefined && misfits(judgedAtOnce(operation.operationId, call.body), schema, document).length > 0;
  }
  const name = String(target.place[0]);
  const parameter = operation.parameters?.find((one) => one.name === name && one.in === target.in);
  if (!parameter) return true;
  const text = call[target.in][name];
  if (text === undefined || text === "") return parameter.required === true;
  const integer = parameter.schema.type === "integer" && /^\d{1,10}$/.test(text);
  return misfits(integer ? Number(text) : text, parameter.schema, document).length > 0;
}

function leadsTo(target: Target, path: Place): boolean {
  const length = Math.min(path.length, target.place.length);
  return length > 0 && path.slice(0, length).every((part, index) => String(part) === String(target.place[index]));
}

/** What needs a second factor, a device or a mail server, none of which the administrator has here. */
const needsFactor =
  /^(?:(?:en|dis)able|verify)|^(?:createPasskey|createRecoveryCodes|sendEmailCode|signInWithPasskey|getSecondFactorPasskeyOptions)$/;

const awaitsFactor = /^(?:verifySecondFactor|sendEmailCode|getSecondFactorPasskeyOptions)$/;

let sent = 0;

async function send(found: FoundOperation, call: Call): Promise<Answer> {
  const { method, operation } = found;
  const filled = addressOf(found).replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(call.path[name] ?? ""),
  );
  const query = new URLSearchParams(call.query).toString();
  const open = operation.security?.length === 0;
  const client = open ? zw.nobody : zw.admin;
  sent += 1;
  return await client.send(method, `${filled}${query === "" ? "" : `?${query}`}`, call.body);
}

/** What zod says where we have no sentence of our own. */
const parserWords =
  /Invalid (?:input|option|ISO)|expected (?:string|number|boolean|array|object|record|one of)|Too (?:big|small)/;

/** What is wrong with an answer; null when the document describes it and it names the field at fault. */
function complaint(
  found: FoundOperation,
  call: Call,
  targets: Target[],
  { status, headers, body }: Answer,
): string | null {
  const { operation } = found;
  const told = `${operation.operationId} ${JSON.stringify({ call, status, body }).slice(0, 3_000)}`;
  if (status >= 500) return `It failed: ${told}`;
  if (status === 302 && redirects(found)) return complaintOfRedirect(headers.get("location"), told);
  const response = responseOf(document, operation, status);
  const [media] = Object.entries(response?.content ?? {});
  if (!media) return `The status is not documented: ${told}`;
  const [type, { schema }] = media;
  if (!headers.get("content-type")?.startsWith(type)) return `The content type is not documented: ${told}`;
  const wrong = misfits(body, schema, document);
  if (wrong.length > 0) return `${wrong.join("; ")}: ${told}`;
  if (status === 400 && parserWords.test(JSON.stringify(body))) return `The library speaks, not we: ${told}`;
  const [target, ...others] = targets;
  // Who has no tempToken is told that first.
  if (awaitsFactor.test(operation.operationId) && status === 401) return null;
  // What providers send along is theirs to decide.
  if (redirects(found)) return null;
  if (!target || others.length > 0 || !isWrong(target, call, found)) return null;
  if (status !== 400) return `The document calls ${target.place.join(".")} wrong: ${told}`;
  const issues = (body as { issues: { path: Place }[] | null }).issues ?? [];
  return issues.some(({ path }) => leadsTo(target, path)) ? null : `No issue names ${target.place.join(".")}: ${told}`;
}

/** A redirect leads to the front end, or to the provider that is configured. */
function complaintOfRedirect(location: string | null, told: string): string | null {
  const places = [zw.services.config.siteUrl, "https://github.com", "https://id.example.com"];
  return places.some((place) => location?.startsWith(`${place}/`)) ? null : `It leads to ${location}: ${told}`;
}

/** What needs somebody who was at a provider a moment ago. */
const needsProvider = /^(?:exchangeTicket|registerExternally|unbind)$/;

test("the requests that are mutated are right before that, so that each mutation is the only fault", async () => {
  const failing: string[] = [];
  for (const found of operations) {
    const { operation } = found;
    if (/^(?:v1D|d)elete|^(?:login|refresh|resetPassword|applyRecords)$/.test(operation.operationId)) continue;
    if (needsFactor.test(operation.operationId) || needsProvider.test(operation.operationId)) continue;
    const { status, body } = await send(found, validCall(found, sent));
    if (status >= 300 && !redirects(found)) failing.push(`${operation.operationId}: ${status} ${body.detail}`);
  }
  expect(failing).toEqual([]);
});

test(`whatever is sent, the answer is one that the document describes, and bad fields are named (${requests} requests)`, async () => {
  const tried = new Map(operations.map(({ operation }) => [operation.operationId, 0]));
  await fc.assert(
    fc.asyncProperty(
      fc.nat(10_000),
      fc.array(mutation, { minLength: 1, maxLength: 3, size: "small" }),
      async (choice, mutations) => {
        const found = operations[choice % operations.length];
        if (!found) throw new Error("There are no operations.");
        const { operationId } = found.operation;
        const call = validCall(found, sent);
        const targets = mutations.map((one) => mutate(call, one));
        // What deletes for good, and leaves the later requests without their objects, is only sent when it cannot hit.
        const hits = Object.values(ids).includes(call.path["id"] ?? "");
        if (
          hits &&
          [
            "deleteAssignment",
            "deleteDomain",
            "deleteIdentityConfig",
            "deleteProviderConfig",
            "deleteUser",
            "deleteInvitation",
          ].includes(operationId)
        )
          call.path["id"] = ids.othersRecord;
        tried.set(operationId, (tried.get(operationId) ?? 0) + 1);
        expect(complaint(found, call, targets, await send(found, call))).toBeNull();
      },
    ),
    { numRuns: requests, seed },
  );
  expect(sent).toBeGreaterThanOrEqual(requests);
  expect([...tried].filter(([, times]) => times < 10)).toEqual([]);
}, 120_000);
