import { afterAll, beforeAll, expect, test } from "vitest";
import { startMailServer, type MailServer } from "../../support/servers/mail-server.ts";
import { problemOf } from "../../support/problems.ts";
import { memberPassword, startZonewright, type Zonewright } from "../../support/zonewright.ts";

let mail: MailServer;
let zw: Zonewright & { stop(): Promise<void> };
beforeAll(async () => {
  mail = await startMailServer();
  zw = await startZonewright({ env: { SMTP_URL: mail.url } });
});
afterAll(async () => {
  await zw.stop();
  await mail.stop();
});

/** A password on the list, and one derived from its owner's name. */
const guessable = ["QWERTYUIOP123", "hortensia-2027"];
const hortensia = { username: "hortensia", email: "hortensia@example.com", role: "member" };

test("an easily guessed password is refused wherever one is set, and the call changes nothing", async () => {
  const { body: invitation } = await zw.admin.post("/api/invitations", { maxUses: 1 });
  for (const password of guessable) {
    const made = await zw.admin.post("/api/users", { ...hortensia, password });
    expect(problemOf(made, 400, "BAD_REQUEST").issues).toMatchObject([{ path: ["password"] }]);
    const registered = { inviteCode: invitation.code, username: "hortensia", password };
    const answer = await zw.nobody.post("/api/auth/register", registered);
    expect(problemOf(answer, 400, "BAD_REQUEST").issues).toMatchObject([{ path: ["password"] }]);
  }
  const { body: user } = await zw.admin.post("/api/users", { ...hortensia, password: memberPassword });
  await zw.nobody.post("/api/auth/password/forgot", { email: hortensia.email });
  const [, token = ""] = /token=([\w-]+)/.exec((await mail.next(hortensia.email)).text) ?? [];
  for (const password of guessable) {
    const set = await zw.admin.put(`/api/users/${user.id}`, { password });
    expect(problemOf(set, 400, "BAD_REQUEST").issues).toMatchObject([{ path: ["password"] }]);
    const reset = await zw.nobody.post("/api/auth/password/reset", { token, newPassword: password });
    expect(problemOf(reset, 400, "BAD_REQUEST").issues).toMatchObject([{ path: ["newPassword"] }]);
  }
  expect((await zw.signIn("hortensia", memberPassword)).token).toBeTypeOf("string");
  const last = { token, newPassword: "three owls over the harbour" };
  expect((await zw.nobody.post("/api/auth/password/reset", last)).status).toBe(200);
});
