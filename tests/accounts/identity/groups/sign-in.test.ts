import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sql } from "kysely";
import { queries, type EntityManager } from "../../../../server/database/database.ts";
import {
  authorize,
  browserFor,
  comeBack,
  exchange,
  invite,
  signedInClient,
  site,
} from "../../../support/identity/external-sign-in.ts";
import { startOpenIdProvider, type OpenIdProvider } from "../../../support/identity/openid-provider.ts";
import { patience } from "../../../support/patience.ts";
import { RestClient, type Answer } from "../../../support/rest-client.ts";
import { useZonewright } from "../../../support/zonewright.ts";
import { manualZone, type Body, type Zone } from "../../../support/zones.ts";

const zw = useZonewright({ env: { SITE_URL: site } });
const password = "seven grey herons by the sea";
let provider: OpenIdProvider;
let configId: string;
let zone: Zone;
let tagged: Zone;
let count = 0;

beforeAll(async () => {
  provider = await startOpenIdProvider(`${site}/oauth/oidc`);
  const { wellKnownUrl, clientId, clientSecret } = provider;
  const config = { providerId: "oidc", clientId, clientSecret, wellKnownUrl, groupsClaim: "groups" };
  configId = (await zw.admin.post("/api/oauth/providers", config)).body.id;
  zone = await manualZone(zw);
  tagged = await manualZone(zw);
  await zw.admin.put(tagged.path, { tags: ["production"] });
});
afterAll(() => provider.stop());
beforeEach(async () => {
  await configure({ groupsClaim: "groups", groupRules: rules(), defaultDeny: false });
});

const rules = () => [
  { group: "auditors", role: "auditor" },
  { group: "admins", role: "admin" },
  { group: "writers", assignment: { domainId: zone.id, access: "write" } },
  { group: "readers", assignment: { domainId: zone.id } },
  { group: "tags", role: "member", assignment: { tag: "production", access: "write", recordTypes: ["TXT"] } },
];

async function configure(fields: object): Promise<void> {
  const { status, body } = await zw.admin.put(`/api/oauth/providers/${configId}`, fields);
  if (status !== 200) throw new Error(JSON.stringify(body));
}

async function goThrough(login: string) {
  const browser = browserFor(zw);
  return await comeBack(browser, await provider.signIn(browser, await authorize(browser, "oidc"), login));
}

/** A user of the provider with an account here. */
interface Person {
  id: string;
  client: RestClient;
  /** Signs in again, with other groups. @returns what the front end receives */
  joins(groups: unknown): Promise<Record<string, string>>;
  /** Signs in again, with other claims. @returns what the front end receives */
  signsIn(claims: object): Promise<Record<string, string>>;
}

async function person(groups: unknown, invitation: object = {}): Promise<Person> {
  const login = `person-${count++}`;
  provider.accounts.set(login, { preferred_username: login, groups });
  const { pending_token: pendingToken } = await goThrough(login);
  const body = { pendingToken, inviteCode: await invite(zw, invitation) };
  const registered = await zw.nobody.post("/api/auth/oauth/oidc/register", body);
  expect(registered.status).toBe(201);
  const client = signedInClient(zw, registered);
  return {
    id: registered.body.user.id,
    client,
    async joins(others) {
      provider.accounts.set(login, { preferred_username: login, groups: others });
      return await goThrough(login);
    },
    async signsIn(claims) {
      provider.accounts.set(login, { preferred_username: login, ...claims });
      return await goThrough(login);
    },
  };
}

/** What a session, opened before, may do now. */
async function may(client: RestClient): Promise<string[]> {
  const calls: Record<string, Promise<Body>> = {
    users: client.get("/api/users"),
    configure: client.get("/api/invitations"),
    read: client.get(`${zone.path}/records`),
    write: client.post(`${zone.path}/records/plan`, { changes: creating("A", "192.0.2.1") }),
    tagged: client.post(`${tagged.path}/records/plan`, { changes: creating("TXT", "text") }),
  };
  const names = await Promise.all(
    Object.entries(calls).map(async ([name, answer]) => ((await answer).status === 200 ? [name] : [])),
  );
  return names.flat();
}

