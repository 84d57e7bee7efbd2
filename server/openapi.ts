import type { AnyTRPCRouter } from "@trpc/server";
import { generateOpenApiDocument, type OpenApiRouter } from "trpc-to-openapi";
import type { RouteMeta } from "./context.ts";
import { errorCodes } from "./errors.ts";
import { literalsFirst, restProcedures } from "./rest.ts";

interface Operation {
  description?: string;
  responses: Record<string, unknown>;
  requestBody?: { required?: boolean; content: Record<string, { schema?: { required?: string[] } }> };
  security?: unknown;
  [key: string]: unknown;
}

export interface OpenApiDocument {
  openapi: string;
  info: object;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown>; responses: Record<string, unknown>; [key: string]: unknown };
  tags: { name: string; description: string }[];
  [key: string]: unknown;
}

const tags = [
  { name: "Sign-in and account", description: "Sessions of the signed-in user." },
  { name: "Domains", description: "Managed domains, their groups, tags and expiry." },
  { name: "DNS records", description: "Records of a domain: single edits, bulk, plans, zone files, sync and history." },
  { name: "Snapshots", description: "Bookmarks in a zone's history: compare them, go back to them." },
  { name: "DNS providers", description: "Kinds of DNS back ends, and the configurations that reach them." },
  { name: "Open API", description: "A stable subset for programs, below /api/v1." },
];

const problemSchema = {
  type: "object",
  description: "What went wrong and what to do (RFC 9457). Every error has this form.",
  required: ["type", "title", "status", "detail", "code", "message", "issues", "requestId"],
  additionalProperties: false,
  properties: {
    type: { type: "string", description: "Always about:blank; `code` tells errors apart." },
    title: { type: "string", description: "The kind of error in a few words." },
    status: { type: "integer", description: "The HTTP status." },
    detail: { type: "string", description: "What went wrong here, for a person." },
    code: { type: "string", enum: Object.keys(errorCodes), description: "The kind of error, for a program." },
    message: { type: "string", description: "Equals `detail`." },
    issues: {
      type: ["array", "null"],
      description: "The fields at fault.",
      items: {
        type: "object",
        required: ["path", "message"],
        additionalProperties: false,
        properties: {
          path: { type: "array", items: { type: ["string", "integer"] }, description: "Where in the input." },
          message: { type: "string", description: "What is wrong there." },
        },
      },
    },
    requestId: { type: "string", description: "Finds this request in the log; also in X-Request-Id." },
  },
  example: {
    type: "about:blank",
    title: "Bad request",
    status: 400,
    detail: "value: 999.1.2.3 is not an IPv4 address; write it like 192.0.2.1.",
    code: "BAD_REQUEST",
    message: "value: 999.1.2.3 is not an IPv4 address; write it like 192.0.2.1.",
    issues: [{ path: ["value"], message: "999.1.2.3 is not an IPv4 address; write it like 192.0.2.1." }],
    requestId: "6a1f4f0e-6d3c-4a57-9a39-3a1c2f7c8f10",
  },
};

const problemStatuses = Object.groupBy(Object.entries(errorCodes), ([, { status }]) => String(status));

/** One named response per error status, so that operations refer to it instead of repeating it. */
const problemResponses = Object.fromEntries(
  Object.entries(problemStatuses).map(([status, entries = []]) => [
    `Problem${status}`,
    {
      description: `${entries[0]?.[1].title ?? "Error"} (${entries.map(([code]) => code).join(", ")}).`,
      headers: { "X-Request-Id": { description: "Finds this request in the log.", schema: { type: "string" } } },
      content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
    },
  ]),
);

/** The OpenAPI 3.1 document of the REST interface, with the statuses that it really answers. */
export function openApiDocument(
  appRouter: AnyTRPCRouter,
  options: { version: string; siteUrl: string },
): OpenApiDocument {
  const document = generateOpenApiDocument(literalsFirst(appRouter) as unknown as OpenApiRouter, {
    title: "Zonewright",
    version: options.version,
    description: "Domain names and their DNS records, managed by a team: edit safely, see what changed, take it back.",
    baseUrl: `${options.siteUrl}/api`,
    securitySchemes: {
      bearer: {
        type: "http",
        scheme: "bearer",
        description: "An access token, or on routes that say so a personal token.",
      },
    },
  }) as unknown as OpenApiDocument;
  document.tags = tags;
  document.components.schemas["Problem"] = problemSchema;
  document.components.responses = problemResponses;
  for (const { meta } of restProcedures(appRouter)) {
    if (!meta.openapi) continue;
    const operation = document.paths[meta.openapi.path]?.[meta.openapi.method.toLowerCase()];
    if (operation) describe(operation, meta);
  }
  return document;
}

function describe(operation: Operation, meta: RouteMeta): void {
  const { 200: success } = operation.responses as { 200: Record<string, unknown> };
  operation.responses = {
    [meta.status ?? 200]:
      meta.textField === undefined
        ? success
        : { description: "Plain text.", content: { "text/plain": { schema: { type: "string" } } } },
  };
  for (const status of errorStatuses(operation, meta))
    operation.responses[status] = { $ref: `#/components/responses/Problem${status}` };
  if (meta.access === "public") operation.security = [];
  const access = accessNote(meta);
  operation.description = [operation.description, access].filter(Boolean).join("\n\n");
  const body = operation.requestBody?.content["application/json"]?.schema;
  if (operation.requestBody && body && (body.required ?? []).length === 0) operation.requestBody.required = false;
}

function errorStatuses(operation: Operation, meta: RouteMeta): number[] {
  const statuses = new Set([400, 500, 503, ...(meta.errors ?? [])]);
  if (meta.access !== "public") statuses.add(401).add(403);
  if (meta.openapi?.path.includes("{")) statuses.add(404);
  if (operation.requestBody) statuses.add(413).add(415);
  return [...statuses].toSorted((a, b) => a - b);
}

function accessNote(meta: RouteMeta): string {
  if (meta.access === "public") return "No sign-in needed.";
  const who = meta.access === "admin" ? "Administrators only." : "";
  const token = meta.permission
    ? `Personal tokens need the permission \`${meta.permission}\`.`
    : "Not open to personal tokens.";
  return [who, token].filter(Boolean).join(" ");
}
