import { expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { memberPassword, useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright();
const currentPassword = memberPassword;

const calls: [string, string, object?][] = [
  ["GET", "/api/auth/me"],
  ["PUT", "/api/auth/me/profile", { nickname: "Ada" }],
  ["PUT", "/api/auth/me/password", { currentPassword, newPassword: "a password of somebody who is gone" }],
  ["PUT", "/api/auth/me/email", { currentPassword, email: "ada@example.com" }],
  ["POST", "/api/auth/me/tokens", { name: "Script", permissions: [] }],
  ["POST", "/api/2fa/totp/setup"],
  ["POST", "/api/2fa/totp/enable", { code: "123456" }],
  ["DELETE", "/api/2fa/totp", { currentPassword }],
  ["POST", "/api/2fa/email/enable", { currentPassword }],
  ["POST", "/api/2fa/passkeys/options"],
  ["POST", "/api/2fa/recovery-codes", { currentPassword }],
];

// This process trusts its cached session for a second: docs/decisions/0017-revocation.md.
test.each(calls)(
  "%s %s of a user just deleted by another instance is refused, and not as an internal error",
  async (method, path, body) => {
    const username = `Gone ${method} ${path}`;
    const client = await zw.member(username);
    expect((await client.get("/api/auth/me")).status).toBe(200);
    await queries(zw.services.database.fork()).deleteFrom("users").where("username", "=", username).execute();
    const { status } = await client.send(method, path, body);
    expect([401, 409]).toContain(status);
  },
);