const creating = (recordType: string, value: string) => [
  { action: "create", record: { recordType, name: "may", value } },
];

const all = ["users", "configure", "read", "write", "tagged"];
const audits = ["users", "read"];

describe("groups that the provider has but does not send", () => {
  test.each<[string, object]>([
    [
      "names them in _claim_names",
      { _claim_names: { groups: "src1" }, _claim_sources: { src1: { endpoint: "https://graph.example/me" } } },
    ],
    ["says hasgroups", { hasgroups: true }],
    ["sends more than can be read", { groups: Array.from({ length: 20_001 }, (_, index) => `group ${index}`) }],
  ])(
    "a sign-in is refused and audited when the provider %s, and the user's sessions keep their rights",
    async (_, claims) => {
      const ada = await person(["admins", "writers"]);
      const before = await may(ada.client);
      expect(before).toContain("users");
      expect(await ada.signsIn(claims)).toEqual({ error: "groups_not_sent" });
      expect(await may(ada.client)).toEqual(before);
      const { body } = await zw.admin.get(`/api/audit?targetId=${ada.id}&action=identity.groups&limit=1`);
      expect(body.entries[0].after).toEqual({ providerId: "oidc", groupsWithheld: true, signInRefused: true });
      expect(await ada.joins(["readers"])).toEqual({ ticket: expect.any(String) });
      expect(await may(ada.client)).toEqual(["read"]);
    },
  );

  test("a person without an account is refused, too, and where no rule needs groups, everybody signs in", async () => {
    const withheld = { _claim_names: { groups: "src1" } };
    provider.accounts.set("stranger", { preferred_username: "stranger", ...withheld });
    expect(await goThrough("stranger")).toEqual({ error: "groups_not_sent" });
    const ada = await person([]);
    await configure({ groupRules: [] });
    expect(await ada.signsIn(withheld)).toEqual({ ticket: expect.any(String) });
    await configure({ groupRules: rules(), groupsClaim: "realm_access.roles" });
    expect(await ada.signsIn(withheld)).toEqual({ ticket: expect.any(String) });
  });

  test("a test of rules says that groups were withheld", async () => {
    const tried = await zw.admin.post(`/api/oauth/providers/${configId}/groups/test`, {
      claims: { sub: "7", _claim_names: { groups: "src1" } },
    });
    expect(tried.body).toMatchObject({ groups: [], allowed: false, withheld: true });
  });
});

