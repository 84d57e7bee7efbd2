import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { expectAccessible, focusIn, photograph, useConsole } from "../../support/console.ts";
import type { Body } from "../../support/zones.ts";

const site = useConsole();
let id = "";
let page: Page;

const records = [
  { recordType: "A", name: "@", value: "192.0.2.10", ttl: 300 },
  { recordType: "MX", name: "@", value: "10 mx1.example.net", ttl: 3600 },
  { recordType: "TXT", name: "@", value: "v=spf1 include:_spf.example.net ~all", ttl: 3600 },
  { recordType: "A", name: "api", value: "192.0.2.31", ttl: 60 },
  { recordType: "CNAME", name: "old-shop", value: "stores.example.org", ttl: 3600 },
];
let count = 0;

beforeEach(async () => {
  count += 1;
  const { body } = await site.zonewright.admin.post("/api/domains", { name: `zone${count}.example` });
  ({ id } = body);
  await site.zonewright.admin.post(`/api/domains/${id}/records/bulk`, { records });
  page = await site.signedIn({ path: `/d/zone${count}.example/records` });
  await page.getByRole("grid").waitFor();
});

/** The zone as the service has it. */
async function stored(): Promise<string[]> {
  const { body } = await site.zonewright.admin.get(`/api/domains/${id}/records`);
  return body.records.map(({ name, recordType, value, ttl }: Body) => `${name} ${ttl} ${recordType} ${value}`);
}

const row = (name: string, type: string) => page.getByRole("row").filter({ hasText: name }).filter({ hasText: type });

test("a person edits, adds and deletes records by mouse, reviews the change like a patch, applies it and takes it back", async () => {
  const before = await stored();
  await row("api", "A").getByRole("button", { name: "Actions for api A" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.32");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "Add record" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("shop");
  await page.getByRole("combobox", { name: "Type" }).selectOption("CNAME");
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("https://shops.example.org/start");
  await page.getByRole("button", { name: "Done" }).click();
  await row("old-shop", "CNAME").getByRole("button", { name: "Actions for old-shop CNAME" }).click();
  await page.getByRole("menuitem", { name: /^Delete/ }).click();
  expect(await stored()).toEqual(before);

  await page.getByRole("button", { name: /^Review/ }).click();
  const dialog = page.getByRole("dialog", { name: /^Review 3 changes/ });
  await expect.poll(async () => await dialog.textContent()).toContain("shops.example.org");
  await photograph(page, "review");
  await dialog.getByRole("button", { name: /^Apply/ }).click();
  await page.getByText("Applied as revision 2").waitFor();
  expect(await stored()).toEqual(expect.arrayContaining(["api 60 A 192.0.2.32", "shop 3600 CNAME shops.example.org"]));
  // Not every browser gives a button the focus that is clicked.
  await page.getByRole("button", { name: "Undo" }).evaluate((button: HTMLElement) => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    button.click();
  });
  expect(await page.evaluate(() => document.activeElement?.role)).toBe("grid");
  await page.getByText("Undone as revision 3").waitFor();
  expect(await stored()).toEqual(before);
});

test("checkboxes have the colors of the dark theme, whatever the browser would draw", async () => {
  await page.emulateMedia({ colorScheme: "dark" });
  const colors = await page.getByRole("checkbox").evaluateAll((boxes) =>
    boxes.map((box) => {
      const { appearance, backgroundColor } = getComputedStyle(box);
      return `${appearance} ${backgroundColor}`;
    }),
  );
  const panel = await page.getByRole("grid").evaluate((grid) => getComputedStyle(grid).backgroundColor);
  expect(new Set(colors)).toEqual(new Set([`none ${panel}`]));
  await page.keyboard.press("Control+a");
  await photograph(page, "records-all-selected");
});

/** Waits until the page is painted with what it shows. */
async function frames(): Promise<void> {
  await page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
  });
}

