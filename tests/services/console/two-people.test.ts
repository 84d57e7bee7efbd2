import type { Page, Route } from "playwright-core";
import { beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { assign } from "../../accounts/assignments/assigned.ts";
import { website } from "../../bulk/templates/templates.ts";
import { expectAccessible, focusIn, photograph, useConsole } from "../../support/console.ts";
import { reverseNet, set } from "../../support/reverse-zones.ts";
import { memberPassword } from "../../support/zonewright.ts";
import { startCloudflare } from "../../support/vendors/cloudflare/server.ts";
import { fileZone, freshName, Zone } from "../../support/zones.ts";
import type { RestClient } from "../../support/rest-client.ts";

/** Two people, one record: whichever order things happen in, nobody overwrites what they have not read. */

const site = useConsole({ env: { EGRESS_ALLOW: "127.0.0.1" } });
let ada: RestClient;
let zone: Zone;
/** The zone as Ada reaches it. */
let adas: Zone;
let www = "";
let assignmentId = "";
let page: Page;

beforeAll(async () => {
  ada = await site.zonewright.member("ada");
});

beforeEach(async () => {
  zone = await fileZone(site.zonewright);
  ({ id: www } = await zone.add("A", "www", "192.0.2.1", 300));
  await zone.add("A", "api", "192.0.2.7", 300);
  ({ id: assignmentId } = await assign(site.zonewright, ada, zone.id, "*"));
  adas = new Zone(site.zonewright, { id: zone.id, name: zone.name }, ada);
  page = await site.signedIn({ path: `/d/${zone.name}/records` });
  await row("192.0.2.7").waitFor();
});

const row = (text: string) => page.getByRole("row").filter({ hasText: text });
const review = () => page.getByRole("dialog", { name: /^Review/ });
const applyButton = () => review().getByRole("button", { name: /^Apply/ });
const theyChange = async (patch: object) => expect(await adas.update(www, patch)).toMatchObject({ status: 200 });
/** Their change arrives first; the page hears of it by the refusal. */
const theirsFirst = async (route: Route) => {
  await theyChange({ value: "192.0.2.215" });
  await route.continue();
};
const theirValue = "ada changed this to 192.0.2.215 while you edited.";

async function open(host: string, entry: RegExp | string): Promise<void> {
  await page.getByRole("button", { name: `Actions for ${host} A` }).click();
  await page.getByRole("menuitem", { name: entry }).click();
}

async function edit(value = "192.0.2.205"): Promise<void> {
  await open("www", "Edit");
  await page.getByRole("textbox", { name: "Value", exact: true }).fill(value);
  await page.getByRole("button", { name: "Done" }).click();
}

/** Holds the plans that the page asks for from now on. */
async function holdPlans(): Promise<{ isAsked: () => boolean; answer: () => void }> {
  let isAsked = false;
  const answered = Promise.withResolvers<undefined>();
  await page.route("**/records.plan*", async (route) => {
    isAsked = true;
    await answered.promise;
    await route.continue();
  });
  return { isAsked: () => isAsked, answer: () => answered.resolve(undefined) };
}

async function openReview(): Promise<void> {
  const button = page.getByRole("button", { name: /^Review/ });
  await expect.poll(() => button.getAttribute("aria-disabled")).toBeNull();
  await button.click();
  await applyButton().waitFor();
}

async function apply(): Promise<void> {
  if (!(await review().isVisible())) await openReview();
  await expect.poll(() => applyButton().getAttribute("aria-disabled")).toBeNull();
  await applyButton().click();
  await page.getByText(/^Applied as revision/).waitFor();
}

/** Neither the button nor the key sends anything. */
async function expectNothingToApply(): Promise<void> {
  await expect.poll(() => applyButton().getAttribute("aria-disabled")).toBe("true");
  await page.keyboard.press("Control+Enter");
  expect(await applyButton().getAttribute("aria-busy")).toBeNull();
}

test("when somebody changes a record after it was edited, the row says who made what of it, and the review waits for a decision", async () => {
  await edit();
  await page.getByText(/^Checked against revision/).waitFor();
  await theyChange({ value: "192.0.2.215" });
  await row(theirValue).waitFor();
  expect(await row(theirValue).getByText("192.0.2.1", { exact: true }).count()).toBe(1);
  await page.getByText("Decide 1 conflict first").waitFor();
  await photograph(page, "conflict-row");
  await expectAccessible(page);
  await page.getByRole("button", { name: /^Review/ }).click();
  await review().getByText(theirValue).waitFor();
  await photograph(page, "conflict-review");
  await expectAccessible(page);
  await expectNothingToApply();
  expect(await zone.lines()).toContain("www A 192.0.2.215");
  await review().getByRole("button", { name: "Keep mine: www A" }).click();
  await apply();
  expect(await zone.lines()).toContain("www A 192.0.2.205");
});

test("whoever takes the others' version has no edit left", async () => {
  await edit();
  await theyChange({ value: "192.0.2.215" });
  await row(theirValue).getByRole("button", { name: "Take theirs" }).click();
  await page.getByText("1 change", { exact: true }).waitFor({ state: "hidden" });
  await row("192.0.2.215").waitFor();
  expect(await page.evaluate(() => document.activeElement?.getAttribute("role"))).toBe("grid");
});

test("when somebody changes a record while its editor is open, the row says so once the editing is done", async () => {
  await open("www", "Edit");
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.205");
  await theyChange({ value: "192.0.2.215" });
  await page.getByText(/^Revision 3, /).waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  await row(theirValue).waitFor();
  await openReview();
  await expectNothingToApply();
});

test("when somebody changes a record while its editor is open, and nothing was typed, theirs stays", async () => {
  await open("www", "Edit");
  await theyChange({ value: "192.0.2.215" });
  await page.getByText(/^Revision 3, /).waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  await row("192.0.2.215").waitFor();
  expect(await page.getByText("1 change", { exact: true }).count()).toBe(0);
});

test("when somebody changes a record while the page of its draft is closed, the row says so at the return", async () => {
  await edit();
  await page.getByText(/^Checked against revision/).waitFor();
  await page.goto(site.url);
  await theyChange({ value: "192.0.2.215" });
  await page.goto(`${site.url}/d/${zone.name}/records`);
  await row(theirValue).waitFor();
});

test("when somebody has changed a record that the page still shows as it was, an edit of it says so", async () => {
  site.expected.push("ERR_INTERNET_DISCONNECTED");
  await page.context().setOffline(true);
  await theyChange({ value: "192.0.2.215" });
  await row("192.0.2.1").getByRole("gridcell", { name: "192.0.2.1", exact: true }).click();
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.205");
  await page.keyboard.press("Enter");
  await page.context().setOffline(false);
  await row(theirValue).waitFor();
});

test("when somebody changes a record while its change is being reviewed, the review says so and waits for a decision", async () => {
  await edit();
  await openReview();
  await theyChange({ value: "192.0.2.215" });
  await review().getByText(theirValue).waitFor();
  await expectNothingToApply();
  await review().getByRole("button", { name: "Take theirs: www A" }).click();
  await review().waitFor({ state: "detached" });
  expect(await zone.lines()).toContain("www A 192.0.2.215");
});

test("when somebody changes a record in the moment in which it is applied, the review says so and waits for a decision", async () => {
  await edit();
  await openReview();
  await page.route("**/trpc/records.applyPlan*", theirsFirst, { times: 1 });
  site.expected.push("409");
  await applyButton().click();
  await review().getByText(theirValue).waitFor();
  await expectNothingToApply();
  await review().getByRole("button", { name: "Keep mine: www A" }).click();
  await apply();
  expect(await zone.lines()).toContain("www A 192.0.2.205");
});

async function setTtl(): Promise<void> {
  await open("www", "Edit");
  await page.getByRole("textbox", { name: "TTL", exact: true }).fill("60");
  await page.getByRole("button", { name: "Done" }).click();
}

test("a plan that is read anew after a refusal stays as it was read, whatever others do then", async () => {
  await setTtl();
  await openReview();
  const addFirst = async (route: Route) => {
    await zone.add("A", "other", "192.0.2.33");
    await route.continue();
  };
  await page.route("**/trpc/records.applyPlan*", addFirst, { times: 1 });
  site.expected.push("409");
  await applyButton().click();
  await review().getByText("Plan made against revision 3").waitFor();
  await zone.add("A", "www", "203.0.113.9", 300);
  await page.getByText("Checked against revision 4").waitFor();
  expect(await review().getByText("Plan made against revision 3").count()).toBe(1);
  expect(await review().getByText("203.0.113.9").count()).toBe(0);
  site.expected.push("409");
  await applyButton().click();
  await review().getByText("Somebody else changed the zone to revision 4.").waitFor();
  await review().getByText("203.0.113.9").waitFor();
  expect(await zone.records("&name=www")).toMatchObject([{ ttl: 300 }, { ttl: 300 }]);
  await apply();
  expect(await zone.records("&name=www")).toMatchObject([{ ttl: 60 }, { ttl: 60 }]);
});

test("when the zone has changed so that a draft is refused, its review says what is wrong with it", async () => {
  await page.getByRole("button", { name: "Add record" }).click();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("new");
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.50");
  await page.getByRole("button", { name: "Done" }).click();
  await openReview();
  // Checking the draft again is refused, and so is applying it.
  site.expected.push("409");
  await zone.add("CNAME", "new", "www.example.com", 300);
  await applyButton().click();
  await review().getByText("Somebody else changed the zone to revision 3.").waitFor();
  await review()
    .getByRole("listitem")
    .filter({ hasText: "new A" })
    .getByText("A CNAME must be the only record")
    .waitFor();
  // What was read is still there to compare.
  await review().getByText("192.0.2.50").waitFor();
  await photograph(page, "review-refused-anew");
  await expectAccessible(page);
  await expectNothingToApply();
});

test("when somebody changes something else of the record, keeping mine keeps theirs as well", async () => {
  await edit();
  await theyChange({ ttl: 60 });
  await row("ada set the TTL to 1 min while you edited.").getByRole("button", { name: "Keep mine" }).click();
  await apply();
  const [record] = await zone.records("&name=www");
  expect(record).toMatchObject({ value: "192.0.2.205", ttl: 60 });
});

test("when somebody deletes a record that was edited, it is created again or the edit goes, as one decides", async () => {
  await edit();
  await page.getByText(/^Checked against revision/).waitFor();
  site.expected.push("404");
  expect(await adas.delete(www)).toMatchObject({ status: 200 });
  const gone = row("ada deleted this while you edited.");
  await gone.getByRole("button", { name: "Drop my change" }).waitFor();
  await gone.getByRole("button", { name: "Create it again" }).click();
  await page.getByText("+1", { exact: true }).waitFor();
  await apply();
  expect(await zone.lines()).toContain("www A 192.0.2.205");
});

test("when somebody changes a record that is to be deleted, the row says so, and by keyboard it is kept", async () => {
  await open("www", /^Delete/);
  await page.getByText(/^Checked against revision/).waitFor();
  await theyChange({ value: "192.0.2.215" });
  await row(theirValue).getByRole("button", { name: "Delete it anyway" }).waitFor();
  await row(theirValue).getByRole("gridcell", { name: "www", exact: true }).click();
  await page.keyboard.press("Shift+F10");
  await focusIn(page.getByRole("menu"));
  await page.keyboard.press("k");
  await focusIn(page.getByRole("menuitem", { name: "Keep the record" }));
  await page.keyboard.press("Enter");
  await page.getByText("1 change", { exact: true }).waitFor({ state: "hidden" });
});

test("when somebody makes the same change, the edit goes by itself", async () => {
  await edit();
  await page.getByText(/^Checked against revision/).waitFor();
  await theyChange({ value: "192.0.2.205" });
  await page.getByText("1 change", { exact: true }).waitFor({ state: "hidden" });
});

test("a draft that leaves the zone as it is cannot be applied, so no undo takes back what others did", async () => {
  const server = await startCloudflare();
  onTestFinished(() => server.stop());
  const { token: apiToken, accountId, url: endpoint } = server;
  const { admin } = site.zonewright;
  const config = { kind: "cloudflare", name: "Cloudflare", config: { apiToken, accountId, endpoint } };
  const name = freshName();
  server.addZone(name, "free");
  const providerConfigId = (await admin.post("/api/provider-configs", config)).body.id;
  zone = new Zone(site.zonewright, (await admin.post("/api/domains", { name, providerConfigId })).body);
  await zone.create({ recordType: "A", name: "www", value: "192.0.2.1", proxied: true });
  await zone.add("A", "theirs", "192.0.2.7", 300);
  await page.goto(`${site.url}/d/${name}/records`);
  await row("192.0.2.7").waitFor();
  await open("www", "Edit");
  await page.getByRole("textbox", { name: "TTL", exact: true }).fill("600");
  await page.getByRole("button", { name: "Done" }).click();
  await openReview();
  await review().getByText("The zone would stay as it is").waitFor();
  await expectNothingToApply();
  expect((await zone.detail()).revision).toBe(2);
});

test("in a zone that is read in windows, a record out of view that somebody changed stops the review, too", async () => {
  const lines = Array.from({ length: 600 }, (_, at) => `h${at} 300 IN A 192.0.2.9\n`);
  expect(await zone.post("/zonefile", { zonefile: lines.join("") })).toMatchObject({ status: 200 });
  await page.goto(`${site.url}/d/${zone.name}/records?search=www`);
  await row("192.0.2.1").waitFor();
  await edit();
  await page.getByText(/^Checked against revision/).waitFor();
  await page.goto(`${site.url}/d/${zone.name}/records?search=h1`);
  await row("h100").waitFor();
  await theyChange({ value: "192.0.2.215" });
  await page.getByText("Decide 1 conflict first").waitFor();
  await page.getByRole("button", { name: /^Review/ }).click();
  await review().getByText(theirValue).waitFor();
  await expectNothingToApply();
  // Whoever comes back to the window has the draft checked again, once no earlier check is underway.
  const plans = await holdPlans();
  await expect
    .poll(async () => {
      await page.evaluate(lookAgain);
      return plans.isAsked();
    })
    .toBe(true);
  await expectNothingToApply();
  plans.answer();
  await review().getByText(theirValue).waitFor();
});

test("a review that is asked for while the draft is checked opens with the answer", async () => {
  await edit();
  await page.getByText(/^Checked against revision/).waitFor();
  const plans = await holdPlans();
  await theyChange({ value: "192.0.2.215" });
  await expect.poll(plans.isAsked).toBe(true);
  await page.getByRole("button", { name: /^Review/ }).click();
  plans.answer();
  await review().getByText(theirValue).waitFor();
});

test("when a member's rights are narrowed while they edit, their page shows what is left of them, and keeps the draft", async () => {
  page = await site.signedIn({ username: "ada", password: memberPassword, path: `/d/${zone.name}/records` });
  await page.getByText("You may change: all hosts").waitFor();
  await edit();
  await page.getByText(/^Checked against revision/).waitFor();
  // Rights end before the next begin: the page hears of both.
  site.expected.push("403", "404");
  expect(await zone.client.delete(`/api/assignments/${assignmentId}`)).toMatchObject({ status: 200 });
  await assign(site.zonewright, ada, zone.id, "www", "read");
  await row("192.0.2.7").waitFor({ state: "detached" });
  await page.getByText("You have read-only access to this domain.").waitFor();
  // The refusal of the plan is heard apart from the rights.
  await expect.poll(() => page.getByRole("button", { name: "Add record" }).count()).toBe(0);
  await expect.poll(() => page.getByText(/^You may change/).count()).toBe(0);
  await row("192.0.2.205").waitFor();
});

test("a template that somebody else changed while its form was open is not overwritten, and what was typed stays", async () => {
  const { admin } = site.zonewright;
  const { body } = await admin.post("/api/templates", website("two-people"));
  const address = `/templates/${body.id}`;
  await page.goto(site.url + address);
  await page.getByRole("button", { name: "New version…" }).click();
  const dialog = page.getByRole("dialog");
  const description = dialog.getByLabel("Description", { exact: true });
  const store = dialog.getByRole("button", { name: "Save new version" });
  await description.fill("Mine");
  const theirs = website("two-people", { description: "Theirs" });
  expect((await admin.put(`/api${address}`, theirs)).status).toBe(200);
  site.expected.push("409");
  await store.click();
  await dialog
    .getByRole("alert")
    .getByText(/^Somebody else saved a new version/)
    .waitFor();
  expect(await description.inputValue()).toBe("Mine");
  // The page has read their version by now; the form still holds one that was made from the earlier one.
  await page.getByText("Theirs", { exact: true }).waitFor({ state: "attached" });
  site.expected.push("409");
  const answered = page.waitForResponse(/templates\.update/);
  await store.click();
  await answered;
  await dialog
    .getByRole("alert")
    .getByText(/^Somebody else saved a new version/)
    .waitFor();
  expect((await admin.get(`/api${address}`)).body.template).toEqual(theirs);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "New version…" }).click();
  expect(await description.inputValue()).toBe("Theirs");
  await description.fill("Both");
  await store.click();
  await dialog.waitFor({ state: "hidden" });
  expect((await admin.get(`/api${address}`)).body).toMatchObject({ revision: 3, description: "Both" });
});

