import type { AnyTRPCRouter } from "@trpc/server";
import { takesIdempotencyKey } from "../idempotency.ts";
import { generateOpenApiDocument, type OpenApiRouter } from "trpc-to-openapi";
import type { Confirmed, RouteMeta } from "../context.ts";
import { deprecationNote } from "../deprecation.ts";
import type { OpenApiDocument, Operation, Parameter, Response, Schema } from "./shapes.ts";
import { problemResponses, problemSchema } from "./problems.ts";
import { redirectPaths } from "./redirects.ts";
import { streamPaths } from "./streams.ts";
import { asLibraryReads, deletion, restProcedures } from "../rest.ts";

const tags = [
  { name: "Sign-in and account", description: "Sign-in, sessions, your own account and your personal tokens." },
  { name: "Second factors", description: "Authenticator apps, passkeys, codes by e-mail, recovery codes." },
  {
    name: "External sign-in",
    description: "Sign-in with identity providers, and the identities bound to one's account.",
  },
  { name: "Identity providers", description: "Which identity providers users sign in with, for administrators." },
  { name: "Users", description: "Accounts and invitations, for administrators." },
  { name: "Domains", description: "Managed domains, their groups, tags and expiry." },
  { name: "DNS records", description: "Records of a domain: single edits, bulk, plans, zone files, sync and history." },
  { name: "Snapshots", description: "Bookmarks in a zone's history: compare them, go back to them." },
  {
    name: "Assignments",
    description: "Domains and hosts that members reach beside their own, and requests for them.",
  },
  { name: "DNS providers", description: "Kinds of DNS back ends, and the configurations that reach them." },
  { name: "Notifications", description: "What users are told: a list and a live stream." },
  { name: "Notification channels", description: "Places outside that are told of events, for administrators." },
  { name: "Audit", description: "Who did what: the append-only trail, for administrators." },
  { name: "Open API", description: "A stable subset for programs, below /api/v1." },
];

const description = `Domain names and their DNS records, managed by a team: edit safely, see what changed, take it back.

Bodies are JSON objects of at most 1 MiB; without sign-in, at most 64 KiB; for plans, applied plans and zone-file imports, at most 16 MiB. Compressed
bodies count inflated. A call whose body has no required field works without one. An empty query parameter
counts as absent; an unknown one is refused, like an unknown field where nothing else is said. Every answer carries \`X-Request-Id\`.

What will be removed is marked as deprecated first, and says so in the headers \`Deprecation\` (RFC 9745), \`Sunset\` (RFC 8594) and \`Link\` of its answers.`;

/** The OpenAPI 3.1 document of the REST interface, with the statuses that it really answers. */
export function openApiDocument(
  appRouter: AnyTRPCRouter,
  options: { version: string; siteUrl: string },
): OpenApiDocument {
  const document = generateOpenApiDocument(asLibraryReads(appRouter) as unknown as OpenApiRouter, {
    title: "Zonewright",
    version: options.version,
    description,
    baseUrl: "/api",
    securitySchemes: {
      bearer: {
        type: "http",
        scheme: "bearer",
        description: "An access token, or on routes that say so a personal token.",
      },
    },
  }) as unknown as OpenApiDocument;
  document.servers = [
    { url: "/api", description: "Where this document comes from." },
    { url: `${options.siteUrl}/api`, description: "The public address." },
  ];
  document.info = { ...document.info, license: { name: "MIT", identifier: "MIT" } };
  document.tags = tags;
  document.components.schemas["Problem"] = problemSchema;
  // A method that a path does not take is no operation, so nothing refers to its answer.
  const { Problem405: _, ...responses } = problemResponses;
  document.components.responses = responses;
  for (const [path, methods] of Object.entries(document.paths)) {
    const { [deletion.toLowerCase()]: deleting, ...others } = methods;
    document.paths[path] = deleting ? { ...others, delete: deleting } : others;
  }
  for (const { name, meta } of restProcedures(appRouter)) {
    if (!meta.openapi) continue;
    const operation = document.paths[meta.openapi.path]?.[meta.openapi.method.toLowerCase()];
    if (!operation) continue;
    describe(operation, meta, inputShape(appRouter, name), document);
    if (meta.deprecated) deprecate(operation, deprecationNote(meta.deprecated, appRouter));
  }
  for (const [path, get] of [...redirectPaths, ...streamPaths]) document.paths[path] = { ...document.paths[path], get };
  tidy(document.paths);
  tidy(document.components.schemas);
  nameBodies(document);
  dropUnused(document);
  return document;
}

