import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { expectAccessible, focusIn, photograph, useConsole } from "../../support/console.ts";
import { memberPassword } from "../../support/zonewright.ts";
import { fileZone } from "../../support/zones.ts";

/** Pasting anything onto a zone: what is understood becomes a draft, and what is not is explained at its line. */

const site = useConsole();

const dialog = (page: Page) => page.getByRole("dialog", { name: /^Add records to/ });
const found = (page: Page) => dialog(page).getByRole("region", { name: "Records found" });

/** Pastes a text on the page itself, as the browser's key does. @returns whether the page takes it */
async function pasteOnPage(page: Page, text: string): Promise<boolean> {
  return await page.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text", pasted);
    return !(document.activeElement ?? document.body).dispatchEvent(
      new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }),
    );
  }, text);
}

const file = (name: string, buffer: Buffer) => ({ name, mimeType: "application/octet-stream", buffer });

test("a zone file that is pasted onto the grid is compared, ticked, and becomes a draft that is applied as one change", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1", 300);
  const page = await site.signedIn({ path: `/d/${zone.name}/records` });
  await page.getByRole("grid").focus();
  await pasteOnPage(
    page,
    [
      "$TTL 600",
      `${zone.name}. IN SOA ns1.example.net. root.example.net. 1 2 3 4 5`,
      "www 300 IN A 192.0.2.1",
      "mail A 192.0.2.5",
      "shop A 192.0.2.6",
      "old A 192.0.2.7",
    ].join("\n"),
  );
  await found(page).getByRole("checkbox", { name: /mail/ }).waitFor();
  await dialog(page).getByText("1 record is already in the zone.").waitFor();
  await dialog(page).getByText("Read as: Zone file").waitFor();
  await found(page).getByRole("checkbox", { name: /old/ }).uncheck();
  await dialog(page).getByText("2 of 3 ticked").waitFor();
  await expectAccessible(page);
  await photograph(page, "paste");
  await page.keyboard.press("Control+Enter");
  await dialog(page).waitFor({ state: "hidden" });
  await page.getByText("2 changes", { exact: true }).waitFor();
  await page.getByRole("grid").press("Control+Enter");
  const review = page.getByRole("dialog", { name: /^Review 2 changes/ });
  await review.getByRole("button", { name: /^Apply/ }).click();
  await page.getByText("Applied as revision 2").waitFor();
  expect(await zone.lines()).toEqual(["mail A 192.0.2.5", "shop A 192.0.2.6", "www A 192.0.2.1"]);
});

test("the undo of pasted records that loses much of a zone leads to the history, where it is confirmed", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  const page = await site.signedIn({ path: `/d/${zone.name}/records` });
  await page.getByRole("grid").focus();
  await pasteOnPage(page, Array.from({ length: 12 }, (_, host) => `h${host} 300 IN A 192.0.2.1`).join("\n"));
  await dialog(page).getByText("12 of 12 ticked").waitFor();
  await focusIn(dialog(page));
  await page.keyboard.press("Control+Enter");
  await dialog(page).waitFor({ state: "hidden" });
  await page.getByText("12 changes", { exact: true }).waitFor();
  await page.getByRole("grid").press("Control+Enter");
  await page
    .getByRole("dialog", { name: /^Review 12 changes/ })
    .getByRole("button", { name: /^Apply/ })
    .click();
  await page.getByText("Applied as revision 2").waitFor();
  site.expected.push("409");
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  // A message that the pointer rests on does not go away.
  await page.getByText("Revert it in the history, where you can confirm this.").hover();
  await expectAccessible(page);
  await photograph(page, "undo-asks");
  await page.getByRole("button", { name: "Open the history" }).click();
  await page.waitForURL(`${site.url}/d/${zone.name}/timeline`);
  await page
    .getByRole("button", { name: /^Revert…/ })
    .first()
    .click();
  const reverting = page.getByRole("dialog").filter({ hasText: "h11" });
  await reverting.getByRole("button", { name: "Revert", exact: true }).click();
  await reverting.getByRole("checkbox").check();
  await reverting.getByRole("button", { name: "Revert anyway" }).click();
  await page.getByText("Reverted in revision 3.").waitFor();
  expect(await zone.lines()).toEqual(["www A 192.0.2.1"]);
});

