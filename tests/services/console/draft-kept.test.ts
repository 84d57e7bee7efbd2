import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { expectAccessible, useConsole } from "../../support/console.ts";
import { fileZone, type Zone } from "../../support/zones.ts";

/** A draft is lost only to whoever wants that. */

const site = useConsole();
let zone: Zone;
let page: Page;

beforeEach(async () => {
  zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  await zone.add("A", "api", "192.0.2.7");
  page = await site.signedIn({ path: `/d/${zone.name}/records` });
  await page.getByRole("grid").waitFor();
});

/** Opens the zone in another tab. */
async function otherTab(): Promise<Page> {
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.getByRole("row").filter({ hasText: "192.0.2.7" }).waitFor();
  return other;
}

async function edit(on: Page, host: string, value: string): Promise<void> {
  await on.getByRole("button", { name: `Actions for ${host} A` }).click();
  await on.getByRole("menuitem", { name: "Edit" }).click();
  await on.getByRole("textbox", { name: "Value", exact: true }).fill(value);
  await on.getByRole("button", { name: "Done" }).click();
}

test("two tabs edit one draft: neither loses what the other typed, also after a reload", async () => {
  const other = await otherTab();
  await edit(page, "www", "192.0.2.2");
  await other.getByText("1 change", { exact: true }).waitFor();
  await edit(other, "api", "192.0.2.8");
  await page.getByText("2 changes", { exact: true }).waitFor();
  await page.reload();
  await page.getByText("2 changes", { exact: true }).waitFor();
  await page.getByRole("row").filter({ hasText: "192.0.2.2" }).waitFor();
  await page.getByRole("row").filter({ hasText: "192.0.2.8" }).waitFor();
});

