import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { useConsole } from "../../support/console.ts";
import { manualConfig } from "../../support/zones.ts";

const site = useConsole();

beforeAll(async () => {
  const config = await manualConfig(site.zonewright);
  await sql`
    insert into domains (id, name, provider_zone, provider_config_id, tags, expiry_remind_days, auto_check_expiry)
    select gen_random_uuid(), name, name, ${config}, case when n % 1000 = 0 then array['rare'] else '{}' end, '{}', false
    from generate_series(1, 100000) n, lateral (select 'd' || lpad(n::text, 6, '0') || '.example') as named (name)
  `.execute(queries(site.zonewright.services.database.fork()));
});

test("printing the list of domains prints those that were read, at the width of the paper, and says that there are more", async () => {
  const page = await site.signedIn({ width: 718 });
  await page.getByRole("link", { name: "d000001.example" }).waitFor();
  // The list grows on paper, and asks for more: that stays without an answer.
  await page.route("**/trpc/domains.list*", () => undefined);
  await page.emulateMedia({ media: "print" });
  const { text, width } = await page.evaluate(() => {
    dispatchEvent(new Event("beforeprint"));
    const shown = { text: document.body.innerText, width: document.documentElement.scrollWidth };
    dispatchEvent(new Event("afterprint"));
    return shown;
  });
  const missing = Array.from({ length: 100 }, (_, index) => `d${String(index + 1).padStart(6, "0")}.example`).filter(
    (name) => !text.includes(name),
  );
  expect(missing).toEqual([]);
  expect(text).toMatch(/^Domains\b/);
  expect(text).toContain("100 of 100,000 domains");
  expect(text).not.toMatch(/Notifications|Add domain|Any status/);
  expect(width).toBe(718);
});

test("100,000 domains scroll to the last, are sorted, searched and filtered, with only the rows in view on the page", async () => {
  const page = await site.signedIn();
  await page.getByRole("status").filter({ hasText: "100,000 domains" }).waitFor();
  await page.getByRole("link", { name: "d000001.example" }).waitFor();
  await page.getByRole("grid").focus();
  await page.keyboard.press("Control+End");
  await page.getByRole("link", { name: "d100000.example" }).waitFor();
  expect(await page.getByRole("row").count()).toBeLessThan(100);
  const byName = page.getByRole("columnheader").getByRole("button", { name: "Name" });
  await byName.click();
  await byName.click();
  await page.waitForURL(`${site.url}/?sort=-name`);
  await page.getByRole("grid").focus();
  await page.keyboard.press("Control+Home");
  await page.getByRole("link", { name: "d100000.example" }).waitFor();
  await page.keyboard.press("Control+End");
  await page.getByRole("link", { name: "d000001.example" }).waitFor();
  expect(await page.getByRole("row").count()).toBeLessThan(100);
  await byName.click();
  await page.getByRole("grid").focus();
  await page.keyboard.press("Control+Home");
  await page.getByRole("link", { name: "d000001.example" }).waitFor();
  await page.locator("[data-scroll]").evaluate((scroller) => {
    scroller.scrollTop = scroller.scrollHeight / 2;
  });
  await page
    .getByRole("link", { name: /^d0(?:49|50)\d{3}\.example$/ })
    .first()
    .waitFor();
  await page.getByRole("searchbox").first().fill("d077777");
  await page.getByRole("link", { name: "d077777.example" }).waitFor();
  await page
    .getByRole("status")
    .filter({ hasText: /^1 domain$/ })
    .waitFor();
  await page.goto(`${site.url}/?tag=rare`);
  await page.getByRole("status").filter({ hasText: "100 domains" }).waitFor();
  await page
    .getByRole("link", { name: "d099000.example" })
    .or(page.getByRole("link", { name: "d001000.example" }))
    .first()
    .waitFor();
});
