import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import { manualConfig } from "../../support/zones.ts";
import { startCloudflare } from "../../support/vendors/cloudflare/server.ts";
import { addresses, foreign, startSigningWorld } from "../dnssec-zones.ts";

const ecdsa = ["ECDSAP256SHA256"];
const world = await startSigningWorld({
  "good.lab": { algorithms: ["RSASHA256", ...ecdsa] },
  "waiting.lab": { algorithms: ecdsa, ds: "none" },
  "wrong.lab": { algorithms: ecdsa, ds: "foreign" },
});
const signer = await startCloudflare();
const site = useConsole({
  env: {
    RESOLVER_ROOTS: `${addresses.root}:${world.port}`,
    RESOLVER_TRUST_ANCHOR: world.anchor,
    EGRESS_ALLOW: "127.0.0.0/8",
    JOBS: "off",
  },
});
beforeAll(async () => {
  const providerConfigId = await manualConfig(site.zonewright);
  for (const name of ["good.lab", "waiting.lab", "wrong.lab"])
    await site.zonewright.admin.post("/api/domains", { name, providerConfigId });
});
afterAll(async () => {
  await Promise.all([world.stop(), signer.stop()]);
});

const table = (page: Page) => page.getByRole("table", { name: "DNSSEC" });

/** Opens the page and has it checked. Registry and registrar know nothing of such a name. */
async function checked(zone: string): Promise<Page> {
  const page = await site.signedIn({ path: `/d/${zone}/registration` });
  await page.getByRole("button", { name: "Check now" }).click();
  await table(page).waitFor({ timeout: 60_000 });
  return page;
}

test("a signed zone shows its keys, and that signatures lead to it", async () => {
  const page = await checked("good.lab");
  await table(page).getByText("Signatures lead from the root to good.lab.").waitFor();
  expect(await table(page).getByRole("listitem").count()).toBe(4);
  await table(page).getByText("ECDSA P-256, signs keys and records").waitFor();
  expect(await page.getByLabel("DS record to publish").count()).toBe(0);
  await expectAccessible(page);
});

test("a zone whose DS record is missing shows the one to publish", async () => {
  const page = await checked("waiting.lab");
  await table(page).getByText("Signed, without DS records in the parent zone").waitFor();
  await expect.poll(() => page.getByLabel("DS record to publish").inputValue()).toBe(world.ds("waiting.lab")[0]);
  await page.getByRole("list", { name: "What to do" }).getByText("Enter this DS record").waitFor();
  await table(page).scrollIntoViewIfNeeded();
  await photograph(page, "dnssec-waiting");
  await expectAccessible(page);
});

test("a zone with a wrong DS record says that resolvers refuse it", async () => {
  const page = await checked("wrong.lab");
  await table(page).getByText("Bogus: validating resolvers refuse its names").waitFor();
  await table(page).getByText(foreign).waitFor();
  await page.getByRole("list", { name: "What to do" }).getByText("Replace the DS records").waitFor();
  await table(page).scrollIntoViewIfNeeded();
  await photograph(page, "dnssec-wrong");
  await expectAccessible(page);
});

test("DNSSEC is turned on, its DS records are published in the parent zone, and turning it off is refused", async () => {
  const { admin } = site.zonewright;
  const { token: apiToken, accountId, url: endpoint } = signer;
  const config = { kind: "cloudflare", name: "Signer", config: { apiToken, accountId, endpoint } };
  const { body: made } = await admin.post("/api/provider-configs", config);
  await admin.post("/api/domains", { name: "shop.corp.example", providerConfigId: made.id });
  const { body: parent } = await admin.post("/api/domains", { name: "corp.example" });
  const delegation = { recordType: "NS", name: "shop", value: "ns.example.net" };
  await admin.post(`/api/domains/${parent.id}/records`, delegation);
  const page = await site.signedIn({ path: "/d/shop.corp.example/registration" });
  await page.getByRole("button", { name: "Turn on DNSSEC" }).click();
  const shown = page.getByLabel("DS record to publish");
  await expect.poll(() => shown.inputValue()).toMatch(/^\d+ 13 2 [\da-f]{64}$/);
  const ds = await shown.inputValue();
  await page.getByRole("button", { name: "Publish DS records" }).scrollIntoViewIfNeeded();
  await photograph(page, "dnssec-on");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Publish DS records" }).click();
  const dialog = page.getByRole("dialog", { name: "Publish DS records" });
  await dialog.getByText("corp.example gets these DS records:").waitFor();
  await dialog.getByText(ds).waitFor();
  await photograph(page, "dnssec-publish");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Publish DS records" }).click();
  await dialog.waitFor({ state: "hidden" });
  const { body } = await admin.get(`/api/domains/${parent.id}/records?type=DS`);
  expect(body.records.map(({ value }: { value: string }) => value.toLowerCase())).toEqual([ds]);
  await page.getByRole("button", { name: "Turn on DNSSEC" }).click();
  await page.getByRole("button", { name: "Turn off DNSSEC…" }).click();
  site.expected.push("409");
  const question = page.getByRole("dialog", { name: "Turn off DNSSEC?" });
  await question.getByRole("button", { name: "Turn off DNSSEC" }).click();
  await page.getByText("The zone corp.example has DS records").waitFor();
});
