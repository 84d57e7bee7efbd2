import type { Access, Confirmed, RouteMeta } from "../../server/api/context.ts";
import { permissions, type Permission } from "../../server/access/permissions.ts";
import { appRouter } from "../../client-sdk/app-router.ts";
import { vi } from "vitest";
import { StreamClient } from "./event-stream.ts";
import { page } from "./markdown.ts";
import { patience } from "./patience.ts";
import type { Answer, RestClient } from "./rest-client.ts";

/** A line of docs/rights.md. */
export interface AccessRow {
  method: string;
  /** `:name` marks a parameter. */
  path: string;
  procedure: string;
  access: Access;
  permission: Permission | null;
  /** Whether personal tokens may make the call whatever their permissions. */
  anyToken: boolean;
  confirmed: Confirmed | null;
  whose: "nobody's" | (typeof things)[number];
}

export interface Procedure {
  name: string;
  type: "query" | "mutation" | "subscription";
  meta: RouteMeta;
}

const things = [
  "own",
  "own zones",
  "readable zones",
  "writable zones",
  "proposable zones",
  "own jobs",
  "requests",
  "own requests",
  "any",
] as const;

const who: Record<string, Access> = {
  anybody: "public",
  tempToken: "awaitingSecondFactor",
  "narrowed token": "narrowed",
  "signed in": "signedIn",
  administrator: "admin",
  auditor: "auditor",
};

/** The last cell; tables without that column require nothing. */
const confirmations: Record<string, Confirmed | null> = {
  session: "session",
  "or password": "orPassword",
  "giving access": "givingAccess",
  "–": null,
};

/** Reads the table of docs/rights.md. @throws Error for a cell that means nothing */
export async function accessRows(): Promise<AccessRow[]> {
  const { text } = await page("docs/rights.md");
  const lines = [...text.matchAll(/^\| *([A-Z]+) (\/\S+) *\|(.*)\|$/gm)];
  return lines.map(([line, method = "", path = "", rest = ""]) => {
    const [procedure = "", caller = "", token = "", whose = "", confirmation = "–"] = rest
      .split("|")
      .map((cell) => cell.trim());
    const access = who[caller];
    const permission = permissions.find((one) => one === token) ?? null;
    const confirmed = confirmations[confirmation];
    const known = things.find((one) => one === whose);
    if (
      confirmed === undefined ||
      !access ||
      (permission === null && !["any", "–"].includes(token)) ||
      (known === undefined && whose !== "–")
    )
      throw new Error(`This line of docs/rights.md says something else than its head explains: ${line}`);
    return {
      method,
      path,
      procedure,
      access,
      permission,
      anyToken: token === "any",
      confirmed,
      whose: known ?? "nobody's",
    };
  });
}

/** Every procedure there is. */
export const procedures: readonly Procedure[] = Object.entries(
  appRouter._def.procedures as unknown as Record<string, { _def: { type: Procedure["type"]; meta: RouteMeta } }>,
).map(([name, { _def }]) => ({ name, type: _def.type, meta: _def.meta }));

/** Where each subscription is served beside tRPC's own path; the same where it is not. */
export const streamPaths: Readonly<Record<string, string>> = {
  "notifications.stream": "/api/notifications/stream",
  "domains.watch": "/trpc/domains.watch",
};

/** The status of a request with an endless answer. A closed stream keeps its slot for a moment. */
async function streamStatus({ url, token }: RestClient, path: string): Promise<number> {
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  return await vi.waitFor(async () => {
    const client = await StreamClient.open(url + path, headers);
    const status = path.startsWith("/trpc/") ? await client.trpcStatus() : client.status;
    client.cut();
    if (status === 429) throw new Error("All places are taken.");
    return status;
  }, patience);
}

/** An id without an object. */
export const unknownId = "01a1fb0f-6204-7000-abd4-276e976be8b7";

/** Calls a procedure over REST with unknown ids and no body, so only the caller matters. */
export async function overRest(client: RestClient, procedure: Procedure): Promise<number> {
  if (procedure.type === "subscription") return await streamStatus(client, streamPaths[procedure.name] ?? "");
  return (await restAnswer(client, procedure)).status;
}

/** The same over tRPC. */
export async function overTrpc(client: RestClient, procedure: Procedure): Promise<number> {
  if (procedure.type === "subscription") return await streamStatus(client, `/trpc/${procedure.name}`);
  return (await trpcAnswer(client, procedure)).status;
}

/** The error codes with which a procedure answers over REST and tRPC; null where it succeeds. */
export async function codesOf(client: RestClient, procedure: Procedure, body?: object) {
  const rest = await restAnswer(client, procedure, body);
  const trpc = await trpcAnswer(client, procedure, body);
  return [rest.body.code ?? null, trpc.body.error?.json.data.code ?? null];
}

async function restAnswer(client: RestClient, { meta: { openapi } }: Procedure, body?: object): Promise<Answer> {
  const { method = "GET", path = "" } = openapi ?? {};
  return await client.send(method, `/api${path.replaceAll(/\{\w+\}/g, unknownId)}`, body);
}

async function trpcAnswer(client: RestClient, { name, type, meta }: Procedure, body?: object): Promise<Answer> {
  const ids = [...(meta.openapi?.path ?? "").matchAll(/\{(\w+)\}/g)].map(([, id = ""]) => [id, unknownId] as const);
  const input = body && { json: { ...Object.fromEntries(ids), ...body } };
  return await client.send(type === "query" ? "GET" : "POST", `/trpc/${name}`, input);
}