test("the page never shows the old value again once a change is applied, even while records arrive late", async () => {
  await row("api", "A").getByRole("button", { name: "Actions for api A" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.32");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: /^Review/ }).click();
  // However busy the machine is: the page waits for the records as long as they take here.
  await page.evaluate(() => {
    const { setTimeout: wait } = globalThis;
    const patient = (run: () => void, milliseconds = 0) => wait(run, milliseconds === 3_000 ? 60_000 : milliseconds);
    Object.assign(globalThis, { setTimeout: patient });
  });
  // Each arrives once the page has been painted with what it showed while it waited.
  await page.route("**/trpc/*records.list*", async (route) => {
    await frames();
    await route.continue();
  });
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(globalThis, { seen });
    const look = () => {
      const texts = [...document.querySelectorAll('[role="row"]')].map((element) => element.textContent ?? "");
      seen.push(texts.find((text) => text.includes("api")) ?? "");
      requestAnimationFrame(look);
    };
    look();
  });
  await page
    .getByRole("dialog", { name: /^Review/ })
    .getByRole("button", { name: /^Apply/ })
    .click();
  await page.getByText("Applied as revision 2").waitFor();
  await frames();
  const seen = await page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen);
  const shown = [...new Set(seen)];
  expect(shown.filter((text) => !text.includes("192.0.2.32"))).toEqual([]);
  // While it is not applied yet, the row shows what it would change.
  expect(shown.at(-1)).not.toContain("192.0.2.31");
});

test("the grid stays in view while the records of somebody's change arrive", async () => {
  const asked = Promise.withResolvers<undefined>();
  const arrival = Promise.withResolvers<undefined>();
  await page.route("**/trpc/*records.list*", async (route) => {
    asked.resolve(undefined);
    await arrival.promise;
    await route.continue();
  });
  await page.evaluate(() => {
    const seen: number[] = [];
    Object.assign(globalThis, { seen });
    setInterval(() => seen.push(document.querySelectorAll('[role="row"]').length), 20);
  });
  await site.zonewright.admin.post(`/api/domains/${id}/records`, {
    recordType: "A",
    name: "theirs",
    value: "192.0.2.99",
  });
  await asked.promise;
  await frames();
  arrival.resolve(undefined);
  await row("theirs", "A").waitFor();
  const fewest = await page.evaluate(() => Math.min(...(globalThis as unknown as { seen: number[] }).seen));
  expect(fewest).toBeGreaterThanOrEqual(records.length);
});

test("the same works by keyboard alone", async () => {
  await page.getByRole("grid").focus();
  await page.keyboard.press("Alt+n");
  await page.keyboard.type("shop");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.type("192.0.2.80");
  await page.keyboard.press("Tab");
  await page.keyboard.type("5 min");
  await page.keyboard.press("Enter");
  // It waits for the rules of its type, which the browser may still be fetching.
  await page.getByRole("group", { name: "Edit the record" }).waitFor({ state: "detached" });
  await page.keyboard.type("old");
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("Control+ArrowUp");
  await page.keyboard.press("End");
  await page.keyboard.press("Home");
  await page.keyboard.press("Alt+d");
  await page.getByText("Checked against revision 1").waitFor();
  await page.keyboard.press("Control+Enter");
  await focusIn(page.getByRole("dialog", { name: /^Review 2 changes/ }));
  await page.keyboard.press("Control+Enter");
  await page.getByText("Applied as revision 2").waitFor();
  const now = await stored();
  expect(now).toContain("shop 300 A 192.0.2.80");
  expect(now).not.toContain("@ 300 A 192.0.2.10");
});

