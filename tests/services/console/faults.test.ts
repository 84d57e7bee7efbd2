import type { Page, Route } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { useConsole } from "../../support/console.ts";
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

/** Changes the address of www in a draft, and opens its review with a reason. */
async function review(): Promise<void> {
  await page.getByRole("button", { name: "Actions for www A" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("192.0.2.2");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: /^Review/ }).click();
  await reason().fill("The host moved");
  await dialog().getByText("192.0.2.2").waitFor();
}

/** Answers as the service does. */
const refusal =
  (status: number, code: string, message: string, headers = {}) =>
  async (route: Route) => {
    const data = { code, httpStatus: status, title: code, issues: null, requestId: "0123456789abcdef" };
    const body = JSON.stringify({ error: { json: { message, code: -32_000, data } } });
    await route.fulfill({ status, contentType: "application/json", headers, body });
  };

test.each([
  ["429", refusal(429, "TOO_MANY_REQUESTS", "Wait 60 seconds.", { "retry-after": "60" }), "Wait 60 seconds."],
  ["502", refusal(502, "PROVIDER_ERROR", "BIND does not answer."), "BIND does not answer."],
  ["503", refusal(503, "UNAVAILABLE", "The service is stopping."), "The service is stopping."],
  [
    "502",
    async (route: Route) =>
      await route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad Gateway</h1>" }),
    "A proxy answered",
  ],
  [
    "ERR_INTERNET_DISCONNECTED",
    async (route: Route) => await route.abort("internetdisconnected"),
    "Zonewright did not answer",
  ],
])(
  "when applying fails with %s, the review says why, keeps what was typed, and can be applied later",
  async (logged, answer, words) => {
    await review();
    await page.route(apply, answer);
    site.expected.push(logged);
    await applyButton().click();
    await dialog().getByRole("alert").filter({ hasText: words }).waitFor();
    expect(await reason().inputValue()).toBe("The host moved");
    expect(await values()).toEqual(["192.0.2.1"]);
    await page.unroute(apply);
    await applyButton().click();
    await page.getByText("Applied as revision 2").waitFor();
    expect(await values()).toEqual(["192.0.2.2"]);
  },
);

test("when the answer of an applied change is lost, the draft is compared with the zone and nothing is done twice", async () => {
  await review();
  await page.route(apply, async (route) => {
    await route.fetch();
    await route.abort("connectionreset");
  });
  site.expected.push("ERR_CONNECTION_RESET", "409");
  await applyButton().click();
  await dialog().getByRole("alert").waitFor();
  await page.unroute(apply);
  await expect.poll(values).toEqual(["192.0.2.2"]);
  await page.reload();
  await page.getByRole("grid").waitFor();
  const { body } = await zone.get("/history");
  expect(body.entries.filter(({ state }: { state: string }) => state === "applied")).toHaveLength(2);
});