test("a new record that is being written in one tab stays, whatever the other tab edits", async () => {
  const other = await otherTab();
  await page.getByRole("button", { name: "Add record" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("shop");
  await edit(other, "api", "192.0.2.8");
  await page.getByRole("row").filter({ hasText: "192.0.2.8" }).waitFor();
  expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("shop");
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.80");
  await page.getByRole("button", { name: "Done" }).click();
  await other.getByText("2 changes", { exact: true }).waitFor();
});

/** Opens a tab that keeps the browser's store busy. Returns the function that begins it, which returns the one that ends it. */
async function holder(): Promise<() => Promise<() => Promise<void>>> {
  const beside = await page.context().newPage();
  await beside.goto(`${site.url}/readyz`);
  return async () => {
    await beside.evaluate(async () => {
      const opening = indexedDB.open("zonewright");
      const begun = Promise.withResolvers<undefined>();
      opening.addEventListener("success", () => {
        const store = opening.result.transaction("drafts", "readwrite").objectStore("drafts");
        let isHeld = true;
        const look = () => {
          begun.resolve(undefined);
          if (isHeld) store.count().addEventListener("success", look);
        };
        store.count().addEventListener("success", look);
        Object.assign(globalThis, { endHold: () => (isHeld = false) });
      });
      await begun.promise;
    });
    return async () => await beside.evaluate(() => void Reflect.get(globalThis, "endHold")());
  };
}

test("an edit that the browser has not stored yet is there after a reload, and so is that it was taken back", async () => {
  const hold = await holder();
  let release = await hold();
  await edit(page, "www", "192.0.2.2");
  await edit(page, "api", "192.0.2.8");
  await page.getByText("2 changes", { exact: true }).waitFor();
  await page.reload();
  await release();
  await page.getByText("2 changes", { exact: true }).waitFor();
  await page.getByRole("row").filter({ hasText: "192.0.2.2" }).waitFor();
  await page.getByRole("row").filter({ hasText: "192.0.2.8" }).waitFor();
  release = await hold();
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  await page.getByRole("region", { name: "Draft" }).waitFor({ state: "detached" });
  await page.reload();
  await release();
  await page.getByRole("row").filter({ hasText: "192.0.2.7" }).waitFor();
  await edit(page, "api", "192.0.2.9");
  await page.getByText(/^Checked against revision/).waitFor();
  await page.getByText("1 change", { exact: true }).waitFor();
});

test("a draft that is applied is known as sent after a reload, also if the browser has not stored that yet", async () => {
  const hold = await holder();
  await edit(page, "www", "192.0.2.2");
  await page.getByText(/^Checked against revision/).waitFor();
  const release = await hold();
  const made = Promise.withResolvers<undefined>();
  await page.route("**/trpc/records.applyPlan*", async (route) => {
    await route.fetch();
    made.resolve(undefined);
  });
  await page.getByRole("button", { name: /^Review/ }).click();
  await page
    .getByRole("dialog", { name: /^Review/ })
    .getByRole("button", { name: /^Apply/ })
    .click();
  await made.promise;
  await page.reload();
  await release();
  await page.getByText(/^Applied as revision/).waitFor();
  await page.getByRole("region", { name: "Draft" }).waitFor({ state: "detached" });
});

test("a zone's text that the browser has not stored yet outlasts two reloads", async () => {
  await page.goto(`${site.url}/d/${zone.name}/text`);
  const field = page.getByRole("textbox").first();
  await expect.poll(() => field.inputValue()).toContain("192.0.2.7");
  const hold = await holder();
  const release = await hold();
  await field.fill(`${await field.inputValue()}\nshop 300 IN A 192.0.2.80\n`);
  await page.getByText("1 change", { exact: true }).waitFor();
  await page.reload();
  // The page has read what the one before it left.
  await expect.poll(() => page.evaluate(() => localStorage.getItem("zonewright.left"))).toBeNull();
  await page.reload();
  await release();
  await expect.poll(() => field.inputValue()).toContain("192.0.2.80");
});

async function addNew(on: Page, host: string, value: string): Promise<void> {
  await on.getByRole("button", { name: "Add record" }).click();
  await on.getByRole("textbox", { name: "Name" }).fill(host);
  await on.getByRole("textbox", { name: "Value", exact: true }).fill(value);
  await on.getByRole("button", { name: "Done" }).click();
}

test("new records of two tabs are two records, also when each was begun after the draft was discarded", async () => {
  const other = await otherTab();
  for (const tab of [page, other]) {
    await addNew(tab, "gone", "192.0.2.30");
    await tab.getByRole("button", { name: "Discard" }).click();
    await tab.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
    await tab.getByText("1 change", { exact: true }).waitFor({ state: "detached" });
  }
  await addNew(page, "one", "192.0.2.31");
  await other.getByText("1 change", { exact: true }).waitFor();
  await addNew(other, "two", "192.0.2.32");
  await page.getByText("2 changes", { exact: true }).waitFor();
  await edit(page, "two", "192.0.2.33");
  await other.getByRole("row").filter({ hasText: "192.0.2.33" }).waitFor();
  await other.getByRole("row").filter({ hasText: "192.0.2.31" }).waitFor();
  await other.reload();
  await other.getByRole("row").filter({ hasText: "192.0.2.33" }).waitFor();
  await other.getByRole("row").filter({ hasText: "192.0.2.31" }).waitFor();
});

test("what another tab edits while a draft is applied stays in the draft", async () => {
  const other = await otherTab();
  await edit(page, "www", "192.0.2.2");
  await other.getByText("1 change", { exact: true }).waitFor();
  const sent = Promise.withResolvers<undefined>();
  const edited = Promise.withResolvers<undefined>();
  await page.route("**/trpc/records.applyPlan*", async (route) => {
    sent.resolve(undefined);
    await edited.promise;
    await route.continue();
  });
  await page.getByRole("button", { name: /^Review/ }).click();
  const review = page.getByRole("dialog", { name: /^Review/ });
  await review.getByRole("button", { name: /^Apply/ }).click();
  await sent.promise;
  await edit(other, "api", "192.0.2.8");
  await page.getByText("2 changes", { exact: true }).waitFor();
  edited.resolve(undefined);
  await page.getByText(/^Applied as revision/).waitFor();
  for (const tab of [page, other]) {
    await tab.getByText("1 change", { exact: true }).waitFor();
    await tab.getByRole("row").filter({ hasText: "192.0.2.8" }).waitFor();
  }
  expect(await zone.lines()).toEqual(["api A 192.0.2.7", "www A 192.0.2.2"]);
});

test("a review ends when another tab edits the draft: nothing is applied that was not read", async () => {
  const other = await otherTab();
  await edit(page, "www", "192.0.2.2");
  await other.getByText("1 change", { exact: true }).waitFor();
  await page.getByRole("button", { name: /^Review/ }).click();
  const review = page.getByRole("dialog", { name: /^Review/ });
  await review.getByRole("button", { name: /^Apply/ }).waitFor();
  await edit(other, "api", "192.0.2.8");
  await review.waitFor({ state: "detached" });
  await page.getByRole("button", { name: /^Review/ }).click();
  await review.getByText("192.0.2.8").waitFor();
  await review.getByRole("button", { name: /^Apply/ }).click();
  await page.getByText(/^Applied as revision/).waitFor();
  expect(await zone.lines()).toEqual(["api A 192.0.2.8", "www A 192.0.2.2"]);
});

test("edits are undone and redone by key, with Caps Lock too, until another edit is made", async () => {
  await edit(page, "www", "192.0.2.2");
  await edit(page, "api", "192.0.2.8");
  const count = async (text: string) => await page.getByText(text, { exact: true }).waitFor();
  await count("2 changes");
  await page.keyboard.press("Control+Z");
  await count("1 change");
  // A press on a button outside of the grid leaves the focus there.
  await page.getByRole("button", { name: /^Review/ }).focus();
  await page.keyboard.press("Control+z");
  await page.getByRole("region", { name: "Draft" }).waitFor({ state: "detached" });
  await page.keyboard.press("Control+y");
  await count("1 change");
  await page.keyboard.press("Control+Shift+Z");
  await count("2 changes");
  await page.keyboard.press("Control+z");
  await count("1 change");
  await page.keyboard.press("Alt+d");
  await count("2 changes");
  await page.keyboard.press("Control+y");
  await page.getByRole("row").filter({ hasText: "192.0.2.8" }).waitFor({ state: "detached" });
  await page.keyboard.press("Control+A");
  await page.getByText("2 records selected").waitFor();
});

test("an applied draft does not come back by Ctrl Z", async () => {
  await edit(page, "www", "192.0.2.2");
  await page.getByRole("button", { name: /^Review/ }).click();
  await page
    .getByRole("dialog", { name: /^Review/ })
    .getByRole("button", { name: /^Apply/ })
    .click();
  await page.getByText(/^Applied as revision/).waitFor();
  await page.getByRole("row").filter({ hasText: "192.0.2.2" }).waitFor();
  await page.getByRole("grid").focus();
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Alt+n");
  await page.getByText("1 change", { exact: true }).waitFor();
});

test("what is typed stays when somebody else deletes the record that is being edited", async () => {
  await page.getByRole("button", { name: "Actions for www A" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.50");
  site.expected.push("404");
  const [www] = await zone.records("&name=www");
  await zone.delete(www.id);
  await page.getByText("Decide 1 conflict first").waitFor();
  expect(await page.getByRole("textbox", { name: "Value", exact: true }).inputValue()).toBe("192.0.2.50");
});

test("what is typed stays when another record is edited before it is done", async () => {
  await page.getByRole("button", { name: "Actions for www A" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.50");
  await page.getByRole("button", { name: "Actions for api A" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByRole("row").filter({ hasText: "192.0.2.50" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("1 change", { exact: true }).waitFor();
});

test("what is typed stays when the record is scrolled out of view", async () => {
  await zone.post("/records/bulk", {
    records: Array.from({ length: 90 }, (_, at) => ({ recordType: "A", name: `host${at}`, value: "192.0.2.9" })),
  });
  await page.reload();
  await page.getByRole("button", { name: "Actions for api A" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.50");
  const scroller = page.locator("[data-scroll]");
  await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  await page.getByRole("row").filter({ hasText: "www" }).waitFor();
  await page.getByText("1 change", { exact: true }).waitFor();
  await scroller.evaluate((element) => element.scrollTo(0, 0));
  await expect.poll(() => page.getByRole("textbox", { name: "Value", exact: true }).inputValue()).toBe("192.0.2.50");
});

test("signing out asks before it deletes a draft, and keeps everything if it is cancelled", async () => {
  await edit(page, "www", "192.0.2.2");
  await page.getByRole("button", { name: "admin" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  const ask = page.getByRole("dialog", { name: "Sign out and lose your drafts?" });
  await ask.getByText("You have changes in 1 domain").waitFor();
  await expectAccessible(page);
  await ask.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("1 change", { exact: true }).waitFor();
  await page.getByRole("button", { name: "admin" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await ask.getByRole("button", { name: "Sign out" }).click();
  await expectNoDraftAfterSignIn();
});

/** Signs in again and opens the zone's records. What belongs to nobody there is no draft. */
async function expectNoDraftAfterSignIn(): Promise<void> {
  await page.getByRole("heading", { name: "Sign in to Zonewright" }).waitFor();
  site.expected.push("400", "401");
  await page.goto(`${site.url}/d/${zone.name}/records`);
  await page.getByLabel("Username").fill("admin");
  await page.getByLabel("Password").fill("correct horse battery staple");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("row").filter({ hasText: "192.0.2.7" }).waitFor();
  // The stored draft is read before a new edit is counted.
  await edit(page, "api", "192.0.2.8");
  await page.getByText(/^Checked against revision/).waitFor();
  await page.getByText("1 change", { exact: true }).waitFor();
}

test("signing out asks also while a record is being edited, and what is typed there does not come back", async () => {
  await page.getByRole("button", { name: "Actions for www A" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.50");
  await page.getByRole("button", { name: "admin" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  const ask = page.getByRole("dialog", { name: "Sign out and lose your drafts?" });
  await ask.getByRole("button", { name: "Sign out" }).click();
  await expectNoDraftAfterSignIn();
});

test("what is typed stays when the page goes", async () => {
  await page.getByRole("button", { name: "Actions for www A" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.50");
  await page.getByRole("link", { name: "Settings", exact: true }).first().click();
  await page.getByRole("grid").waitFor({ state: "detached" });
  await page.goBack();
  await page.getByText("1 change", { exact: true }).waitFor();
  await page.getByRole("row").filter({ hasText: "192.0.2.50" }).waitFor();
});

test("what is typed in an open form stays when the page is reloaded, for a record and for a new one", async () => {
  await page.getByRole("button", { name: "Actions for www A" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.50");
  await page.reload();
  await page.getByRole("row").filter({ hasText: "192.0.2.50" }).waitFor();
  await page.getByRole("button", { name: "Add record" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("shop");
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.80");
  await page.reload();
  await page.getByRole("row").filter({ hasText: "shop" }).filter({ hasText: "192.0.2.80" }).waitFor();
  await page.getByText("2 changes", { exact: true }).waitFor();
  // It was left once: what is discarded stays away.
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  await page.getByRole("region", { name: "Draft" }).waitFor({ state: "detached" });
  await page.reload();
  await page.getByRole("row").filter({ hasText: "192.0.2.7" }).waitFor();
  await edit(page, "api", "192.0.2.8");
  await page.getByText(/^Checked against revision/).waitFor();
  await page.getByText("1 change", { exact: true }).waitFor();
});
