import type { Page } from "playwright-core";
import { beforeEach, test } from "vitest";
import { useConsole } from "../../support/console.ts";
import { fileZone, type Zone } from "../../support/zones.ts";

/** What happens while a page still reads the draft that this browser has stored. */

const site = useConsole();
let zone: Zone;
let first: Page;

beforeEach(async () => {
  zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  await zone.add("A", "api", "192.0.2.7");
  first = await site.signedIn({ path: `/d/${zone.name}/records` });
  await edit(first, "www", "192.0.2.2");
  await first.getByText("1 change", { exact: true }).waitFor();
  await first.getByText(/^Checked against revision/).waitFor();
});

async function edit(on: Page, host: string, value: string): Promise<void> {
  await on.getByRole("button", { name: `Actions for ${host} A` }).click();
  await on.getByRole("menuitem", { name: "Edit" }).click();
  await on.getByRole("textbox", { name: "Value", exact: true }).fill(value);
  await on.getByRole("button", { name: "Done" }).click();
}

/** Opens the zone in a tab whose reads from the browser's store end once they are released, and adds a record there. */
async function tabThatReads(prepare?: (tab: Page) => Promise<unknown>): Promise<Page> {
  const tab = await first.context().newPage();
  await tab.addInitScript(() => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    Object.assign(globalThis, { releaseReads: resolve });
    IDBRequest.prototype.addEventListener = function (this: IDBRequest, type: string, ...rest: unknown[]) {
      const [listener, options] = rest as [(event: Event) => void, AddEventListenerOptions | undefined];
      const isRead = type === "success" && this.transaction?.mode === "readonly";
      const later = (event: Event) => void promise.then(() => listener.call(this, event));
      EventTarget.prototype.addEventListener.call(this, type, isRead ? later : listener, options);
    };
  });
  await prepare?.(tab);
  await tab.goto(first.url());
  await tab.getByRole("row").filter({ hasText: "192.0.2.7" }).waitFor();
  await tab.getByRole("button", { name: "Add record" }).click();
  await tab.getByRole("textbox", { name: "Name" }).fill("typed");
  await tab.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.90");
  await tab.getByRole("button", { name: "Done" }).click();
  await tab.getByText("1 change", { exact: true }).waitFor();
  return tab;
}

const release = async (tab: Page) =>
  await tab.evaluate(() => (globalThis as unknown as { releaseReads: () => void }).releaseReads());

/** Expects that a tab has a draft with these values, and that it is checked. */
async function expectDraft(tab: Page, values: readonly string[]): Promise<void> {
  await tab.getByText(`${values.length} changes`, { exact: true }).waitFor();
  for (const value of values) await tab.getByRole("row").filter({ hasText: value }).waitFor();
  await tab.getByText(/^Checked against revision/).waitFor();
}

test("another tab that edits while the stored draft is read loses neither what is stored nor what was typed here", async () => {
  const tab = await tabThatReads();
  await edit(first, "api", "192.0.2.8");
  const all = ["192.0.2.2", "192.0.2.8", "192.0.2.90"];
  await expectDraft(tab, all);
  await release(tab);
  await expectDraft(first, all);
  await expectDraft(tab, all);
  await first.reload();
  await expectDraft(first, all);
});

test("a change by somebody else that is reported while the stored draft is read loses nothing of it", async () => {
  const tab = await tabThatReads();
  await zone.add("A", "theirs", "192.0.2.77");
  await tab.getByRole("row").filter({ hasText: "192.0.2.77" }).waitFor();
  await release(tab);
  const all = ["192.0.2.2", "192.0.2.90"];
  await expectDraft(tab, all);
  await expectDraft(first, all);
  await tab.reload();
  await release(tab);
  await expectDraft(tab, all);
});

test("an error of the service while the stored draft is read loses nothing of it", async () => {
  site.expected.push("503");
  const failed = Promise.withResolvers<undefined>();
  const tab = await tabThatReads(
    async (opened) =>
      await opened.route("**/trpc/records.history*", async (route) => {
        await route.fulfill({ status: 503, body: "" });
        failed.resolve(undefined);
      }),
  );
  await failed.promise;
  await release(tab);
  const all = ["192.0.2.2", "192.0.2.90"];
  await expectDraft(tab, all);
  await expectDraft(first, all);
});
