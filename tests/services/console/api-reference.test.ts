import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import { fileZone } from "../../support/zones.ts";
import { memberPassword } from "../../support/zonewright.ts";

const site = useConsole();

const path = "/api/docs";

async function find(page: Page, words: string, call: string): Promise<void> {
  await page.keyboard.press("/");
  await page.getByRole("searchbox", { name: "Search calls" }).fill(words);
  await page.getByRole("navigation", { name: "Calls" }).getByRole("link", { name: call }).first().click();
  await page.getByRole("heading", { level: 1, name: call }).waitFor();
}

test("a call is found, read and made with the console's session, and its answer is shown", async () => {
  const zone = await fileZone(site.zonewright);
  const page = await site.signedIn();
  await page.goto(site.url + path);
  await page.getByRole("heading", { level: 1, name: "API reference" }).waitFor();
  await expectAccessible(page);
  await photograph(page, "api-reference");
  await find(page, "create record dns", "Create a record");
  await page.getByText("Stores the value in canonical form.").waitFor();
  await page.getByRole("listitem").filter({ hasText: "recordType" }).getByText("required").first().waitFor();
  await expectAccessible(page);
  await photograph(page, "api-reference-call");

  const form = page.getByRole("complementary", { name: "Try it" });
  await form.getByText("Calls run as admin (administrator).").waitFor();
  await form.getByRole("button", { name: "Send POST" }).click();
  await form.getByRole("alert").getByText("Fill in: id.").waitFor();
  await form.getByLabel("id (required)").fill(zone.id);
  await form.getByLabel("Body (JSON)").fill(`{ "recordType": "A", "name": "www", `);
  await form.getByRole("button", { name: "Send POST" }).click();
  await form.getByRole("alert").getByText("This is not JSON").waitFor();
  await form.getByLabel("Body (JSON)").fill(`{ "recordType": "A", "name": "www", "value": "192.0.2.7", "ttl": 300 }`);
  await form.getByRole("button", { name: "Send POST" }).click();
  await form.getByRole("region", { name: "Answer" }).getByText("201 Created").waitFor();
  expect((await zone.records()).map(({ name, value }) => [name, value])).toEqual([["www", "192.0.2.7"]]);
  await form.getByRole("region", { name: "Answer" }).getByText(`"value": "192.0.2.7"`).waitFor();
  await photograph(page, "api-reference-answer");

  site.expected.push("400");
  await form.getByLabel("Body (JSON)").fill(`{ "recordType": "A", "name": "www", "value": "999.0.2.7", "ttl": 300 }`);
  await form.getByRole("button", { name: "Send POST" }).click();
  await form.getByRole("region", { name: "Answer" }).getByText("must be an IPv4 address").waitFor();
  await expectAccessible(page);
});

test.each(["while the first token is valid", "after the first session has ended"])(
  "a call is not made as somebody else who signs in to the console in another tab, %s, until it is sent again",
  async (when) => {
    const username = when.includes("valid") ? "beside" : "afterwards";
    await site.zonewright.member(username);
    const page = await site.signedInByForm();
    await page.goto(site.url + path);
    await page.getByRole("heading", { level: 1, name: "API reference" }).waitFor();
    await find(page, "signed-in user", "Get the signed-in user");
    const form = page.getByRole("complementary", { name: "Try it" });
    const send = form.getByRole("button", { name: "Send GET" });
    const answer = form.getByRole("region", { name: "Answer" });
    await send.click();
    await answer.getByText(`"username": "admin"`).waitFor();
    // After each call the page reads whose session it has. That must not meet the end of the session.
    await form.getByText("Calls run as admin (administrator).").waitFor();
    // As the console does in another tab, once somebody else is signed in there.
    const cookies = await page.context().cookies(`${site.url}/api/auth`);
    const data = { username, password: memberPassword };
    const { user } = await (await page.request.post(`${site.url}/api/auth/login`, { data })).json();
    if (when.includes("valid")) {
      await page.evaluate((id) => localStorage.setItem("zonewright.session", id), user.id);
    } else {
      // Of this tab, which hears nothing of it.
      const refreshToken = cookies.find(({ name }) => name === "refresh_token")?.value;
      await site.zonewright.nobody.post("/api/auth/logout", { refreshToken });
      site.expected.push("401");
    }
    await form.getByText("Calls run as admin (administrator).").waitFor();
    await send.click();
    await form.getByRole("alert").getByText("Not sent: somebody else is signed in to the console now.").waitFor();
    expect(await answer.count()).toBe(0);
    await form.getByText(`Calls run as ${username} (member).`).waitFor();
    await send.click();
    await answer.getByText(`"username": "${username}"`).waitFor();
  },
);