test("a bad line is named and can be corrected in the dialog; nothing is added before", async () => {
  const zone = await fileZone(site.zonewright);
  const page = await site.signedIn({ path: `/d/${zone.name}/records`, dark: true, width: 390 });
  await page.getByRole("button", { name: "Paste or import…" }).click();
  const field = dialog(page).getByRole("textbox", { name: "Records as text" });
  await field.fill("www A 192.0.2.1\nftp A 192.0.2.999");
  const alert = dialog(page).getByRole("alert");
  await alert.getByText("Line 2", { exact: true }).waitFor();
  await alert.getByText("ftp A 192.0.2.999").waitFor();
  const add = dialog(page).getByRole("button", { name: /^Add .* to the draft/ });
  expect(await add.getAttribute("aria-disabled")).toBe("true");
  await expectAccessible(page);
  await photograph(page, "paste-errors");
  await page.setViewportSize({ width: 320, height: 700 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  await field.fill("www A 192.0.2.1\nftp A 192.0.2.99");
  await dialog(page).getByRole("button", { name: "Add 2 changes to the draft" }).click();
  await page.getByText("2 changes", { exact: true }).waitFor();
});

test("a Latin-1 file of 10,000 records that is dropped onto the zone becomes a draft, and only the rows in view are drawn", async () => {
  const zone = await fileZone(site.zonewright);
  const page = await site.signedIn({ path: `/d/${zone.name}/records` });
  await page.getByRole("button", { name: "Paste or import…" }).waitFor();
  const lines = Array.from({ length: 9_999 }, (_, index) => `h${index} 300 A 192.0.2.${index % 250}`);
  await page.evaluate(
    (text) => {
      const octets = Uint8Array.from(text, (character) => character.charCodeAt(0));
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([octets], "zone.db"));
      for (const type of ["dragover", "drop"])
        document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    },
    `${lines.join("\n")}\ncafe 300 TXT "caf\u00e9"\n`,
  );
  await dialog(page).getByText("10,000 of 10,000 ticked").waitFor();
  await dialog(page).getByText("This file is not UTF-8.").waitFor();
  // Only the rows in view are drawn.
  expect(await found(page).getByRole("checkbox").count()).toBeLessThan(100);
  await dialog(page).getByRole("button", { name: "Add 10,000 changes to the draft" }).click();
  await page.getByText("10,000 changes", { exact: true }).waitFor();
});

test("an archive, and 5 MB of anything, get an answer in words", async () => {
  const zone = await fileZone(site.zonewright);
  const page = await site.signedIn({ path: `/d/${zone.name}/records` });
  await page.getByRole("button", { name: "Paste or import…" }).click();
  const chooser = dialog(page).locator("input[type=file]");
  await chooser.setInputFiles(file("zones.zip", Buffer.from("PK\u0003\u0004\u0000\u0000")));
  await dialog(page).getByText("This is not a text file.").waitFor();
  await chooser.setInputFiles(file("noise.txt", Buffer.alloc(5 * 1024 * 1024, 'noise("; \n')));
  await dialog(page).getByText("5 MB from noise.txt").waitFor();
  await dialog(page)
    .getByText(/lines? cannot be read/)
    .waitFor();
  await chooser.setInputFiles(file("huge.txt", Buffer.alloc(17 * 1024 * 1024, "a")));
  await dialog(page).getByText("This text has 17 MB; at most 16 MB can be read.").waitFor();
});

test("a member may tick only records of their own names, and a reader cannot paste", async () => {
  const zone = await fileZone(site.zonewright);
  const username = "paste-member";
  const { body } = await (await site.zonewright.member(username)).get("/api/auth/me");
  const part = { userId: body.id, domainId: zone.id, access: "write", subdomainPattern: "*.dev" };
  const { body: assignment } = await site.zonewright.admin.post("/api/assignments", part);
  const page = await site.signedIn({ username, password: memberPassword, path: `/d/${zone.name}/records` });
  await page.getByRole("button", { name: "Add record" }).first().waitFor();
  expect(await pasteOnPage(page, "a.dev A 192.0.2.1\nwww A 192.0.2.2")).toBe(true);
  await found(page)
    .getByRole("checkbox", { name: /a\.dev/ })
    .waitFor();
  expect(await found(page).getByRole("checkbox", { name: /www/ }).isDisabled()).toBe(true);
  await dialog(page).getByRole("button", { name: "Add 1 change to the draft" }).waitFor();
  // The page may ask for the zone at any time, so the member never loses all of it.
  await site.zonewright.admin.post("/api/assignments", { ...part, access: "read", subdomainPattern: "b.dev" });
  await site.zonewright.admin.delete(`/api/assignments/${assignment.id}`);
  await page.reload();
  await page.getByRole("button", { name: "Actions for the zone" }).waitFor();
  expect(await pasteOnPage(page, "b.dev A 192.0.2.1")).toBe(false);
});

test("an empty text that is pasted is reviewed and applied like any other record, also after a reload", async () => {
  const zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1", 300);
  const page = await site.signedIn({ path: `/d/${zone.name}/records` });
  await page.getByRole("grid").focus();
  await pasteOnPage(page, 'empty 300 IN TXT ""\nother 300 IN A 192.0.2.88\n');
  await dialog(page)
    .getByRole("button", { name: /^Add 2/ })
    .click();
  await page.getByText(/^Checked against revision/).waitFor();
  await page.reload();
  await page.getByText("2 changes", { exact: true }).waitFor();
  await page.getByText(/^Checked against revision/).waitFor();
  await page.getByRole("grid").press("Control+Enter");
  await page
    .getByRole("dialog", { name: /^Review 2 changes/ })
    .getByRole("button", { name: /^Apply/ })
    .click();
  await page.getByText("Applied as revision 2").waitFor();
  expect(await zone.lines()).toEqual(["empty TXT ", "other A 192.0.2.88", "www A 192.0.2.1"]);
});
