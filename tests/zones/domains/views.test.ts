import { describe, expect, test } from "vitest";
import { addZone, bothViews, freshName, manualConfig } from "../../support/zones.ts";
import { useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright();

const views = async (query: string) => {
  const { body } = await zw.admin.get(`/api/domains?${query}`);
  return body.domains.map(({ name, view }: { name: string; view: string }) => `${name} ${view}`);
};

describe("identity", () => {
  test("several domains can share a name if their views differ, and each name and view exists once", async () => {
    const name = freshName();
    const domain = { name, providerConfigId: await manualConfig(zw) };
    expect((await zw.admin.post("/api/domains", domain)).body).toMatchObject({ name, view: "", autoCheckExpiry: true });
    const internal = await zw.admin.post("/api/domains", { ...domain, view: "Internal" });
    // The registration is looked up once, for the default view.
    expect(internal.body).toMatchObject({ name, view: "internal", autoCheckExpiry: false });
    const lab = await zw.admin.post("/api/domains", { ...domain, name: `${name.toUpperCase()}!Lab-2` });
    expect(lab.body).toMatchObject({ name, view: "lab-2" });
    for (const again of [
      { ...domain, view: "" },
      { ...domain, view: "Default" },
      { ...domain, name: `${name}!default` },
      { ...domain, view: "lab-2" },
      { ...domain, name: `${name}!internal` },
    ])
      expect(await zw.admin.post("/api/domains", again)).toMatchObject({ status: 409, body: { code: "CONFLICT" } });
    expect(await views(`search=${name}`)).toEqual([`${name} `, `${name} internal`, `${name} lab-2`]);
  });

  test.each([
    ["-internal", "view"],
    ["internal-", "view"],
    ["in ternal", "view"],
    ["büro", "view"],
    ["a".repeat(64), "view"],
    ["a.b", "view"],
    ["!", "view"],
  ])("the view %j is refused by its field", async (view, field) => {
    const { status, body } = await zw.admin.post("/api/domains", { name: freshName(), view });
    expect({ status, path: body.issues[0].path }).toEqual({ status: 400, path: [field] });
  });

  test.each(["example.com!", "example.com!-a", "!internal", "example.com!a!b", "example.com!a.b"])(
    "the name %j is refused with advice",
    async (name) => {
      const { status, body } = await zw.admin.post("/api/domains", { name });
      expect({ status, path: body.issues[0].path }).toEqual({ status: 400, path: ["name"] });
    },
  );

  test("a name and a view that differ are refused", async () => {
    const answer = await zw.admin.post("/api/domains", { name: `${freshName()}!lab`, view: "internal" });
    expect(answer).toMatchObject({ status: 400, body: { issues: [{ path: ["view"] }] } });
  });

  test("of twenty simultaneous creations of one view, one succeeds", async () => {
    const domain = { name: `${freshName()}!internal`, providerConfigId: await manualConfig(zw) };
    const answers = await Promise.all(Array.from({ length: 20 }, () => zw.admin.post("/api/domains", domain)));
    expect(answers.filter(({ status }) => status !== 409).map(({ status }) => status)).toEqual([201]);
  });
});

describe("a name that stands for a domain", () => {
  test("a bare name means the default view or the only view, and is otherwise refused with the views listed", async () => {
    const providerConfigId = await manualConfig(zw);
    const [both] = await bothViews(zw, providerConfigId);
    expect(await views(`name=${both.name}`)).toEqual([`${both.name} `]);
    expect(await views(`name=${both.name}!internal`)).toEqual([`${both.name} internal`]);
    expect(await views(`name=${both.name}&view=internal`)).toEqual([`${both.name} internal`]);
    expect(await views(`name=${both.name}!lab`)).toEqual([]);
    const only = await addZone(zw, { name: `${freshName()}!lab`, providerConfigId });
    expect(await views(`name=${only.name}`)).toEqual([`${only.name} lab`]);
    await addZone(zw, { name: `${only.name}!internal`, providerConfigId });
    const { status, body } = await zw.admin.get(`/api/domains?name=${only.name}`);
    expect({ status, detail: body.detail }).toEqual({
      status: 409,
      detail: `${only.name} has several views here. Choose one: ${only.name}!internal, ${only.name}!lab.`,
    });
    expect((await zw.admin.get(`/api/domains/zone-of?name=www.${only.name}`)).status).toBe(409);
  });

  test("a host name that ends in a view finds the zone of that view", async () => {
    const [zone, internal] = await bothViews(zw, await manualConfig(zw));
    const zoneOf = async (name: string) => {
      const { body } = await zw.admin.get(`/api/domains/zone-of?name=${encodeURIComponent(name)}`);
      return [body.domain.id, body.host];
    };
    expect(await zoneOf(`www.${zone.name}`)).toEqual([zone.id, "www"]);
    expect(await zoneOf(`www.${zone.name}!internal`)).toEqual([internal.id, "www"]);
    // A longer zone without that view does not hide a shorter one with it.
    const below = await addZone(zw, { name: `dev.${zone.name}`, providerConfigId: await manualConfig(zw) });
    expect(await zoneOf(`a.dev.${zone.name}`)).toEqual([below.id, "a"]);
    expect(await zoneOf(`a.dev.${zone.name}!internal`)).toEqual([internal.id, "a.dev"]);
  });

  test("a bare name reveals no views that the caller may not see", async () => {
    const providerConfigId = await manualConfig(zw);
    const name = freshName();
    const [internal] = [await addZone(zw, { name: `${name}!internal`, providerConfigId })];
    await addZone(zw, { name: `${name}!lab`, providerConfigId });
    const member = await zw.member("views-reader");
    const { body: me } = await member.get("/api/auth/me");
    await zw.admin.post("/api/assignments", {
      userId: me.id,
      domainId: internal.id,
      subdomainPattern: "*",
      access: "read",
    });
    const { body } = await member.get(`/api/domains?name=${name}`);
    expect(body.domains.map(({ view }: { view: string }) => view)).toEqual(["internal"]);
    expect((await member.get("/api/assignments")).body.assignments[0].domainName).toBe(`${name}!internal`);
  });

  test("a search for a name and the beginning of a view finds that view", async () => {
    const [zone] = await bothViews(zw, await manualConfig(zw));
    expect(await views(`search=${zone.name}!int`)).toEqual([`${zone.name} internal`]);
    expect(await views(`search=${zone.name}&view=default`)).toEqual([`${zone.name} `]);
    expect(await views(`search=${zone.name}&view=internal`)).toEqual([`${zone.name} internal`]);
  });
});

test("a member learns nothing about which views of another user's domain exist", async () => {
  const config = await zw.admin.post("/api/provider-configs", { kind: "manual", name: "Probed", membersMayUse: true });
  const providerConfigId = config.body.id;
  const name = freshName();
  await addZone(zw, { name: `${name}!secret`, providerConfigId });
  const member = await zw.member("views-prober");
  const answers = await Promise.all(
    ["secret", "other"].map((view) => member.post("/api/domains", { name, view, providerConfigId })),
  );
  expect(answers.map(({ status, body }) => [status, body.detail])).toEqual([
    [403, answers[1]?.body.detail],
    [403, answers[0]?.body.detail],
  ]);
});
