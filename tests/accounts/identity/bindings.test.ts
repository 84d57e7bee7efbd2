import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import {
  authorize,
  browserFor,
  comeBack,
  exchange,
  site,
  startBinding,
} from "../../support/identity/external-sign-in.ts";
import { useIdentityHarness } from "../../support/identity/harness.ts";
import { startIdentityVendor, vendorClient } from "../../support/identity/vendors.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { entries } from "../../notifications/audit/trail.ts";
import type { Answer, RestClient } from "../../support/rest-client.ts";
import { addPasskey, securityKey } from "../../support/second-factors/security-key.ts";

const zw = useZonewright({ env: { SITE_URL: site } });
const harness = useIdentityHarness(zw);
let id = 0;
beforeEach(() => {
  id += 1;
  harness.be(id);
});

function unbind(client: RestClient): Promise<Answer> {
  return client.delete("/api/auth/oauth/unbind/github");
}

describe("linking identities", () => {
  test("linking an identity ends with the session that started it", async () => {
    const member = await zw.member("signs-out");
    const browser = browserFor(zw);
    const back = harness.vendor.agree(await startBinding(browser, member, "github"));
    await member.post("/api/auth/logout");
    expect(await comeBack(browser, back)).toEqual({ error: "state_invalid" });
    expect(await harness.goThrough()).toHaveProperty("pending_token");
  });

  test("a victim lured to the callback cannot complete linking, so no identity is linked to another's account", async () => {
    const attacker = await zw.member("attacker");
    const trap = await startBinding(browserFor(zw), attacker, "github");
    const victim = browserFor(zw);
    await authorize(victim, "github");
    expect(await comeBack(victim, harness.vendor.agree(trap))).toEqual({ error: "state_invalid" });
    expect((await attacker.get("/api/auth/oauth/bindings")).body).toEqual({ bindings: [] });
  });

  test("an identity can be linked once, and a user can link one identity per provider", async () => {
    const [first, second] = [await zw.member("first"), await zw.member("second")];
    expect(await harness.bind(first)).toEqual({ bound: "1", provider_id: "github" });
    expect(await harness.bind(second)).toEqual({ error: "already_bound" });
    expect(await harness.bind(first)).toEqual({ error: "already_bound" });
    harness.be((id += 1));
    expect(await harness.bind(first)).toEqual({ error: "already_bound" });
  });

  test("of two users linking one identity concurrently, one succeeds", async () => {
    const members = [await zw.member("left"), await zw.member("right")];
    const outcomes = await Promise.all(members.map((member) => harness.bind(member)));
    expect(outcomes.filter(({ bound }) => bound === "1")).toHaveLength(1);
    expect(outcomes.filter(({ error }) => error === "already_bound")).toHaveLength(1);
  });

  test("only signed-in users can link an identity", async () => {
    expect(await zw.nobody.post("/api/auth/oauth/github/bind/start")).toBeProblem(401, "UNAUTHORIZED");
    expect(await zw.admin.post("/api/auth/oauth/nowhere/bind/start")).toBeProblem(404, "NOT_FOUND");
    expect(await zw.admin.post("/api/auth/oauth/feishu/bind/start")).toBeProblem(409, "CONFLICT");
  });
});

test("the same subject at two providers is two people", async () => {
  const gitlab = await startIdentityVendor("gitlab");
  onTestFinished(() => gitlab.stop());
  gitlab.user.value = { sub: `${id}`, nickname: "namesake" };
  await zw.admin.post("/api/oauth/providers", { providerId: "gitlab", ...vendorClient, ...gitlab.endpoints });
  await harness.newcomer();
  const browser = browserFor(zw);
  const back = gitlab.agree(await authorize(browser, "gitlab"));
  expect(await comeBack(browser, back)).toHaveProperty("needs_invite");
});

