import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startHookServer, type HookServer } from "../../notifications/channels/hook-server.ts";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import { fileZone } from "../../support/zones.ts";
import manifest from "../../../package.json" with { type: "json" };
import web from "../../../web/package.json" with { type: "json" };

/** The pages about the service as a whole: channels, and how it runs. */
const site = useConsole({ env: { EGRESS_ALLOW: "127.0.0.1" } });
let receiver: HookServer;
beforeAll(async () => {
  receiver = await startHookServer();
});
afterAll(async () => {
  await receiver.stop();
});

async function open(path: string, heading: string): Promise<Page> {
  const page = await site.signedIn({ path });
  await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
  return page;
}

test("a channel is added, tested, filtered and turned off, and its secret never comes back to the page", async () => {
  const zone = await fileZone(site.zonewright);
  const page = await open("/admin/channels", "Channels");
  await page.getByText("No channels yet").waitFor();
  await page.getByRole("link", { name: "Add channel" }).click();
  await page.getByLabel("Name", { exact: true }).fill("On-call");
  await page.getByLabel("Address", { exact: true }).fill(receiver.url);
  await page.getByRole("button", { name: "Generate one" }).click();
  const secret = await page.getByLabel("Signing secret").inputValue();
  expect(secret).toMatch(/^whsec_.{44}$/);
  await page.getByRole("button", { name: "Add channel" }).click();
  await page.getByText("Choose at least one event.").waitFor();
  await page.getByLabel("Secondaries and mirrors").check();
  await page.getByLabel("Records changed").check();
  await page.getByLabel("Only these domains").fill(zone.name);
  await page.getByRole("option", { name: zone.name }).click();
  await page.getByLabel("Only records of these types").fill("mx, txt");
  await page.getByLabel("When").selectOption("daily");
  await expectAccessible(page);
  await photograph(page, "channel-new");
  await page.getByRole("button", { name: "Add channel" }).click();
  await page.getByRole("heading", { name: "On-call", level: 1 }).waitFor();
  expect(await page.content()).not.toContain(secret);
  const { body } = await site.zonewright.admin.get("/api/notifications/configs");
  expect(body.configs).toMatchObject([
    {
      name: "On-call",
      events: expect.arrayContaining(["mirror.failing", "mirror.recovered", "zone.changed", "zone.secondary_behind"]),
      zoneFilter: { domainIds: [zone.id], recordTypes: ["MX", "TXT"] },
      digest: "daily",
    },
  ]);
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByText("Test message delivered.").waitFor();
  expect(receiver.calls.map(({ json }) => json["type"])).toEqual(["test"]);
  // Save appears with a change, and an edit keeps the secret.
  expect(await page.getByRole("button", { name: "Save" }).count()).toBe(0);
  await page.getByLabel("Name", { exact: true }).fill("Night shift");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Night shift", level: 1 }).waitFor();
  await expectAccessible(page);
  await photograph(page, "channel");
  await page.getByRole("link", { name: "All channels" }).click();
  const row = page.getByRole("row").filter({ hasText: "Night shift" });
  receiver.reply({ status: 503 });
  await row.getByRole("button", { name: "Send a test to Night shift" }).click();
  await page.getByRole("alert").getByText("The receiver returned status 503.").waitFor();
  await expectAccessible(page);
  await photograph(page, "channels");
  await row.getByRole("button", { name: "More actions for Night shift" }).click();
  await page.getByRole("menuitem", { name: "Turn off" }).click();
  await row.getByText("Off").waitFor();
  await row.getByRole("button", { name: "More actions for Night shift" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No channels yet").waitFor();
});

test("what is wrong with a channel is said at its field, and a delivery that fails shows its reason", async () => {
  const zone = await fileZone(site.zonewright);
  const page = await open("/admin/channels/new", "Add a channel");
  site.expected.push("400");
  await page.getByLabel("Kind").selectOption("slack");
  await page.getByLabel("Name", { exact: true }).fill("Chat");
  await page.getByLabel("Webhook address").fill("nowhere");
  await page.getByLabel("Records changed").check();
  await page.getByRole("button", { name: "Add channel" }).click();
  await page.getByLabel("Webhook address").and(page.locator("[aria-invalid=true]")).waitFor();
  await page.getByLabel("Webhook address").fill(`${receiver.url}/robot`);
  await page.getByRole("button", { name: "Add channel" }).click();
  await page.getByRole("heading", { name: "Chat", level: 1 }).waitFor();
  receiver.reply({ status: 500 });
  await zone.add("A", "www", "192.0.2.1");
  const { admin } = site.zonewright;
  const { body: channels } = await admin.get("/api/notifications/configs");
  const { id } = channels.configs.find(({ name }: { name: string }) => name === "Chat");
  const errors = async (): Promise<string[]> => {
    const { body } = await admin.get(`/api/notifications/configs/${id}/deliveries`);
    return body.deliveries.map(({ lastError }: { lastError: string | null }) => lastError);
  };
  await expect.poll(errors).toEqual(["The receiver returned status 500."]);
  await page.reload();
  await page.getByText("The receiver returned status 500.").waitFor();
  await photograph(page, "deliveries");
  await page.getByLabel("State", { exact: true }).selectOption("Given up");
  await page.getByText("No delivery is in this state.").waitFor();
  await page.getByLabel("State", { exact: true }).selectOption("Pending");
  await page.getByText("The receiver returned status 500.").waitFor();
});

test("the system page shows the instance that answers, and how the last run of a job ended", async () => {
  const { services } = site.zonewright;
  await services.jobs.enqueue(services.database.fork(), "acme.clean", {});
  const page = await site.signedIn({ path: "/" });
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "System" }).click();
  await page.getByRole("heading", { name: "System", level: 1 }).waitFor();
  await page.getByRole("row").filter({ hasText: "Answers you now" }).filter({ hasText: "Node.js" }).waitFor();
  const job = page.getByRole("row").filter({ hasText: "acme.clean" });
  await job.waitFor();
  await expect
    .poll(async () => {
      await page.getByRole("button", { name: "Read again" }).click();
      return await job.textContent();
    })
    .toContain("Done");
  expect(await job.textContent()).toContain("Hourly, at :17");
  await photograph(page, "system");
  await expectAccessible(page);
});

test("the system page lists the packages that are delivered with Zonewright by their licenses", async () => {
  const page = await open("/admin/system", "System");
  await page.getByRole("heading", { name: "Licenses" }).waitFor();
  const packages = (license: string) =>
    page.getByRole("row").filter({ has: page.getByRole("cell", { name: license, exact: true }) });
  await packages("MIT")
    .getByText(/^\d+ packages$/)
    .click();
  // Of the service, and of the console, which installs none. What only builds it is not delivered.
  await packages("MIT").getByText(`express ${manifest.dependencies.express}`, { exact: true }).waitFor();
  await packages("MIT").getByText(`react ${web.devDependencies.react}`, { exact: true }).waitFor();
  expect(
    await packages("MIT")
      .getByText(/^vite /)
      .count(),
  ).toBe(0);
  await packages("OFL-1.1").getByText("2 packages", { exact: true }).waitFor();
  await photograph(page, "licenses");
  await expectAccessible(page);
});