describe("what groups give", () => {
  const given: [groups: unknown, may: string[]][] = [
    [[], []],
    [undefined, []],
    [["others"], []],
    [["readers"], ["read"]],
    [["writers"], ["read", "write"]],
    [
      ["readers", "writers", "tags"],
      ["read", "write", "tagged"],
    ],
    [["tags"], ["tagged"]],
    [["auditors"], audits],
    [["auditors", "writers"], audits],
    [["admins"], all],
    [["admins", "auditors"], all],
    ["admins", all],
    [["ADMINS", " admins"], []],
    [{ readers: true }, ["read"]],
    [[["admins"], { group: "admins" }, 7, null], []],
  ];
  const later: [groups: unknown, may: string[]][] = [
    [["writers"], ["read", "write"]],
    [["auditors"], audits],
    [
      ["tags", "readers"],
      ["read", "tagged"],
    ],
    [[], []],
  ];

  test.each(given.map(([groups, gives], index) => [groups, gives, index] as const))(
    "a user who registers with the groups %j may do %j, with each later set of groups only what that gives",
    async (groups, gives, index) => {
      const user = await person(groups);
      expect(await may(user.client)).toEqual(gives);
      // Two of the later sets in turn, so each of them follows four of the first ones and the set before it.
      const from = index % later.length;
      const two = [...later, ...later].slice(from, from + 2);
      for (const [others, expected] of [...two, [groups, gives] as const]) {
        expect(await user.joins(others)).toEqual({ ticket: expect.any(String) });
        // The session opened at the start, not one of the new sign-in.
        expect([others, await may(user.client)]).toEqual([others, expected]);
      }
    },
  );

  test("personal tokens are narrowed with the groups, and widened again", async () => {
    const user = await person(["writers"]);
    const { body } = await user.client.post("/api/auth/me/tokens", {
      name: "T",
      permissions: ["records:read", "records:write"],
    });
    const token = new RestClient(zw.url, body.token);
    const reads = async () => (await token.get(`${zone.path}/records`)).status;
    expect(await reads()).toBe(200);
    await user.joins([]);
    expect(await reads()).toBe(404);
    await user.joins(["readers"]);
    expect([
      await reads(),
      (await token.post(`${zone.path}/records/plan`, { changes: creating("A", "192.0.2.1") })).status,
    ]).toEqual([200, 403]);
  });

  test("what was given by hand stays, and the role returns to the one given by hand", async () => {
    const user = await person(["readers"]);
    const wish = { userId: user.id, domainId: zone.id, access: "read" };
    expect((await zw.admin.post("/api/assignments", wish)).status).toBe(201);
    await user.joins([]);
    expect(await may(user.client)).toEqual(["read"]);
    await zw.admin.put(`/api/users/${user.id}`, { role: "auditor" });
    await user.joins(["admins"]);
    expect(await may(user.client)).toEqual(all);
    await user.joins([]);
    expect(await may(user.client)).toEqual(audits);
  });

  test("a role given by hand cannot be lower than that of the groups, and becomes the one to return to", async () => {
    const user = await person(["auditors"]);
    const role = async (name: string) => (await zw.admin.put(`/api/users/${user.id}`, { role: name })).status;
    expect(await role("member")).toBe(409);
    expect(await role("admin")).toBe(200);
    await user.joins([]);
    expect(await may(user.client)).toEqual(all);
    expect(await role("member")).toBe(200);
  });

  test("a role sent back as it was read stays the group's, and ends with the group", async () => {
    const user = await person(["auditors"]);
    const { role } = (await zw.admin.get(`/api/users/${user.id}`)).body;
    expect((await zw.admin.put(`/api/users/${user.id}`, { displayName: "Read", role })).status).toBe(200);
    await user.joins([]);
    expect(await may(user.client)).toEqual([]);
  });

  test("a role sent alone is given by hand, also while a group gives it", async () => {
    const user = await person(["auditors"]);
    expect((await zw.admin.put(`/api/users/${user.id}`, { role: "auditor" })).status).toBe(200);
    await user.joins([]);
    expect(await may(user.client)).toEqual(audits);
  });

  test("a role named beside a password that ends its identity is given by hand, and stays the group's if the identity stays", async () => {
    for (const [revoke, role] of [
      [undefined, "auditor"],
      [[], "member"],
    ] as const) {
      const user = await person(["auditors"]);
      expect((await zw.admin.put(`/api/users/${user.id}`, { role: "auditor", password, revoke })).status).toBe(200);
      if (revoke) await user.joins([]);
      expect((await zw.admin.get(`/api/users/${user.id}`)).body.role).toBe(role);
    }
  });

  test("the audit trail says what came and went, and answers mark assignments of groups", async () => {
    const user = await person(["writers"]);
    const { body: given } = await zw.admin.get(`/api/assignments?userId=${user.id}`);
    expect(given.assignments).toMatchObject([{ domainId: zone.id, access: "write", fromGroup: true, createdBy: null }]);
    await user.joins(["auditors"]);
    const { body } = await zw.admin.get(`/api/audit?targetId=${user.id}&action=identity.groups`);
    expect(body.entries).toMatchObject([
      {
        before: { role: "member" },
        after: { providerId: "oidc", rules: [0], groups: 1, role: "auditor", assignmentsLost: [{ access: "write" }] },
      },
      { after: { rules: [2], assignmentsGained: [{ domainId: zone.id, access: "write" }] } },
    ]);
    // Nothing changes, so nothing is written.
    await user.joins(["auditors"]);
    expect((await zw.admin.get(`/api/audit?targetId=${user.id}&action=identity.groups`)).body.total).toBe(2);
  });

  test("a rule for a deleted domain gives nothing, and the user signs in", async () => {
    const gone = await manualZone(zw);
    await configure({ groupRules: [{ group: "gone", assignment: { domainId: gone.id } }, ...rules()] });
    await zw.admin.delete(gone.path);
    const user = await person(["gone", "readers"]);
    expect(await may(user.client)).toEqual(["read"]);
  });

  test("10,000 groups in a token are read, and those that rules name count", async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => `group-${index}`);
    const user = await person([...many, "readers"]);
    expect(await may(user.client)).toEqual(["read"]);
  });
});

