import type { Page } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import { adminPassword, memberPassword } from "../../support/zonewright.ts";
import { fileZone, type Zone } from "../../support/zones.ts";

const site = useConsole();
let zone: Zone;
let page: Page;
let count = 0;

beforeEach(async () => {
  zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  page = await site.signedIn({ path: `/d/${zone.name}/records` });
  await page.getByRole("grid").waitFor();
  // Refused calls and streams of the ended session.
  site.expected.push("400", "401", "403");
});

const again = () => page.getByRole("dialog", { name: "Your session ended" });
const value = () => page.getByRole("textbox", { name: "Value", exact: true });
const values = async () =>
  (await zone.get("/records?type=A&name=www")).body.records.map((record: { value: string }) => record.value);

/** What the service answers to an expired access token. */
const refusal = {
  status: 401,
  json: { error: { json: { message: "expired", code: -32_001, data: { code: "UNAUTHORIZED", httpStatus: 401 } } } },
};

/** Ends every session of the administrator but the test's own, as an administrator in another browser would. */
async function endSessions(): Promise<void> {
  const { body } = await site.zonewright.admin.get("/api/auth/me/sessions");
  for (const { id, current } of body.sessions) {
    if (!current) await site.zonewright.admin.delete(`/api/auth/me/sessions/${id}`);
  }
}

async function edit(): Promise<void> {
  await page.getByRole("button", { name: "Actions for www A" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await value().fill("192.0.2.2");
}

async function signInAgain(username: string, password: string): Promise<void> {
  await again().getByLabel("Username").fill(username);
  await again().getByLabel("Password").fill(password);
  await again().getByRole("button", { name: "Sign in", exact: true }).click();
}

test("a session that ends in mid-edit is renewed in place, with everything typed still there", async () => {
  await edit();
  await endSessions();
  await again().waitFor();
  expect(await again().getByLabel("Username").inputValue()).toBe("admin");
  await expectAccessible(page);
  await photograph(page, "session-ended");
  await again().getByRole("button", { name: "Sign in", exact: true }).click();
  await again().getByText("This must not be empty.", { exact: true }).waitFor();
  await expect.poll(() => again().locator("[aria-invalid=true]:focus").count()).toBe(1);
  await again().getByLabel("Password").fill("not the password at all");
  await again().getByRole("button", { name: "Sign in", exact: true }).click();
  await again().getByRole("alert").waitFor();
  await signInAgain("admin", adminPassword);
  await again().waitFor({ state: "hidden" });
  await expect.poll(() => value().evaluate((field) => field === document.activeElement)).toBe(true);
  expect(await value().inputValue()).toBe("192.0.2.2");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: /^Review/ }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Apply/ })
    .click();
  await page.getByText("Applied as revision 2").waitFor();
  expect(await values()).toEqual(["192.0.2.2"]);
});

test("a session that ends under an open review is renewed above it, and the review applies with its reason", async () => {
  await edit();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: /^Review/ }).click();
  const review = page.getByRole("dialog", { name: /^Review 1 change/ });
  await review.getByLabel(/^Why/).fill("The host moved");
  await endSessions();
  await again().waitFor();
  await signInAgain("admin", adminPassword);
  await again().waitFor({ state: "hidden" });
  expect(await review.getByLabel(/^Why/).inputValue()).toBe("The host moved");
  await review.getByRole("button", { name: /^Apply/ }).click();
  await page.getByText("Applied as revision 2").waitFor();
  const { body } = await zone.get("/history");
  expect(body.entries[0].message).toBe("The host moved");
});

test("a lost answer is found in the history also if the session ends while the page looks", async () => {
  await page.getByRole("button", { name: "Add record" }).click();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("new");
  await value().fill("192.0.2.50");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: /^Review/ }).click();
  await page.route("**/trpc/records.applyPlan*", async (route) => {
    await route.fetch();
    await route.abort("connectionreset");
  });
  const history = "**/trpc/records.history*";
  await page.route(history, async (route) => {
    await endSessions();
    await route.fulfill(refusal);
  });
  site.expected.push("ERR_CONNECTION_RESET");
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Apply/ })
    .click();
  await again().waitFor();
  await page.unroute(history);
  await signInAgain("admin", adminPassword);
  await page.getByText("Applied as revision 2").waitFor();
  await page.getByRole("region", { name: "Draft" }).waitFor({ state: "detached" });
});

test("a change that is sent after the session ended says so once, above the review, which is as it was afterwards", async () => {
  await edit();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: /^Review/ }).click();
  const review = page.getByRole("dialog", { name: /^Review 1 change/ });
  const apply = review.getByRole("button", { name: /^Apply/ });
  await expect.poll(() => apply.getAttribute("aria-disabled")).toBeNull();
  await endSessions();
  // The page may hear of it first: then the question already lies above the button, which is hidden from programs that read aloud.
  const either = { includeHidden: true };
  await page
    .getByRole("dialog", { name: /^Review 1 change/, ...either })
    .getByRole("button", { name: /^Apply/, ...either })
    .dispatchEvent("click");
  await again().waitFor();
  await expect.poll(() => again().locator(":focus").count()).toBe(1);
  await signInAgain("admin", adminPassword);
  await again().waitFor({ state: "hidden" });
  expect(await review.getByRole("alert").count()).toBe(0);
  await expect.poll(() => review.locator(":focus").count()).toBe(1);
  await apply.click();
  await page.getByText("Applied as revision 2").waitFor();
});