test("a draft survives a reload and goes when it is discarded", async () => {
  await page.getByRole("grid").focus();
  await page.keyboard.press("Alt+d");
  await page.getByText("1 change", { exact: true }).waitFor();
  await page.reload();
  await page.getByText("1 change", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  await page.getByText("1 change", { exact: true }).waitFor({ state: "hidden" });
});

/** Whether what has the focus can be seen: nothing of the page lies over its middle, nor over its edges. */
async function isInView(selector: string): Promise<boolean> {
  return await page.evaluate((selected) => {
    const element = document.querySelector(selected);
    if (!element) return false;
    const { left, top, bottom, width } = element.getBoundingClientRect();
    return [top + 4, bottom - 4].every((y) => {
      const seen = document.elementFromPoint(left + width / 2, y);
      return seen !== null && (element.contains(seen) || seen.contains(element));
    });
  }, selector);
}

test("the active row and the editor are never under the draft bar or the column heads, wherever the keys lead", async () => {
  const more = Array.from({ length: 60 }, (_, at) => ({
    recordType: "A",
    name: `host${10 + at}`,
    value: "192.0.2.60",
  }));
  await site.zonewright.admin.post(`/api/domains/${id}/records/bulk`, { records: more });
  await row("host20", "A").waitFor();
  await page.getByRole("grid").focus();
  await page.keyboard.press("Alt+d");
  await page.getByText("1 change", { exact: true }).waitFor();
  for (const { key, times } of [
    { key: "ArrowDown", times: 45 },
    { key: "ArrowUp", times: 40 },
    { key: "Control+End", times: 1 },
    { key: "Control+Home", times: 1 },
  ]) {
    for (let count = 0; count < times; count++) {
      await page.keyboard.press(key);
      await frames();
      await expect
        .poll(() => isInView("[class*=grid-active], [class*=row] [class*=active]"), { message: key })
        .toBe(true);
    }
  }
  for (let count = 0; count < 22; count++) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("group", { name: "Edit the record" }).waitFor();
  await expect.poll(() => isInView("[role=group] :focus")).toBe(true);
  await page.keyboard.press("Escape");
  // At double zoom there is less room than the form takes.
  await page.setViewportSize({ width: 640, height: 400 });
  const form = page.getByRole("group", { name: "Edit the record" });
  await form.waitFor({ state: "detached" });
  await page.keyboard.press("Enter");
  await form.waitFor();
  await page.keyboard.press("Escape");
  await form.waitFor({ state: "detached" });
  for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
  await form.waitFor();
  await frames();
  await expect.poll(() => isInView("[role=group] :focus")).toBe(true);
});

test("when a change is refused while its reason is being written, the refusal is in view and has the focus", async () => {
  const more = Array.from({ length: 40 }, (_, at) => ({
    recordType: "A",
    name: `host${10 + at}`,
    value: "192.0.2.60",
  }));
  await site.zonewright.admin.post(`/api/domains/${id}/records/bulk`, { records: more });
  await row("host20", "A").waitFor();
  await page.getByRole("grid").focus();
  await page.keyboard.press("Control+a");
  // At once: the key before has selected them.
  await page.keyboard.press("Alt+t");
  await page
    .getByRole("dialog", { name: /^Set the TTL/ })
    .getByRole("textbox")
    .fill("2 min");
  await page.keyboard.press("Enter");
  await page.getByText(/^Checked against revision/).waitFor();
  await page.getByRole("button", { name: /^Review/ }).click();
  const review = page.getByRole("dialog", { name: /^Review/ });
  await page.route("**/trpc/records.applyPlan*", async (route) => await route.abort("connectionreset"));
  site.expected.push("ERR_CONNECTION_RESET");
  await review.getByRole("textbox", { name: /^Why/ }).fill("Faster moves");
  await page.keyboard.press("Control+Enter");
  const refusal = review.getByRole("alert");
  await refusal.waitFor();
  await expect.poll(() => refusal.evaluate((element) => element === document.activeElement)).toBe(true);
  await photograph(page, "review-refused");
  await expect.poll(() => isInView("[role=dialog] [role=alert]")).toBe(true);
  await expectAccessible(page);
});

test("a value that a rule refuses is explained at the field before anything is sent", async () => {
  await page.getByRole("grid").focus();
  await page.keyboard.press("Alt+n");
  await page.keyboard.type("bad");
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.999");
  await page.getByRole("button", { name: "Done" }).click();
  await expect
    .poll(async () => await page.getByRole("group", { name: "Edit the record" }).textContent())
    .toContain("must be an IPv4 address");
  await page.keyboard.press("Escape");
});

test("what breaks a rule of the zone is said at its row", async () => {
  site.expected.push("409");
  await page.getByRole("grid").focus();
  await page.keyboard.press("Alt+n");
  await page.keyboard.type("api");
  await page.getByRole("combobox", { name: "Type" }).selectOption("CNAME");
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("elsewhere.example.org");
  await page.keyboard.press("Enter");
  await page.getByRole("gridcell", { name: /A CNAME must be the only record of its name/ }).waitFor();
});

test("markup in a record stays text", async () => {
  const markup = "<img src=x onerror=alert(1)><script>alert(2)</script>";
  await site.zonewright.admin.post(`/api/domains/${id}/records`, {
    recordType: "TXT",
    name: "html",
    value: markup,
    comment: markup,
  });
  await page.reload();
  await row("html", "TXT").getByText(markup).first().waitFor();
});

test("the records page has no accessibility findings, in both themes and at 320 pixels", async () => {
  await page.getByRole("grid").focus();
  await page.keyboard.press("Alt+d");
  await page.getByText("Checked against revision 1").waitFor();
  await photograph(page, "records");
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
  }
  await page.setViewportSize({ width: 320, height: 640 });
  await expectAccessible(page);
});

