import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { content, reset, startPrivateRoot, zoneName } from "../../registry/delegation/private-root.ts";
import { Clock, minute } from "../../support/clock.ts";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import {
  registered,
  startGandi,
  startPorkbun,
  type RegistrarAccount,
} from "../../support/vendors/registrars/account.ts";
import { adminPassword, memberPassword } from "../../support/zonewright.ts";

const clock = new Clock();
const root = await startPrivateRoot();
const site = useConsole({
  now: clock.now,
  env: { RESOLVER_ROOTS: root.roots, EGRESS_ALLOW: "127.0.0.0/8", JOBS: "off" },
});
let gandi: RegistrarAccount;
let porkbun: RegistrarAccount;
let configs: Record<"gandi" | "porkbun", string>;
let path: string;

beforeAll(async () => {
  [gandi, porkbun] = await Promise.all([startGandi(), startPorkbun()]);
  const { admin } = site.zonewright;
  const add = async (kind: string, name: string, { config }: RegistrarAccount) =>
    (await admin.post("/api/registrar-configs", { kind, name, config })).body.id;
  configs = { gandi: await add("gandi", "Gandi account", gandi), porkbun: await add("porkbun", "Pigs", porkbun) };
  path = `/api/domains/${(await admin.post("/api/domains", { name: zoneName })).body.id}`;
});
afterAll(async () => {
  await Promise.all([gandi.stop(), porkbun.stop(), root.internet.stop()]);
});

const account = () => gandi.domains.get(zoneName) ?? registered();
beforeEach(async () => {
  reset(root);
  for (const { domains } of [gandi, porkbun])
    domains.set(zoneName, registered({ nameServers: ["ns1.one.tld", "ns2.one.tld"] }));
  const { admin } = site.zonewright;
  admin.token = (await site.zonewright.signIn("admin", adminPassword)).token;
  await admin.put(path, { registrarConfigId: configs.gandi, reviewRequired: "off", ownerId: null });
});

/** Opens the page after the registrar was asked. */
async function opened(options: { username?: string; password?: string } = {}): Promise<Page> {
  await site.zonewright.admin.post(`${path}/check-expiry`);
  await site.zonewright.admin.post(`${path}/delegation/check`);
  const page = await site.signedIn({ path: `/d/${zoneName}/registration`, ...options });
  await page.getByRole("row").filter({ hasText: "ns1.one.tld" }).waitFor();
  return page;
}
const dialog = (page: Page) => page.getByRole("dialog", { name: `Change the registration of ${zoneName}` });
const done = async (page: Page) => await page.getByText("The registrar has taken the change.").waitFor();

test("a domain's registrar is chosen, is asked, and stands beside the parent zone with what to do", async () => {
  await site.zonewright.admin.put(path, { registrarConfigId: null });
  gandi.domains.set(zoneName, registered({ nameServers: ["ns1.one.tld"], locked: false }));
  const page = await site.signedIn({ path: `/d/${zoneName}/records` });
  await page
    .getByRole("navigation", { name: "Pages of this zone" })
    .getByRole("link", { name: "Registration" })
    .click();
  await page.getByLabel("Registrar", { exact: true }).selectOption({ label: "Gandi account" });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved. “Check now” asks the registrar.").waitFor();
  await page.getByRole("button", { name: "Check now" }).click();
  const servers = page.getByRole("row", { name: /^Name servers/ });
  await servers.getByText("They differ.").waitFor();
  expect(await servers.getByRole("cell").allTextContents()).toEqual([
    "ns1.one.tld",
    "ns1.one.tldns2.one.tldmissing elsewhere",
  ]);
  expect(
    await page
      .getByRole("row", { name: /^Transfer lock/ })
      .getByRole("cell")
      .allTextContents(),
  ).toEqual(["Off", "–"]);
  await page
    .getByRole("row", { name: /^Expires/ })
    .getByText("Mar 1, 2031")
    .waitFor();
  const findings = page.getByRole("list", { name: "What to do" }).getByRole("listitem");
  await expect
    .poll(() => findings.allTextContents())
    .toEqual([
      expect.stringContaining("one.tld can be transferred to another registrar."),
      expect.stringContaining("The name servers of one.tld at the registrar are not those in the parent zone."),
    ]);
  await expectAccessible(page);
  await photograph(page, "registration");
});