test("Escape does not lead away from the page, and leaving it leads back to it and its draft after the sign-in", async () => {
  await edit();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: /^Review/ }).waitFor();
  await endSessions();
  await again().waitFor();
  await page.keyboard.press("Escape");
  await again().getByRole("button", { name: "Leave this page" }).click();
  await page.getByRole("heading", { name: "Sign in to Zonewright" }).waitFor();
  expect(await page.getByText(zone.name).count()).toBe(0);
  await page.getByLabel("Username").fill("admin");
  await page.getByLabel("Password").fill(adminPassword);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("button", { name: /^Review/ }).click();
  await page.getByRole("dialog").getByText("192.0.2.2").waitFor();
});

test("another person who signs in there sees nothing that the first one left on the page", async () => {
  await site.zonewright.member("other");
  await edit();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: /^Review/ }).waitFor();
  await endSessions();
  await again().waitFor();
  await signInAgain("other", memberPassword);
  await page.getByRole("heading", { name: "This page does not exist." }).waitFor();
  expect(await page.getByText("192.0.2.2").count()).toBe(0);
});

const signedInAs = async (username: string, password: string) => {
  const opened = await site.signedIn({ username, password, path: `/d/${zone.name}/records` });
  await opened.getByRole("grid").waitFor();
  return opened;
};

async function signInBeside(username: string, password: string): Promise<void> {
  const other = await page.context().newPage();
  await other.goto(`${site.url}/sign-in`);
  await other.getByLabel("Username").fill(username);
  await other.getByLabel("Password").fill(password);
  await other.getByRole("button", { name: "Sign in", exact: true }).click();
  await other.getByRole("navigation", { name: "Main" }).waitFor();
  await other.close();
}

const shows = async (username: string) =>
  await page.getByRole("navigation", { name: "Main" }).getByRole("button", { name: username }).waitFor();

/** Signs the administrator in beside a member who has a draft. */
async function draftOfMember(): Promise<void> {
  count += 1;
  await site.zonewright.member(`member${count}`);
  const { body } = await site.zonewright.admin.get(`/api/users?search=member${count}`);
  await site.zonewright.admin.post("/api/assignments", {
    userId: body.users[0].id,
    domainId: zone.id,
    access: "write",
  });
  await page.context().close();
  page = await signedInAs(`member${count}`, memberPassword);
  await edit();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByText(/^Checked against revision/).waitFor();
}

describe("a second account that signs in in another tab", () => {
  test("takes over the first tab, where nothing of the draft is left, and the draft waits for its author", async () => {
    await draftOfMember();
    await signInBeside("admin", adminPassword);
    await shows("admin");
    await page.getByRole("grid").waitFor();
    expect(await page.getByText("192.0.2.2").count()).toBe(0);
    await signInBeside(`member${count}`, memberPassword);
    await shows(`member${count}`);
    await page.getByText("192.0.2.2").waitFor();
    expect(await values()).toEqual(["192.0.2.1"]);
  });

  test("does not send what the first tab applies, although that tab has not heard of it", async () => {
    await draftOfMember();
    await page.getByRole("button", { name: /^Review/ }).click();
    const apply = page.getByRole("dialog").getByRole("button", { name: /^Apply/ });
    await apply.waitFor();
    // Another tab does this, and a tab that was asleep does not hear of it.
    const data = { username: "admin", password: adminPassword };
    const { user } = await (await page.request.post(`${site.url}/api/auth/login`, { data })).json();
    await page.evaluate((id) => localStorage.setItem("zonewright.session", id), user.id);
    // As if its access token had expired meanwhile.
    await page.route("**/trpc/records.applyPlan*", async (route) => await route.fulfill(refusal), { times: 1 });
    await apply.click();
    await shows("admin");
    await page.getByRole("grid").waitFor();
    expect(await page.getByText("192.0.2.2").count()).toBe(0);
    expect(await values()).toEqual(["192.0.2.1"]);
  });
});

test("a zone's text that is being typed when the session ends stays, and is reviewed after the sign-in", async () => {
  await page.getByRole("link", { name: "Text", exact: true }).click();
  const text = page.getByRole("textbox", { name: "Zone file" });
  await expect.poll(() => text.inputValue()).toContain("192.0.2.1");
  await text.fill((await text.inputValue()).replace("192.0.2.1", "192.0.2.2"));
  await endSessions();
  await again().waitFor();
  await signInAgain("admin", adminPassword);
  await again().waitFor({ state: "hidden" });
  expect(await text.inputValue()).toContain("192.0.2.2");
  await page.getByText("1 change", { exact: true }).waitFor();
  await text.press("Control+Enter");
  await page
    .getByRole("dialog", { name: /^Review 1 change/ })
    .getByRole("button", { name: /^Apply/ })
    .click();
  await page.getByText(/^Applied as revision/).waitFor();
  expect(await values()).toEqual(["192.0.2.2"]);
});
