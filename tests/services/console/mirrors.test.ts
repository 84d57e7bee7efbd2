import { expect, test } from "vitest";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import { fileZone } from "../../support/zones.ts";

const site = useConsole();

test("a mirror is added after its plan was shown, is compared, follows and is removed", async () => {
  const { admin } = site.zonewright;
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  const config = { kind: "zonefile", name: "Second place", config: { folder: "second-place" } };
  await admin.post("/api/provider-configs", config);
  const page = await site.signedIn({ path: `/d/${zone.name}/settings` });
  const card = page.locator("section").filter({ has: page.getByRole("heading", { name: "Mirrors" }) });
  await card.getByText("No other provider follows this zone.").waitFor();
  await card.getByRole("button", { name: "Add a mirror" }).click();
  const dialog = page.getByRole("dialog", { name: `Add a mirror of ${zone.name}` });
  const { recordCount } = await zone.detail();
  await dialog.getByText(`The zone there gets ${recordCount} new, 0 changed and 0 deleted records.`).waitFor();
  await expectAccessible(page);
  await photograph(page, "zone-add-mirror");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await card.getByText("Second place", { exact: true }).waitFor();
  await card.getByRole("button", { name: "Compare now" }).click();
  await card.getByText("has the newest records, revision 1").waitFor();
  await expectAccessible(page);
  await photograph(page, "zone-mirrors");
  await card.getByRole("button", { name: "Remove" }).click();
  await page
    .getByRole("dialog", { name: "Remove the mirror Second place?" })
    .getByRole("button", { name: "Remove" })
    .click();
  await card.getByText("No other provider follows this zone.").waitFor();
  expect((await zone.get("/mirrors")).body.mirrors).toEqual([]);
});