/** Does what makes the page plan, and waits until it has. */
async function planned(act: () => Promise<unknown>): Promise<void> {
  const answer = page.waitForResponse((response) => response.url().includes("records.plan"));
  await act();
  await (await answer).finished();
}

const lookAgain = () => document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));

test.each([
  ["the page plans again", true],
  ["the page has not heard of it", false],
])(
  "PTR changes stay as they were read, are refused once others made them, and are then read anew (%s)",
  async (_how, isPlanned) => {
    const net = await reverseNet(site.zonewright);
    await set(zone, { reverse: "offer" });
    await edit(net.at(5));
    await openReview();
    await planned(async () => await review().getByRole("checkbox").check());
    await expect.poll(() => applyButton().getAttribute("aria-disabled")).toBeNull();
    await net.zone.add("PTR", "5", `www.${zone.name}`);
    if (isPlanned) {
      await planned(async () => await page.evaluate(lookAgain));
      await page.getByText(/^Checked against revision/).waitFor();
    }
    expect(await review().getByRole("checkbox").count()).toBe(1);
    site.expected.push("409");
    await applyButton().click();
    await review().getByRole("alert").filter({ hasText: "The plan is outdated" }).waitFor();
    await review().getByRole("checkbox").waitFor({ state: "detached" });
    await apply();
    expect(await zone.lines()).toContain(`www A ${net.at(5)}`);
  },
);
