import { beforeAll, describe, expect, test } from "vitest";
import { site } from "../../../support/identity/external-sign-in.ts";
import { useZonewright } from "../../../support/zonewright.ts";
import { freshName, manualConfig, manualZone, unknownId, type Zone } from "../../../support/zones.ts";

const zw = useZonewright({ env: { SITE_URL: site } });
let path: string;
let zone: Zone;

beforeAll(async () => {
  zone = await manualZone(zw);
  const config = { providerId: "gitlab", clientId: "c", clientSecret: "s", enabled: false };
  path = `/api/oauth/providers/${(await zw.admin.post("/api/oauth/providers", config)).body.id}`;
});

const rule = (group: string) => ({ group, role: "member" });

describe("rules for groups", () => {
  test("rules are stored in canonical form and shown with all fields", async () => {
    const groupRules = [
      { group: "dns", assignment: { domainId: zone.id, subdomainPattern: "*.DEV", recordTypes: ["txt", "A"] } },
    ];
    const { body } = await zw.admin.put(path, { groupsClaim: "groups", groupRules, defaultDeny: true });
    const assignment = {
      domainId: zone.id,
      groupName: null,
      tag: null,
      subdomainPattern: "*.dev",
      access: "read",
      recordTypes: ["A", "TXT"],
    };
    expect(body).toMatchObject({
      groupsClaim: "groups",
      defaultDeny: true,
      groupRules: [{ group: "dns", role: null, assignment }],
    });
    expect((await zw.admin.get("/api/oauth/providers")).body.providers).toEqual([body]);
    const member = await zw.member("learns-no-rules");
    const { providers } = (await member.get("/api/oauth/providers")).body;
    expect(providers).toEqual([
      { ...body, groupsClaim: null, groupRules: [], groupRulesVersion: expect.any(String), defaultDeny: false },
    ]);
    expect(providers[0].groupRulesVersion).not.toBe(body.groupRulesVersion);
    expect((await zw.admin.put(path, { groupsClaim: "" })).body.groupsClaim).toBeNull();
  });

  test("rules made from others than the stored ones are refused with 409, and other fields are not", async () => {
    const first = (await zw.admin.put(path, { groupRules: [rule("web"), rule("contractors")] })).body;
    const { groupRulesVersion } = first;
    const second = (await zw.admin.put(path, { groupRules: [rule("web")], groupRulesVersion })).body;
    expect(second.groupRules).toHaveLength(1);
    expect(second.groupRulesVersion).not.toBe(groupRulesVersion);
    const late = { groupRules: [...first.groupRules, rule("dns")].map(({ group }) => rule(group)) };
    const { status, body } = await zw.admin.put(path, { ...late, defaultDeny: true, groupRulesVersion });
    const message = "The rules for groups were changed meanwhile. Read them again.";
    expect([status, body.code, body.issues]).toEqual([409, "CONFLICT", [{ path: ["groupRulesVersion"], message }]]);
    const { providers } = (await zw.admin.get("/api/oauth/providers")).body;
    expect(providers).toEqual([second]);
    const { body: other } = await zw.admin.put(path, { groupsClaim: "groups" });
    expect(other.groupRulesVersion).toBe(second.groupRulesVersion);
    expect((await zw.admin.put(path, { ...late, groupRulesVersion: other.groupRulesVersion })).status).toBe(200);
  });

  test.each<[what: string, fields: object, field: (string | number)[]]>([
    ["a rule that gives nothing", { groupRules: [{ group: "a" }] }, ["groupRules", 0]],
    ["no target", { groupRules: [{ group: "a", assignment: {} }] }, ["groupRules", 0, "assignment"]],
    [
      "two targets",
      { groupRules: [{ group: "a", assignment: { tag: "a", groupName: "b" } }] },
      ["groupRules", 0, "assignment"],
    ],
    [
      "an unknown domain",
      { groupRules: [{ group: "a", assignment: { domainId: unknownId } }] },
      ["groupRules", 0, "assignment", "domainId"],
    ],
    [
      "a bad host pattern",
      { groupRules: [{ group: "a", assignment: { tag: "a", subdomainPattern: "a..b" } }] },
      ["groupRules", 0, "assignment", "subdomainPattern"],
    ],
    ["an unknown role", { groupRules: [{ group: "a", role: "owner" }] }, ["groupRules", 0, "role"]],
    ["201 rules", { groupRules: Array.from({ length: 201 }, () => ({ group: "a", role: "member" })) }, ["groupRules"]],
    ["an empty name in the path", { groupsClaim: "a..b" }, ["groupsClaim"]],
    ["a very long path", { groupsClaim: "a".repeat(513) }, ["groupsClaim"]],
  ])("%s is refused", async (_what, fields, field) => {
    const { status, body } = await zw.admin.put(path, fields);
    expect([status, body.issues?.[0]?.path]).toEqual([400, field]);
  });

  test("a dry run says what sample claims would give, with stored rules or others, and stores nothing", async () => {
    const groupRules = [
      { group: "dns", role: "auditor" },
      { group: "web", assignment: { tag: "web", access: "propose" } },
    ];
    await zw.admin.put(path, { groupsClaim: "realm_access.roles", groupRules, defaultDeny: true });
    const before = (await zw.admin.get("/api/oauth/providers")).body;
    const dry = async (body: object) => (await zw.admin.post(`${path}/groups/test`, body)).body;
    expect(await dry({ claims: { realm_access: { roles: ["web", "dns", "x"] } } })).toEqual({
      groups: ["web", "dns", "x"],
      groupCount: 3,
      matchedRules: [0, 1],
      role: "auditor",
      assignments: [
        { domainId: null, groupName: null, tag: "web", subdomainPattern: "*", access: "propose", recordTypes: [] },
      ],
      allowed: true,
      withheld: false,
    });
    const nothing = { groupCount: 0, matchedRules: [], role: null, assignments: [], allowed: false };
    for (const claims of [{}, { realm_access: null }, { realm_access: [] }, { groups: ["dns"] }])
      expect(await dry({ claims })).toMatchObject(nothing);
    const other = { groupsClaim: "groups", groupRules: [{ group: "dns", role: "admin" }], defaultDeny: false };
    expect(await dry({ claims: { groups: "dns" }, ...other })).toMatchObject({ role: "admin", allowed: true });
    for (const hostile of ["__proto__", "__proto__.toString", "constructor.name", "a.".repeat(200)])
      expect((await zw.admin.post(`${path}/groups/test`, { claims: {}, groupsClaim: hostile })).status).toBeLessThan(
        500,
      );
    expect((await zw.admin.get("/api/oauth/providers")).body).toEqual(before);
  });

  test("an owner cannot give a domain a tag or group that a rule names", async () => {
    await zw.admin.put(path, {
      groupRules: [
        { group: "a", assignment: { tag: "ruled" } },
        { group: "a", assignment: { groupName: "Ruled" } },
      ],
    });
    const owner = await zw.member("owner");
    const providerConfigId = await manualConfig(zw);
    await zw.admin.put(`/api/provider-configs/${providerConfigId}`, { membersMayUse: true });
    const made = await owner.post("/api/domains", { name: freshName(), providerConfigId });
    expect(made.status).toBe(201);
    const set = async (fields: object) => (await owner.put(`/api/domains/${made.body.id}`, fields)).status;
    expect([await set({ tags: ["ruled"] }), await set({ groupName: "Ruled" }), await set({ tags: ["free"] })]).toEqual([
      403, 403, 200,
    ]);
  });
});