test("the same subject at another server of the same provider is another person", async () => {
  await harness.newcomer();
  const moved = await startIdentityVendor("github");
  onTestFinished(() => moved.stop());
  moved.user.value = { id, login: "impostor" };
  // Past the service, which would unbind everybody.
  const pointTo = async ({ authorizeUrl, tokenUrl, userInfoUrl }: typeof moved.endpoints) => {
    const configs = queries(zw.services.database.fork()).updateTable("identity_configs");
    const urls = { authorize_url: authorizeUrl, token_url: tokenUrl, user_info_url: userInfoUrl };
    await configs.set(urls).where("id", "=", harness.configId).execute();
  };
  await pointTo(moved.endpoints);
  const browser = browserFor(zw);
  expect(await comeBack(browser, moved.agree(await authorize(browser, "github")))).toHaveProperty("needs_invite");
  await pointTo(harness.vendor.endpoints);
  expect((await harness.signIn()).status).toBe(200);
});

describe("unlinking identities", () => {
  test("unlinking the last sign-in method is refused, and allowed with a passkey", async () => {
    const client = await harness.newcomer();
    expect(await unbind(client)).toBeProblem(409, "CONFLICT");
    expect((await harness.signIn()).status).toBe(200);
    const { id: passkey } = await addPasskey(client, securityKey());
    expect((await unbind(client)).body).toEqual({ success: true });
    // Now the passkey is the last one.
    expect(await client.send("DELETE", `/api/2fa/passkeys/${passkey}`)).toBeProblem(409, "CONFLICT");
    expect((await harness.bind(client))["bound"]).toBe("1");
    expect((await client.send("DELETE", `/api/2fa/passkeys/${passkey}`)).status).toBe(200);
  });

  test("unlinking is allowed with a password, and is audited", async () => {
    const client = await zw.member("has-password");
    await harness.bind(client);
    const { body: me } = await client.get("/api/auth/me");
    expect((await unbind(client)).status).toBe(200);
    const [bound] = await entries(zw.admin, { action: "identity.bind" });
    const [unbound] = await entries(zw.admin, { action: "identity.unbind" });
    const about = { userId: me.id, providerId: "github" };
    expect(bound).toMatchObject({ actorId: me.id, after: about, before: null });
    expect(unbound).toMatchObject({ actorId: me.id, before: about, after: null, targetId: bound?.targetId });
  });

  test("unlinking also invalidates a ticket just issued for the identity", async () => {
    const client = await zw.member(`changed-mind-${id}`);
    await harness.bind(client);
    const { ticket } = await harness.goThrough();
    expect((await unbind(client)).status).toBe(200);
    expect(await exchange(zw, ticket)).toBeProblem(401, "UNAUTHORIZED");
  });

  test("users can unlink only their own identities", async () => {
    await harness.newcomer();
    const stranger = await zw.member(`stranger-${id}`);
    expect((await stranger.get("/api/auth/oauth/bindings")).body).toEqual({ bindings: [] });
    expect(await unbind(stranger)).toBeProblem(404, "NOT_FOUND");
    expect(await stranger.delete("/api/auth/oauth/unbind/nowhere")).toBeProblem(404, "NOT_FOUND");
    expect(await zw.nobody.get("/api/auth/oauth/bindings")).toBeProblem(401, "UNAUTHORIZED");
  });

  test("unlinking two providers concurrently keeps one", async () => {
    const client = await harness.newcomer();
    await zw.admin.post("/api/oauth/providers", { providerId: "google", clientId: "g", ...harness.vendor.endpoints });
    const { body: me } = await client.get("/api/auth/me");
    const em = zw.services.database.fork();
    const identity = {
      issuer: "x",
      subject: `${id}`,
      email: null,
      emailVerified: false,
      displayName: null,
      username: null,
    };
    const actor = { userId: me.id, tokenId: null, ip: null, requestId: null };
    await zw.services.identityBindings.bind(em, actor, me.id, "google", identity);
    const answers = await Promise.all([unbind(client), client.delete("/api/auth/oauth/unbind/google")]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  });
});