type Shape = Record<string, { description?: string | undefined; meta(): { example?: unknown } | undefined }>;

interface Input {
  shape?: Shape;
  _zod?: { def: { innerType?: Input } };
}

function inputShape(appRouter: AnyTRPCRouter, procedure: string): Shape {
  const procedures = appRouter._def.procedures as Record<string, { _def: { inputs: Input[] } }>;
  let input = procedures[procedure]?._def.inputs[0];
  // A default around the object has no shape of its own.
  while (input && !input.shape) input = input._zod?.def.innerType;
  return input?.shape ?? {};
}

function describe(operation: Operation, meta: RouteMeta, shape: Shape, document: OpenApiDocument): void {
  // The generator unwraps optional parameters and so loses their descriptions and examples.
  for (const parameter of operation.parameters ?? []) {
    const given = shape[parameter.name];
    parameter.description ??= given?.description ?? "";
    const example = given?.meta()?.example;
    if (example !== undefined && parameter.schema.example === undefined) parameter["example"] ??= example;
    delete parameter.schema.description;
  }
  const { 200: success } = operation.responses as { 200: Response };
  const statuses = errorStatuses(operation, meta);
  operation.responses = { [meta.status ?? 200]: successResponse(success, meta, document) };
  for (const status of statuses) operation.responses[status] = { $ref: `#/components/responses/Problem${status}` };
  if (meta.confirmable) (operation.parameters ??= []).push(confirmParameter);
  if (statuses.includes(412)) (operation.parameters ??= []).push(ifMatchParameter);
  if (meta.openapi?.method !== "GET" && takesIdempotencyKey(meta)) (operation.parameters ??= []).push(keyParameter);
  if (meta.access === "public") operation.security = [];
  const access = accessNote(meta);
  operation.description = [operation.description, access].filter(Boolean).join("\n\n");
  const media = operation.requestBody?.content["application/json"];
  const body = media?.schema;
  if (media && meta.example) media.example = meta.example;
  if (operation.requestBody && body && (body.required ?? []).length === 0) operation.requestBody.required = false;
  // Left open by an input that passes over what it does not name.
  if (body) body["additionalProperties"] ??= true;
}

function deprecate(operation: Operation, note: string): void {
  operation["deprecated"] = true;
  operation.description = [note, operation.description].filter(Boolean).join("\n\n");
}

const ifMatchParameter: Parameter = {
  in: "header",
  name: "If-Match",
  description: "Only go on while the record is at this version: its ETag.",
  required: false,
  schema: { type: "string" },
  example: '"1"',
};

const keyParameter: Parameter = {
  in: "header",
  name: "Idempotency-Key",
  description:
    "Makes the call safe to repeat: for 24 hours the same call with the same key is answered as the first time and changes nothing more.",
  required: false,
  schema: { type: "string", minLength: 8, maxLength: 255 },
  example: "6f1c2a7e-3a0c-4f4e-9a44-2f3a1a0f6b1d",
};

const confirmParameter: Parameter = {
  in: "header",
  name: "x-confirm-delete",
  description: "`true`: go on although others lose something by it.",
  required: false,
  schema: { type: "string" },
  example: "true",
};

const versionTag = { description: "The record's version, for If-Match.", schema: { type: "string" }, example: '"1"' };