describe("what ends with the groups' source", () => {
  test("a rule that is deleted takes away what it gave without a sign-in", async () => {
    const [writer, auditor] = [await person(["writers", "tags"]), await person(["auditors"])];
    await configure({
      groupRules: [{ group: "tags", assignment: { tag: "production", access: "write", recordTypes: ["TXT"] } }],
    });
    expect([await may(writer.client), await may(auditor.client)]).toEqual([["tagged"], []]);
    await configure({ groupsClaim: null });
    expect(await may(writer.client)).toEqual([]);
  });

  test("what another rule gives, too, ends at once when the rules are saved without both, and at the next sign-in otherwise", async () => {
    const both = [
      { group: "auditors", role: "auditor" },
      { group: "contractors", role: "auditor" },
    ];
    for (const steps of [[[], both.slice(0, 1)], [both.slice(0, 1)]]) {
      await configure({ groupRules: both });
      const user = await person(["contractors"]);
      for (const groupRules of steps) await configure({ groupRules });
      expect(await may(user.client)).toEqual(steps.length > 1 ? [] : audits);
      await user.joins(["contractors"]);
      expect(await may(user.client)).toEqual([]);
    }
  });

  test("an unlinked identity takes its role and assignments with it", async () => {
    const user = await person(["auditors", "writers"]);
    await user.client.put("/api/auth/me/password", { newPassword: "a first password of their own" });
    expect((await user.client.delete("/api/auth/oauth/unbind/oidc")).status).toBe(200);
    expect(await may(user.client)).toEqual([]);
    expect((await zw.admin.get(`/api/users/${user.id}`)).body.role).toBe("member");
  });

  test("identities that an administrator revokes do so, too", async () => {
    const user = await person(["auditors", "writers"]);
    const token = await user.client.post("/api/auth/me/tokens", { name: "T", permissions: ["records:read"] });
    await zw.admin.send("DELETE", `/api/users/${user.id}/access`, { revoke: ["identities"] });
    expect((await new RestClient(zw.url, token.body.token).get(`${zone.path}/records`)).status).toBe(404);
    expect((await zw.admin.get(`/api/users/${user.id}`)).body.role).toBe("member");
  });

  const rescues: [how: string, (id: string) => Promise<Answer>][] = [
    ["a new password", (id) => zw.admin.put(`/api/users/${id}`, { password })],
    ["the revocation of all access", (id) => zw.admin.send("DELETE", `/api/users/${id}/access`, {})],
  ];
  test.each(rescues)(
    "by %s, an administrator by group becomes a member, their invitations end for good, and the audit trail says so",
    async (_, rescue) => {
      const user = await person(["admins"]);
      const { body: invitation } = await user.client.post("/api/invitations", { role: "admin", maxUses: 5 });
      expect((await rescue(user.id)).status).toBe(200);
      expect((await zw.admin.get(`/api/users/${user.id}`)).body.role).toBe("member");
      const { body } = await zw.admin.get(`/api/audit?targetId=${user.id}&limit=2`);
      const changed = {
        before: { role: "admin" },
        after: { role: "member", identityUnlinked: true, invitationsEnded: 1 },
      };
      expect(body.entries).toContainEqual(expect.objectContaining({ action: "identity.groups", ...changed }));
      for (const { before, after } of body.entries.filter(({ action }: Body) => action === "user.update"))
        expect([before.role, after.role]).toEqual(["admin", "member"]);
      expect((await zw.admin.put(`/api/users/${user.id}`, { role: "admin" })).status).toBe(200);
      const stranger = { inviteCode: invitation.code, username: `stranger-${count++}`, password };
      expect((await zw.nobody.post("/api/auth/register", stranger)).status).toBe(400);
      await zw.admin.put(`/api/users/${user.id}`, { role: "member" });
    },
  );

  test("a role that ends with an identity is audited for each user, whoever unlinks it", async () => {
    const [one, two] = [await person(["auditors"]), await person(["auditors"])];
    await one.client.put("/api/auth/me/password", { newPassword: password });
    await one.client.delete("/api/auth/oauth/unbind/oidc");
    await configure({ groupRules: [] });
    for (const [{ id }, why] of [
      [one, "identityUnlinked"],
      [two, "ruleRemoved"],
    ] as const) {
      const { body } = await zw.admin.get(`/api/audit?targetId=${id}&action=identity.groups&limit=1`);
      expect(body.entries).toMatchObject([{ before: { role: "auditor" }, after: { role: "member", [why]: true } }]);
    }
  });
});