test("what is wrong with the delegation is among what to do, and nothing is called fine that nobody checked", async () => {
  const { admin } = site.zonewright;
  root.second.zones = {};
  const page = await opened();
  const findings = page.getByRole("list", { name: "What to do" }).getByRole("listitem");
  await findings.filter({ hasText: "ns2.one.tld" }).first().waitFor();
  const { body } = await admin.get(`${path}/delegation`);
  await expect.poll(() => findings.count()).toBe(body.findings.length);
  await photograph(page, "registration-delegation");
  await expectAccessible(page);
  const until = new Date(Date.now() + 7 * 86_400_000).toISOString();
  for (const { code, name } of body.findings) await admin.post(`${path}/delegation/snooze`, { code, name, until });
  await page.reload();
  await page.getByText("Nothing is wrong.").waitFor();
  for (const { code, name } of body.findings)
    await admin.post(`${path}/delegation/snooze`, { code, name, until: null });

  const { body: unseen } = await admin.post("/api/domains", { name: "unseen.example" });
  const { body: unchecked } = await admin.get(`/api/domains/${unseen.id}/delegation`);
  await page.goto(page.url().replace(zoneName, "unseen.example"));
  await page.getByText(unchecked.notCheckedBecause).first().waitFor();
  expect(await page.getByText("Nothing is wrong.").count()).toBe(0);
});

test("a finding is mended from the page after its plan was shown, and the undo confirms the session", async () => {
  gandi.domains.set(zoneName, registered({ nameServers: ["ns1.one.tld", "ns2.one.tld"], locked: false }));
  const page = await opened();
  await page.getByRole("button", { name: "Turn the lock on…" }).click();
  const shown = dialog(page);
  expect(await shown.locator("ins").textContent()).toContain("+ On");
  expect(account().locked).toBe(false);
  await shown.getByLabel("Reason").fill("CHG-1042");
  await shown.getByRole("button", { name: "Apply at the registrar" }).click();
  await done(page);
  expect(account().locked).toBe(true);
  await page.getByText("Nothing is wrong.").waitFor();
  const { body: trail } = await site.zonewright.admin.get("/api/audit?action=domain.change_registration&limit=1");
  expect(trail.entries[0].after).toMatchObject({ locked: true, message: "CHG-1042" });

  clock.advance(11 * minute);
  site.expected.push("401", "403");
  await page.getByRole("button", { name: "Undo…" }).click();
  await shown.getByText("Without the transfer lock,").waitFor();
  await photograph(page, "registration-plan");
  await expectAccessible(page);
  await shown.getByRole("button", { name: "Apply at the registrar" }).click();
  const confirm = page.getByRole("dialog", { name: "Confirm that it is you" });
  await confirm.getByLabel("Password").fill(adminPassword);
  expect(account().locked).toBe(true);
  await confirm.getByRole("button", { name: "Confirm" }).click();
  await expect.poll(() => account().locked).toBe(false);
  await page.getByRole("button", { name: "Turn the lock on…" }).waitFor();
});

test("name servers that do not answer are applied only after a second confirmation", async () => {
  const page = await opened();
  await page.getByRole("button", { name: "Change…" }).click();
  const shown = dialog(page);
  await shown.getByRole("button", { name: "Show the plan" }).click();
  await shown.getByText("Change a field first.").waitFor();
  site.expected.push("400", "409");
  await shown.getByLabel("DS records").fill("no record");
  await shown.getByRole("button", { name: "Show the plan" }).click();
  await shown.getByText("This must be a DS record as in a zone file").waitFor();
  await expectAccessible(page);
  await photograph(page, "registration-change");
  await shown.getByLabel("DS records").fill("");
  await shown.getByLabel("Name servers").fill("ns1.one.tld\n ns9.one.tld. \n");
  await shown.getByRole("button", { name: "Show the plan" }).click();
  await shown.getByText("ns9.one.tld does not answer for one.tld.").waitFor();
  expect(await shown.locator("del").allTextContents()).toEqual([expect.stringContaining("− ns2.one.tld")]);
  expect(await shown.locator("ins").allTextContents()).toEqual([expect.stringContaining("+ ns9.one.tld")]);
  const apply = shown.getByRole("button", { name: "Apply at the registrar" });
  await apply.click();
  const anyway = shown.getByRole("button", { name: "Apply anyway" });
  await anyway.waitFor();
  expect(await anyway.getAttribute("aria-disabled")).toBe("true");
  await photograph(page, "registration-force");
  expect(account().nameServers).toEqual(["ns1.one.tld", "ns2.one.tld"]);
  await shown.getByLabel("I have read the warnings").check();
  await anyway.click();
  await done(page);
  expect(account().nameServers.toSorted()).toEqual(["ns1.one.tld", "ns9.one.tld"]);
});

