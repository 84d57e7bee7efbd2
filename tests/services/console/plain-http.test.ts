import { expect, test } from "vitest";
import { lanName, useConsole } from "../../support/console.ts";

const site = useConsole({ host: lanName });

test("at a plain HTTP address in a LAN, records are edited, reviewed, applied and taken back", async () => {
  // The browser reports that it ignores the header at such an address.
  site.expected.push("Cross-Origin-Opener-Policy header has been ignored");
  const page = await site.signedInByForm();
  expect(await page.evaluate(() => isSecureContext)).toBe(false);
  const { body: zone } = await site.zonewright.admin.post("/api/domains", { name: "lan.example" });
  const stored = async () => {
    const { body } = await site.zonewright.admin.get(`/api/domains/${zone.id}/records`);
    return body.records.map(({ name, value }: { name: string; value: string }) => `${name} ${value}`);
  };
  await page.goto(`${site.url}/d/lan.example/records`);
  await page.getByRole("button", { name: "Add record" }).first().click();
  await page.getByRole("textbox", { name: "Name" }).fill("www");
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.1");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: /^Review/ }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Apply/ })
    .click();
  await page.getByText("Applied as revision 1").waitFor();
  expect(await stored()).toEqual(["www 192.0.2.1"]);
  // Copying works, too, although there is no clipboard for scripts.
  await page.getByRole("grid").focus();
  await page.keyboard.press("Control+c");
  await page.getByText("1 line copied").waitFor();
  const filter = page.getByRole("searchbox");
  await filter.focus();
  await page.keyboard.press("Control+v");
  await expect.poll(() => filter.inputValue()).toMatch(/^www\s.*\sA\s192\.0\.2\.1$/);
  await filter.fill("");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Undone as revision 2").waitFor();
  expect(await stored()).toEqual([]);
});
