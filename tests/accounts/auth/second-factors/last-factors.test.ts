import { expect, test } from "vitest";
import { Clock } from "../../../support/clock.ts";
import { appUser, statusesOf } from "../../../support/second-factors/app-user.ts";
import { addPasskey, securityKey, site } from "../../../support/second-factors/security-key.ts";
import { memberPassword, useZonewright } from "../../../support/zonewright.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now, env: { SITE_URL: site } });
const password = { currentPassword: memberPassword };

// Repeated, because on PostgreSQL the two removals overlap in most rounds but not all.
test.each([1, 2, 3])(
  "concurrent removal of the last two second factors also removes the recovery codes (%i)",
  async (round) => {
    const { client } = await appUser(zw, clock, `Last${round}`);
    const { id } = await addPasskey(client, securityKey());
    const answers = await Promise.all([
      client.send("DELETE", "/api/2fa/totp", password),
      client.send("DELETE", `/api/2fa/passkeys/${id}`, password),
    ]);
    expect(statusesOf(answers)).toEqual([200, 200]);
    expect((await client.get("/api/2fa")).body).toMatchObject({ totp: false, passkeys: [], recoveryCodesLeft: 0 });
  },
);
