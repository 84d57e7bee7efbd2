import { beforeAll, describe, expect, test, vi } from "vitest";
import { permissions, type Permission, type RouteMeta } from "../../server/context.ts";
import { appRouter } from "../../server/router.ts";
import { StreamClient } from "../support/event-stream.ts";
import { RestClient } from "../support/rest-client.ts";
import { adminPassword, memberPassword, useZonewright } from "../support/zonewright.ts";

const zw = useZonewright();

/** What a personal token with one permission opens, by the names of procedures; nothing else opens to it. */
const opens: Record<Permission, string[]> = {
  "domains:read": ["domains.list", "domains.tags", "domains.get", "v1.listDomains", "v1.getDomain"],
  "domains:write": [
    "domains.create",
    "domains.update",
    "domains.delete",
    "domains.setExpiryRemind",
    "domains.setExpiry",
  ],
  "records:read": ["records.list", "records.exportZonefile", "records.history", "v1.listRecords"],
  "records:write": [
    "domains.sync",
    "records.create",
    "records.update",
    "records.delete",
    "records.bulkCreate",
    "records.plan",
    "records.applyPlan",
    "records.importZonefile",
    "v1.createRecord",
    "v1.updateRecord",
    "v1.deleteRecord",
  ],
  "snapshots:read": ["snapshots.list", "snapshots.get", "snapshots.diff"],
  "snapshots:write": ["snapshots.create", "snapshots.rollback"],
  "notifications:read": ["notifications.list", "notifications.stream"],
};

/** Of these, what only an administrator's token opens. */
const administratorsOnly = ["snapshots.rollback"];

interface Procedure {
  name: string;
  type: "query" | "mutation" | "subscription";
  meta: RouteMeta;
}

/** Every procedure that asks who is calling; those of a sign-in under way take no token but its own. */
const procedures = Object.entries(
  appRouter._def.procedures as unknown as Record<string, { _def: { type: Procedure["type"]; meta: RouteMeta } }>,
)
  .map(([name, { _def }]): Procedure => ({ name, type: _def.type, meta: _def.meta }))
  .filter(({ meta }) => meta.access !== "public" && meta.access !== "halfSignedIn");
const names: ReadonlySet<string> = new Set(procedures.map(({ name }) => name));

/** An id of nothing: whoever is let in changes nothing that the walk goes by. */
const unknown = "01a1fb0f-6204-7000-abd4-276e976be8b7";

async function overRest(client: RestClient, { type, meta: { openapi } }: Procedure): Promise<number> {
  if (type === "subscription") return await streamStatus(client, "/api/notifications/stream");
  const { method = "GET", path = "" } = openapi ?? {};
  const { status } = await client.send(method, `/api${path.replaceAll(/\{\w+\}/g, unknown)}`);
  return status;
}

async function overTrpc(client: RestClient, { name, type }: Procedure): Promise<number> {
  if (type === "subscription") return await streamStatus(client, `/trpc/${name}`);
  const { status } = await client.send(type === "query" ? "GET" : "POST", `/trpc/${name}`);
  return status;
}

/** How a request is answered whose answer does not end by itself. */
async function streamStatus({ token }: RestClient, path: string): Promise<number> {
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const client = await StreamClient.open(zw.url + path, headers);
  const status = path.startsWith("/trpc/") ? await client.trpcStatus() : client.status;
  client.cut();
  await vi.waitUntil(() => zw.services.streams.openStreams === 0);
  return status;
}

/** The procedures that a credential opens, over REST and over tRPC alike. */
async function openedBy(token: string): Promise<string[]> {
  const client = new RestClient(zw.url, token);
  const opened: string[] = [];
  for (const procedure of procedures) {
    const statuses = [await overRest(client, procedure), await overTrpc(client, procedure)];
    const closed = statuses.map((status) => status === 403);
    expect({ procedure: procedure.name, statuses, agree: closed[0] === closed[1] }).toMatchObject({ agree: true });
    for (const status of statuses) expect([200, 201, 400, 403, 404]).toContain(status);
    if (!closed[0]) opened.push(procedure.name);
  }
  return opened.toSorted();
}

async function tokenOf(client: RestClient, allowed: readonly Permission[]): Promise<string> {
  const { status, body } = await client.post("/api/auth/me/tokens", { name: "Walk", permissions: allowed });
  expect(status).toBe(201);
  return body.token;
}

test("the table names only procedures that there are, and each for one permission", () => {
  const named = Object.values(opens).flat();
  expect(named.filter((name) => !names.has(name))).toEqual([]);
  expect(new Set(named).size).toBe(named.length);
  expect(named).toEqual(expect.arrayContaining(administratorsOnly));
});

test("what the API document says of each procedure is what the table says", () => {
  for (const { name, meta } of procedures) {
    const permission = permissions.find((one) => opens[one].includes(name)) ?? null;
    expect({ name, permission: meta.permission }).toEqual({ name, permission });
  }
});

describe.each(["admin", "member"] as const)("of the %s,", (role) => {
  let client: RestClient;
  beforeAll(async () => {
    client =
      role === "admin"
        ? await zw.signIn("admin", adminPassword)
        : await zw.member("walker").then(() => zw.signIn("walker", memberPassword));
  });
  const reachable = (name: string) => role === "admin" || !administratorsOnly.includes(name);

  test.each(permissions)("a personal token with %s opens exactly what names it", async (permission) => {
    const token = await tokenOf(client, [permission]);
    expect(await openedBy(token)).toEqual(opens[permission].filter(reachable).toSorted());
  });

  test("a personal token without permissions opens nothing", async () => {
    expect(await openedBy(await tokenOf(client, []))).toEqual([]);
  });

  test("a personal token with every permission opens what names one, and no account, user or configuration", async () => {
    const token = await tokenOf(client, permissions);
    expect(await openedBy(token)).toEqual(Object.values(opens).flat().filter(reachable).toSorted());
  });

  test("an access token opens everything that the role allows", async () => {
    const expected = procedures.filter(({ meta }) => role === "admin" || meta.access !== "admin");
    expect(await openedBy(client.token ?? "")).toEqual(expected.map(({ name }) => name).toSorted());
  });
});

test("nobody opens anything", async () => {
  for (const procedure of procedures) {
    const statuses = [await overRest(zw.nobody, procedure), await overTrpc(zw.nobody, procedure)];
    expect({ procedure: procedure.name, statuses }).toEqual({ procedure: procedure.name, statuses: [401, 401] });
  }
});
