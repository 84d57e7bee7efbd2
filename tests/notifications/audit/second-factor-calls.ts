import { codeAt, step } from "../../support/second-factors/authenticator-app.ts";
import type { Clock } from "../../support/clock.ts";
import type { Answer } from "../../support/rest-client.ts";
import { appUser, awaitingSecondFactor } from "../../support/second-factors/app-user.ts";
import { addPasskey, securityKey, site } from "../../support/second-factors/security-key.ts";
import { memberPassword, type Zonewright } from "../../support/zonewright.ts";

const currentPassword = memberPassword;
let made = 0;

function nextName(): string {
  made += 1;
  return `factor-${made}`;
}

/** Calls that change a separate member's second factors, each with its audit action. */
export function secondFactorCalls(
  zw: () => Zonewright,
  clock: Clock,
): Record<string, [action: string, call: () => Promise<Answer>, by: "member"]> {
  const withApp = () => appUser(zw(), clock, nextName());
  const withMail = async () => {
    const username = nextName();
    const client = await zw().member(username);
    const { body: me } = await client.get("/api/auth/me");
    await zw().admin.put(`/api/users/${me.id}`, { email: `${username}@example.com` });
    return { client, enabled: await client.post("/api/2fa/email/enable", { currentPassword }) };
  };
  return {
    "auth.passkey": [
      "auth.sign_in",
      async () => {
        const key = securityKey();
        await addPasskey(await zw().member(nextName()), key);
        const { body: options } = await zw().nobody.post("/api/auth/passkey/options");
        return await zw().nobody.post("/api/auth/passkey", { credential: key.getJSON(site, options) });
      },
      "member",
    ],
    "twoFactor.enableTotp": [
      "two_factor.enable",
      async () => {
        const client = await zw().member(nextName());
        const { body } = await client.post("/api/2fa/totp/setup");
        return await client.post("/api/2fa/totp/enable", { code: codeAt(body.secret, clock.now()) });
      },
      "member",
    ],
    "twoFactor.disableTotp": [
      "two_factor.disable",
      async () => (await withApp()).client.send("DELETE", "/api/2fa/totp", { currentPassword }),
      "member",
    ],
    "twoFactor.enableEmail": ["two_factor.enable", async () => (await withMail()).enabled, "member"],
    "twoFactor.disableEmail": [
      "two_factor.disable",
      async () => (await withMail()).client.send("DELETE", "/api/2fa/email", { currentPassword }),
      "member",
    ],
    "twoFactor.createPasskey": [
      "two_factor.enable",
      async () => {
        const client = await zw().member(nextName());
        const { body: options } = await client.post("/api/2fa/passkeys/options");
        return await client.post("/api/2fa/passkeys", {
          name: "Key",
          credential: securityKey().createJSON(site, options),
        });
      },
      "member",
    ],
    "twoFactor.deletePasskey": [
      "two_factor.disable",
      async () => {
        const client = await zw().member(nextName());
        const { id } = await addPasskey(client, securityKey());
        return await client.send("DELETE", `/api/2fa/passkeys/${id}`, { currentPassword });
      },
      "member",
    ],
    "twoFactor.createRecoveryCodes": [
      "two_factor.recovery_codes",
      async () => (await withApp()).client.post("/api/2fa/recovery-codes", { currentPassword }),
      "member",
    ],
    "auth.confirm": [
      "auth.confirm",
      async () => (await zw().member(nextName())).post("/api/auth/me/confirm", { password: memberPassword }),
      "member",
    ],
    "twoFactor.verify": [
      "auth.sign_in",
      async () => {
        const { username, secret } = await withApp();
        clock.advance(step);
        const half = await awaitingSecondFactor(zw(), username);
        return await half.post("/api/2fa/verify", { method: "totp", code: codeAt(secret, clock.now()) });
      },
      "member",
    ],
  };
}
