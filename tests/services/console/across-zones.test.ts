import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { assign } from "../../accounts/assignments/assigned.ts";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import { addZone, manualConfig } from "../../support/zones.ts";
import { memberPassword } from "../../support/zonewright.ts";

const site = useConsole();

const overflow = async (page: Page) => await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
const zone = async (name: string) =>
  await addZone(site.zonewright, { name, providerConfigId: await manualConfig(site.zonewright) });

/** Whether the first page of a list is shown. */
const isFirst = (name: string) => (at: URL) => at.searchParams.get(name)?.replaceAll('"', "") === "1";

test("a PTR record that is missing is mended from the report, and one that points to nothing is deleted with the rest", async () => {
  const forward = await zone("forward.example");
  await forward.add("A", "www", "192.0.2.1");
  await forward.add("A", "db", "192.0.2.2");
  const back = await zone("2.0.192.in-addr.arpa");
  await back.add("PTR", "9", "gone.forward.example");
  const page = await site.signedIn({ path: "/reverse" });
  await page.getByText("3 findings", { exact: true }).first().waitFor();
  await expectAccessible(page);
  await photograph(page, "reverse");
  await page.getByRole("button", { name: "Mend 192.0.2.1" }).click();
  const dialog = page.getByRole("dialog", { name: "Changes of 2.0.192.in-addr.arpa" });
  await dialog.getByText("+1").waitFor();
  await expectAccessible(page);
  await photograph(page, "reverse-plan");
  await dialog.getByRole("button", { name: "Apply 1 change" }).click();
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Mend all 2…" }).click();
  await dialog.getByRole("button", { name: "Apply 2 changes" }).click();
  await page.getByRole("heading", { name: "Nothing to mend" }).waitFor();
  await expectAccessible(page);
});

test("two views stand side by side with what only one has and what differs, and an unknown zone is refused at its field", async () => {
  const one = await zone("views.example");
  const other = await zone("views.example!internal");
  await one.add("A", "www", "192.0.2.1");
  await other.add("A", "www", "10.0.0.1");
  await other.add("A", "db", "10.0.0.2");
  const page = await site.signedIn({ path: "/d/views.example/records" });
  await page.getByRole("link", { name: "Compare with another zone" }).click();
  await page.getByRole("heading", { name: "Set two zones side by side" }).waitFor();
  await expectAccessible(page);
  await page.getByLabel("Compare with", { exact: true }).fill("nowhere.example");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("You have no zone of this name.").waitFor();
  await page.getByLabel("Compare with", { exact: true }).fill("views.example!internal");
  await page.keyboard.press("Enter");
  await page.getByText("2 differences").waitFor();
  await page.getByRole("row", { name: "db A Not there 10.0.0.2" }).waitFor();
  await page.getByRole("row", { name: "www A 192.0.2.1 10.0.0.1" }).waitFor();
  await expectAccessible(page);
  await photograph(page, "compare");
  await page.setViewportSize({ width: 320, height: 700 });
  expect(await overflow(page)).toBeLessThanOrEqual(0);
});

test("a member who sees a part of two zones reads that they are equal as far as they can see", async () => {
  const zones = [await zone("seen.example"), await zone("seen.example!internal")];
  const peer = await site.zonewright.member("peer");
  for (const one of zones) {
    await one.add("A", "lab", "192.0.2.1");
    await assign(site.zonewright, peer, one.id, "lab");
  }
  await zones[0]?.add("A", "secret", "192.0.2.2");
  const page = await site.signedIn({
    username: "peer",
    password: memberPassword,
    path: "/d/seen.example/compare?with=seen.example!internal",
  });
  await page
    .getByText("As far as you can see, seen.example and seen.example!internal have the same records.")
    .waitFor();
});

test("mirrors and secondaries of all zones are listed with what is wrong, failing ones first, and alone if that is asked for", async () => {
  const { zonewright } = site;
  const config = { kind: "zonefile", name: "Elsewhere", config: { folder: "elsewhere" } };
  const { body: target } = await zonewright.admin.post("/api/provider-configs", config);
  const [broken, healthy] = [await zone("broken.mirrors"), await zone("healthy.mirrors")];
  for (const one of [healthy, broken]) {
    expect((await one.post("/mirrors", { providerConfigId: target.id })).status).toBe(200);
    const state = async () => (await one.get("/mirrors")).body.mirrors[0].state as string;
    await expect.poll(state).toBe("in_sync");
  }
  await writeFile(join(zonewright.dataDir, "zones/elsewhere/broken.mirrors.zone"), "this is no zone file\n");
  await broken.add("A", "www", "192.0.2.1");
  await expect.poll(async () => (await broken.get("/mirrors")).body.mirrors[0].state as string).toBe("failing");
  const page = await site.signedIn();
  await page.getByRole("link", { name: "Secondaries" }).click();
  const mirrors = page.getByRole("table", { name: "Mirrors" }).getByRole("row");
  await expect.poll(() => mirrors.count()).toBe(3);
  expect(await mirrors.nth(1).textContent()).toContain("broken.mirrors");
  await page.getByText("A secondary is a name server that transfers a zone").waitFor();
  await expectAccessible(page);
  await photograph(page, "secondaries");
  await page.getByLabel("Only those that need attention").check();
  await page.waitForURL(/only=attention/);
  await expect.poll(() => mirrors.count()).toBe(2);
  await page.getByText("No secondary is behind or cannot be reached.").waitFor();
  await page.setViewportSize({ width: 320, height: 700 });
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  await expectAccessible(page);
  await page.getByRole("link", { name: "broken.mirrors" }).click();
  await page.waitForURL(/broken\.mirrors\/settings/);
});

test("a page number past the end of a list leads to its last page, and the way back does not lead to it again", async () => {
  const { admin } = site.zonewright;
  const past = await zone("past.end");
  await past.add("A", "www", "203.0.113.90");
  await admin.post("/api/invitations", { role: "member" });
  const replacement = { recordType: "A", value: "203.0.113.90", newValue: "203.0.113.91" };
  const { body: plan } = await admin.post("/api/records/replace/plan", replacement);
  const apply = await admin.post("/api/records/replace/apply", { ...replacement, planHash: plan.planHash });
  const page = await site.signedIn({ path: "/templates" });
  for (const [path, asked, row] of [
    ["/admin/users", "page", page.getByRole("cell", { name: /^admin/ })],
    ["/admin/invitations", "page", page.getByRole("button", { name: /^Withdraw/ })],
    ["/admin/assignments", "page", null],
    ["/admin/keys", "page", null],
    ["/templates", "page", page.getByRole("list", { name: "Templates" }).getByRole("link").first()],
    ["/portfolio", "page", page.getByRole("table", { name: "Domains" }).getByRole("link", { name: "past.end" })],
    ["/search?q=past.end", "page", page.getByRole("table", { name: "Found records" }).getByRole("link").first()],
    ["/requests?show=all", "page", null],
    ["/d/past.end/requests?show=all", "page", null],
    ["/secondaries", "mirrors", null],
    ["/secondaries", "secondaries", null],
    [`/replace/${apply.body.jobId}`, "page", page.getByRole("link", { name: "past.end" })],
  ] as const) {
    const url = new URL(path, site.url);
    url.searchParams.set(asked, "9");
    await page.goto(url.href);
    await page.waitForURL(isFirst(asked));
    await row?.waitFor();
  }
  await page.goBack();
  await page.waitForURL(isFirst("secondaries"));
});
