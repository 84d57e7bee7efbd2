import { afterAll, expect, test } from "vitest";
import { useConsole } from "../../support/console.ts";
import { startMailServer } from "../../support/servers/mail-server.ts";
import { memberPassword } from "../../support/zonewright.ts";

const mail = await startMailServer();
const site = useConsole({ env: { SMTP_URL: mail.url, MAIL_FROM: "dns@example.com" } });
afterAll(() => mail.stop());

const newPassword = "seven grey herons wading";

/** Makes a member with a verified address. */
async function withAddress(username: string): Promise<void> {
  const { services } = site.zonewright;
  const account = { email: `${username}@example.com`, password: memberPassword, role: "member" } as const;
  await services.users.create(services.database.fork(), { username, ...account });
}

test("a forgotten password is replaced by the mailed link, which works once, and ends the other sessions", async () => {
  await withAddress("ada");
  const elsewhere = await site.signedIn({ username: "ada", password: memberPassword });

  const page = await site.open();
  await page.goto(site.url);
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await page.getByLabel("Email").fill("ada@example.com");
  await page.getByRole("button", { name: "Send the link" }).click();
  await page.getByText("a link is on its way").waitFor();
  const { text } = await mail.next("ada@example.com");
  const [link = ""] = /http:\/\/\S+reset-password#token=\S+/.exec(text) ?? [];
  expect(link.startsWith(site.url)).toBe(true);

  await page.goto(link);
  await page.getByRole("heading", { name: "Choose a new password" }).waitFor();
  expect(page.url()).toBe(`${site.url}/reset-password`);
  site.expected.push("400", "401");
  // A weak one is explained at its field, and the link goes on working.
  await page.getByLabel("New password").fill("zonewright1234");
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.getByText(/must not be easy to guess/).waitFor();
  await page.getByLabel("New password").fill(newPassword);
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.getByText("Password changed. Sign in with it.").waitFor();
  await page.getByRole("textbox", { name: "Username" }).fill("ada");
  await page.getByRole("textbox", { name: "Password" }).fill(newPassword);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("navigation", { name: "Main" }).waitFor();
  await elsewhere.getByRole("heading", { name: "Your session ended" }).waitFor();

  await page.goto(link);
  await page.getByLabel("New password").fill("three owls over the harbour");
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.getByText("This link is invalid or has expired. Request a new one.").waitFor();
});

test("an address without an account gets the same answer, and no mail", async () => {
  const page = await site.open();
  await page.goto(`${site.url}/forgot-password`);
  await page.getByLabel("Email").fill("nobody@example.com");
  await page.getByRole("button", { name: "Send the link" }).click();
  await page.getByText("a link is on its way").waitFor();
  // Mails leave in order: once a later one is there, none can follow for the first address.
  await withAddress("later");
  await site.zonewright.nobody.post("/api/auth/password/forgot", { email: "later@example.com" });
  await mail.next("later@example.com");
  expect(mail.mails.filter(({ to }) => to === "nobody@example.com")).toEqual([]);
});

test("a link without its token says what to do", async () => {
  const page = await site.open();
  await page.goto(`${site.url}/reset-password`);
  await page.getByText("This link is incomplete.").waitFor();
  expect(await page.getByRole("button", { name: "Set the password" }).isDisabled()).toBe(true);
});

test("a link from an invitation fills in its code, and registering signs in", async () => {
  const { body } = await site.zonewright.admin.post("/api/invitations", { maxUses: 1 });
  const page = await site.open();
  await page.goto(`${site.url}/register?code=${body.code}`);
  expect(await page.getByLabel("Invitation code").inputValue()).toBe(body.code);
  site.expected.push("400", "409");
  await page.getByLabel("Username").fill("admin");
  await page.getByLabel("Password").fill(newPassword);
  await page.getByRole("button", { name: "Create the account" }).click();
  await page.getByRole("alert").waitFor();
  expect(await page.getByLabel("Password").inputValue()).toBe(newPassword);
  await page.getByLabel("Username").fill("grace");
  await page.getByRole("button", { name: "Create the account" }).click();
  await page.getByRole("button", { name: "grace", exact: true }).waitFor();
});