describe("defaultDeny", () => {
  beforeEach(() => configure({ defaultDeny: true }));

  test("nobody without a named group signs in or registers, and nothing of them is left", async () => {
    const user = await person(["readers"]);
    const token = await user.client.post("/api/auth/me/tokens", { name: "T", permissions: ["records:read"] });
    expect(await user.joins(["others"])).toEqual({ error: "access_denied" });
    expect((await user.client.get("/api/auth/me")).status).toBe(401);
    expect((await new RestClient(zw.url, token.body.token).get("/api/domains")).status).toBe(401);
    const { body } = await zw.admin.get(`/api/audit?targetId=${user.id}&action=identity.groups&limit=1`);
    expect(body.entries[0].after).toMatchObject({ signInRefused: true, sessionsEnded: 1 });
    const { ticket } = await user.joins(["readers"]);
    expect((await exchange(zw, ticket)).status).toBe(200);
    provider.accounts.set("stranger", { preferred_username: "stranger" });
    expect(await goThrough("stranger")).toEqual({ error: "access_denied" });
  });

  test("a ticket from before is worth nothing once the groups are gone", async () => {
    const user = await person(["readers"]);
    const { ticket } = await user.joins(["readers"]);
    await user.joins([]);
    expect((await exchange(zw, ticket)).status).toBe(401);
  });
});

/** Waits until somebody waits for a row that the transaction locks. On the embedded database nobody does: it has one connection. */
async function untilOneWaits(tx: EntityManager): Promise<void> {
  if (process.env["TEST_DATABASE_URL"] === undefined) return;
  const waiting = sql`select from pg_locks where not granted and transactionid = pg_current_xact_id()::xid`;
  await expect.poll(async () => (await waiting.execute(queries(tx))).rows.length, patience).toBeGreaterThan(0);
}

test.each([
  ["rules", sql`group_rules = '[]'`, { status: 201, role: "member" }],
  ["state to disabled", sql`enabled = false`, { status: 401, role: undefined }],
])("a registration waits for a change of the provider's %s, and follows it", async (_what, change, expected) => {
  const login = `person-${count++}`;
  provider.accounts.set(login, { preferred_username: login, groups: ["auditors"] });
  const { pending_token: pendingToken } = await goThrough(login);
  const inviteCode = await invite(zw);
  let registered: Promise<Answer> | undefined;
  await zw.services.database.fork().transactional(async (tx) => {
    await sql`update identity_configs set ${change} where id = ${configId}`.execute(queries(tx));
    registered = zw.nobody.post("/api/auth/oauth/oidc/register", { pendingToken, inviteCode });
    await untilOneWaits(tx);
  });
  const answer = await registered;
  expect({ status: answer?.status, role: answer?.body.user?.role }).toEqual(expected);
  await configure({ enabled: true });
});

