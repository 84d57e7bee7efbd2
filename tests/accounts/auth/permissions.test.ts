import { beforeAll, describe, expect, test } from "vitest";
import { permissions, type Permission } from "../../../server/access/permissions.ts";
import {
  accessRows,
  type AccessRow,
  overRest,
  overTrpc,
  procedures,
  type Procedure,
} from "../../support/access-table.ts";
import { RestClient } from "../../support/rest-client.ts";
import { memberPassword, useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright();

const rows = await accessRows();
/** The names of the only procedures that a personal token with one permission opens. */
const opens = (permission: Permission) =>
  rows.filter((row) => row.permission === permission && row.access !== "narrowed").map(({ procedure }) => procedure);
/** What every personal token opens: it says what the token is. */
const always = rows.filter(({ anyToken }) => anyToken).map(({ procedure }) => procedure);
/** What belongs to the caller's own account. */
const ownAccount = new Set([
  "auth",
  "feeds",
  "identity",
  "notifications",
  "profile",
  "sessions",
  "tokens",
  "tsigKeys",
  "twoFactor",
]);

/** Whether an auditor may make a call: everything that reads, but channels and invitations, and the own account. */
function isForAuditors({ procedure, access, permission }: AccessRow): boolean {
  if (access === "admin") return false;
  const type = procedures.find(({ name }) => name === procedure)?.type;
  return type !== "mutation" || permission?.endsWith(":read") === true || ownAccount.has(procedure.split(".")[0] ?? "");
}

const allows: Readonly<Record<"admin" | "auditor" | "member", (row: AccessRow) => boolean>> = {
  admin: () => true,
  auditor: isForAuditors,
  member: ({ access }) => access === "signedIn",
};

/** The procedures that require sign-in; calls that complete a sign-in accept only their own token. */
const guardedRows = rows.filter(({ access }) => ["signedIn", "auditor", "admin"].includes(access));
const guarded = procedures.filter(({ name }) => guardedRows.some(({ procedure }) => procedure === name));

/** The answers to calls with valid credentials. */
const usual = new Set([200, 201, 400, 403, 404, 409]);

interface Tried {
  /** Default: all that require sign-in. */
  calls?: readonly Procedure[];
  /** Default: both transports. */
  over?: readonly ((client: RestClient, procedure: Procedure) => Promise<number>)[];
}

/** The procedures that a credential opens, the same over each transport. */
async function openedBy(
  token: string,
  { calls = guarded, over = [overRest, overTrpc] }: Tried = {},
): Promise<string[]> {
  const client = new RestClient(zw.url, token);
  const opened: string[] = [];
  const odd: { procedure: string; statuses: number[] }[] = [];
  for (const procedure of calls) {
    const statuses: number[] = [];
    for (const call of over) statuses.push(await call(client, procedure));
    const closed = statuses.filter((status) => status === 403).length;
    if (![0, statuses.length].includes(closed) || !statuses.every((status) => usual.has(status)))
      odd.push({ procedure: procedure.name, statuses });
    if (closed === 0) opened.push(procedure.name);
  }
  expect(odd).toEqual([]);
  return opened.toSorted();
}

async function tokenOf(client: RestClient, allowed: readonly Permission[]): Promise<string> {
  const { status, body } = await client.post("/api/auth/me/tokens", { name: "Walk", permissions: allowed });
  expect(status).toBe(201);
  return body.token;
}

describe.each(["admin", "auditor", "member"] as const)("tokens of the %s", (role) => {
  let client: RestClient;
  beforeAll(async () => {
    const account = { username: `walking-${role}`, password: memberPassword, email: null, role };
    await zw.services.users.create(zw.services.database.fork(), account);
    client = await zw.signIn(account.username, memberPassword);
  });
  const reachable = (name: string) => rows.some((row) => row.procedure === name && allows[role](row));

  test.each(permissions)("a personal token with %s opens exactly the calls that require it", async (permission) => {
    const token = await tokenOf(client, [permission]);
    const others = await tokenOf(
      client,
      permissions.filter((one) => one !== permission),
    );
    const expected = opens(permission).filter(reachable).toSorted();
    const calls = guarded.filter(({ name }) => opens(permission).includes(name));
    expect(await openedBy(token, { calls })).toEqual(expected);
    // All other permissions together open none of them, so none opens one: trying each call with each permission says no more.
    expect(await openedBy(others, { calls })).toEqual([]);
    // Unless a permission took away what another gives.
    const amongAll = role === "admin" ? await openedBy(token, { over: [overTrpc] }) : expected;
    expect(amongAll).toEqual(role === "admin" ? [...expected, ...always].toSorted() : expected);
  });

  test("a personal token without permissions opens only the call that says what it is", async () => {
    expect(always).toEqual(["tokens.current"]);
    expect(await openedBy(await tokenOf(client, []))).toEqual(always);
  });

  test("the permissions that a personal token reads of itself are those that open a call", async () => {
    const { body } = await new RestClient(zw.url, await tokenOf(client, permissions)).get("/api/auth/me/token");
    expect(body.permissions).toEqual(permissions.filter((permission) => opens(permission).some(reachable)));
    expect((await client.get("/api/auth/me/token")).body).toMatchObject({ permissions: body.permissions, token: null });
  });

  test("a personal token with every permission opens no call about accounts, users or configuration", async () => {
    const token = await tokenOf(client, permissions);
    expect(await openedBy(token)).toEqual([...permissions.flatMap(opens).filter(reachable), ...always].toSorted());
  });

  test("an access token opens every call that the role allows", async () => {
    const expected = guardedRows.filter(allows[role]);
    expect(await openedBy(client.token ?? "")).toEqual(expected.map(({ procedure }) => procedure).toSorted());
  });
});
