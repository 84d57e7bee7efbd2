import { expect, test } from "vitest";
import { assign } from "../../accounts/assignments/assigned.ts";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import { manualZone } from "../../support/zones.ts";
import { memberPassword } from "../../support/zonewright.ts";

/** What is assigned to whom, over all zones. */
const site = useConsole();

test("all assignments are one list with their ends, of everybody, of one person or of one zone, and one is withdrawn there", async () => {
  const { admin } = site.zonewright;
  const [one, other] = [await manualZone(site.zonewright), await manualZone(site.zonewright)];
  await admin.put(`/api/domains/${other.id}`, { tags: ["shared"] });
  const kim = await site.zonewright.member("kim");
  const lou = await site.zonewright.member("lou");
  await assign(site.zonewright, lou, one.id, "*.lab");
  await assign(site.zonewright, kim, one.id, "*.shop");
  const { body: me } = await kim.get("/api/auth/me");
  const expiresAt = new Date(Date.now() + 20 * 24 * 3_600_000);
  await admin.post("/api/assignments", { userId: me.id, tag: "shared", access: "propose", review: true, expiresAt });

  const page = await site.signedIn({ path: "/admin/users" });
  await page.getByRole("button", { name: "Actions for kim" }).click();
  await page.getByRole("menuitem", { name: "Assignments" }).click();
  await page.getByRole("heading", { name: "Assignments", level: 1 }).waitFor();
  const rows = page.getByRole("table").getByRole("row");
  const byTag = rows.filter({ hasText: "Tag shared" });
  const [ofKim, ofLou] = [rows.filter({ hasText: "*.shop" }), rows.filter({ hasText: "*.lab" })];
  const day = new Intl.DateTimeFormat("en-US", { dateStyle: "medium" }).format(expiresAt);
  for (const text of ["kim", "all hosts", "Read and propose changes, reviewer", day])
    await byTag.getByText(text, { exact: true }).waitFor();
  await ofKim.getByRole("link", { name: one.name }).waitFor();
  await ofKim.getByRole("cell", { name: "Never", exact: true }).waitFor();
  expect(await rows.count()).toBe(3);
  await page.getByRole("button", { name: "Show all" }).click();
  await ofLou.waitFor();
  await photograph(page, "all-assignments");
  await expectAccessible(page);

  await page.getByRole("combobox", { name: "Zone" }).fill(other.name);
  await ofLou.waitFor({ state: "detached" });
  // By its tag.
  await expect.poll(() => rows.count()).toBe(2);
  await page.getByRole("button", { name: "Show all" }).click();
  await ofLou.getByRole("button", { name: "lou", exact: true }).click();
  await ofKim.waitFor({ state: "detached" });
  await ofLou.getByRole("button", { name: /^Withdraw/ }).click();
  await page.getByRole("dialog").getByText(`${one.name} · *.lab · Read and change`, { exact: true }).waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Withdraw", exact: true }).click();
  await page.getByText("No assignment matches.").waitFor();
  expect((await lou.get("/api/assignments")).body.assignments).toEqual([]);
});

test("an auditor reads all assignments on a phone, and is offered no way to withdraw one", async () => {
  const zone = await manualZone(site.zonewright);
  await assign(site.zonewright, await site.zonewright.member("mia"), zone.id, "seen");
  const auditor = await site.zonewright.member("vera");
  const { body: me } = await auditor.get("/api/auth/me");
  await site.zonewright.admin.put(`/api/users/${me.id}`, { role: "auditor" });
  const path = "/admin/assignments";
  const page = await site.signedIn({ username: "vera", password: memberPassword, path, width: 390 });
  await page.getByRole("row").filter({ hasText: "mia" }).waitFor();
  expect(await page.getByRole("button", { name: /^Withdraw/ }).count()).toBe(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  await expectAccessible(page);
});
