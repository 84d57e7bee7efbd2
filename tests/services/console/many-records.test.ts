import { expect, test } from "vitest";
import { useConsole } from "../../support/console.ts";
import { fileZone } from "../../support/zones.ts";

const site = useConsole();
const count = 1_200;

test("all records of a zone that is read in windows are selected, and changed together", async () => {
  const zone = await fileZone(site.zonewright);
  const lines = Array.from({ length: count }, (_, index) => `h${index} 300 IN A 192.0.2.1\n`);
  await zone.post("/zonefile", { zonefile: lines.join(""), force: true });
  const page = await site.signedIn({ path: `/d/${zone.name}/records?type=A` });
  await page.getByRole("row").filter({ hasText: "192.0.2.1" }).first().waitFor();
  await page.getByRole("grid").focus();
  await page.keyboard.press("Control+a");
  await page.getByText("1,200 records selected").waitFor();
  await page.keyboard.press("t");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill("10 min");
  await dialog.getByRole("button", { name: "Add to the draft" }).click();
  await page.getByText("1,200 changes", { exact: true }).waitFor();
  await page.getByText(/^Checked against revision/).waitFor();
  await page.keyboard.press("Control+Enter");
  await dialog.getByRole("button", { name: /^Apply/ }).click();
  await page.getByText(/^Applied as revision/).waitFor({ timeout: 30_000 });
  const { body } = await zone.get("/records?type=A&limit=500&page=3");
  expect(body.records.map(({ ttl }: { ttl: number }) => ttl)).toEqual(Array.from({ length: count - 1_000 }, () => 600));
});
