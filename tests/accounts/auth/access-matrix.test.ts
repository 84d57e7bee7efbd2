import { createHmac } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { newToken } from "../../../server/access/authenticator.ts";
import { permissions } from "../../../server/access/permissions.ts";
import {
  accessRows,
  codesOf,
  overRest,
  overTrpc,
  procedures,
  streamPaths,
  type Procedure,
} from "../../support/access-table.ts";
import { Clock, minute } from "../../support/clock.ts";
import { RestClient } from "../../support/rest-client.ts";
import { appUser, awaitingSecondFactor } from "../../support/second-factors/app-user.ts";
import { adminPassword, memberPassword, useZonewright } from "../../support/zonewright.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now });
const rows = await accessRows();

/** The procedures that the table opens to `access`, whatever their own description says. */
function openedTo(...access: (typeof rows)[number]["access"][]): Procedure[] {
  return procedures.filter(({ name }) => rows.some((row) => row.procedure === name && access.includes(row.access)));
}

function byName<T extends { procedure: string }>(lines: readonly T[]): T[] {
  return lines.toSorted((a, b) => (a.procedure < b.procedure ? -1 : 1));
}

test("the access table has a line for every call, and matches the API document", () => {
  const described = procedures.map(
    ({ name, meta: { openapi, access, permission, anyToken = false, confirmed = null } }) => ({
      procedure: name,
      // Streams are not generated routes.
      call: openapi
        ? `${openapi.method} /api${openapi.path.replaceAll(/\{(\w+)\}/g, ":$1")}`
        : `GET ${streamPaths[name]}`,
      access,
      permission,
      anyToken,
      confirmed,
    }),
  );
  const reported = rows.map(({ procedure, method, path, access, permission, anyToken, confirmed }) => ({
    procedure,
    call: `${method} ${path}`,
    access,
    permission,
    anyToken,
    confirmed,
  }));
  expect(byName(reported)).toEqual(byName(described));
});

/** Credentials that open nothing, by what is wrong with them. */
let refused: Readonly<Record<string, string | null>> = {};
/** A token of a member whose account has a second factor. */
let tempToken: string;

async function personal(client: RestClient, expiresAt: string | null = null): Promise<{ id: string; token: string }> {
  return (await client.post("/api/auth/me/tokens", { name: "Matrix", permissions, expiresAt })).body;
}

beforeAll(async () => {
  const early = await zw.member("early");
  const soon = new Date(clock.now().getTime() + minute).toISOString();
  const ended = { access: early.token, personal: (await personal(early, soon)).token };
  clock.advance(16 * minute);

  zw.admin.token = (await zw.signIn("admin", adminPassword)).token;
  const member = await zw.member("member");
  const [header = "", claims = ""] = (member.token ?? "").split(".");
  const signedOut = await zw.signIn("member", memberPassword);
  const { body: refreshed } = await zw.nobody.post("/api/auth/login", {
    username: "member",
    password: memberPassword,
  });
  const deletedToken = await personal(member);
  await member.delete(`/api/auth/me/tokens/${deletedToken.id}`);
  await signedOut.post("/api/auth/logout");

  const disabled = await zw.member("disabled");
  const disabledToken = await personal(disabled);
  const { body: them } = await disabled.get("/api/auth/me");
  await zw.admin.put(`/api/users/${them.id}`, { disabled: true });
  const deleted = await zw.member("deleted");
  const { body: gone } = await deleted.get("/api/auth/me");
  await zw.admin.delete(`/api/users/${gone.id}`);

  await appUser(zw, clock, "half");
  tempToken = (await awaitingSecondFactor(zw, "half")).token ?? "";
  refused = {
    "no credentials": null,
    "no token of any kind": "x".repeat(43),
    "an expired access token": ended.access,
    "an access token of another installation": `${header}.${claims}.${createHmac("sha256", "another key").update(`${header}.${claims}`).digest("base64url")}`,
    "an access token of a session that was signed out": signedOut.token,
    "a disabled user's access token": disabled.token,
    "a deleted user's access token": deleted.token,
    "a refresh token": refreshed.refreshToken,
    "an expired personal token": ended.personal,
    "a deleted personal token": deletedToken.token,
    "a disabled user's personal token": disabledToken.token,
    "a personal token that nobody made": newToken("zw"),
    "a personal token of another installation": newToken("other"),
  };
});

