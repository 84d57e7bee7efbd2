import type { AnyTRPCRouter } from "@trpc/server";
import { takesIdempotencyKey } from "../idempotency.ts";
import { generateOpenApiDocument, type OpenApiRouter } from "trpc-to-openapi";
import type { Confirmed, RouteMeta } from "../context.ts";
import { deprecationNote } from "../deprecation.ts";
import {
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type Response,
  type Schema,
  problemResponses,
  problemSchema,
} from "./shapes.ts";
import { redirectPaths, streamPaths } from "./other-operations.ts";
import { forLibrary, deletion, restProcedures } from "../rest.ts";

const tags = [
  { name: "Sign-in and account", description: "Sign-in, sessions, your own account and your personal tokens." },
  { name: "TSIG keys", description: "Keys with which DNS clients change and read records." },
  { name: "Second factors", description: "Authenticator apps, passkeys, email codes and recovery codes." },
  {
    name: "External sign-in",
    description: "Sign-in with identity providers, and the identities linked to your account.",
  },
  { name: "Identity providers", description: "Configuration of identity providers, for administrators." },
  { name: "Users", description: "Accounts and invitations, for administrators." },
  { name: "Domains", description: "Managed domains with their groups, tags and expiry dates." },
  {
    name: "DNS records",
    description: "Records of a domain: single and bulk edits, plans, zone files, sync, history and reverts.",
  },
  {
    name: "Replacements",
    description: "One value replaced in many domains: plans, and jobs that can be stopped and reverted.",
  },
  {
    name: "Change requests",
    description: "Changes that somebody else reviews before they are made, at once or at a set time.",
  },
  { name: "Templates", description: "Records of services with variables, in the JSON form of Domain Connect." },
  { name: "Snapshots", description: "Points in a zone's history to compare and roll back to." },
  {
    name: "Assignments",
    description: "Domains and hosts assigned to members, and requests for assignments.",
  },
  { name: "Registrations", description: "Accounts at registrars, and what they say of domains." },
  { name: "DNS providers", description: "Kinds of DNS providers, and their configurations." },
  { name: "Notifications", description: "Your notifications, as a list and a live stream." },
  { name: "Notification channels", description: "External destinations for notifications, for administrators." },
  { name: "Audit", description: "The append-only audit trail, for administrators." },
  { name: "System", description: "The service itself: version, database, instances and jobs, for administrators." },
  { name: "Update clients", description: "Challenges of ACME clients, with narrowed personal tokens." },
  { name: "Open API", description: "A stable subset of the API for programs, below /api/v1." },
];

const description = `Domain names and their DNS records, managed by a team: edit safely, see what changed, take it back.

Bodies are JSON objects of at most 1 MiB (64 KiB for unauthenticated calls, 16 MiB for plans, applied plans, change requests, zone-file and portfolio imports). The limits
apply to the decompressed size. A body without required fields is optional. An empty query parameter counts as absent. Unknown query parameters
are refused, and so are unknown fields unless documented otherwise. Every response has the header \`X-Request-Id\`.

Operations are deprecated before they are removed. Responses of a deprecated operation have the headers \`Deprecation\` (RFC 9745), \`Sunset\` (RFC 8594) and \`Link\`.`;

