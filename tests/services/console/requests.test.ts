import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import { memberPassword } from "../../support/zonewright.ts";
import { fileZone, type Zone } from "../../support/zones.ts";

/** Reviews in the console: a member requests, an administrator reviews, and the zone changes only then. */

const site = useConsole();
let zone: Zone;
let count = 0;

beforeEach(async () => {
  count += 1;
  zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  const { admin } = site.zonewright;
  await setRule("members");
  await site.zonewright.member(`author${count}`);
  const { body } = await admin.get(`/api/users?search=author${count}`);
  const [user] = body.users;
  await admin.post("/api/assignments", { userId: user.id, domainId: zone.id, access: "write" });
});

/** Sets whose changes of the zone need a review. */
async function setRule(reviewRequired: string): Promise<void> {
  const { status } = await site.zonewright.admin.put(`/api/domains/${zone.id}`, { reviewRequired });
  expect(status).toBe(200);
}

const values = async () =>
  (await zone.get("/records?type=A&name=www")).body.records.map((record: { value: string }) => record.value);
const records = () => `/d/${zone.name}/records`;
const asAuthor = async (path: string) =>
  await site.signedIn({ username: `author${count}`, password: memberPassword, path });

/** Picks what stands in the menu beside what comes next. */
async function choose(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Other choices" }).click();
  await page.getByRole("menuitem", { name }).click();
}

/** Somebody else changes what the request changes. */
async function moveWww(): Promise<void> {
  const [record] = (await zone.get("/records?type=A&name=www")).body.records;
  expect((await zone.update(record.id, { value: "203.0.113.66" })).status).toBe(200);
}

/** The changes on the page of a request, also behind a dialog. */
const changes = (page: Page) => page.getByRole("list", { name: "Changes", exact: true, includeHidden: true });

/** The state of the request that a page shows, as the service has it. */
const stateOf = async (page: Page) =>
  (await site.zonewright.admin.get(`/api/change-requests/${page.url().split("/").at(-1)}`)).body.state;

/** Changes the address of www in a draft. */
async function edit(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Actions for www A" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.2");
  await page.getByRole("button", { name: "Done" }).click();
}

