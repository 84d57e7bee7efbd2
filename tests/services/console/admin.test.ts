import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import { hetzner } from "../../support/vendors/rrsets/hetzner.ts";
import { startRrsetVendor } from "../../support/vendors/rrsets/server.ts";
import { addZone, fileZone, freshName } from "../../support/zones.ts";
import { memberPassword } from "../../support/zonewright.ts";

const site = useConsole({ env: { EGRESS_ALLOW: "127.0.0.1" } });

const hostile = `<img src=x onerror="document.title='owned'"><b>bold</b>`;

async function open(path: string, heading: string): Promise<Page> {
  const page = await site.signedIn({ path });
  await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
  return page;
}

/** Opens the menu of a row and chooses an action. */
async function choose(page: Page, button: string, item: string): Promise<void> {
  await page.getByRole("button", { name: button }).click();
  await page.getByRole("menuitem", { name: item }).click();
}

test("the form of every kind of provider has a field for each of its settings, and none shows a secret", async () => {
  const { body } = await site.zonewright.admin.get("/api/providers");
  const page = await open("/admin/providers", "DNS providers");
  for (const { kind, name, configFields } of body.providers) {
    await page.getByRole("link", { name: "Add provider" }).click();
    await page.getByRole("link", { name: new RegExp(`^${name.replaceAll(/[()]/g, ".")}`) }).click();
    await page.getByRole("heading", { name: `Connect ${name}`, level: 1 }).waitFor();
    expect(page.url()).toContain(`kind=${kind}`);
    const form = page.locator("form");
    // The name of the configuration, and whether members may use it.
    await expect.poll(async () => await form.locator("input, select").count()).toBe(configFields.length + 2);
    const secrets = configFields.filter(({ secret }: { secret: boolean }) => secret).length;
    expect(await form.locator("input[type=password]").count()).toBe(secrets);
    await page.getByRole("link", { name: "DNS providers" }).click();
  }
});

test("a provider is found by its vendor's name, and its row says how many calls its account has left", async () => {
  const vendor = await startRrsetVendor(hetzner);
  onTestFinished(vendor.stop);
  const page = await open("/admin/providers/new", "Connect a provider");
  await photograph(page, "provider-kinds");
  const search = page.getByRole("searchbox", { name: "Search by vendor or server" });
  const offered = page.locator("main").getByRole("link").locator("strong");
  await search.fill("cloud goo");
  await expect.poll(async () => await offered.allTextContents()).toEqual(["Google Cloud DNS"]);
  await search.fill("Microsoft");
  await expect.poll(async () => await offered.allTextContents()).toEqual(["Azure DNS"]);
  await search.fill("harbour");
  await page.getByText("None of that name. A webhook adapter connects anything else.").waitFor();
  expect(await offered.allTextContents()).toEqual(["Webhook adapter"]);
  await search.fill("hetz");
  await search.press("Enter");
  await page.getByRole("heading", { name: "Connect Hetzner", level: 1 }).waitFor();
  const { token = "", endpoint = "" } = vendor.config;
  await page.getByLabel("API token").fill(token);
  expect(await page.getByLabel("API address").isVisible()).toBe(false);
  await page.getByText("More settings").click();
  await page.getByLabel("API address").fill(endpoint);
  const headers = { "ratelimit-limit": "3600", "ratelimit-remaining": "3541", "ratelimit-reset": "60" };
  const ofZones = { zones: [], meta: { pagination: { next_page: null, total_entries: 0 } } };
  vendor.failNext({ after: false, reply: { status: 200, headers, body: JSON.stringify(ofZones) } }, 2);
  await page.getByRole("button", { name: "Save and test" }).click();
  await page.getByRole("heading", { name: "Import zones from Hetzner" }).waitFor();
  await page.goto(`${site.url}/admin/providers`);
  const row = page.getByRole("row").filter({ hasText: "Hetzner" });
  await row.getByText("Calls left: 3,541 of 3,600").waitFor();
  await photograph(page, "providers-calls");
});

