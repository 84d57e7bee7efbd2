import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newAuthority } from "../../support/servers/certificates.ts";
import { assign } from "../../accounts/assignments/assigned.ts";
import { day } from "../../support/clock.ts";
import { expectAccessible, photograph, useConsole } from "../../support/console.ts";
import { memberPassword } from "../../support/zonewright.ts";
import { manualZone, type Zone } from "../../support/zones.ts";
import { Hosts } from "../../registry/certificates/hosts.ts";

/** Certificates made now are this old, so that their ends are those of long-lived ones. */
const age = 60;
const now = () => new Date(Date.now() + age * day);
const hosts = await Hosts.start(now);
const site = useConsole({ now, env: { JOBS: "off" }, egress: hosts.egress });
let zone: Zone;

beforeAll(async () => {
  zone = await manualZone(site.zonewright);
  const at = (host: string, port = 443) => `${host}.${zone.name}:${port}`;
  const { authority } = hosts;
  const certified = (name: string, days: number) =>
    authority.sign("certified", { names: [`${name}.${zone.name}`], days: days + age });
  await hosts.serve(await certified("www", 80), at("www"));
  await hosts.serve(await certified("shop", 9), at("shop"));
  await hosts.serve(await certified("other", 60), at("old"));
  await hosts.serve(
    await (await newAuthority("Own Authority")).sign(`intern.${zone.name}`, { days: 300 }),
    at("intern"),
  );
  await hosts.serveMail(await certified("mail", 40), at("mail", 25));
});
afterAll(() => hosts.stop());

const check = () => site.zonewright.services.certificateCheck.work({}, new AbortController().signal);
const table = (page: Page) => page.getByRole("table", { name: "Certificates" });

test("hosts are chosen, and show until when their certificates are valid, those in need first", async () => {
  const page = await site.signedIn({ path: `/d/${zone.name}/registration` });
  await page.getByText("No host is watched.").waitFor();
  await page.getByRole("button", { name: "Choose hosts…" }).click();
  const dialog = page.getByRole("dialog", { name: `Watch certificates of ${zone.name}` });
  await dialog.getByLabel("Hosts").fill("www\nno host at all");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("“no host at all” is not a host. Write it as www or mail:25.").waitFor();
  site.expected.push("400");
  await dialog.getByLabel("Hosts").fill("www\n*.dev");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText('"*.dev" is not a host that clients connect to.').waitFor();
  await dialog.getByLabel("Hosts").fill("www\nshop\nold\nintern\nmail:25\naway");
  await photograph(page, "certificates-edit");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await expect.poll(() => table(page).getByText("Not checked yet").count()).toBe(6);
  await check();
  await table(page).getByText("Unreachable").waitFor();
  // The page may have looked while some were not checked yet.
  await expect
    .poll(() => table(page).getByRole("rowheader").allTextContents())
    .toEqual(["old", "intern", "away", "shop", "mail:25", "www"]);
  await table(page).getByText(`is for other names: other.${zone.name}.`).waitFor();
  await page.reload();
  await page
    .getByRole("list", { name: "What to do" })
    .getByText(`The certificate of shop.${zone.name} expires in 9 days.`)
    .waitFor();
  await photograph(page, "certificates");
  await expectAccessible(page);
});

test("what was chosen is shown again as it was written, and can be turned off", async () => {
  const path = `${zone.path}/tls-hosts`;
  const listed = [
    { host: "www" },
    { host: "mail", port: 25, starttls: "smtp" },
    { host: "mail", port: 587 },
    { host: "relay", port: 2525, starttls: "smtp" },
  ];
  await site.zonewright.admin.put(path, { mode: "all", hosts: listed });
  const page = await site.signedIn({ path: `/d/${zone.name}/registration` });
  await page.getByRole("button", { name: "Choose hosts…" }).click();
  const dialog = page.getByRole("dialog");
  expect(await dialog.getByLabel("Hosts").inputValue()).toBe("mail:25\nmail:587 tls\nrelay:2525 smtp\nwww");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  const { body } = await site.zonewright.admin.get(path);
  expect(body.hosts.map(({ port, starttls }: { port: number; starttls: string }) => [port, starttls])).toEqual([
    [25, "smtp"],
    [587, null],
    [2525, "smtp"],
    [443, null],
  ]);
  await page.getByRole("button", { name: "Choose hosts…" }).click();
  await dialog.getByLabel("Watch").selectOption({ label: "Nothing" });
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("No host is watched.").waitFor();
});

test("changing only what is watched keeps a host that somebody else added meanwhile", async () => {
  const path = `${zone.path}/tls-hosts`;
  const { admin } = site.zonewright;
  await admin.put(path, { mode: "listed", hosts: [{ host: "www" }] });
  const page = await site.signedIn({ path: `/d/${zone.name}/registration` });
  await page.getByRole("button", { name: "Choose hosts…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Watch").waitFor();
  await admin.put(path, { mode: "listed", hosts: [{ host: "www" }, { host: "mail", port: 25, starttls: "smtp" }] });
  await dialog.getByLabel("Watch").selectOption({ index: 1 });
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  const { body } = await admin.get(path);
  expect(body.mode).toBe("all");
  expect(body.hosts.map(({ host, listed }: { host: string; listed: boolean }) => [host, listed])).toEqual([
    ["mail", true],
    ["www", true],
  ]);
});

test("a member sees the hosts that are theirs, and chooses none", async () => {
  await site.zonewright.admin.put(`${zone.path}/tls-hosts`, {
    mode: "listed",
    hosts: [{ host: "www" }, { host: "shop" }],
  });
  await check();
  await assign(site.zonewright, await site.zonewright.member("ada"), zone.id, "www");
  const page = await site.signedIn({
    username: "ada",
    password: memberPassword,
    path: `/d/${zone.name}/registration`,
  });
  await table(page).waitFor();
  expect(await table(page).getByRole("rowheader").allTextContents()).toEqual(["www"]);
  expect(await page.getByRole("button", { name: "Choose hosts…" }).count()).toBe(0);
});