async function statuses(client: RestClient, procedure: Procedure) {
  return { [procedure.name]: [await overRest(client, procedure), await overTrpc(client, procedure)] };
}

async function inTurn<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const [index, item] of items.entries()) results.push(await work(item, index));
  return results;
}

const kindsOfRefused = [
  "no credentials",
  "no token of any kind",
  "an expired access token",
  "an access token of another installation",
  "an access token of a session that was signed out",
  "a disabled user's access token",
  "a deleted user's access token",
  "a refresh token",
  "an expired personal token",
  "a deleted personal token",
  "a disabled user's personal token",
  "a personal token that nobody made",
  "a personal token of another installation",
];

describe("calls by credential", () => {
  test.each(kindsOfRefused)("%s gets 401 from every call that requires sign-in, over REST and tRPC", async (kind) => {
    const token = refused[kind];
    if (token === undefined) throw new Error(`There are no credentials for "${kind}".`);
    const client = new RestClient(zw.url, token);
    const calls = openedTo("signedIn", "narrowed", "auditor", "admin", "awaitingSecondFactor");
    // Each call is tried over both without credentials. With each kind of wrong ones it is tried over one, in turn, so each kind is tried
    // over both, and each call with half of the kinds.
    const first = kindsOfRefused.indexOf(kind);
    const found = await inTurn(calls, async (procedure, index) => {
      if (token === null) return await statuses(client, procedure);
      const over = (first + index) % 2 === 0 ? overRest : overTrpc;
      return { [procedure.name]: [await over(client, procedure)] };
    });
    const expected = token === null ? [401, 401] : [401];
    expect(found).toEqual(calls.map(({ name }) => ({ [name]: expected })));
  });

  test("a tempToken gets 401 from every call except those of the second step", async () => {
    const client = new RestClient(zw.url, tempToken);
    for (const procedure of openedTo("signedIn", "narrowed", "auditor", "admin"))
      expect(await statuses(client, procedure)).toEqual({ [procedure.name]: [401, 401] });
    for (const procedure of openedTo("awaitingSecondFactor")) {
      const { [procedure.name]: both = [] } = await statuses(client, procedure);
      for (const status of both) expect([400, 409]).toContain(status);
    }
  });

  test("an access token or a personal token gets 401 from calls of the second step", async () => {
    const { body } = await zw.admin.post("/api/auth/me/tokens", { name: "Half", permissions });
    for (const token of [zw.admin.token, body.token])
      for (const procedure of openedTo("awaitingSecondFactor"))
        expect(await statuses(new RestClient(zw.url, token), procedure)).toEqual({ [procedure.name]: [401, 401] });
  });

  test("a member's access token gets 403 from administrators' calls, before any other check", async () => {
    const member = await zw.signIn("member", memberPassword);
    for (const procedure of openedTo("auditor", "admin"))
      expect(await statuses(member, procedure)).toEqual({ [procedure.name]: [403, 403] });
  });

  test("sessions and tokens that are not narrowed get 403 from calls for narrowed tokens", async () => {
    const { body } = await zw.admin.post("/api/auth/me/tokens", { name: "Not narrowed", permissions });
    for (const token of [zw.admin.token, body.token])
      for (const procedure of openedTo("narrowed"))
        expect(await statuses(new RestClient(zw.url, token), procedure)).toEqual({ [procedure.name]: [403, 403] });
  });

  test("public calls respond the same to any credentials", async () => {
    // A sign-out ends the session of the token it receives.
    for (const procedure of openedTo("public").filter(({ name }) => name !== "auth.logout")) {
      const asNobody = await statuses(zw.nobody, procedure);
      for (const token of [zw.admin.token, tempToken, "x".repeat(43)])
        expect(await statuses(new RestClient(zw.url, token), procedure)).toEqual(asNobody);
    }
  });
});

