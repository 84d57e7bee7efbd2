import { expect, test } from "vitest";
import { problemOf } from "../../support/problems.ts";
import { memberPassword, useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright();

test("without a mail server, only an administrator can verify an address", async () => {
  const client = await zw.member("Ada");
  const email = { currentPassword: memberPassword, email: "ada@example.com" };
  const changed = await client.put("/api/auth/me/email", email);
  expect(changed).toMatchObject({ status: 200, body: { email: "ada@example.com", emailVerified: false } });
  const refused = await client.post("/api/auth/me/email/resend");
  expect(problemOf(refused, 409, "CONFLICT").detail).toBe(
    "This installation sends no mail. Ask an administrator to confirm your address.",
  );
  const { body: me } = changed;
  expect((await zw.admin.put(`/api/users/${me.id}`, { emailVerified: true })).status).toBe(200);
  expect((await client.get("/api/auth/me")).body.emailVerified).toBe(true);
});