describe("the last administrator", () => {
  test("groups neither demote nor lock out the last administrator, but do once there is another", async () => {
    const user = await person(["admins"]);
    const { body: me } = await zw.admin.get("/api/auth/me");
    expect((await user.client.put(`/api/users/${me.id}`, { role: "member" })).status).toBe(200);
    await user.joins([]);
    expect(await may(user.client)).toEqual(all);
    await user.client.put(`/api/oauth/providers/${configId}`, { defaultDeny: true });
    expect(await user.joins([])).toEqual({ ticket: expect.any(String) });
    expect(await may(user.client)).toEqual(all);
    const rule = await user.client.put(`/api/oauth/providers/${configId}`, { groupRules: [] });
    expect([rule.status, rule.body.code]).toEqual([409, "CONFLICT"]);
    expect((await user.client.put(`/api/users/${me.id}`, { role: "admin" })).status).toBe(200);
    expect(await user.joins([])).toEqual({ error: "access_denied" });
    expect((await zw.admin.get(`/api/users/${user.id}`)).body.role).toBe("member");
  });

  test("rules that wait for the end of a user's sign-in hold up nobody who notifies administrators", async () => {
    const user = await person(["auditors"]);
    let saved: Promise<void> | undefined;
    await zw.services.database.fork().transactional(async (tx) => {
      await sql`select from users where id = ${user.id} for update`.execute(queries(tx));
      saved = configure({ groupRules: [] });
      await untilOneWaits(tx);
      // As a notification to them does, by its foreign key.
      await sql`select from users where role = 'admin' for key share`.execute(queries(tx));
    });
    await saved;
    expect(await may(user.client)).toEqual([]);
  });

  test("while the provider is disabled, administrators who only it signs in can be demoted, revoked, disabled and deleted, but not the last one", async () => {
    const [left, revoked, gone] = [await person(["admins"]), await person(["admins"]), await person(["admins"])];
    const demoted = { username: `demoted-${count++}`, password, role: "admin" };
    const { id: demotedId } = (await zw.admin.post("/api/users", demoted)).body;
    await zw.admin.send("DELETE", `/api/users/${demotedId}/access`, {});
    const { body: me } = await zw.admin.get("/api/auth/me");
    const { client } = left;
    expect((await client.put(`/api/users/${me.id}`, { role: "member" })).status).toBe(200);
    expect(await client.put(`/api/oauth/providers/${configId}`, { enabled: false })).toBeProblem(409, "CONFLICT");
    // As earlier versions did.
    const configs = queries(zw.services.database.fork()).updateTable("identity_configs").where("id", "=", configId);
    await configs.set({ enabled: false }).execute();
    const answers = [
      await client.put(`/api/users/${demotedId}`, { role: "member" }),
      await client.send("DELETE", `/api/users/${revoked.id}/access`, {}),
      await client.put(`/api/users/${gone.id}`, { disabled: true }),
      await client.delete(`/api/users/${gone.id}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await may(revoked.client)).toEqual([]);
    expect(await client.put(`/api/users/${left.id}`, { disabled: true })).toBeProblem(409, "CONFLICT");
    expect((await client.put(`/api/oauth/providers/${configId}`, { enabled: true })).status).toBe(200);
    expect((await client.put(`/api/users/${me.id}`, { role: "admin" })).status).toBe(200);
  });

  const atOnce: [what: string, (one: Person, other: Person) => Promise<Answer>][] = [
    ["unlink their identities", ({ client }) => client.delete("/api/auth/oauth/unbind/oidc")],
    [
      "revoke their identities with a new password",
      ({ client }) =>
        client.put("/api/auth/me/password", {
          currentPassword: password,
          newPassword: `${password} again`,
          revoke: ["identities"],
        }),
    ],
    ["revoke each other's access", ({ client }, { id }) => client.send("DELETE", `/api/users/${id}/access`, {})],
  ];
  test.each(atOnce)(
    "when the last two administrators, both by group, %s at the same time, one stays administrator",
    async (_, act) => {
      // Ends the roles of others' groups.
      await configure({ groupRules: [] });
      await configure({ groupRules: rules() });
      const two = [await person(["admins"]), await person(["admins"])] as const;
      for (const { client } of two) await client.put("/api/auth/me/password", { newPassword: password });
      const { body: me } = await zw.admin.get("/api/auth/me");
      expect((await two[0].client.put(`/api/users/${me.id}`, { role: "member" })).status).toBe(200);
      const answers = await Promise.all([act(two[0], two[1]), act(two[1], two[0])]);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      const clients = two.map(({ client }) => client);
      const may = await Promise.all(
        clients.map(async (client) => (await client.get("/api/invitations")).status === 200),
      );
      expect(may.filter(Boolean)).toHaveLength(1);
      const left = clients[may.indexOf(true)];
      expect((await left?.put(`/api/users/${me.id}`, { role: "admin" }))?.status).toBe(200);
    },
  );
});