test("a saved secret leaves the page, also when the provider refuses it, and an edit keeps it", async () => {
  const secret = "bm90IGEgcmVhbCBzZWNyZXQgYXQgYWxs";
  const page = await open("/admin/providers/new?kind=rfc2136", "Connect Name server (RFC 2136)");
  await page.getByLabel("Name", { exact: true }).fill("Name server of tests");
  await page.getByLabel("Name server", { exact: true }).fill("127.0.0.1:9");
  await page.getByLabel("TSIG key name").focus();
  await page.getByText("Taken from the name server's field.").waitFor();
  expect(await page.getByLabel("Name server", { exact: true }).inputValue()).toBe("127.0.0.1");
  expect(await page.getByLabel("Port").inputValue()).toBe("9");
  await page.getByLabel("TSIG key name").fill("key.test");
  await page.getByLabel("TSIG secret").fill(secret);
  await page.getByLabel("Zones").fill("refused.test");
  await page.getByLabel("Seconds to wait").fill("1");
  await page.getByRole("button", { name: "Save and test" }).click();
  await page.getByRole("alert").getByText("Configuration saved").waitFor();
  expect(await page.content()).not.toContain(secret);
  expect(await page.getByLabel("TSIG secret").inputValue()).toBe("");
  await page.goto(`${site.url}/admin/providers`);
  await page
    .getByRole("row")
    .filter({ hasText: "Name server of tests" })
    .getByText(/^Fails, /)
    .waitFor();
  // Whoever else looks, in a browser of their own, reads the same.
  const other = await open("/admin/providers", "DNS providers");
  await other
    .getByRole("row")
    .filter({ hasText: "Name server of tests" })
    .getByText(/^Fails, /)
    .waitFor();
  await other.getByText("Not tested yet").waitFor();
  await photograph(other, "providers");
  await choose(page, "More actions for Name server of tests", "Edit");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill("Renamed name server");
  await dialog.getByRole("button", { name: "Save and test" }).click();
  await dialog.getByText("Configuration saved").waitFor();
  await dialog.getByRole("button", { name: "Keep it and go on" }).click();
  await page.getByRole("cell", { name: "Renamed name server", exact: true }).waitFor();
  await page.getByText("Fails").waitFor();
  const { body } = await site.zonewright.admin.get("/api/provider-configs");
  const stored = body.configs.find(({ name }: { name: string }) => name === "Renamed name server");
  expect(stored.config.tsigSecret).toBe("********");
  await choose(page, "More actions for Renamed name server", "Delete");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("Renamed name server deleted.").waitFor();
});

test("a wrong setting is explained at its field", async () => {
  const page = await open("/admin/providers/new?kind=powerdns", "Connect PowerDNS");
  site.expected.push("400");
  await page.getByLabel("API address").fill("ftp://nowhere");
  await page.getByRole("button", { name: "Save and test" }).click();
  await page.getByLabel("API key").and(page.locator("[aria-invalid=true]")).waitFor();
  await page.getByLabel("API address").and(page.locator("[aria-invalid=true]")).waitFor();
});