test("a plan that others overtook is shown anew, and nothing is done before", async () => {
  const page = await opened();
  await page.getByRole("button", { name: "Change…" }).click();
  const shown = dialog(page);
  await shown.getByLabel("Name servers").fill("ns2.one.tld");
  await shown.getByRole("button", { name: "Show the plan" }).click();
  await shown.locator("del").waitFor();
  account().nameServers = ["ns1.one.tld"];
  site.expected.push("409");
  await shown.getByRole("button", { name: "Apply at the registrar" }).click();
  await shown.getByText("The registration has changed since.").waitFor();
  expect(account().nameServers).toEqual(["ns1.one.tld"]);
  await shown.getByRole("button", { name: "Apply at the registrar" }).click();
  await done(page);
  expect(account().nameServers).toEqual(["ns2.one.tld"]);
});

test("a risk that came up after the plan is shown before anything is done, and confirmed by itself", async () => {
  const page = await opened();
  await page.getByRole("button", { name: "Change…" }).click();
  const shown = dialog(page);
  await shown.getByLabel("Name servers").fill("ns2.one.tld");
  await shown.getByRole("button", { name: "Show the plan" }).click();
  await shown.locator("del").waitFor();
  const silent = shown.getByText("ns2.one.tld does not answer for one.tld.");
  expect(await silent.count()).toBe(0);
  root.second.zones = {};
  site.expected.push("409", "409");
  await shown.getByRole("button", { name: "Apply at the registrar" }).click();
  await shown.getByText("The name servers answer differently than before.").waitFor();
  await silent.waitFor();
  expect(await shown.getByLabel("I have read the warnings").count()).toBe(0);
  await shown.getByRole("button", { name: "Apply at the registrar" }).click();
  await shown.getByLabel("I have read the warnings").check();
  expect(account().nameServers).toEqual(["ns1.one.tld", "ns2.one.tld"]);
  await shown.getByRole("button", { name: "Apply anyway" }).click();
  await done(page);
  expect(account().nameServers).toEqual(["ns2.one.tld"]);
});

/** Applies other name servers at the registrar, and loses the answer. @returns the page, whose dialog says that none came */
async function applyWithoutAnswer(): Promise<Page> {
  const page = await opened();
  await page.getByRole("button", { name: "Change…" }).click();
  const shown = dialog(page);
  await shown.getByLabel("Name servers").fill("ns2.one.tld");
  await shown.getByRole("button", { name: "Show the plan" }).click();
  await shown.locator("del").waitFor();
  site.expected.push("ERR_FAILED");
  await page.route(/registrations\.update/, async (route) => {
    await route.fetch();
    await route.abort();
  });
  await shown.getByRole("button", { name: "Apply at the registrar" }).click();
  await shown.getByText("Zonewright did not answer.").waitFor();
  expect(account().nameServers).toEqual(["ns2.one.tld"]);
  await page.unroute(/registrations\.update/);
  return page;
}

async function takeBack(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Undo…" }).click();
  await dialog(page).getByRole("button", { name: "Apply at the registrar" }).click();
}

test("a change whose answer is lost is not called undone, and can be taken back", async () => {
  const page = await applyWithoutAnswer();
  site.expected.push("409");
  await dialog(page).getByRole("button", { name: "Apply at the registrar" }).click();
  await done(page);
  await takeBack(page);
  await expect.poll(() => account().nameServers.toSorted()).toEqual(["ns1.one.tld", "ns2.one.tld"]);
});

test("whoever closes the dialog of a change without an answer can still take it back", async () => {
  const page = await applyWithoutAnswer();
  await page.keyboard.press("Escape");
  await page.getByText("The registrar may have taken the change, or part of it.").waitFor();
  await takeBack(page);
  await expect.poll(() => account().nameServers.toSorted()).toEqual(["ns1.one.tld", "ns2.one.tld"]);
});