test("a change of a locked record says so, and is made once its reader confirms it", async () => {
  const { body } = await site.zonewright.admin.get(`/api/domains/${id}/records?search=api`);
  await site.zonewright.admin.put(`/api/domains/${id}/records/${body.records[0].id}`, { locked: true });
  site.expected.push("409");
  await page.reload();
  await row("api", "A").getByRole("button", { name: "Actions for api A" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.99");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: /^Review/ }).click();
  const review = page.getByRole("dialog");
  await review.getByRole("button", { name: /^Apply/ }).click();
  await review.getByRole("button", { name: /^Apply anyway/ }).waitFor();
  expect(await review.textContent()).toMatch(/locked/);
  expect(await review.textContent()).not.toContain("large part of the zone");
  await review.getByRole("button", { name: /^Apply anyway/ }).click();
  await page.getByText(/^Applied as revision/).waitFor();
  expect(await stored()).toContain("api 60 A 192.0.2.99");
});

test("letters search by name and change nothing, whichever they are, and Enter right after them edits what was found", async () => {
  const hosts = ["docs", "news", "tools", "vpn"];
  const more = hosts.map((name) => ({ recordType: "A", name, value: "192.0.2.60" }));
  await site.zonewright.admin.post(`/api/domains/${id}/records/bulk`, { records: more });
  await row("vpn", "A").waitFor();
  await page.getByRole("grid").focus();
  // Typed without a pause, however busy the machine is.
  await page.evaluate(() => Object.defineProperty(Event.prototype, "timeStamp", { get: () => 1 }));
  for (const name of hosts) {
    await page.keyboard.type(name);
    await page.keyboard.press("Enter");
    const editor = page.getByRole("group", { name: "Edit the record" });
    expect(await editor.getByLabel("Name", { exact: true }).inputValue()).toBe(name);
    await page.keyboard.press("Escape");
    await editor.waitFor({ state: "detached" });
  }
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Keyboard" });
  await keys.getByText("Add a record; also Insert").waitFor();
  await photograph(page, "keys");
  await page.keyboard.press("Escape");
  expect(await page.getByRole("region", { name: "Draft" }).count()).toBe(0);
});

test("a record that gets another name keeps the cursor, so that the next key acts on it and on no other", async () => {
  await page.getByRole("grid").focus();
  await page.keyboard.press("Alt+n");
  await page.keyboard.type("zebra");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.type("192.0.2.90");
  await page.keyboard.press("Enter");
  await row("zebra", "A").waitFor();
  await page.keyboard.press("Alt+d");
  await row("zebra", "A").waitFor({ state: "detached" });
  expect(await page.getByRole("row").count()).toBe(records.length + 1);
  await page.getByText("1 change", { exact: true }).waitFor({ state: "hidden" });
});

test("Escape in a form leaves the cursor at its row, whatever was edited before", async () => {
  const edit = async (name: string) => {
    await row(name, "A")
      .getByRole("button", { name: `Actions for ${name} A` })
      .click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await editor().waitFor();
  };
  await edit("api");
  await editor().getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.32");
  await editor().getByRole("button", { name: "Done" }).click();
  await page.getByText("1 change", { exact: true }).waitFor();
  await page.getByRole("gridcell", { name: "stores.example.org" }).click();
  await expect.poll(activeName).toBe("old-shop");
  await page.keyboard.press("Enter");
  await editor().waitFor();
  await page.keyboard.press("Escape");
  await editor().waitFor({ state: "detached" });
  await frames();
  expect(await activeName()).toBe("old-shop");
  await page.keyboard.press("Delete");
  await row("old-shop", "CNAME").getByText("−", { exact: true }).waitFor();
  await row("api", "A").getByText("192.0.2.32").waitFor();
});

test("the keys work on after a box is checked by mouse, and lead from the filter into the records", async () => {
  await row("api", "A").getByRole("checkbox").check();
  await page.keyboard.press("Alt+t");
  await page
    .getByRole("dialog", { name: /^Set the TTL/ })
    .getByRole("textbox")
    .fill("2 min");
  await page.keyboard.press("Enter");
  await row("api", "A").filter({ hasText: "2 min" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("old");
  // What the draft changes stays in view.
  await row("@", "MX").waitFor({ state: "detached" });
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const editor = page.getByRole("group", { name: "Edit the record" });
  expect(await editor.getByLabel("Name", { exact: true }).inputValue()).toBe("old-shop");
});

test("a click on another row ends the selection, so that a key acts on the row that was clicked", async () => {
  const selected = async () =>
    await page.getByRole("row", { selected: true }).evaluateAll((rows) => rows.map((each) => each.textContent ?? ""));
  await row("api", "A").getByRole("checkbox").check();
  expect(await selected()).toEqual([expect.stringContaining("api")]);
  await row("old-shop", "A")
    .getByRole("gridcell", { name: "old-shop", exact: true })
    .click({ modifiers: ["Control"] });
  expect(await selected()).toHaveLength(2);
  await row("@", "MX").getByRole("gridcell", { name: "MX", exact: true }).click();
  expect(await selected()).toEqual([]);
  await page.keyboard.press("Alt+d");
  await page.getByText("1 change", { exact: true }).waitFor();
  await row("@", "MX").getByText("−", { exact: true }).waitFor();
  await page.keyboard.press("Alt+d");
  const all = await page.getByRole("row").allTextContents();
  const between = all.findIndex((text) => text.includes("old-shop")) - all.findIndex((text) => text.includes("MX")) + 1;
  await row("old-shop", "A")
    .getByRole("gridcell", { name: "old-shop", exact: true })
    .click({ modifiers: ["Shift"] });
  expect(await selected()).toHaveLength(between);
  await row("@", "MX")
    .getByRole("gridcell", { name: "MX", exact: true })
    .click({ modifiers: ["Shift"] });
  expect(await selected()).toHaveLength(1);
  expect(await page.evaluate(() => getSelection()?.type)).not.toBe("Range");
});

test("each part of a value says what it is, and every type of the zone can be filtered, on a narrow page too", async () => {
  const types = [
    ["AAAA", "six", "2001:db8::6"],
    ["SRV", "_sip._tcp", "10 20 5060 sip.example.org"],
    ["CAA", "@", "0 issue letsencrypt.org"],
    ["NS", "sub", "ns.example.org"],
    ["PTR", "ptr", "host.example.org"],
    ["SSHFP", "ssh", "4 2 123456789abcdef67890123456789abcdef67890123456789abcdef123456789"],
  ].map(([recordType, name, value]) => ({ recordType, name, value, ttl: 300 }));
  await site.zonewright.admin.post(`/api/domains/${id}/records/bulk`, { records: types });
  await row("_sip._tcp", "SRV").getByRole("button").click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  const editor = page.getByRole("group", { name: "Edit the record" });
  for (const label of ["Priority", "Weight", "Port", "Target"]) await editor.getByText(label).waitFor();
  await expectAccessible(page);
  await photograph(page, "edit-srv");
  await page.keyboard.press("Escape");
  const list = page.getByRole("combobox", { name: "Types" });
  await list.selectOption("SSHFP");
  await row("ssh", "SSHFP").waitFor();
  await row("api", "A").waitFor({ state: "detached" });
  await page.setViewportSize({ width: 390, height: 800 });
  await list.selectOption("");
  await row("api", "A").waitFor();
});

/** The values of api, each with whether DNS has it. */
async function status(): Promise<string[]> {
  const { body } = await site.zonewright.admin.get(`/api/domains/${id}/records?name=api`);
  return body.records.map((record: Body) => `${record.value} ${record.status}`);
}

test("a record is disabled and enabled by changes that are reviewed, is shown as disabled, and can be listed alone", async () => {
  const apply = async (says: RegExp, revision: number) => {
    await page.getByRole("button", { name: /^Review/ }).click();
    const dialog = page.getByRole("dialog", { name: /^Review 1 change/ });
    await expect.poll(async () => await dialog.textContent()).toMatch(says);
    await photograph(page, `review-status-${revision}`);
    await dialog.getByRole("button", { name: /^Apply/ }).click();
    await page.getByText(`Applied as revision ${revision}`).waitFor();
  };
  await row("api", "A").getByRole("button", { name: "Actions for api A" }).click();
  await page.getByRole("menuitem", { name: "Disable" }).click();
  expect(await status()).toEqual(["192.0.2.31 active"]);
  await apply(/api[\s\S]*disabled/i, 2);
  expect(await status()).toEqual(["192.0.2.31 disabled"]);
  await row("api, Disabled", "A").waitFor();
  await page
    .getByRole("group", { name: "Types" })
    .getByRole("button", { name: /^Disabled/ })
    .click();
  await row("old-shop", "CNAME").waitFor({ state: "detached" });
  await photograph(page, "records-disabled");
  await expectAccessible(page);
  await row("api", "A").getByRole("button", { name: "Actions for api A" }).click();
  await page.getByRole("menuitem", { name: "Enable" }).click();
  await apply(/api[\s\S]*enabled/i, 3);
  expect(await status()).toEqual(["192.0.2.31 active"]);
});

const editor = () => page.getByRole("group", { name: "Edit the record" });
const focused = async () => await page.evaluate(() => document.activeElement?.getAttribute("data-column") ?? "");
const activeName = async () =>
  await page.evaluate(() => {
    const id = document.querySelector("[role=grid]")?.getAttribute("aria-activedescendant") ?? "";
    return document.getElementById(id)?.closest("[role=row]")?.querySelector("[id$=-name]")?.textContent ?? "";
  });

test("a duplicate is typed into at once, and is gone when its form is cancelled, however that is done", async () => {
  await row("api", "A").getByRole("button", { name: "Actions for api A" }).click();
  await page.getByRole("menuitem", { name: "Duplicate" }).click();
  await editor().waitFor();
  await frames();
  await expect.poll(focused).toBe("name");
  await page.keyboard.type("api2");
  await page.keyboard.press("Escape");
  await editor().waitFor({ state: "detached" });
  await page.getByRole("region", { name: "Draft" }).waitFor({ state: "detached" });
  await page.keyboard.press("Shift+F10");
  await page.getByRole("menuitem", { name: "Duplicate" }).click();
  await editor().getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("region", { name: "Draft" }).waitFor({ state: "detached" });
  await page.keyboard.press("Control+z");
  await frames();
  await expect.poll(() => page.getByRole("row").count()).toBe(records.length + 1);
});

test("a duplicate that another editor ends is gone, and one that was changed stays", async () => {
  const duplicate = async () => {
    await row("api", "A").getByRole("button", { name: "Actions for api A" }).first().click();
    await page.getByRole("menuitem", { name: "Duplicate" }).click();
    await editor().waitFor();
  };
  const editOther = async () => {
    await page.getByRole("gridcell", { name: "stores.example.org" }).dblclick();
    await expect.poll(focused).toBe("value");
    await page.keyboard.press("Escape");
  };
  await duplicate();
  await editOther();
  await page.getByRole("region", { name: "Draft" }).waitFor({ state: "detached" });
  await duplicate();
  await editor().getByRole("textbox", { name: "Name" }).fill("api2");
  await editOther();
  await row("api2", "A").waitFor();
  await page.getByText("1 change", { exact: true }).waitFor();
});

test("a discarded draft takes the form of its new record along, and the grid has its active cell again", async () => {
  await page.getByRole("grid").focus();
  await page.keyboard.press("Alt+n");
  await editor().waitFor();
  await page.keyboard.type("shop");
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  await editor().waitFor({ state: "detached" });
  await page.keyboard.press("ArrowUp");
  await expect.poll(activeName).not.toBe("");
});

test("a menu that is opened by mouse makes its row the one that keys act on", async () => {
  await row("api", "A").getByRole("button", { name: "Actions for api A" }).click();
  await page.getByRole("menuitem", { name: "Copy as zone file" }).click();
  await page.getByRole("grid").and(page.locator(":focus")).waitFor();
  await expect.poll(activeName).toBe("api");
  await page.keyboard.press("Alt+d");
  await row("api", "A").getByText("−", { exact: true }).waitFor();
});

test("a form leaves what nobody touched as it is, to the letter, whatever a paste of it would become", async () => {
  const zone = `zone${count}.example`;
  const twice = `x.${zone}.${zone}`;
  await site.zonewright.admin.post(`/api/domains/${id}/records/bulk`, {
    records: [
      { recordType: "CNAME", name: "alias", value: twice, ttl: 300 },
      { recordType: "TXT", name: "txt", value: "two words ", strings: ["two ", "words "], ttl: 300 },
    ],
  });
  await row("alias", "CNAME").waitFor();
  for (const [name, type] of [
    ["alias", "CNAME"],
    ["txt", "TXT"],
  ]) {
    await page.getByRole("button", { name: `Actions for ${name} ${type}` }).click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await page.getByRole("textbox", { name: "Value", exact: true }).focus();
    await page.getByRole("textbox", { name: "TTL", exact: true }).fill("60");
    await page.getByRole("textbox", { name: "TTL", exact: true }).press("Enter");
  }
  await page.getByText(/^Checked against revision/).waitFor();
  await page.getByRole("button", { name: /^Review/ }).click();
  await page
    .getByRole("dialog", { name: /^Review 2 changes/ })
    .getByRole("button", { name: /^Apply/ })
    .click();
  await page.getByText(/^Applied as revision/).waitFor();
  const { body } = await site.zonewright.admin.get(`/api/domains/${id}/records`);
  const found = body.records.map(({ name, ttl, value, strings }: Body) => ({ name, ttl, value, strings }));
  expect(found).toContainEqual({ name: "alias", ttl: 60, value: twice, strings: null });
  expect(found).toContainEqual({ name: "txt", ttl: 60, value: "two words ", strings: ["two ", "words "] });
});