test("a token makes calls, stays out of the command and the storage, and is gone with the page", async () => {
  const { body } = await site.zonewright.admin.post("/api/auth/me/tokens", {
    name: "Reference",
    permissions: ["domains:read"],
  });
  const page = await site.open();
  await page.goto(`${site.url}${path}#/Domains/listDomains`);
  await page.getByRole("heading", { level: 1, name: "List domains" }).waitFor();
  const form = page.getByRole("complementary", { name: "Try it" });
  site.expected.push("401");
  await form.getByLabel("Call as").selectOption("nobody");
  await form.getByRole("button", { name: "Send GET" }).click();
  await form.getByRole("region", { name: "Answer" }).getByText("401 Unauthorized").waitFor();
  expect(await form.getByText(/^Calls run as/).count()).toBe(0);
  await form.getByLabel("Call as").selectOption("token");
  await form.getByLabel("Token", { exact: true }).fill(body.token);
  await form.getByLabel("limit").fill("2");
  await form.getByRole("button", { name: "Send GET" }).click();
  await form.getByRole("region", { name: "Answer" }).getByText("200 OK").waitFor();
  const command = await form.getByRole("region", { name: "Command" }).locator("pre").textContent();
  expect(command).toBe(`curl '${site.url}/api/domains?limit=2' \\\n  -H "Authorization: Bearer $TOKEN"`);
  expect(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))).not.toContain(body.token);
  // The next call has it already, and the first one keeps what was filled in.
  await find(page, "signed-in user", "Get the signed-in user");
  expect(await form.getByLabel("Token", { exact: true }).inputValue()).toBe(body.token);
  await find(page, "list domains", "List domains");
  expect(await form.getByLabel("limit").inputValue()).toBe("2");
  await find(page, "signed-in user", "Get the signed-in user");
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Get the signed-in user" }).waitFor();
  expect(await form.getByLabel("Token", { exact: true }).inputValue()).toBe("");
});

test("an address of a call that does not exist says so, and every call can be opened", async () => {
  const page = await site.open({ width: 390 });
  await page.goto(`${site.url}${path}#/noSuchCall`);
  await page.getByRole("alert").getByText("There is no call “noSuchCall”.").waitFor();
  await page.getByRole("button", { name: "All calls" }).click();
  await expectAccessible(page);
  const links = page.getByRole("navigation", { name: "Calls" }).getByRole("link");
  const addresses = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
  const { paths } = (await site.zonewright.nobody.get("/api/openapi.json")).body as { paths: Record<string, object> };
  const calls = Object.values(paths).flatMap((methods) => Object.values(methods) as { operationId: string }[]);
  expect(addresses.toSorted()).toEqual(calls.map(({ operationId }) => `#/${operationId}`).toSorted());
  // What is folded is opened as well.
  const broken = await page.evaluate(async (all) => {
    const found: string[] = [];
    for (const address of all) {
      location.hash = address;
      await new Promise((resolve) => setTimeout(resolve, 0));
      for (let level = 0; level < 3; level++) {
        for (const closed of document.querySelectorAll<HTMLDetailsElement>("details:not([open])")) closed.open = true;
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
      const { scrollWidth } = document.documentElement;
      if (!document.querySelector("h1")?.textContent || scrollWidth > innerWidth)
        found.push(`${address} ${scrollWidth}`);
    }
    return found;
  }, addresses);
  expect(broken).toEqual([]);
});