/** Returns the OpenAPI 3.1 document of the REST API, with the statuses that each call actually returns. */
export function openApiDocument(
  appRouter: AnyTRPCRouter,
  options: { version: string; siteUrl: string },
): OpenApiDocument {
  const document = generateOpenApiDocument(forLibrary(appRouter) as unknown as OpenApiRouter, {
    title: "Zonewright",
    version: options.version,
    description,
    baseUrl: "/api",
    securitySchemes: {
      bearer: {
        type: "http",
        scheme: "bearer",
        description: "An access token or, where the operation allows it, a personal token.",
      },
    },
  }) as unknown as OpenApiDocument;
  document.servers = [
    { url: "/api", description: "The server of this document." },
    { url: `${options.siteUrl}/api`, description: "The public URL." },
  ];
  document.info = { ...document.info, license: { name: "MIT", identifier: "MIT" } };
  document.tags = tags;
  document.components.schemas["Problem"] = problemSchema;
  // No operation refers to these: an unsupported method is none, and a request that arrives too slowly is not known to be one.
  const { Problem405: _unsupported, Problem408: _slow, ...responses } = problemResponses;
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

type Shape = Record<string, Field>;

interface Field {
  description?: string | undefined;
  meta(): { example?: unknown } | undefined;
  _zod: { def: { innerType?: Field } };
}

interface Input {
  shape?: Shape;
  _zod?: { def: { innerType?: Input } };
}

function inputShape(appRouter: AnyTRPCRouter, procedure: string): Shape {
  const procedures = appRouter._def.procedures as Record<string, { _def: { inputs: Input[] } }>;
  let input = procedures[procedure]?._def.inputs[0];
  // A default around the object has no shape itself.
  while (input && !input.shape) input = input._zod?.def.innerType;
  return input?.shape ?? {};
}

/** Returns a field's own description and example, or those of the schema inside an optional, default or nullable. */
function about(field: Field | undefined): { description?: string | undefined; example?: unknown } {
  if (!field) return {};
  const inner = about(field._zod.def.innerType);
  return { description: field.description ?? inner.description, example: field.meta()?.example ?? inner.example };
}

function describe(operation: Operation, meta: RouteMeta, shape: Shape, document: OpenApiDocument): void {
  // The generator unwraps optional parameters and so loses their descriptions and examples.
  for (const parameter of operation.parameters ?? []) {
    const { description = "", example } = about(shape[parameter.name]);
    parameter.description ??= description;
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
  // Absent for inputs that ignore unknown fields.
  if (body) body["additionalProperties"] ??= true;
}

function deprecate(operation: Operation, note: string): void {
  operation["deprecated"] = true;
  operation.description = [note, operation.description].filter(Boolean).join("\n\n");
}

const ifMatchParameter: Parameter = {
  in: "header",
  name: "If-Match",
  description: "The record's ETag. The call fails with 412 if the record has changed since.",
  required: false,
  schema: { type: "string" },
  example: '"1"',
};

const keyParameter: Parameter = {
  in: "header",
  name: "Idempotency-Key",
  description:
    "Makes the call idempotent: for 24 hours, the same call with the same key returns the first response and changes nothing. Responses over 16 MiB, or 0.75 MiB compressed, are not stored: the call then fails with 409, with an issue at `Idempotency-Key`, and still changes nothing.",
  required: false,
  schema: { type: "string", minLength: 8, maxLength: 255 },
  example: "6f1c2a7e-3a0c-4f4e-9a44-2f3a1a0f6b1d",
};

const confirmParameter: Parameter = {
  in: "header",
  name: "x-confirm-delete",
  description: "`true` confirms the call although other users lose access or data.",
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

/** Removes redundant keywords from schemas, and moves the description of a nullable field to the top level. */
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

/** Names each request body. Operations of the Open API share the body of the operation they mirror. */
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

/** Removes unreferenced schemas, such as the wrapper of a plain-text response. */
function dropUnused(document: OpenApiDocument): void {
  const text = JSON.stringify(document);
  for (const name of Object.keys(document.components.schemas)) {
    if (!text.includes(`"#/components/schemas/${name}"`)) delete document.components.schemas[name];
  }
}

const bodyDescription = "The request body.";

function errorStatuses(operation: Operation, meta: RouteMeta): number[] {
  const statuses = new Set([400, 429, 500, 503, ...(meta.errors ?? [])]);
  if (meta.access !== "public") statuses.add(401);
  if (meta.access !== "public" && meta.access !== "awaitingSecondFactor") statuses.add(403);
  if (meta.openapi?.path.includes("{")) statuses.add(404);
  if (operation.requestBody) statuses.add(413).add(415);
  return [...statuses].toSorted((a, b) => a - b);
}

function accessNote(meta: RouteMeta): string {
  if (meta.access === "public") return "No authentication required.";
  if (meta.access === "awaitingSecondFactor")
    return "Requires the `tempToken` of a sign-in as bearer token. Access tokens are not accepted.";
  if (meta.access === "narrowed")
    return `Takes only narrowed personal tokens with the permission \`${meta.permission}\`, as bearer token or as the password of Basic authentication. The user name is ignored.`;
  const confirmed = meta.confirmed ? confirmedNotes[meta.confirmed] : "";
  const role =
    meta.access === "admin"
      ? "Administrators only."
      : meta.access === "auditor"
        ? "Administrators and auditors only."
        : "";
  const token = meta.permission
    ? `Personal tokens need the permission \`${meta.permission}\`.`
    : meta.anyToken
      ? "Personal tokens are accepted, whatever their permissions."
      : "Personal tokens are not accepted.";
  return [role, token, confirmed].filter(Boolean).join(" ");
}

const needed = "Requires a session confirmed within the last ten minutes (otherwise 403 REAUTHENTICATION_REQUIRED)";
const confirmedNotes: Record<Confirmed, string> = {
  session: `${needed}: see \`POST /api/auth/me/confirm\`.`,
  orPassword: `${needed}, or the current password in the body.`,
  givingAccess: `If the body grants access or removes a protection, requires a session confirmed within the last ten minutes (otherwise 403 REAUTHENTICATION_REQUIRED): see \`POST /api/auth/me/confirm\`.`,
};
