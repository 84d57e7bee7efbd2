import { readFile, writeFile } from "node:fs/promises";
import type { Page, Route } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { faults } from "../../support/console-faults.ts";
import { focusIn, useConsole } from "../../support/console.ts";
import { fileZone, type Zone } from "../../support/zones.ts";

const site = useConsole();
const apply = "**/trpc/records.applyPlan*";
let zone: Zone;
let page: Page;

beforeEach(async () => {
  zone = await fileZone(site.zonewright);
  await zone.add("A", "www", "192.0.2.1");
  page = await site.signedIn({ path: `/d/${zone.name}/records` });
  await page.getByRole("grid").waitFor();
});

const dialog = () => page.getByRole("dialog", { name: /^Review 1 change/ });
const reason = () => dialog().getByLabel(/^Why/);
const applyButton = () => dialog().getByRole("button", { name: /^Apply/ });
const values = async () =>
  (await zone.get("/records?type=A&name=www")).body.records.map((record: { value: string }) => record.value);

/** Changes the address of www in a draft. */
async function edit(): Promise<void> {
  await page.getByRole("button", { name: "Actions for www A" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.2");
  await page.getByRole("button", { name: "Done" }).click();
}

/** The same, and opens its review with a reason. */
async function review(): Promise<void> {
  await edit();
  await page.getByRole("button", { name: /^Review/ }).click();
  await reason().fill("The host moved");
  await dialog().getByText("192.0.2.2").waitFor();
}

test.each(Object.entries(faults))(
  "when applying fails (%s), the review says why, keeps what was typed, and can be applied later",
  async (_what, { logged, answer, says }) => {
    await review();
    await page.route(apply, answer);
    site.expected.push(logged);
    await applyButton().click();
    await dialog().getByRole("alert").filter({ hasText: says }).waitFor();
    expect(await reason().inputValue()).toBe("The host moved");
    expect(await values()).toEqual(["192.0.2.1"]);
    await page.unroute(apply);
    await applyButton().click();
    await page.getByText("Applied as revision 2").waitFor();
    expect(await values()).toEqual(["192.0.2.2"]);
  },
);

test.each([
  ["limited", faults.limited, "Wait 60 seconds. Trying again."],
  ["provider", faults.provider, "BIND does not answer. Trying again."],
  ["stopping", faults.stopping, "The service is stopping. Trying again."],
  ["noNetwork", faults.noNetwork, "Not checked: no connection"],
])(
  "a draft that cannot be checked (%s) says so, and is checked by itself once that is over",
  async (_what, fault, says) => {
    const plan = "**/trpc/records.plan*";
    await page.route(plan, fault.answer);
    site.expected.push(fault.logged);
    await edit();
    await page.getByText(says).waitFor();
    expect(await page.getByRole("button", { name: /^Review/ }).isDisabled()).toBe(true);
    await page.unroute(plan);
    // The service asked to wait for a minute; a reload does not, and the draft survives it.
    if (fault === faults.limited) await page.reload();
    await page.getByText("Checked against revision 1").waitFor({ timeout: 60_000 });
    await page.getByRole("button", { name: /^Review/ }).click();
    await dialog().getByText("192.0.2.2").waitFor();
  },
);

test("a provider that really fails is named with its reason, and the change is applied once it works", async () => {
  await review();
  const content = await readFile(zone.file, "utf8");
  await writeFile(zone.file, "this is no zone file\n");
  site.expected.push("502", "409");
  await applyButton().click();
  await dialog().getByRole("alert").waitFor();
  expect(await reason().inputValue()).toBe("The host moved");
  expect(await values()).toEqual(["192.0.2.1"]);
  await writeFile(zone.file, content);
  await applyButton().click();
  await page.getByText("Applied as revision 2").waitFor();
});

const loseAnswer = async (route: Route) => {
  await route.fetch();
  await route.abort("connectionreset");
};

async function addNew(): Promise<void> {
  await page.getByRole("button", { name: "Add record" }).click();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("new");
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.50");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: /^Review/ }).click();
}

test("what makes something new is made once if its answers are lost and somebody presses again; what sets a state is made anew", async () => {
  const keys = (procedure: string) => {
    const seen = new Set<string | undefined>();
    page.on("request", (request) => {
      if (request.url().endsWith(`/trpc/${procedure}`)) seen.add(request.headers()["idempotency-key"]);
    });
    return seen;
  };
  const [taking, setting] = [keys("snapshots.create"), keys("tlsHosts.set")];
  site.expected.push("ERR_CONNECTION_RESET");
  await page.goto(new URL(`/d/${zone.name}/timeline#snapshots`, page.url()).href);
  const snapshot = page.getByRole("dialog", { name: "Take a snapshot" });
  const take = async () => {
    await page.getByRole("button", { name: "Take a snapshot…" }).click();
    // A plan is something else: the address of the service may contain the word, too.
    await snapshot.getByRole("textbox").fill("www.plan");
    await snapshot.getByRole("button", { name: "Take it" }).click();
  };
  await page.route("**/trpc/snapshots.create*", loseAnswer);
  await take();
  await snapshot.getByRole("alert").waitFor();
  await page.unroute("**/trpc/snapshots.create*");
  await snapshot.getByRole("button", { name: "Take it" }).click();
  await snapshot.waitFor({ state: "detached" });
  expect([...taking]).toEqual([expect.stringMatching(/^\d+(?:-\d+){3}$/)]);
  expect((await zone.get("/snapshots")).body.total).toBe(1);
  await take();
  await snapshot.waitFor({ state: "detached" });
  expect((await zone.get("/snapshots")).body.total).toBe(2);

  await page.goto(new URL(`/d/${zone.name}/registration`, page.url()).href);
  const hosts = page.getByRole("dialog", { name: /^Watch certificates/ });
  const save = hosts.getByRole("button", { name: "Save" });
  await page.route("**/trpc/tlsHosts.set*", loseAnswer);
  await page.getByRole("button", { name: "Choose hosts…" }).click();
  await hosts.getByLabel("Hosts").fill("www");
  await save.click();
  await hosts.getByRole("alert").waitFor();
  await page.unroute("**/trpc/tlsHosts.set*");
  // Somebody else sets another state meanwhile.
  await zone.client.put(`${zone.path}/tls-hosts`, { mode: "listed", hosts: [{ host: "theirs" }] });
  await save.click();
  await hosts.waitFor({ state: "detached" });
  expect(setting.size).toBe(2);
  expect((await zone.get("/tls-hosts")).body.hosts).toEqual(
    expect.arrayContaining([expect.objectContaining({ host: "www" })]),
  );
});

test("when the answer of an applied change is lost, the page finds the change in the history and nothing is done twice", async () => {
  await review();
  await page.route(apply, loseAnswer);
  site.expected.push("ERR_CONNECTION_RESET", "409");
  await applyButton().click();
  await page.getByText("Applied as revision 2").waitFor();
  await dialog().waitFor({ state: "detached" });
  await page.unroute(apply);
  await expect.poll(values).toEqual(["192.0.2.2"]);
  await page.reload();
  await page.getByRole("grid").waitFor();
  const { body } = await zone.get("/history");
  expect(body.entries.filter(({ state }: { state: string }) => state === "applied")).toHaveLength(2);
});

test("when the answer is lost, new records are known to be made, and undo takes back exactly these", async () => {
  await addNew();
  await page.route(apply, loseAnswer);
  site.expected.push("ERR_CONNECTION_RESET");
  await applyButton().click();
  await page.getByText("Applied as revision 2").waitFor();
  await dialog().waitFor({ state: "detached" });
  await page.getByRole("region", { name: "Draft" }).waitFor({ state: "detached" });
  await zone.add("A", "theirs", "192.0.2.7");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Undone as revision 4").waitFor();
  expect(await zone.lines()).toEqual(["theirs A 192.0.2.7", "www A 192.0.2.1"]);
});

test("when the answer of a change of 450 records is lost, the repeated call has it, and undo is there", async () => {
  const lines = Array.from({ length: 450 }, (_, at) => `h${at} 300 A 192.0.2.1`).join("\n");
  await page.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text", pasted);
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, lines);
  const paste = page.getByRole("dialog", { name: /^Add records to/ });
  await paste.getByText("450 of 450 ticked").waitFor();
  await focusIn(paste);
  await page.keyboard.press("Control+Enter");
  await page.getByText("450 changes", { exact: true }).waitFor();
  await page.route(apply, loseAnswer, { times: 1 });
  site.expected.push("ERR_CONNECTION_RESET");
  await openReview();
  await page
    .getByRole("dialog", { name: /^Review 450/ })
    .getByRole("button", { name: /^Apply/ })
    .click();
  await page.getByText("Applied as revision 2").waitFor();
  await page.getByRole("region", { name: "Draft" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).waitFor();
  expect((await zone.detail()).revision).toBe(2);
});

test("when a call's answer is too large to be sent again, the page finds the change in the history", async () => {
  await addNew();
  await page.route(apply, async (route) => {
    await route.fetch();
    const message = "The call with this `Idempotency-Key` succeeded, but its response was too large to store.";
    const data = { code: "CONFLICT", httpStatus: 409, title: "Conflict", requestId: "0123456789abcdef" };
    const error = { message, code: -32_009, data: { ...data, issues: [{ path: ["Idempotency-Key"], message }] } };
    await route.fulfill({ status: 409, json: { error: { json: error } } });
  });
  site.expected.push("409");
  await applyButton().click();
  await page.getByText("Applied as revision 2").waitFor();
  await page.getByRole("region", { name: "Draft" }).waitFor({ state: "detached" });
});

test("when the page goes before the answer is there, it knows at the return what was made", async () => {
  await addNew();
  const made = Promise.withResolvers<undefined>();
  await page.route(apply, async (route) => {
    await route.fetch();
    made.resolve(undefined);
  });
  await applyButton().click();
  await made.promise;
  await page.reload();
  await page.getByText("Applied as revision 2").waitFor();
  await page.getByRole("region", { name: "Draft" }).waitFor({ state: "detached" });
  expect(await zone.lines()).toEqual(["new A 192.0.2.50", "www A 192.0.2.1"]);
});

const openReview = async () => await page.getByRole("button", { name: /^Review/ }).click();
const unknown = () => dialog().getByText("it is not known yet whether they were made");
const unsent = () => dialog().getByText("Nothing has been sent yet");

test("after its provider refused a draft, its review says neither that nothing was sent nor that the outcome is unknown", async () => {
  await review();
  await page.route(apply, faults.provider.answer);
  site.expected.push(faults.provider.logged);
  await applyButton().click();
  await dialog().getByRole("alert").filter({ hasText: faults.provider.says }).waitFor();
  expect([await unsent().count(), await unknown().count()]).toEqual([0, 0]);
  await dialog().getByRole("button", { name: "Back" }).click();
  for (const isReloaded of [false, true]) {
    if (isReloaded) await page.reload();
    await openReview();
    await dialog().getByText("192.0.2.2").waitFor();
    expect([await unsent().count(), await unknown().count()]).toEqual([0, 0]);
    await dialog().getByRole("button", { name: "Back" }).click();
  }
});

test("what became of a discarded draft is nothing that the review of the next one speaks of", async () => {
  await addNew();
  await page.route(apply, faults.noNetwork.answer);
  site.expected.push(faults.noNetwork.logged);
  await applyButton().click();
  await unknown().waitFor();
  await dialog().getByRole("button", { name: "Back" }).click();
  await openReview();
  await unknown().waitFor();
  await dialog().getByRole("button", { name: "Back" }).click();
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  await review();
  await unsent().waitFor();
});

test("a draft that was sent and not made stays, whatever others make, and says that it was sent", async () => {
  await addNew();
  await page.route(apply, faults.noNetwork.answer);
  site.expected.push(faults.noNetwork.logged, "409");
  await applyButton().click();
  await dialog().getByText("it is not known yet whether they were made").waitFor();
  await page.unroute(apply);
  await zone.add("A", "new", "192.0.2.51");
  await page.getByText("Checked against revision 2").waitFor();
  await dialog().getByText("Nothing has been sent yet").waitFor();
  await applyButton().click();
  await dialog().getByText("Plan made against revision 2").waitFor();
  await applyButton().click();
  await page.getByText("Applied as revision 3").waitFor();
  expect(await zone.lines()).toEqual(["new A 192.0.2.50", "new A 192.0.2.51", "www A 192.0.2.1"]);
});