describe("a session confirmed more than ten minutes ago", () => {
  /** What the body needs besides the password. */
  const leastBody: Record<string, object> = {
    "profile.changeEmail": { email: "other@example.com" },
    "users.create": { username: "newcomer", password: memberPassword, role: "member" },
    "users.update": { role: "admin" },
    "users.revokeAccess": { revoke: ["totp"] },
    "invitations.create": { role: "member" },
    "auth.authorizeCli": { permissions: ["domains:read"], codeChallenge: "a".repeat(43) },
    "auth.approveDevice": { userCode: "0000-0000", permissions: ["domains:read"] },
    "tokens.create": { name: "Script", permissions: ["domains:read"] },
    "feeds.create": { name: "Renewals" },
    "tsigKeys.create": { domainId: "01a1fb0f-6204-7000-abd4-270000000001" },
    "identityConfigs.create": { providerId: "github", clientId: "zonewright" },
    "identityConfigs.update": { userInfoUrl: "https://elsewhere.example/user" },
  };
  const askedFor = new Map(rows.map(({ procedure, confirmed }) => [procedure, confirmed]));
  const signedInCalls = openedTo("signedIn", "auditor", "admin").filter(({ type }) => type !== "subscription");
  let stale: RestClient;
  beforeAll(async () => {
    const account = { username: "stale", password: adminPassword, email: null, role: "admin" } as const;
    await zw.services.users.create(zw.services.database.fork(), account);
    stale = await zw.signIn("stale", adminPassword);
    clock.advance(11 * minute);
  });

  test("an unconfirmed session gets 403 REAUTHENTICATION_REQUIRED wherever the table requires confirmation, over REST and tRPC", async () => {
    const asking = signedInCalls.filter(({ name }) => askedFor.get(name));
    expect(asking.length).toBeGreaterThan(10);
    for (const procedure of asking) {
      const codes = await codesOf(stale, procedure, leastBody[procedure.name] ?? {});
      expect({ [procedure.name]: codes }).toEqual({
        [procedure.name]: ["REAUTHENTICATION_REQUIRED", "REAUTHENTICATION_REQUIRED"],
      });
    }
  });

  test("a wrong password does not replace confirmation where a correct one would", async () => {
    const procedures = signedInCalls.filter(({ name }) => askedFor.get(name) === "orPassword");
    // A separate account for each, because five wrong passwords block one.
    const clients = await Promise.all(procedures.map((_, index) => zw.member(`stale-${index}`)));
    clock.advance(11 * minute);
    for (const [index, procedure] of procedures.entries()) {
      const [client, body] = [clients[index], { ...leastBody[procedure.name], currentPassword: "not this one" }];
      const codes = client && (await codesOf(client, procedure, body));
      expect({ [procedure.name]: codes }).toEqual({ [procedure.name]: ["FORBIDDEN", "FORBIDDEN"] });
    }
  });

  test("an unconfirmed session can make all other calls, including revoking tokens and sessions", async () => {
    stale = await zw.signIn("stale", adminPassword);
    clock.advance(11 * minute);
    // Without a body, calls that require confirmation only for some bodies require none.
    const others = signedInCalls.filter(({ name }) => [null, "givingAccess"].includes(askedFor.get(name) ?? null));
    expect(others.map(({ name }) => name)).toEqual(expect.arrayContaining(["tokens.delete", "sessions.delete"]));
    for (const procedure of others)
      expect({ [procedure.name]: await codesOf(stale, procedure) }).not.toEqual({
        [procedure.name]: expect.arrayContaining(["REAUTHENTICATION_REQUIRED"]),
      });
  });
});
