import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { expectAccessible, focusIn, photograph, useConsole } from "../../support/console.ts";
import { addZone, manualConfig, type Zone } from "../../support/zones.ts";

const site = useConsole();

const address = (last: number) => `203.0.113.${last}`;
const overflow = async (page: Page) => await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
const hits = (page: Page) => page.getByRole("table", { name: "Found records" }).getByRole("row");

/** Zones that point to an address, each with a note. */
async function pointing(to: string, names: readonly string[]): Promise<Zone[]> {
  const providerConfigId = await manualConfig(site.zonewright);
  const zones: Zone[] = [];
  for (const name of names) {
    const zone = await addZone(site.zonewright, { name, providerConfigId, tags: ["rack"] });
    await zone.add("A", "@", to);
    await zone.create({ recordType: "A", name: "www", value: to, comment: `Server of ${name}` });
    zones.push(zone);
  }
  return zones;
}

test("the search finds records in all zones, keeps its filters in the address, and leads to the row in its zone", async () => {
  await pointing(address(7), ["one.search", "two.search"]);
  const page = await site.signedIn();
  await page.getByRole("link", { name: "Search", exact: true }).click();
  await page.getByRole("heading", { name: "Find records in all of your zones" }).waitFor();
  await expectAccessible(page);
  await photograph(page, "search-empty");
  await focusIn(page.getByRole("searchbox"));
  await page.keyboard.type("203.0.113");
  await page.getByText("4 records").waitFor();
  await page.getByLabel("Host").fill("www");
  await page.getByText("2 records").waitFor();
  await expectAccessible(page);
  await photograph(page, "search");
  await expect.poll(() => new URL(page.url()).search).toBe("?q=203.0.113&host=www");
  await page.reload();
  await page.getByText("2 records").waitFor();
  expect(await hits(page).count()).toBe(3);
  await page.getByRole("searchbox").press("Enter");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${site.url}/d/two.search/records?search=www&type=A`);
});

test("a saved search and a pinned zone stay in the side bar of every browser, and a deleted search comes back by an undo", async () => {
  const page = await site.signedIn({ path: "/search?q=203.0.113&host=www" });
  await page.getByRole("button", { name: "Save…" }).click();
  const dialog = page.getByRole("dialog", { name: "Save this search" });
  await dialog.getByLabel("Name").fill("");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await dialog.getByRole("alert").getByText("Give it a name.").waitFor();
  await dialog.getByLabel("Name").fill("Old rack");
  await expectAccessible(page);
  await dialog.getByLabel("Name").press("Enter");
  await dialog.waitFor({ state: "hidden" });
  const saved = page.getByRole("list", { name: "Saved searches" });
  await saved.getByRole("link", { name: "Old rack" }).waitFor();
  await page.goto(`${site.url}/d/one.search/records`);
  await page.getByRole("button", { name: "Pin this zone" }).click();
  const pins = page.getByRole("group", { name: "Pinned" });
  await pins.getByRole("link", { name: "one.search" }).waitFor();
  await expectAccessible(page);
  await photograph(page, "pinned");
  const elsewhere = await site.signedIn({ path: "/notifications" });
  const there = elsewhere.getByRole("group", { name: "Pinned" });
  await there.getByRole("link", { name: "one.search" }).waitFor();
  await there.getByRole("link", { name: "Old rack" }).click();
  await elsewhere.waitForURL(`${site.url}/search?q=203.0.113&host=www`);
  await expectAccessible(elsewhere);
  await photograph(elsewhere, "search-saved");
  await elsewhere.getByRole("button", { name: "Actions for Old rack" }).click();
  await elsewhere.getByRole("menuitem", { name: "Delete" }).click();
  await there.getByRole("link", { name: "Old rack" }).waitFor({ state: "hidden" });
  await elsewhere.getByRole("button", { name: "Undo" }).click();
  await there.getByRole("link", { name: "Old rack" }).waitFor();
  await page.getByRole("button", { name: "Pin this zone" }).click();
  await pins.getByRole("link", { name: "one.search" }).waitFor({ state: "hidden" });
});

test("the pin of a deleted zone is taken away in the side bar, by keyboard or by finger, and comes back by an undo", async () => {
  const [gone] = await pointing(address(8), ["gone.search", "stays.search"]);
  await site.zonewright.admin.put("/api/auth/me/preferences", {
    pinnedZones: ["gone.search", "stays.search"],
    savedSearches: [{ name: "Old rack", page: "domains", filters: { tag: "rack" }, pinned: true }],
  });
  await site.zonewright.admin.delete(`/api/domains/${gone?.id}`, { "x-confirm-delete": "true" });
  const page = await site.signedIn({ path: "/d/gone.search/records" });
  const pins = page.getByRole("group", { name: "Pinned" });
  const unpin = pins.getByRole("button", { name: "Unpin gone.search" });
  // A load that failed takes no pin away.
  await pins.getByRole("link", { name: "gone.search" }).waitFor();
  const opacity = async () => await unpin.evaluate((button) => getComputedStyle(button).opacity);
  expect(await opacity()).toBe("0");
  await pins.getByRole("link", { name: "gone.search" }).focus();
  await page.keyboard.press("Tab");
  expect(await unpin.and(page.locator(":focus")).count()).toBe(1);
  expect(await opacity()).toBe("1");
  await expectAccessible(page);
  await photograph(page, "unpin");
  await unpin.focus();
  await page.keyboard.press("Enter");
  await unpin.waitFor({ state: "detached" });
  // The focus stays among the pins, and the pin comes back where it was.
  await pins.getByRole("button", { name: "Unpin stays.search" }).and(page.locator(":focus")).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await unpin.waitFor();
  expect(await pins.getByRole("link").allTextContents()).toEqual(["gone.search", "stays.search", "Old rack"]);
  await unpin.click();
  await unpin.waitFor({ state: "detached" });
  await pins.getByRole("button", { name: "Unpin Old rack" }).click();
  await pins.getByRole("link", { name: "Old rack" }).waitFor({ state: "detached" });
  const { body } = await site.zonewright.admin.get("/api/auth/me/preferences");
  expect(body.pinnedZones).toEqual(["stays.search"]);
  expect(body.savedSearches).toEqual([expect.objectContaining({ name: "Old rack", pinned: false })]);
});

test("a note finds its record, and a host that cannot be is refused at its field", async () => {
  const page = await site.signedIn({ path: "/search?note=server%20OF%20one" });
  await page.getByText("1 record", { exact: true }).waitFor();
  site.expected.push("400");
  await page.getByLabel("Host").fill("a..b");
  await page.getByRole("alert").getByText("an extra dot").waitFor();
  await page.getByRole("button", { name: "Clear the filters" }).click();
  await page.getByRole("heading", { name: "Find records in all of your zones" }).waitFor();
});

test("what was found is replaced in all zones, followed after leaving the page, and undone as a whole", async () => {
  await pointing(address(20), ["one.replace", "two.replace", "three.replace"]);
  const page = await site.signedIn({ path: `/search?value=${address(20)}` });
  await page.getByText("6 records").waitFor();
  await page.getByRole("link", { name: "Replace in all…" }).click();
  await page.getByLabel("Find this value").waitFor();
  expect(await page.getByLabel("Find this value").inputValue()).toBe(address(20));
  await page.getByRole("button", { name: "Show the plan" }).click();
  await page.getByText("Type the new value, or a TTL.").waitFor();
  await page.getByLabel("Replace it with").fill(address(21));
  await page.getByLabel("New TTL").fill("5 min");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Plan for 3 domains" }).waitFor();
  await expectAccessible(page);
  await photograph(page, "replace");
  await page.getByRole("textbox", { name: "Reason" }).fill("The rack moves");
  await page.getByRole("button", { name: "Change 3 domains" }).click();
  await page.waitForURL(/\/replace\/[\w-]+$/);
  await page
    .getByRole("status")
    .filter({ hasText: /^3 domains changed$/ })
    .waitFor();
  await expectAccessible(page);
  await photograph(page, "replace-job");
  const { body } = await site.zonewright.admin.get(`/api/records?value=${address(21)}`);
  expect(body.total).toBe(6);
  await page.getByRole("link", { name: "Replace", exact: true }).click();
  await page.getByRole("list", { name: "Recent replacements" }).getByRole("link").first().click();
  await page
    .getByRole("status")
    .filter({ hasText: /^3 domains changed$/ })
    .waitFor();
  await page.getByRole("button", { name: "Undo…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Undo", exact: true }).click();
  await page.getByRole("heading", { name: `Undo of A ${address(20)} → ${address(21)}` }).waitFor();
  await page
    .getByRole("status")
    .filter({ hasText: /^3 domains changed$/ })
    .waitFor();
  const { body: back } = await site.zonewright.admin.get(`/api/records?value=${address(20)}`);
  expect(back.total).toBe(6);
});

test("the undo of a replacement says for people what was left, and is repeated for locked records and required reviews", async () => {
  const { admin, services } = site.zonewright;
  const [locked, reviewed] = await pointing(address(90), ["locked.undo", "reviewed.undo"]);
  const [www] = (await locked?.records("&name=www")) ?? [];
  await locked?.update(www?.["id"], { locked: true });
  await admin.put(`/api/domains/${reviewed?.id}`, { reviewRequired: "everyone" });
  const request = { recordType: "A", value: address(90), newValue: address(91) };
  const { planHash } = (await admin.post("/api/records/replace/plan", request)).body;
  const confirmed = { planHash, unlock: true, override: true, message: "The rack moves" };
  const { body: job } = await admin.post("/api/records/replace/apply", { ...request, ...confirmed });
  await services.batches.run();
  const page = await site.signedIn({ path: `/replace/${job.jobId}` });
  const dialog = page.getByRole("dialog", { name: "Undo this in every domain?" });
  await page.getByRole("button", { name: "Undo…" }).click();
  await dialog.getByRole("button", { name: "Undo", exact: true }).click();
  await page.getByText("2 failed").waitFor();
  await page.getByText(`www A ${address(91)} is locked.`, { exact: true }).waitFor();
  await page.getByText("This domain requires a review of each change.", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Open it" }).click();
  await page.waitForURL(`${site.url}/replace/${job.jobId}`);
  await page.getByRole("button", { name: "Undo…" }).click();
  await dialog.getByLabel("Also change locked records").check();
  await dialog.getByLabel("Also change domains that require a review (needs a reason)").check();
  await dialog.getByRole("button", { name: "Undo", exact: true }).click();
  await dialog.getByText("Say why no review is needed.").waitFor();
  await expectAccessible(page);
  await dialog.getByRole("textbox", { name: "Reason" }).fill("The new rack burns");
  await dialog.getByRole("button", { name: "Undo", exact: true }).click();
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("heading", { name: `Undo of A ${address(90)} → ${address(91)}` }).waitFor();
  await page
    .getByRole("status")
    .filter({ hasText: /^2 domains changed$/ })
    .waitFor();
  expect((await admin.get(`/api/records?value=${address(90)}`)).body.total).toBe(4);
});

test("selected hits are changed in all of their zones after a look at the plan, undone as a whole, or put into the zones' drafts", async () => {
  const [first, second] = await pointing(address(60), ["one.act", "two.act"]);
  const padding = Array.from({ length: 8 }, (_, host) => `h${host}`);
  for (const zone of [first, second]) for (const host of padding) await zone?.add("A", host, address(61));
  const page = await site.signedIn({ path: `/search?value=${address(60)}` });
  await page.getByText("4 records").waitFor();
  await page.getByLabel("Select all records on this page").check();
  await page.getByLabel(`Select two.act A ${address(60)}`).uncheck();
  const bar = page.getByRole("region", { name: "Selection" });
  await bar.getByText("3 records selected").waitFor();
  await photograph(page, "search-selected");
  await bar.getByRole("button", { name: "Set TTL…" }).click();
  const dialog = page.getByRole("dialog", { name: /^(?:Set the TTL of|Delete) / });
  await dialog.getByLabel("New TTL").fill("5 min");
  await page.keyboard.press("Enter");
  await dialog.getByLabel("Reason").fill("The rack moves");
  await expectAccessible(page);
  await photograph(page, "search-act");
  await dialog.getByRole("button", { name: "Change 2 domains" }).click();
  await dialog.waitFor({ state: "hidden" });
  const ttls = async () => {
    const { body } = await site.zonewright.admin.get(`/api/records?value=${address(60)}`);
    return body.records.map(({ ttl }: { ttl: number }) => ttl).toSorted((a: number, b: number) => a - b);
  };
  expect(await ttls()).toEqual([300, 300, 300, 3600]);
  expect((await second?.history())?.[0]).toMatchObject({ message: "The rack moves" });
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Undone in 2 domains").waitFor();
  expect(await ttls()).toEqual([3600, 3600, 3600, 3600]);
  await page.getByLabel(`Select www.one.act A ${address(60)}`).check();
  await bar.getByRole("button", { name: "Delete" }).click();
  await dialog.getByRole("button", { name: "Put into drafts" }).click();
  await dialog.getByRole("link", { name: "Open the draft" }).click();
  await page.getByRole("region", { name: "Draft" }).getByText("1 change").waitFor();
  expect(await ttls()).toHaveLength(4);
  // A zone that has changed since its plan refuses, and gets the change as a draft.
  await page.goto(`${site.url}/search?value=${address(60)}`);
  await page.getByLabel("Select all records on this page").check();
  await bar.getByRole("button", { name: "Set TTL…" }).click();
  await dialog.getByLabel("New TTL").fill("10 min");
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Change 2 domains" }).waitFor();
  await second?.add("A", "late", address(61));
  site.expected.push("409");
  await dialog.getByRole("button", { name: "Change 2 domains" }).click();
  await dialog.getByRole("list", { name: "Drafts" }).getByText("two.act", { exact: true }).waitFor();
  await expectAccessible(page);
  await photograph(page, "search-refused");
  expect(await ttls()).toEqual([600, 600, 3600, 3600]);
  await dialog.getByRole("link", { name: "Open the draft" }).click();
  await page.waitForURL(`${site.url}/d/two.act/records`);
  await page.getByRole("region", { name: "Draft" }).getByText("2 changes").waitFor();
});

test("a change of many zones that is stopped leaves the others as they are, names them, and can be taken back", async () => {
  await pointing(address(65), ["one.stop", "two.stop", "three.stop", "four.stop"]);
  const page = await site.signedIn({ path: `/search?value=${address(65)}&host=www` });
  await page.getByText("4 records").waitFor();
  const left = async () => {
    const { body } = await site.zonewright.admin.get(`/api/records?value=${address(65)}&host=www`);
    return body.records.length as number;
  };
  let calls = 0;
  let answer = Promise.withResolvers<undefined>();
  await page.route("**/trpc/records.applyPlan*", async (route) => {
    calls += 1;
    if (calls === 2) await answer.promise;
    await route.continue();
  });
  const dialog = page.getByRole("dialog", { name: "Delete 4 records" });
  for (const stop of ["Stop", "Escape"]) {
    calls = 0;
    answer = Promise.withResolvers();
    await page.getByLabel("Select all records on this page").check();
    await page.getByRole("region", { name: "Selection" }).getByRole("button", { name: "Delete" }).click();
    await dialog.getByRole("button", { name: "Change 4 domains" }).click();
    await dialog.getByText("1 of 4 domains").waitFor();
    expect(await dialog.getByRole("button", { name: "Cancel" }).count()).toBe(0);
    expect(await dialog.getByRole("button", { name: "Put into drafts" }).getAttribute("aria-disabled")).toBe("true");
    if (stop === "Escape") await page.keyboard.press("Escape");
    else await dialog.getByRole("button", { name: "Stop" }).click();
    await dialog.getByRole("button", { name: "Stop" }).and(page.locator("[aria-busy]")).waitFor();
    answer.resolve(undefined);
    await dialog.getByText("Stopped. 2 of 4 domains changed.").waitFor();
    const unchanged = dialog.getByRole("list", { name: "Not changed" });
    expect(await unchanged.getByRole("listitem").count()).toBe(2);
    expect(calls).toBe(2);
    expect(await left()).toBe(2);
    // The offer to undo goes after twenty seconds, and the look at the page takes some of them.
    if (stop === "Stop") {
      await expectAccessible(page);
      await photograph(page, "search-stopped");
    }
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(left).toBe(4);
    await page.getByText("4 records").waitFor();
  }
});

test("a zone whose plan is refused is named with the reason, when the others have their drafts and when they are changed", async () => {
  const [, taken] = await pointing(address(70), ["free.skip", "taken.skip"]);
  await taken?.add("A", "www", address(71));
  const page = await site.signedIn({ path: `/search?value=${address(70)}&host=www` });
  await page.getByText("2 records").waitFor();
  const dialog = page.getByRole("dialog");
  const plan = async () => {
    await page.getByLabel("Select all records on this page").check();
    await page.getByRole("region", { name: "Selection" }).getByRole("button", { name: "Set value…" }).click();
    await dialog.getByLabel(/^New value/).fill(address(71));
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Change 1 domain" }).waitFor();
  };
  site.expected.push("400", "409", "422");
  await plan();
  await dialog.getByRole("button", { name: "Put into drafts" }).click();
  const skipped = dialog.getByRole("list", { name: "Left out" });
  await skipped.getByText("taken.skip", { exact: true }).waitFor();
  await skipped.getByText("already").waitFor();
  await dialog.getByRole("list", { name: "Drafts" }).getByText("free.skip", { exact: true }).waitFor();
  await expectAccessible(page);
  await photograph(page, "search-left-out");
  await page.keyboard.press("Escape");
  await plan();
  await dialog.getByRole("button", { name: "Change 1 domain" }).click();
  await skipped.getByText("taken.skip", { exact: true }).waitFor();
  expect(await dialog.getByRole("list", { name: "Drafts" }).count()).toBe(0);
});

test("a zone that a new value leaves as it is is not changed, and the undo keeps what it had", async () => {
  const [same, other] = await pointing(address(75), ["same.noop", "other.noop"]);
  await same?.add("AAAA", "six", "2001:db8::75");
  await other?.add("AAAA", "six", "2001:db8::76");
  const page = await site.signedIn({ path: "/search?q=2001:db8::7&host=six" });
  await page.getByText("2 records").waitFor();
  await page.getByLabel("Select all records on this page").check();
  await page.getByRole("region", { name: "Selection" }).getByRole("button", { name: "Set value…" }).click();
  const dialog = page.getByRole("dialog");
  // The same address in another notation.
  await dialog.getByLabel(/^New value/).fill("2001:DB8:0::75");
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Change 1 domain" }).click();
  await page.getByText("1 domain changed", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Undone in 1 domain").waitFor();
  expect(await same?.lines()).toContain("six AAAA 2001:db8::75");
  expect(await other?.lines()).toContain("six AAAA 2001:db8::76");
});

test("a replacement of more than 30 % of a zone goes on only after it is confirmed", async () => {
  const [zone] = await pointing(address(30), ["large.replace"]);
  for (let host = 0; host < 10; host += 1) await zone?.add("A", `h${host}`, address(30));
  const page = await site.signedIn({ path: `/replace?type=A&value=${address(30)}&to=${address(31)}` });
  await page.getByRole("button", { name: "Show the plan" }).click();
  site.expected.push("409");
  await page.getByRole("button", { name: "Change 1 domain" }).click();
  const anyway = page.getByRole("button", { name: "Apply anyway" });
  await anyway.waitFor();
  expect(await anyway.getAttribute("aria-disabled")).toBe("true");
  await page.getByLabel("I have read this and want to go on.").check();
  await anyway.click();
  await page.waitForURL(/\/replace\/[\w-]+$/);
  await page
    .getByRole("status")
    .filter({ hasText: /^1 domain changed$/ })
    .waitFor();
});

test("a plan of many zones shows those that are refused or have warnings first, and all others on further pages", async () => {
  const [, lossy] = await pointing(address(50), ["harmless.many", "lossy.many"]);
  for (let host = 0; host < 10; host += 1) await lossy?.add("A", `h${host}`, address(50));
  const page = await site.signedIn({ path: `/replace?type=A&value=${address(50)}&to=${address(51)}` });
  // As if there were many more zones like the first one. One of them is refused.
  await page.route("**/trpc/replacements.plan*", async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    const { domains } = answer.result.data.json;
    const [harmless] = domains;
    const like = (name: string, error: string | null) => ({ ...harmless, domainId: name, domainName: name, error });
    for (let at = 0; at < 103; at++) domains.splice(1, 0, like(`n${at}.many`, null));
    domains.push(like("refused.many", "The zone is being deleted."));
    await route.fulfill({ response, json: answer });
  });
  await page.getByRole("button", { name: "Show the plan" }).click();
  await page.getByRole("heading", { name: "Plan for 106 domains" }).waitFor();
  const zones = page.getByRole("listitem").filter({ has: page.getByText(/\.many$/) });
  expect(await zones.count()).toBe(100);
  await zones.nth(0).getByText("refused.many", { exact: true }).waitFor();
  await zones.nth(0).getByText("The zone is being deleted.").waitFor();
  await zones.nth(1).getByText("lossy.many", { exact: true }).waitFor();
  await zones
    .nth(1)
    .getByText(/more than 30 %/)
    .waitFor();
  await page.getByText("Page 1 of 2").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Next", exact: true }).click();
  await page.getByText("Page 2 of 2").waitFor();
  expect(await zones.count()).toBe(6);
});

test("a plan that arrives after its fields were edited is not shown for what stands in them now", async () => {
  await pointing(address(45), ["one.late", "two.late"]);
  const page = await site.signedIn({ path: `/replace?type=A&value=${address(45)}&to=${address(46)}` });
  const asked = Promise.withResolvers<undefined>();
  const answer = Promise.withResolvers<undefined>();
  await page.route("**/trpc/replacements.plan*", async (route) => {
    asked.resolve(undefined);
    await answer.promise;
    await route.continue();
  });
  const show = page.getByRole("button", { name: "Show the plan" });
  const plan = page.getByRole("heading", { name: "Plan for 2 domains" });
  await show.click();
  await asked.promise;
  await page.getByLabel("Replace it with").fill(address(47));
  answer.resolve(undefined);
  await show.and(page.locator(":not([aria-busy])")).waitFor();
  expect(await plan.count()).toBe(0);
  await show.click();
  await plan.waitFor();
  await page.getByText(address(47)).first().waitFor();
  expect(await page.getByText(address(46)).count()).toBe(0);
  // Edited again, the fields are without a plan.
  await page.getByLabel("Replace it with").fill(address(46));
  await plan.waitFor({ state: "detached" });
});

test("a plan that zones have overtaken is made anew and says so, and the reason that was typed stays", async () => {
  const [zone] = await pointing(address(40), ["overtaken.replace"]);
  const page = await site.signedIn({ path: `/replace?type=A&value=${address(40)}&to=${address(41)}` });
  await page.getByRole("button", { name: "Show the plan" }).click();
  await page.getByRole("textbox", { name: "Reason" }).fill("The rack moves");
  await zone?.add("A", "late", address(40));
  site.expected.push("409");
  await page.getByRole("button", { name: "Change 1 domain" }).click();
  await page.getByText("Zones have changed since. This is the plan as they are now.").waitFor();
  await page.getByText("3 A records", { exact: true }).waitFor();
  expect(await page.getByRole("textbox", { name: "Reason" }).inputValue()).toBe("The rack moves");
  await page.getByRole("button", { name: "Change 1 domain" }).click();
  await page.waitForURL(/\/replace\/[\w-]+$/);
  await page
    .getByRole("status")
    .filter({ hasText: /^1 domain changed$/ })
    .waitFor();
});

test("search and replace have no findings in the dark and fit 320 pixels", async () => {
  const page = await site.signedIn({ dark: true, width: 320, path: "/search?q=203.0.113" });
  await hits(page).nth(2).waitFor();
  await expectAccessible(page);
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  await page.goto(`${site.url}/replace?type=A&value=${address(7)}&to=${address(8)}`);
  await page.getByRole("button", { name: "Show the plan" }).click();
  await page.getByRole("heading", { name: "Plan for 2 domains" }).waitFor();
  await expectAccessible(page);
  expect(await overflow(page)).toBeLessThanOrEqual(0);
});

test("a search for an address says that longer ones are found, too, and leaves them out on demand", async () => {
  await pointing("198.51.100.7", ["short.search"]);
  await pointing("198.51.100.70", ["longer.search"]);
  const page = await site.signedIn({ path: "/search?q=198.51.100.7" });
  await page.getByText("4 records").waitFor();
  await page.getByText("Longer values are found, too, such as 198.51.100.70.").waitFor();
  await expectAccessible(page);
  await photograph(page, "search-longer");
  await page.getByRole("button", { name: "Only this address" }).click();
  await page.getByText("2 records").waitFor();
  expect(new URL(page.url()).search).toBe("?value=198.51.100.7");
});