test("a user is created, edited, and loses every way in", async () => {
  const page = await open("/admin/users", "Users");
  await page.getByRole("button", { name: "Add user" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Username").fill("mira");
  await dialog.getByLabel("Email").fill("mira@example.com");
  await dialog.getByLabel("Password").fill("short");
  await dialog.getByRole("button", { name: "Add user" }).click();
  await dialog.getByText("A password must have at least 12 characters.").waitFor();
  await dialog.getByLabel("Password").fill(memberPassword);
  await dialog.getByRole("button", { name: "Add user" }).click();
  await page.getByText("mira added.").waitFor();
  const mira = await site.zonewright.signIn("mira", memberPassword);
  expect((await mira.get("/api/auth/me")).status).toBe(200);

  await choose(page, "Actions for mira", "Edit");
  await dialog.getByLabel("Full name").fill("Mira K.");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("mira updated.").waitFor();
  await page.getByText("Mira K. · mira@example.com").waitFor();

  await choose(page, "Actions for mira", "Ways in");
  await dialog.getByRole("region", { name: "Sessions" }).waitFor();
  await expectAccessible(page);
  await photograph(page, "ways-in");
  await dialog.getByRole("button", { name: "Revoke all" }).click();
  const question = page.getByRole("dialog", { name: "Revoke every way into mira's account?" });
  await question.getByRole("button", { name: "Revoke all" }).click();
  await dialog.getByText("Nobody can get into this account.").waitFor();
  expect((await mira.get("/api/auth/me")).status).toBe(401);
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();

  await choose(page, "Actions for mira", "Delete");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("mira deleted.").waitFor();
});

test("deleting a user who owns domains asks for the new owner", async () => {
  const { admin } = site.zonewright;
  const { body: config } = await admin.post("/api/provider-configs", {
    kind: "manual",
    name: "By hand",
    membersMayUse: true,
  });
  const otto = await site.zonewright.member("otto");
  const { body: domain } = await otto.post("/api/domains", { name: "otto.test", providerConfigId: config.id });
  const page = await open("/admin/users", "Users");
  await choose(page, "Actions for otto", "Delete");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("owns 1 domain.").waitFor();
  await dialog.getByLabel("New owner").fill("nobody-like-this");
  await page.keyboard.press("Tab");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await dialog.getByText("Choose who gets them from the list.").waitFor();
  await dialog.getByLabel("New owner").fill("adm");
  await page.getByRole("option", { name: /^admin/ }).click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("otto deleted.").waitFor();
  const { body: me } = await admin.get("/api/auth/me");
  expect((await admin.get(`/api/domains/${domain.id}`)).body.ownerId).toBe(me.id);
});

test("an invitation's link registers an account, and a withdrawn invitation is gone", async () => {
  const page = await open("/admin/invitations", "Invitations");
  await page.getByRole("button", { name: "Invite" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("How many people").fill("2");
  await dialog.getByRole("button", { name: "Create" }).click();
  const link = await dialog.getByLabel("Link").inputValue();
  await expectAccessible(page);
  await photograph(page, "invitation");
  await dialog.getByRole("button", { name: "Done" }).click();

  const guest = await site.open();
  await guest.goto(link);
  await guest.getByLabel("Username").fill("guest");
  await guest.getByLabel("Password").fill(memberPassword);
  await guest.getByRole("button", { name: "Create the account" }).click();
  await guest.getByRole("navigation", { name: "Main" }).waitFor();

  await page.reload();
  await page.getByText("1 of 2").waitFor();
  await page.getByRole("button", { name: /^Withdraw/ }).click();
  await dialog.getByRole("button", { name: "Withdraw" }).click();
  await page.getByText("No invitations").waitFor();
});

test("invitations that are withdrawn one after another are all withdrawn, and a refusal of one is said", async () => {
  const { admin } = site.zonewright;
  const invitations: { id: string; uses: string }[] = [];
  for (const maxUses of [3, 4, 5]) {
    const { body } = await admin.post("/api/invitations", { role: "admin", maxUses, expiresAt: null });
    invitations.push({ id: body.id, uses: `0 of ${maxUses}` });
  }
  const page = await open("/admin/invitations", "Invitations");
  const confirmed = Promise.withResolvers<undefined>();
  await page.route("**/trpc/invitations.delete*", async (route) => {
    await confirmed.promise;
    await route.continue();
  });
  const dialog = page.getByRole("dialog", { name: "Withdraw this invitation?" });
  for (const { uses } of invitations) {
    await page.getByRole("row").filter({ hasText: uses }).getByRole("button").click();
    await dialog.getByRole("button", { name: "Withdraw" }).click();
    await dialog.waitFor({ state: "hidden" });
  }
  site.expected.push("404");
  await admin.delete(`/api/invitations/${invitations[0]?.id}`);
  confirmed.resolve(undefined);
  await page.getByRole("heading", { name: "No invitations" }).waitFor();
  await page.getByRole("alert").getByText("The invitation does not exist").waitFor();
});

test("a sign-in provider is set up, turned on and deleted, and its secret is never shown again", async () => {
  const page = await open("/admin/sign-in", "Sign-in providers");
  await page.getByRole("button", { name: "Set up: GitHub" }).click();
  const dialog = page.getByRole("dialog");
  await expect
    .poll(async () => await dialog.getByLabel("Redirect address").inputValue())
    .toBe(`${site.url}/api/auth/oauth/github/callback`);
  await dialog.getByLabel("Client ID").fill("Iv1.0123456789abcdef");
  await dialog.getByLabel("Client secret").fill("a secret of the provider");
  await dialog.getByLabel("People can sign in").uncheck();
  await expectAccessible(page);
  await photograph(page, "sign-in-provider");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("GitHub saved.").waitFor();
  expect(await page.content()).not.toContain("a secret of the provider");
  await page.getByRole("button", { name: "Turn on: GitHub" }).click();
  await page.getByText("GitHub is on.").waitFor();
  const signIn = await site.open();
  await signIn.goto(site.url);
  await signIn
    .getByRole("button", { name: /GitHub/ })
    .or(signIn.getByRole("link", { name: /GitHub/ }))
    .waitFor();
  await choose(page, "More actions for GitHub", "Delete");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("GitHub deleted.").waitFor();
});

test("the groups of a sign-in provider are mapped to roles and access, and tried before they are saved", async () => {
  const { admin } = site.zonewright;
  const wish = { providerId: "gitlab", clientId: "a client", clientSecret: "a secret of the client" };
  const { body: config } = await admin.post("/api/oauth/providers", wish);
  await admin.post("/api/domains", { name: "grouped.test" });
  const page = await open("/admin/sign-in", "Sign-in providers");
  await choose(page, "More actions for GitLab", "Groups…");
  await page.getByRole("heading", { name: "Groups of GitLab" }).waitFor();
  await page.getByLabel("Claim with the groups").fill("realm.roles");
  await page.getByRole("button", { name: "Add a rule" }).click();
  await page.getByRole("button", { name: "Add a rule" }).click();
  const [first, second] = [page.getByRole("group", { name: "Rule 1" }), page.getByRole("group", { name: "Rule 2" })];
  await first.getByLabel("Group", { exact: true }).fill("security");
  await first.getByLabel("Role").selectOption("Auditor");
  await second.getByLabel("Group", { exact: true }).fill("web");
  await second.getByLabel("Access to").selectOption("A zone");
  await second.getByLabel("Zone").fill("no-such.test");
  await second.getByLabel("May", { exact: true }).selectOption("change records");
  await second.getByLabel("Record types").fill("a aaaa");
  await page.getByLabel("Somebody's groups").fill("web\nkitchen");
  await page.getByRole("button", { name: "Try", exact: true }).click();
  await second.getByText("No zone has this name.").waitFor();
  await second.getByLabel("Zone").fill("grouped.test");
  await page.getByRole("button", { name: "Try", exact: true }).click();
  const result = page.getByRole("region", { name: "Result" });
  await result.getByText("May sign in.").waitFor();
  await result.getByText("Groups found: web, kitchen").waitFor();
  await result.getByText("Rules that apply: 2").waitFor();
  await result.getByText("change records of all hosts (A, AAAA) in grouped.test").waitFor();
  await expectAccessible(page);
  await photograph(page, "directory-groups");
  const stored = async () => (await admin.get("/api/oauth/providers")).body.providers;
  expect(await stored()).toMatchObject([{ id: config.id, groupsClaim: null, groupRules: [] }]);
  await page.getByLabel("Only people in one of these groups").check();
  await page.getByLabel("Somebody's groups").fill("kitchen");
  await result.getByText("The rules or groups have changed since.").waitFor();
  await page.getByRole("button", { name: "Try", exact: true }).click();
  await result.getByText("May not sign in").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Rules saved.").waitFor();
  expect(await stored()).toMatchObject([
    {
      groupsClaim: "realm.roles",
      defaultDeny: true,
      groupRules: [
        { group: "security", role: "auditor", assignment: null },
        { group: "web", role: null, assignment: { access: "write", recordTypes: ["A", "AAAA"] } },
      ],
    },
  ]);
  await page.reload();
  await expect.poll(async () => await second.getByLabel("Zone").inputValue()).toBe("grouped.test");
  await page.getByRole("button", { name: "Remove rule 1" }).click();
  expect(await page.getByRole("group", { name: /^Rule/ }).count()).toBe(1);
});

test("a group rule whose zone was deleted is marked, and the other rules can still be edited and saved", async () => {
  const { admin } = site.zonewright;
  const [name, gone] = [freshName(), await fileZone(site.zonewright)];
  const internal = await addZone(site.zonewright, { name: `${name}!internal` });
  await addZone(site.zonewright, { name: `${name}!external` });
  const assignment = { domainId: gone.id, access: "read" };
  const groupRules = [
    { group: "old", assignment },
    { group: "older", assignment },
    { group: "inside", assignment: { domainId: internal.id, access: "read" } },
  ];
  const client = { providerId: "google", clientId: "a client", clientSecret: "a secret of the client" };
  const wish = { ...client, groupsClaim: "groups", groupRules };
  expect((await admin.post("/api/oauth/providers", wish)).status).toBe(201);
  expect((await admin.delete(`/api/domains/${gone.id}`)).status).toBe(200);
  // The zone that is gone, and the name of two views.
  site.expected.push("404", "409");
  const page = await open("/admin/sign-in/google", "Groups of Google");
  const rule = (position: number) => page.getByRole("group", { name: `Rule ${position}` });
  await rule(1).getByText("This rule's zone was deleted.").waitFor();
  await rule(2).getByText("This rule's zone was deleted.").waitFor();
  expect(await rule(3).getByLabel("Zone").inputValue()).toBe(`${name}!internal`);
  await expectAccessible(page);
  await photograph(page, "group-rule-of-a-deleted-zone");
  await page.getByRole("button", { name: "Remove rule 2" }).click();
  await page.getByLabel("Somebody's groups").fill("inside");
  await rule(1).getByLabel("Zone").fill(name);
  await page.getByRole("button", { name: "Try", exact: true }).click();
  await rule(1).getByText("Several views have this name.").waitFor();
  await rule(1).getByLabel("Zone").fill(`${name}!external`);
  await page.getByRole("button", { name: "Try", exact: true }).click();
  const result = page.getByRole("region", { name: "Result" });
  await result.getByText(`read records of all hosts in ${name}!internal`).waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Rules saved.").waitFor();
});

test("saving the settings of groups keeps rules that others removed meanwhile, and asks about rules that both changed", async () => {
  const { admin } = site.zonewright;
  const client = { providerId: "github", clientId: "a client", clientSecret: "a secret of the client" };
  const both = [
    { group: "contractors", role: "admin" },
    { group: "web", role: "member" },
  ];
  const { body: config } = await admin.post("/api/oauth/providers", {
    ...client,
    groupsClaim: "groups",
    groupRules: both,
  });
  const path = `/api/oauth/providers/${config.id}`;
  const stored = async () => {
    const { providers } = (await admin.get("/api/oauth/providers")).body;
    const { groupRules, defaultDeny } = providers.find(({ id }: { id: string }) => id === config.id);
    return [groupRules.map(({ group }: { group: string }) => group), defaultDeny];
  };
  const page = await open("/admin/sign-in/github", "Groups of GitHub");
  const rule = (position: number) => page.getByRole("group", { name: `Rule ${position}` });
  await rule(2).waitFor();
  await admin.put(path, { groupRules: both.slice(1) });
  await page.getByLabel("Only people in one of these groups").check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Rules saved.").waitFor();
  expect(await stored()).toEqual([["web"], true]);
  await rule(2).waitFor({ state: "detached" });

  await rule(1).getByLabel("Group", { exact: true }).fill("webmasters");
  await admin.put(path, { groupRules: [{ group: "dns", role: "auditor" }] });
  site.expected.push("409");
  await page.getByRole("button", { name: "Save" }).click();
  const alert = page.getByRole("alert").filter({ hasText: "Others changed the rules while you edited them." });
  await alert.getByText("dns: Auditor").waitFor();
  await expect.poll(() => alert.evaluate((element) => element === document.activeElement)).toBe(true);
  await expectAccessible(page);
  expect(await stored()).toEqual([["dns"], true]);
  expect(await rule(1).getByLabel("Group", { exact: true }).inputValue()).toBe("webmasters");
  await alert.getByRole("button", { name: "Replace them with mine" }).click();
  await alert.waitFor({ state: "detached" });
  await expect.poll(stored).toEqual([["webmasters"], true]);
  const saveButton = page.getByRole("button", { name: "Save" });
  expect(await saveButton.evaluate((element) => element === document.activeElement)).toBe(true);
});

test("Enter in a new rule for groups stores it and leaves the focus in its field, and its trial stays as tried", async () => {
  const { admin } = site.zonewright;
  const client = { providerId: "gitlab", clientId: "a client", clientSecret: "a secret of the client" };
  await admin.post("/api/oauth/providers", {
    ...client,
    groupsClaim: "groups",
    groupRules: [
      { group: "contractors", role: "admin" },
      { group: "web", role: "member" },
    ],
  });
  const page = await open("/admin/sign-in/gitlab", "Groups of GitLab");
  const rule = (position: number) => page.getByRole("group", { name: `Rule ${position}` });
  await rule(1)
    .getByRole("button", { name: /^Remove/ })
    .click();
  await page.getByRole("button", { name: "Add a rule" }).click();
  await rule(2).getByLabel("Role").selectOption("auditor");
  const field = rule(2).getByLabel("Group", { exact: true });
  await field.fill("dns");
  await page.getByLabel("Somebody's groups").fill("dns");
  await page.getByRole("button", { name: "Try", exact: true }).click();
  await page.getByRole("region", { name: "Result" }).waitFor();
  await field.press("Enter");
  await page.getByText("Rules saved.").waitFor();
  await expect.poll(() => page.getByRole("button", { name: "Save" }).getAttribute("aria-busy")).toBeNull();
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await page.getByText("The rules or groups have changed since.").count()).toBe(0);
});

test("a member sees no administration, and its addresses refuse plainly", async () => {
  await site.zonewright.member("lena");
  const page = await site.signedIn({ username: "lena", password: memberPassword });
  const rail = page.getByRole("navigation", { name: "Main" });
  for (const name of ["Users", "Invitations", "DNS providers", "Sign-in providers", "Channels"]) {
    expect(await rail.getByRole("link", { name }).count()).toBe(0);
  }
  for (const path of [
    "users",
    "invitations",
    "providers",
    "providers/new",
    "providers/x/zones",
    "sign-in",
    "channels",
    "channels/new",
  ]) {
    await page.goto(`${site.url}/admin/${path}`);
    await page.getByRole("heading", { name: "This page is for administrators" }).waitFor();
  }
});

test("markup in names stays text on every page of administration", async () => {
  const { admin } = site.zonewright;
  await admin.post("/api/provider-configs", { kind: "manual", name: hostile });
  await admin.post("/api/users", {
    username: "markup",
    password: memberPassword,
    role: "member",
    displayName: hostile,
  });
  const page = await open("/admin/providers", "DNS providers");
  await page.getByText(hostile, { exact: true }).waitFor();
  await page.goto(`${site.url}/admin/users`);
  await page.getByText(hostile, { exact: true }).waitFor();
  expect(await page.locator("main b, main img").count()).toBe(0);
  expect(await page.title()).toBe("Users · Zonewright");
});

test("the pages of administration have no accessibility findings, in both themes and at 320 pixels", async () => {
  const pages = {
    users: "Users",
    invitations: "Invitations",
    providers: "DNS providers",
    "sign-in": "Sign-in providers",
    "channels/new": "Add a channel",
  };
  for (const dark of [false, true]) {
    const page = await site.signedIn({ dark, width: dark ? 320 : 1280 });
    for (const [path, heading] of Object.entries({
      ...pages,
      "providers/new": "Connect a provider",
      "providers/new?kind=rfc2136": "Connect",
    })) {
      await page.goto(`${site.url}/admin/${path}`);
      await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
      await expectAccessible(page);
      const width = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(width).toBeLessThanOrEqual(0);
      if (!dark) await photograph(page, `admin-${path.replace(/\W/g, "-")}`);
    }
  }
});