/** Requests a review of the same change, and returns the page. */
async function requested(): Promise<Page> {
  const page = await asAuthor(records());
  await edit(page);
  await page.getByRole("button", { name: /^Request review/ }).click();
  const dialog = page.getByRole("dialog", { name: /^Request a review of 1 change/ });
  await dialog.getByLabel("What it is for").fill("Move www");
  await dialog.getByRole("button", { name: /^Request review/ }).click();
  await page.getByText(/^Request #\d+ sent/).waitFor();
  return page;
}

test("a member requests a review, an administrator approves it with a note and applies it, and both pages follow", async () => {
  const author = await asAuthor(records());
  await edit(author);
  await author.getByRole("button", { name: /^Request review/ }).click();
  const dialog = author.getByRole("dialog", { name: /^Request a review of 1 change/ });
  await dialog.getByText("192.0.2.2").waitFor();
  await dialog.getByRole("button", { name: /^Request review/ }).click();
  await dialog.getByText("Say in a few words what it is for.").waitFor();
  await expect.poll(() => dialog.getByLabel("What it is for").and(author.locator(":focus")).count()).toBe(1);
  await dialog.getByLabel("What it is for").fill("Move www");
  await dialog.getByLabel(/^Anything reviewers/).fill("The old host is switched off on Friday.");
  await photograph(author, "request-review");
  await expectAccessible(author);
  await dialog.getByRole("button", { name: /^Request review/ }).click();
  await author.getByText(/^Request #\d+ sent/).waitFor();
  await author.getByRole("button", { name: "Open" }).click();
  await author.getByRole("heading", { name: /^Move www/ }).waitFor();
  await author.getByText("Waiting for review").waitFor();
  expect(await author.getByRole("button", { name: /^Approve|^Other/ }).count()).toBe(0);
  expect(await values()).toEqual(["192.0.2.1"]);

  const reviewer = await site.signedIn({ path: "/requests?show=review" });
  await reviewer
    .getByRole("link", { name: /Move www/ })
    .first()
    .waitFor();
  await photograph(reviewer, "requests");
  await expectAccessible(reviewer);
  await reviewer
    .getByRole("link", { name: /Move www/ })
    .first()
    .click();
  await reviewer.getByText("The old host is switched off on Friday.").waitFor();
  await reviewer.getByLabel("Write a comment").fill("Is the new host ready?");
  await reviewer.getByRole("button", { name: "Comment", exact: true }).click();
  await reviewer.getByRole("list", { name: "Comments" }).getByText("Is the new host ready?").waitFor();
  await photograph(reviewer, "request");
  await expectAccessible(reviewer);
  await reviewer.getByRole("button", { name: "Other choices" }).click();
  await reviewer.getByRole("menuitem", { name: "Reject…" }).waitFor();
  await photograph(reviewer, "request-choices");
  await reviewer.getByRole("menuitem", { name: "Approve with a note…" }).click();
  await reviewer.getByRole("dialog").getByLabel("Note to the author (optional)").fill("It is ready.");
  await reviewer.getByRole("dialog").getByRole("button", { name: "Approve", exact: true }).click();
  await reviewer.getByText("You approved the request.").waitFor();
  await author.getByText("Approved", { exact: true }).waitFor();
  await author.getByText("It is ready.", { exact: true }).waitFor();
  await reviewer.getByRole("button", { name: "Apply", exact: true }).click();
  await reviewer.getByText("Request applied.").waitFor();
  await author.getByText("Applied", { exact: true }).waitFor();
  expect(await values()).toEqual(["192.0.2.2"]);
});

test("a reviewer reads what the service warns of, approves and applies with one press, and the approval covers the loss of a whole zone", async () => {
  const author = await site.zonewright.signIn(`author${count}`, memberPassword);
  await zone.add("A", "mail", "192.0.2.3");
  const deletes = (await zone.records()).map(({ id }) => ({ action: "delete", recordId: id }));
  const request = { title: "Remove everything", changes: deletes };
  const { status, body } = await author.post(`${zone.path}/change-requests`, request);
  expect(status).toBe(201);
  const page = await site.signedIn({ path: `/requests/${body.id}` });
  await page.getByText("This would delete all 2 records of the zone.", { exact: true }).waitFor();
  await photograph(page, "request-loss");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Approve and apply" }).click();
  await page.getByText("Request applied.").waitFor();
  expect(await zone.records()).toEqual([]);
});

test("a reviewer reads the last of 400 changes that a request makes", async () => {
  const names = Array.from({ length: 400 }, (_, index) => `host${index}`);
  await zone.post("/zonefile", { zonefile: names.map((name) => `${name} 300 IN A 192.0.2.7\n`).join(""), force: true });
  const author = await site.zonewright.signIn(`author${count}`, memberPassword);
  const deletes = (await zone.records())
    .filter(({ name }) => names.includes(name))
    .map(({ id }) => ({ action: "delete", recordId: id }));
  const { body } = await author.post(`${zone.path}/change-requests`, { title: "Tidy up", changes: deletes });
  const page = await site.signedIn({ path: `/requests/${body.id}` });
  await changes(page).getByText("host0", { exact: true }).waitFor();
  await page.getByRole("group", { name: "Changes" }).last().focus();
  await page.keyboard.press("End");
  await changes(page).getByText("host399", { exact: true }).waitFor();
  await photograph(page, "request-long");
  await expectAccessible(page);
});

test("a scheduled request is applied before its time only after a dialog that names the time", async () => {
  const author = await site.zonewright.signIn(`author${count}`, memberPassword);
  const [record] = (await zone.get("/records?type=A&name=www")).body.records;
  const changes = [{ action: "update", recordId: record.id, record: { value: "192.0.2.2" } }];
  const applyAt = new Date(Date.now() + 86_400_000).toISOString();
  const { status, body } = await author.post(`${zone.path}/change-requests`, { title: "Move www", changes, applyAt });
  expect(status).toBe(201);
  const page = await site.signedIn({ path: `/requests/${body.id}` });
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  await page.getByText("You approved the request.").waitFor();
  await page.getByRole("button", { name: "Apply now…" }).click();
  const dialog = page.getByRole("dialog", { name: "Apply" });
  await dialog.getByText(/^This request is to be applied .*\d/).waitFor();
  await photograph(page, "request-early");
  await expectAccessible(page);
  expect(await page.getByRole("button", { name: "Apply", exact: true }).count()).toBe(1);
  expect(await values()).toEqual(["192.0.2.1"]);
  await dialog.getByRole("button", { name: "Apply", exact: true }).click();
  await page.getByText("Request applied.").waitFor();
  expect(await values()).toEqual(["192.0.2.2"]);
});

test("a rejection says why, the author reads it, and the zone stays as it is", async () => {
  const author = await requested();
  const reviewer = await site.signedIn({ path: `/d/${zone.name}/requests` });
  await reviewer.getByRole("link", { name: /Move www/ }).click();
  await choose(reviewer, "Reject…");
  await reviewer.getByRole("dialog").getByLabel("Note to the author (optional)").fill("Wait for the new host.");
  await reviewer.getByRole("dialog").getByRole("button", { name: "Reject" }).click();
  await reviewer.getByText("You rejected the request.").waitFor();
  await author.goto(`${site.url}/notifications`);
  await author
    .getByRole("link", { name: /^Open request #/ })
    .first()
    .click();
  await author.getByText("Rejected", { exact: true }).waitFor();
  await author.getByText("Wait for the new host.").waitFor();
  expect(await values()).toEqual(["192.0.2.1"]);
});

test("an approval that the zone has overtaken is refused, and what the request would do now is approved only once it is shown", async () => {
  await requested();
  const reviewer = await site.signedIn({ path: `/d/${zone.name}/requests` });
  await reviewer.getByRole("link", { name: /Move www/ }).click();
  // Changed while the approval is on its way: the page has not heard of it.
  await reviewer.route("**/changeRequests.approve*", async (route) => {
    await moveWww();
    await route.continue();
  });
  site.expected.push("409");
  await reviewer.getByRole("button", { name: "Approve and apply" }).click();
  await reviewer.getByText("What this request touches has changed since you read it.").waitFor();
  await expect.poll(() => reviewer.locator("[role=status]:focus").count()).toBe(1);
  expect(await reviewer.getByRole("dialog").count()).toBe(0);
  expect(await changes(reviewer).innerText()).toContain("192.0.2.1");
  await photograph(reviewer, "request-overtaken");
  await expectAccessible(reviewer);
  const both = reviewer.getByRole("button", { name: "Approve and apply" });
  expect(await both.getAttribute("aria-disabled")).toBe("true");
  await reviewer.getByRole("button", { name: "Show the changes as they are now" }).click();
  await changes(reviewer).getByText("203.0.113.66").waitFor();
  await expect.poll(() => reviewer.locator(":focus").getByText("203.0.113.66").count()).toBe(1);
  await reviewer.unrouteAll();
  await choose(reviewer, "Approve without applying");
  await reviewer.getByText("You approved the request.").waitFor();
  expect(await values()).toEqual(["203.0.113.66"]);
});

test("changes that become different behind an open approval stay as they were read, and its note waits until the new ones are shown", async () => {
  const author = await requested();
  await author.getByRole("button", { name: "Open" }).click();
  await author.getByRole("heading", { name: /^Move www/ }).waitFor();
  const reviewer = await site.signedIn({ path: new URL(author.url()).pathname });
  await choose(reviewer, "Approve with a note…");
  const dialog = reviewer.getByRole("dialog");
  await dialog.getByRole("textbox").fill("Fine with me.");
  await moveWww();
  // As when a person comes back to the window. What the page asked for before that is not asked for again.
  const comesBack = async () => {
    await reviewer.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
    return await dialog.getByText("What this request touches has changed since you read it.").isVisible();
  };
  await expect.poll(comesBack).toBe(true);
  expect(await dialog.getByRole("button", { name: /^Approve/ }).count()).toBe(0);
  await dialog.getByRole("textbox").press("Control+Enter");
  expect(await changes(reviewer).innerText()).toContain("192.0.2.1");
  await dialog.getByRole("button", { name: "Show the changes as they are now" }).click();
  await changes(reviewer).getByText("203.0.113.66").waitFor();
  await expect.poll(() => reviewer.locator(":focus").getByText("203.0.113.66").count()).toBe(1);
  expect(await stateOf(reviewer)).toBe("open");
  await choose(reviewer, "Approve with a note…");
  expect(await dialog.getByRole("textbox").inputValue()).toBe("Fine with me.");
  await dialog.getByRole("button", { name: "Approve", exact: true }).click();
  await reviewer.getByText("You approved the request.").waitFor();
  expect(await stateOf(reviewer)).toBe("approved");
});

test("an author withdraws a request from its page", async () => {
  const author = await requested();
  await author.getByRole("button", { name: "Open" }).click();
  await author.getByRole("button", { name: "Withdraw…" }).click();
  await author.getByRole("dialog").getByRole("button", { name: "Withdraw" }).click();
  await author.getByText("Request withdrawn.").waitFor();
  await author.getByText("Withdrawn", { exact: true }).waitFor();
  expect(await values()).toEqual(["192.0.2.1"]);
});

test("where everyone's changes need a review, an administrator applies one without it only with a reason", async () => {
  const page = await site.signedIn({ path: `/d/${zone.name}/settings` });
  await page.getByLabel("Changes that need a review").selectOption({ label: "All" });
  await page
    .locator("section")
    .filter({ has: page.getByRole("heading", { name: "Reviews" }) })
    .getByRole("button", { name: "Save" })
    .click();
  await page.getByText("Saved.").waitFor();
  await page.getByRole("link", { name: /^Records/ }).click();
  await edit(page);
  await page.getByRole("button", { name: /^Request review/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Apply without review…" }).click();
  await dialog.getByRole("button", { name: /^Apply without review/ }).click();
  await dialog.getByText("Say why it cannot wait for a review.").waitFor();
  expect(await values()).toEqual(["192.0.2.1"]);
  await dialog.getByLabel(/^Why it cannot wait/).fill("The site is down");
  await dialog.getByRole("button", { name: /^Apply without review/ }).click();
  await page.getByText("Applied as revision 2").waitFor();
  expect(await values()).toEqual(["192.0.2.2"]);
});

test("a request that somebody else ended first says so in the dialog and on the page behind it, and keeps the note", async () => {
  const author = await requested();
  // The message with this button goes by itself.
  await author.getByRole("button", { name: "Open" }).click();
  const page = await site.signedIn({ path: "/requests?show=open" });
  await page.getByRole("listitem").filter({ hasText: zone.name }).getByRole("link").first().click();
  await choose(page, "Reject…");
  await page
    .getByRole("dialog")
    .getByLabel(/^Note to the author/)
    .fill("Not on a Friday");
  await author.getByRole("button", { name: "Withdraw…" }).click();
  await author.getByRole("dialog").getByRole("button", { name: "Withdraw" }).click();
  await author.getByText("Withdrawn", { exact: true }).waitFor();
  site.expected.push("409");
  await page.getByRole("dialog").getByRole("button", { name: "Reject" }).click();
  await page.getByRole("dialog").getByText("The request is already withdrawn.").waitFor();
  await page.locator("[class*=facts]").getByText("Withdrawn", { exact: true }).waitFor();
  expect(
    await page
      .getByRole("dialog")
      .getByLabel(/^Note to the author/)
      .inputValue(),
  ).toBe("Not on a Friday");
});

test("a request whose domain is deleted says so on the open page, and one that was pressed on meanwhile says why it is over", async () => {
  const author = await requested();
  await author.getByRole("button", { name: "Open" }).click();
  await author.waitForURL(/\/requests\/[\w-]+$/);
  const path = new URL(author.url()).pathname;
  const [page, late] = [await site.signedIn({ path }), await site.signedIn({ path })];
  site.expected.push("409", "ERR_FAILED");
  for (const one of [page, late]) await one.getByRole("button", { name: "Approve and apply" }).waitFor();
  await late.route(/trpc\/changeRequests\.(?:get|list)\b/, (route) => route.abort());
  expect((await site.zonewright.admin.delete(zone.path)).status).toBe(200);
  for (const one of [page, author]) {
    await one.getByText("Withdrawn", { exact: true }).waitFor();
    await one.getByText("The domain was deleted.").waitFor();
  }
  expect(await page.getByRole("button", { name: /^Approve|^Other/ }).count()).toBe(0);
  await late.getByRole("button", { name: "Approve and apply" }).click();
  await late.getByRole("dialog").getByText("The request is already withdrawn. The domain was deleted.").waitFor();
});

test("a request that is being applied says so and offers nothing, until its outcome is known", async () => {
  const author = await requested();
  const { services } = site.zonewright;
  // As if the process had died while it applied the request.
  await queries(services.database.fork())
    .updateTable("change_requests")
    .set({ applying_token: zone.id, applying_at: new Date() })
    .where("domain_id", "=", zone.id)
    .execute();
  const page = await site.signedIn({ path: "/requests?show=open" });
  await page.getByRole("listitem").filter({ hasText: zone.name }).getByText("Being applied").waitFor();
  await page.getByRole("listitem").filter({ hasText: zone.name }).getByRole("link").first().click();
  await page.waitForURL(/\/requests\/[\w-]+$/);
  await author.goto(page.url());
  for (const one of [page, author]) {
    await one.getByText("This request is being applied.").waitFor();
    for (const name of ["Approve and apply", "Other choices", "Withdraw…", "Apply"])
      expect(await one.getByRole("button", { name, exact: true }).count()).toBe(0);
  }
  await queries(services.database.fork())
    .updateTable("change_requests")
    .set({ applying_token: null, applying_at: null })
    .where("domain_id", "=", zone.id)
    .execute();
  await page.getByRole("button", { name: "Approve and apply" }).waitFor();
  await author.getByRole("button", { name: "Withdraw…" }).waitFor();
});

test("a rule that is set while a draft is open turns the review into a request, and keeps the draft", async () => {
  await setRule("off");
  const page = await asAuthor(records());
  await edit(page);
  await page.getByRole("button", { name: /^Review/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("192.0.2.2").waitFor();
  // Set while the change is on its way: the page has not heard of it.
  await page.route(
    "**/trpc/records.applyPlan*",
    async (route) => {
      await setRule("members");
      await route.continue();
    },
    { times: 1 },
  );
  site.expected.push("409");
  await dialog.getByRole("button", { name: /^Apply/ }).click();
  await dialog.getByText("Changes to this zone need a review.").waitFor();
  await dialog.getByLabel("What it is for").fill("Move www");
  await dialog.getByRole("button", { name: /^Request review/ }).click();
  await page.getByText(/^Request #\d+ sent/).waitFor();
  expect(await values()).toEqual(["192.0.2.1"]);
});

test("a member who may only propose changes of one type requests them where no review is required, and sees the rest as read-only", async () => {
  await setRule("off");
  await zone.add("TXT", "www", "old");
  const admin = await site.signedIn({ path: `/d/${zone.name}/access` });
  await site.zonewright.member(`proposer${count}`);
  await admin.getByRole("button", { name: "Assign…" }).click();
  const dialog = admin.getByRole("dialog");
  await dialog.getByLabel("Member", { exact: true }).fill(`proposer${count}`);
  await admin.getByRole("option", { name: `proposer${count}` }).click();
  await dialog.getByLabel("Access", { exact: true }).selectOption({ label: "Read and propose changes" });
  await dialog.getByLabel("Record types").fill("txt");
  await dialog.getByLabel("Ends on").fill("2099-12-31");
  await photograph(admin, "assign");
  await expectAccessible(admin);
  await dialog.getByRole("button", { name: "Assign", exact: true }).click();
  await admin.getByText(`proposer${count} assigned.`).waitFor();
  await admin.getByText(/Read and propose changes, ends on/).waitFor();

  const page = await site.signedIn({ username: `proposer${count}`, password: memberPassword, path: records() });
  await page.getByRole("button", { name: "Actions for www TXT" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("new");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: /^Request review/ }).click();
  const review = page.getByRole("dialog", { name: /^Request a review of 1 change/ });
  await review.getByLabel("What it is for").fill("Change the text");
  await review.getByRole("button", { name: /^Request review/ }).click();
  await page.getByText(/^Request #\d+ sent/).waitFor();
  expect((await zone.get("/records?type=TXT")).body.records).toMatchObject([{ value: "old" }]);
});