test("after a change that the registrar took in part, the new plan does not say that nothing was done", async () => {
  const page = await opened();
  await page.getByRole("button", { name: "Change…" }).click();
  const shown = dialog(page);
  await shown.getByLabel("Name servers").fill("ns2.one.tld");
  await shown.getByLabel("Automatic renewal").selectOption("off");
  await shown.getByRole("button", { name: "Show the plan" }).click();
  await shown.locator("del").first().waitFor();
  const message = "The registry is closed until Monday.";
  gandi.failNext(
    { after: false, reply: { status: 422, body: JSON.stringify({ message }) } },
    1,
    ({ method }) => method === "PUT",
  );
  site.expected.push("502", "409");
  await shown.getByRole("button", { name: "Apply at the registrar" }).click();
  await shown.getByText("part of the change may have been made").waitFor();
  expect(account().autoRenew).toBe(false);
  await shown.getByRole("button", { name: "Apply at the registrar" }).click();
  await shown.getByText("The registrar may already have part of the change.").waitFor();
  await shown.getByRole("button", { name: "Apply at the registrar" }).click();
  await done(page);
  await page.getByRole("button", { name: "Undo…" }).click();
  await shown.getByRole("button", { name: "Apply at the registrar" }).click();
  await expect.poll(() => account().autoRenew).toBe(true);
});

test("an undo is planned also while the registrar still shows what was before", async () => {
  const page = await opened();
  await page.getByRole("button", { name: "Change…" }).click();
  const shown = dialog(page);
  await shown.getByLabel("Name servers").fill("ns2.one.tld");
  await shown.getByRole("button", { name: "Show the plan" }).click();
  await shown.getByRole("button", { name: "Apply at the registrar" }).click();
  await done(page);
  account().nameServers = ["ns1.one.tld", "ns2.one.tld"];
  await page.getByRole("button", { name: "Check now" }).click();
  const shownServers = page
    .getByRole("row", { name: /^Name servers/ })
    .getByRole("cell")
    .first();
  await expect.poll(async () => await shownServers.textContent()).toContain("ns1.one.tld");
  account().nameServers = ["ns2.one.tld"];
  await page.getByRole("button", { name: "Undo…" }).click();
  await shown.getByRole("button", { name: "Apply at the registrar" }).click();
  await expect.poll(() => account().nameServers.toSorted()).toEqual(["ns1.one.tld", "ns2.one.tld"]);
});

test("where reviews are required, an administrator changes a registration only with a reason", async () => {
  await site.zonewright.admin.put(path, { reviewRequired: "everyone" });
  const page = await opened();
  await page.getByRole("button", { name: "Change…" }).click();
  const shown = dialog(page);
  site.expected.push("409");
  await shown.getByLabel("Automatic renewal").selectOption("off");
  await shown.getByRole("button", { name: "Show the plan" }).click();
  await shown.getByText("This domain requires reviews").waitFor();
  await shown.getByLabel("Change it without a review").check();
  await shown.getByText("Say why it cannot wait for a review.").waitFor();
  await shown.getByLabel("Reason").fill("The owner asked");
  await shown.getByRole("button", { name: "Show the plan" }).click();
  await shown.getByText("Without automatic renewal,").waitFor();
  await shown.getByRole("button", { name: "Apply at the registrar" }).click();
  await done(page);
  expect(account().autoRenew).toBe(false);
});

