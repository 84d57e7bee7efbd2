import { afterAll, beforeAll, expect, test } from "vitest";
import { useIdentityHarness } from "../../support/identity/harness.ts";
import { site } from "../../support/identity/external-sign-in.ts";
import { startMailServer, type MailServer } from "../../support/servers/mail-server.ts";
import { onceStarted, startZonewright, type Zonewright } from "../../support/zonewright.ts";
import { plantWaysIn } from "./ways-in.ts";

const newPassword = "seven grey herons by the sea";
let mail: MailServer;
let running: Zonewright & { stop(): Promise<void> };
const zw = onceStarted(() => running);

beforeAll(async () => {
  mail = await startMailServer();
  // Real hashes take time, so the rescue overlaps sign-ins whose passwords are still being checked.
  running = await startZonewright({ realHashes: true, env: { SMTP_URL: mail.url, SITE_URL: site } });
});
const harness = useIdentityHarness(zw);
afterAll(async () => {
  await running.stop();
  await mail.stop();
});

test("an administrator's rescue leaves no session, token, key or passkey created by concurrent calls", async () => {
  for (let round = 0; round < 3; round++) {
    const account = await plantWaysIn(zw, harness, mail);
    const [gained, rescue] = await Promise.all([
      account.tryAtOnce(),
      zw.admin.put(`/api/users/${account.id}`, { password: newPassword }),
    ]);
    expect(rescue.status).toBe(200);
    for (const client of gained) expect((await client.get("/api/v1/domains")).status).toBe(401);
    expect((await zw.admin.get(`/api/users/${account.id}/access`)).body).toMatchObject({
      sessions: [],
      tokens: [],
      keys: [],
      passkeys: [],
      identities: [],
    });
  }
});