function successResponse(success: Response, meta: RouteMeta, document: OpenApiDocument): Response {
  const { $ref = "" } = success.content?.["application/json"]?.schema ?? {};
  const name = $ref.replace("#/components/schemas/", "");
  if (meta.textField !== undefined) {
    const { description = "", example } = document.components.schemas[name]?.properties?.[meta.textField] ?? {};
    return { description, content: { "text/plain": { schema: { type: "string" }, example } } };
  }
  return {
    description: document.components.schemas[name]?.description ?? success.description,
    ...(name === "DnsRecord" ? { headers: { ETag: versionTag } } : {}),
    ...(success.content ? { content: success.content } : {}),
  };
}

/** Takes out of schemas what says nothing, and puts the description of a nullable field where readers of documents look. */
function tidy(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  const schema = value as Schema;
  if (schema["format"] === "uuid") delete schema["pattern"];
  if (schema["minimum"] === Number.MIN_SAFE_INTEGER) delete schema["minimum"];
  if (schema["maximum"] === Number.MAX_SAFE_INTEGER) delete schema["maximum"];
  if (schema["minLength"] === 0) delete schema["minLength"];
  const inner = Array.isArray(schema.anyOf) ? schema.anyOf.find((option) => option["type"] !== "null") : undefined;
  if (inner?.description !== undefined) {
    schema.description ??= inner.description;
    delete inner.description;
  }
  Object.values(schema).forEach(tidy);
}

/** Gives each request body a name. An operation of the Open API takes what its model takes. */
function nameBodies({ paths, components: { schemas } }: OpenApiDocument): void {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  for (const { operationId, requestBody } of operations) {
    const media = requestBody?.content["application/json"];
    if (!media) continue;
    const model = operationId.replace(/^v1(?=[A-Z])/, "");
    const name = `${model.charAt(0).toUpperCase()}${model.slice(1)}Body`;
    schemas[name] ??= { ...media.schema, description: media.schema.description ?? bodyDescription };
    media.schema = { $ref: `#/components/schemas/${name}` };
  }
}

/** Leaves out what no operation refers to, such as the frame around a plain-text answer. */
function dropUnused(document: OpenApiDocument): void {
  const text = JSON.stringify(document);
  for (const name of Object.keys(document.components.schemas)) {
    if (!text.includes(`"#/components/schemas/${name}"`)) delete document.components.schemas[name];
  }
}

const bodyDescription = "What the call takes.";

function errorStatuses(operation: Operation, meta: RouteMeta): number[] {
  const statuses = new Set([400, 429, 500, 503, ...(meta.errors ?? [])]);
  if (meta.access !== "public") statuses.add(401);
  if (meta.access === "signedIn" || meta.access === "admin") statuses.add(403);
  if (meta.openapi?.path.includes("{")) statuses.add(404);
  if (operation.requestBody) statuses.add(413).add(415);
  return [...statuses].toSorted((a, b) => a - b);
}

function accessNote(meta: RouteMeta): string {
  if (meta.access === "public") return "No sign-in needed.";
  if (meta.access === "awaitingSecondFactor")
    return "The bearer is the `tempToken` of a sign-in; access tokens do not open it.";
  const confirmed = meta.confirmed ? confirmedNotes[meta.confirmed] : "";
  const who = meta.access === "admin" ? "Administrators only." : "";
  const token = meta.permission
    ? `Personal tokens need the permission \`${meta.permission}\`.`
    : "Not open to personal tokens.";
  return [who, token, confirmed].filter(Boolean).join(" ");
}

const needed =
  "The session must have been confirmed within the last ten minutes (403 REAUTHENTICATION_REQUIRED otherwise)";
const confirmedNotes: Record<Confirmed, string> = {
  session: `${needed}: see \`POST /api/auth/me/confirm\`.`,
  orPassword: `${needed}, or the body holds the current password.`,
  givingAccess: `For a body that gives access or takes a protection away, the session must have been confirmed within the last ten minutes (403 REAUTHENTICATION_REQUIRED otherwise): see \`POST /api/auth/me/confirm\`.`,
};
