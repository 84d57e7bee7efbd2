import { permissions, type Access, type Permission, type RouteMeta } from "../../server/context.ts";
import { appRouter } from "../../server/router.ts";
import { vi } from "vitest";
import { StreamClient } from "./event-stream.ts";
import { page } from "./markdown.ts";
import type { RestClient } from "./rest-client.ts";

/** A line of docs/rights.md. */
export interface AccessRow {
  method: string;
  /** `:name` marks a parameter. */
  path: string;
  procedure: string;
  access: Access;
  permission: Permission | null;
  whose: "nobody's" | (typeof things)[number];
}

export interface Procedure {
  name: string;
  type: "query" | "mutation" | "subscription";
  meta: RouteMeta;
}

const things = ["own", "own zones", "readable zones", "writable zones", "any"] as const;

const who: Record<string, Access> = {
  anybody: "public",
  tempToken: "halfSignedIn",
  "signed in": "signedIn",
  administrator: "admin",
};

/** Reads the table of docs/rights.md. @throws Error for a cell that means nothing */
export async function accessRows(): Promise<AccessRow[]> {
  const { text } = await page("docs/rights.md");
  const lines = [...text.matchAll(/^\| *([A-Z]+) (\/\S+) *\|(.*)\|$/gm)];
  return lines.map(([line, method = "", path = "", rest = ""]) => {
    const [procedure = "", caller = "", token = "", whose = ""] = rest.split("|").map((cell) => cell.trim());
    const access = who[caller];
    const permission = permissions.find((one) => one === token) ?? null;
    const known = things.find((one) => one === whose);
    if (!access || (permission === null && token !== "–") || (known === undefined && whose !== "–"))
      throw new Error(`This line of docs/rights.md says something else than its head explains: ${line}`);
    return { method, path, procedure, access, permission, whose: known ?? "nobody's" };
  });
}

/** Every procedure there is. */
export const procedures: readonly Procedure[] = Object.entries(
  appRouter._def.procedures as unknown as Record<string, { _def: { type: Procedure["type"]; meta: RouteMeta } }>,
).map(([name, { _def }]) => ({ name, type: _def.type, meta: _def.meta }));

/** Where the one subscription is over REST. */
export const streamPath = "/api/notifications/stream";

const patience = { timeout: 10_000 };

/** How a request is answered whose answer does not end by itself. A stream that was cut off keeps its place for a moment. */
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

/** An id of nothing. */
export const unknownId = "01a1fb0f-6204-7000-abd4-276e976be8b7";

/** Calls a procedure over REST, with ids of nothing and without a body: only who calls can matter. */
export async function overRest(client: RestClient, { type, meta: { openapi } }: Procedure): Promise<number> {
  if (type === "subscription") return await streamStatus(client, streamPath);
  const { method = "GET", path = "" } = openapi ?? {};
  const { status } = await client.send(method, `/api${path.replaceAll(/\{\w+\}/g, unknownId)}`);
  return status;
}

/** The same over tRPC. */
export async function overTrpc(client: RestClient, { name, type }: Procedure): Promise<number> {
  if (type === "subscription") return await streamStatus(client, `/trpc/${name}`);
  const { status } = await client.send(type === "query" ? "GET" : "POST", `/trpc/${name}`);
  return status;
}