test("where reviews are required, an owner requests the change, and an administrator approves and applies it", async () => {
  const { admin } = site.zonewright;
  const owner = await site.zonewright.member("asker");
  const { body: me } = await owner.get("/api/auth/me");
  await admin.put(path, { reviewRequired: "everyone", ownerId: me.id });
  const page = await opened({ username: "asker", password: memberPassword });
  await page.getByRole("button", { name: "Change…" }).click();
  const shown = dialog(page);
  site.expected.push("409");
  await shown.getByLabel("Automatic renewal").selectOption("off");
  await shown.getByRole("button", { name: "Show the plan" }).click();
  await shown.getByText("This domain requires reviews").waitFor();
  expect(await shown.getByLabel("Change it without a review").count()).toBe(0);
  await shown.getByRole("button", { name: "Request a review" }).click();
  await shown.getByText("Say in a few words what it is for.").waitFor();
  await photograph(page, "registration-request");
  await expectAccessible(page);
  await shown.getByLabel("What it is for").fill("We let it go");
  // What the service refuses stands at its field.
  const servers = shown.getByLabel("Name servers");
  const before = await servers.inputValue();
  await servers.fill("not a host");
  site.expected.push("400");
  await shown.getByRole("button", { name: "Request a review" }).click();
  await shown.getByText("This must be a host name, such as ns1.example.net.").waitFor();
  expect(await servers.getAttribute("aria-invalid")).toBe("true");
  await photograph(page, "registration-request-refused");
  await servers.fill(before);
  await shown.getByRole("button", { name: "Request a review" }).click();
  await page.getByText(/^Request #\d+ sent/).waitFor();
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await page.waitForURL(/\/requests\//);

  const reviewer = await site.signedIn({ path: new URL(page.url()).pathname });
  await reviewer.getByText("Without automatic renewal,").waitFor();
  expect(await reviewer.locator("ins").textContent()).toContain("+ Off");
  await photograph(reviewer, "registration-requested");
  await expectAccessible(reviewer);
  await reviewer.getByRole("button", { name: "Approve", exact: true }).click();
  expect(account().autoRenew).toBe(true);
  const verdict = reviewer.getByRole("dialog", { name: "Approve “We let it go”" });
  await verdict.getByRole("button", { name: "Approve and apply" }).click();
  await reviewer.getByText("Applied", { exact: true }).waitFor();
  expect(account().autoRenew).toBe(false);
});

test("the form has only what the kind can change, owners change it, and other members only read", async () => {
  const { admin } = site.zonewright;
  const owner = await site.zonewright.member("owner");
  const reader = await site.zonewright.member("reader");
  const [{ body: me }, { body: them }] = await Promise.all([owner.get("/api/auth/me"), reader.get("/api/auth/me")]);
  await admin.put(path, { registrarConfigId: configs.porkbun, ownerId: me.id });
  await admin.post("/api/assignments", { userId: them.id, domainId: path.split("/").at(-1), access: "read" });
  const page = await opened({ username: "owner", password: memberPassword });
  expect(await page.getByRole("heading", { name: "Account at the registrar" }).count()).toBe(0);
  await page.getByRole("button", { name: "Change…" }).click();
  const shown = dialog(page);
  await shown.getByLabel("Name servers").waitFor();
  expect(await shown.getByLabel("Transfer lock").count()).toBe(0);
  await shown.getByLabel("Automatic renewal").selectOption("off");
  await shown.getByRole("button", { name: "Show the plan" }).click();
  await shown.getByRole("button", { name: "Apply at the registrar" }).click();
  await done(page);
  expect(porkbun.domains.get(zoneName)?.autoRenew).toBe(false);
  const theirs = await opened({ username: "reader", password: memberPassword });
  expect(
    await theirs
      .getByRole("main")
      .getByRole("button", { name: /Check|Change|Turn/ })
      .count(),
  ).toBe(0);
});

test("a zone below a registered name leads to the registration of that name, and its delegation is not compared with that", async () => {
  const { admin } = site.zonewright;
  root.top.zones = {};
  const below = `/api/domains/${(await admin.post("/api/domains", { name: `dev.${zoneName}` })).body.id}`;
  await admin.put(below, { registrarConfigId: configs.gandi });
  reset(root);
  const server = `ns9.dev.${zoneName}`;
  const served = { [zoneName]: [...content(), `dev.${zoneName} NS ${server}`, `${server} A 127.53.0.4`] };
  [root.first.zones, root.second.zones] = [served, served];
  await admin.post(`${below}/check-expiry`);
  await admin.post(`${below}/delegation/check`);
  const page = await site.signedIn({ path: `/d/dev.${zoneName}/registration` });
  await page.getByText(`The registration is that of ${zoneName}.`).waitFor();
  await page.getByRole("cell").filter({ hasText: server }).waitFor();
  expect(await page.getByText("They differ").count()).toBe(0);
  await page.getByRole("link", { name: `Open ${zoneName}` }).click();
  await page.getByRole("heading", { name: zoneName, level: 1, exact: true }).waitFor();
});

test("a finding is snoozed for a week, and notifies again when somebody says so", async () => {
  root.second.behavior = "silent";
  await site.zonewright.admin.post(`${path}/delegation/check`);
  const page = await site.signedIn({ path: `/d/${zoneName}/settings` });
  const findings = page.getByRole("list", { name: "What is wrong" });
  const finding = findings.getByRole("listitem").filter({ hasText: "ns2.one.tld" });
  await finding.getByRole("button", { name: /^Snooze: / }).click();
  await page.getByRole("menuitem", { name: "No notification for 7 days" }).click();
  await finding.getByText(/no notification before/).waitFor();
  await expectAccessible(page);
  const snoozed = async () => (await site.zonewright.admin.get(`${path}/delegation`)).body.findings[0].snoozedUntil;
  const days = (Date.parse(await snoozed()) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(6.9);
  expect(days).toBeLessThan(7.1);
  await finding.getByRole("button", { name: /^Snooze: / }).click();
  await page.getByRole("menuitem", { name: "Notify again" }).click();
  await expect.poll(snoozed).toBeNull();
  await expect.poll(() => finding.getByText(/no notification before/).count()).toBe(0);
});

test("a snooze that waits for another is of the zone where it was started, also if another one is open by then", async () => {
  const { admin } = site.zonewright;
  root.second.zones = {};
  root.first.zones = {};
  await admin.post(`${path}/delegation/check`);
  await admin.post("/api/domains", { name: "other.example" });
  const page = await site.signedIn({ path: "/d/other.example/settings" });
  const title = (name: string) => page.getByRole("heading", { name, level: 1, exact: true });
  const inside = async (to: string) => {
    await page.evaluate((address) => {
      history.pushState(null, "", address);
      dispatchEvent(new PopStateEvent("popstate"));
    }, to);
  };
  await title("other.example").waitFor();
  await inside(`/d/${zoneName}/settings`);
  await title(zoneName).waitFor();
  const findings = page.getByRole("list", { name: "What is wrong" }).getByRole("listitem");
  const asked = Promise.withResolvers<undefined>();
  const released = Promise.withResolvers<undefined>();
  await page.route("**/trpc/delegation.snooze*", async (route) => {
    asked.resolve(undefined);
    await released.promise;
    await route.continue();
  });
  for (const index of [0, 1]) {
    await findings
      .nth(index)
      .getByRole("button", { name: /^Snooze: / })
      .click();
    await page.getByRole("menuitem", { name: "No notification for 7 days" }).click();
  }
  await asked.promise;
  await page.goBack();
  await title("other.example").waitFor();
  released.resolve(undefined);
  const snoozed = async () => {
    const { body } = await admin.get(`${path}/delegation`);
    return body.findings.filter(({ snoozedUntil }: { snoozedUntil: string | null }) => snoozedUntil !== null).length;
  };
  await expect.poll(snoozed).toBe(2);
  expect(await page.getByRole("alert").count()).toBe(0);
  const { body } = await admin.get(`${path}/delegation`);
  for (const { code, name } of body.findings)
    await admin.post(`${path}/delegation/snooze`, { code, name, until: null });
});

test("each name server says whether it answers with a record, and is asked again", async () => {
  const added = { recordType: "A", name: "new", value: "192.0.2.77", ttl: 300 };
  expect((await site.zonewright.admin.post(`${path}/records`, added)).status).toBe(201);
  root.first.zones = { [zoneName]: [...content(), "new.one.tld A 192.0.2.77"] };
  const page = await site.signedIn({ path: `/d/${zoneName}/records` });
  const row = page.getByRole("row").filter({ hasText: "192.0.2.77" });
  await row.hover();
  await row.getByRole("button", { name: "Actions for new A" }).click();
  await page.getByRole("menuitem", { name: "Is it served?" }).click();
  const answer = page.getByRole("dialog", { name: "Is new A served?" });
  await answer.getByText("Not every name server answers with this record yet.").waitFor();
  const servers = answer.getByRole("listitem");
  expect(await servers.allTextContents()).toEqual([
    "ns1.one.tld (127.53.0.3) answers with it",
    "ns2.one.tld (127.53.0.4) does not answer with itIt has no A records there.",
  ]);
  await expectAccessible(page);
  await photograph(page, "record-served");
  root.second.zones = { [zoneName]: [...content(), "new.one.tld A 192.0.2.77"] };
  await answer.getByRole("button", { name: "Ask again" }).click();
  await answer.getByText("Every name server answers with this record.").waitFor();
});
