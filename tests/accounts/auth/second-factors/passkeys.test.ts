import { beforeAll, describe, expect, test } from "vitest";
import { entries } from "../../../notifications/audit/trail.ts";
import { problemOf } from "../../../support/problems.ts";
import { Clock, minute } from "../../../support/clock.ts";
import type { RestClient } from "../../../support/rest-client.ts";
import { awaitingSecondFactor, login, statusesOf } from "../../../support/second-factors/app-user.ts";
import {
  addPasskey,
  editable,
  edited,
  forRelyingParty,
  securityKey,
  site,
  siteHost,
  withClientData,
} from "../../../support/second-factors/security-key.ts";
import { adminPassword, memberPassword, useZonewright } from "../../../support/zonewright.ts";
import { idOf } from "../../assignments/assigned.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now, env: { SITE_URL: site } });
const evil = "https://evil.example";

type SecurityKey = ReturnType<typeof securityKey>;
type Made = ReturnType<typeof editable<ReturnType<SecurityKey["createJSON"]>>>;
type Shown = ReturnType<typeof editable<ReturnType<SecurityKey["getJSON"]>>>;

describe("registering a passkey", () => {
  let client: RestClient;
  beforeAll(async () => {
    client = await zw.member("Adding");
  });

  const options = async () => (await client.post("/api/2fa/passkeys/options")).body;
  const add = (credential: unknown, name = "Key") => client.post("/api/2fa/passkeys", { name, credential });

  test("passkey registration options ask for a discoverable key with user verification, for this site and user", async () => {
    const { body: me } = await client.get("/api/auth/me");
    expect(await options()).toEqual({
      rp: { id: siteHost, name: "Zonewright" },
      user: { id: Buffer.from(me.id).toString("base64url"), name: "Adding", displayName: "Adding" },
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: "public-key", alg })),
      timeout: 300_000,
      excludeCredentials: [],
      authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
      attestation: "none",
    });
  });

  test("a passkey challenge registers one passkey, and a user's first passkey returns recovery codes", async () => {
    const key = securityKey();
    const credential = key.createJSON(site, await options());
    const first = await add(credential, "Laptop");
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({ name: "Laptop", lastUsedAt: null });
    expect(first.body.recoveryCodes).toHaveLength(10);
    expect(await add(credential)).toBeProblem(400, "BAD_REQUEST");
    const second = await addPasskey(client, securityKey(), "Phone");
    expect(second.recoveryCodes).toBeNull();
    const { body } = await client.get("/api/2fa");
    expect(body.passkeys.map(({ name }: { name: string }) => name)).toEqual(["Laptop", "Phone"]);
    const { excludeCredentials } = await options();
    expect(excludeCredentials).toHaveLength(2);
    expect((await client.get("/api/auth/me")).body.twoFactorMethods).toEqual(["passkey"]);
  });

  test("a passkey that is already registered is refused", async () => {
    const mine = securityKey().createJSON(site, await options());
    expect((await add(mine)).status).toBe(201);
    const { challenge } = await options();
    const again = editable(mine);
    again.response.clientDataJSON = withClientData(mine.response.clientDataJSON, { challenge });
    expect(await add(again)).toBeProblem(409, "CONFLICT");
  });

  test.each<[string, (made: Made) => void]>([
    [
      "for another origin",
      ({ response }) => (response.clientDataJSON = withClientData(response.clientDataJSON, { origin: evil })),
    ],
    [
      "for an unknown challenge",
      ({ response }) => (response.clientDataJSON = withClientData(response.clientDataJSON, { challenge: "AAAA" })),
    ],
    [
      "of another ceremony type",
      ({ response }) => (response.clientDataJSON = withClientData(response.clientDataJSON, { type: "webauthn.get" })),
    ],
    [
      "for another relying party",
      ({ response }) =>
        (response.attestationObject = forRelyingParty(response.attestationObject, siteHost, "evil.example")),
    ],
    ["with client data that is not JSON", ({ response }) => (response.clientDataJSON = "AAAA")],
    ["with an attestation that is not CBOR", ({ response }) => (response.attestationObject = "____")],
    [
      "with an attestation cut short",
      ({ response }) =>
        (response.attestationObject = edited(response.attestationObject, (bytes) => bytes.subarray(0, 100))),
    ],
    ["with another raw ID than its own", (made) => (made.rawId = "AAAA")],
  ])("a passkey registration %s is refused", async (_what, spoil) => {
    const made = editable(securityKey().createJSON(site, await options()));
    spoil(made);
    const { issues } = problemOf(await add(made), 400, "BAD_REQUEST");
    expect(issues).toMatchObject([{ path: ["credential"] }]);
  });

  test("a passkey registration without user verification is refused", async () => {
    const asked = await options();
    const unasked = {
      ...asked,
      authenticatorSelection: { ...asked.authenticatorSelection, userVerification: "discouraged" },
    };
    const made = securityKey({ verifiesUser: false }).createJSON(site, unasked);
    expect(await add(made)).toBeProblem(400, "BAD_REQUEST");
  });

  test("a passkey with attestation certificates is refused, so that no revocation list is fetched", async () => {
    const made = editable(securityKey().createJSON(site, await options()));
    // The format becomes "packed" instead of "none", and the statement { "x5c": [h'00'] } instead of {}.
    made.response.attestationObject = edited(made.response.attestationObject, (bytes) =>
      Buffer.from(
        bytes
          .toString("latin1")
          .replace("\x64none", "\x66packed")
          .replace("\x67attStmt\xa0", "\x67attStmt\xa1\x63x5c\x81\x41\x00"),
        "latin1",
      ),
    );
    expect(await add(made)).toBeProblem(400, "BAD_REQUEST");
  });

  test("a passkey registration by another user, or after five minutes, is refused", async () => {
    const other = await zw.member("Other adding");
    const made = securityKey().createJSON(site, await options());
    expect(await other.post("/api/2fa/passkeys", { name: "Key", credential: made })).toBeProblem(400, "BAD_REQUEST");
    const late = securityKey().createJSON(site, await options());
    clock.advance(5 * minute);
    expect(await add(late)).toBeProblem(400, "BAD_REQUEST");
  });
});

let networks = 0;
/** An address without any wrong passkeys yet. */
function fresh() {
  networks += 1;
  return { "x-forwarded-for": `8.8.${networks}.7` };
}

/** Starts Ada's sign-in up to the passkey challenge. */
async function started(from = fresh()) {
  const pending = await awaitingSecondFactor(zw, "Ada");
  const { status, body: options } = await pending.post("/api/2fa/passkey/options");
  expect(status).toBe(200);
  return {
    pending,
    options,
    verify: (credential: unknown) => pending.post("/api/2fa/verify", { method: "passkey", credential }, from),
  };
}

const notVerifying = () => ({ options: { uv: false, up: true } });

describe("a passkey as the second factor", () => {
  const key = securityKey();
  let client: RestClient;
  beforeAll(async () => {
    client = await zw.member("Ada");
    await addPasskey(client, key, "Laptop");
  });

  test("a passkey as second factor is listed at sign-in, requested by its ID, and completes the sign-in", async () => {
    expect((await login(zw, "Ada")).body.methods).toEqual(["passkey"]);
    const { options, verify } = await started();
    expect(options).toMatchObject({ rpId: siteHost, userVerification: "required" });
    expect(options.allowCredentials).toHaveLength(1);
    const answer = await verify(key.getJSON(site, options));
    expect(answer.status).toBe(200);
    expect(answer.body.user.username).toBe("Ada");
    expect((await client.get("/api/2fa")).body.passkeys[0].lastUsedAt).not.toBeNull();
  });

  test("a passkey assertion as second factor works once, and so does its challenge", async () => {
    const { options, verify } = await started();
    const credential = key.getJSON(site, options);
    expect((await verify(credential)).status).toBe(200);
    expect(await verify(credential)).toBeProblem(401, "UNAUTHORIZED");
    const other = await awaitingSecondFactor(zw, "Ada");
    const again = await other.post("/api/2fa/verify", { method: "passkey", credential });
    expect(again).toBeProblem(401, "UNAUTHORIZED");
  });

  test("a synced passkey without a signature counter cannot be replayed either", async () => {
    const synced = securityKey({ countsUp: false });
    await addPasskey(await zw.member("Synced"), synced);
    for (const rememberMe of [false, true]) {
      const pending = await awaitingSecondFactor(zw, "Synced", rememberMe);
      const { body: options } = await pending.post("/api/2fa/passkey/options");
      const proof = { method: "passkey", credential: synced.getJSON(site, options) };
      const answers = await Promise.all([1, 2, 3, 4, 5].map(() => pending.post("/api/2fa/verify", proof)));
      expect(statusesOf(answers)).toEqual([200, 401, 401, 401, 401]);
    }
  });

  test("a passkey whose signature counter has not increased is refused as a possible copy", async () => {
    const twin = securityKey();
    await addPasskey(await zw.member("Copied"), twin);
    const answers = [];
    for (const step of [5, 5, 6]) {
      const pending = await awaitingSecondFactor(zw, "Copied");
      const { body: options } = await pending.post("/api/2fa/passkey/options");
      // The emulator counts on from its last signature; setting the step repeats or skips a count.
      twin.authenticator.params = {
        ...twin.authenticator.params,
        signCounterIncrement: step === 5 && answers.length > 0 ? 0 : step,
      };
      answers.push(
        await pending.post("/api/2fa/verify", { method: "passkey", credential: twin.getJSON(site, options) }),
      );
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 200]);
  });

  test("a passkey assertion made for another origin is refused", async () => {
    const { options, verify } = await started();
    expect(await verify(key.getJSON(evil, options, [evil]))).toBeProblem(401, "UNAUTHORIZED");
    // A refused assertion uses up its challenge.
    expect(await verify(key.getJSON(site, options))).toBeProblem(401, "UNAUTHORIZED");
  });

  test("a passkey assertion for another relying party is refused, even with the correct key, origin and challenge", async () => {
    const foreign = securityKey();
    const user = await zw.member("Foreign");
    const { body: creation } = await user.post("/api/2fa/passkeys/options");
    const rp = { id: "evil.example", name: "Evil" };
    const made = editable(foreign.createJSON(site, { ...creation, rp }, [site]));
    made.response.attestationObject = forRelyingParty(made.response.attestationObject, "evil.example", siteHost);
    expect((await user.post("/api/2fa/passkeys", { name: "Key", credential: made })).status).toBe(201);
    const pending = await awaitingSecondFactor(zw, "Foreign");
    const { body: options } = await pending.post("/api/2fa/passkey/options");
    const credential = foreign.getJSON(site, { ...options, rpId: "evil.example" }, [site]);
    const answer = await pending.post("/api/2fa/verify", { method: "passkey", credential });
    expect(answer).toBeProblem(401, "UNAUTHORIZED");
  });

  test("a passkey assertion without user verification is refused", async () => {
    const { options, verify } = await started();
    const { params } = key.authenticator;
    key.authenticator.params = { ...params, userGetAssertionInteraction: notVerifying };
    const credential = key.getJSON(site, { ...options, userVerification: "discouraged" });
    key.authenticator.params = params;
    expect(Buffer.from(credential.response.authenticatorData, "base64url").readUInt8(32) & 0x04).toBe(0);
    expect(await verify(credential)).toBeProblem(401, "UNAUTHORIZED");
  });

  test("a passkey of another user is refused, even with the correct challenge", async () => {
    const stranger = securityKey();
    await addPasskey(await zw.member("Stranger"), stranger);
    const { options, verify } = await started();
    const { allowCredentials: _mine, ...any } = options;
    expect(await verify(stranger.getJSON(site, any))).toBeProblem(401, "UNAUTHORIZED");
  });

  test("a passkey assertion is valid only for the challenge of its own sign-in, and for five minutes", async () => {
    const [one, two] = [await started(), await started()];
    expect(await two.verify(key.getJSON(site, one.options))).toBeProblem(401, "UNAUTHORIZED");
    expect((await one.verify(key.getJSON(site, one.options))).status).toBe(200);
    const { body: alone } = await zw.nobody.post("/api/auth/passkey/options");
    expect(await two.verify(key.getJSON(site, alone))).toBeProblem(401, "UNAUTHORIZED");
    const late = await started();
    clock.advance(5 * minute);
    expect(await late.verify(key.getJSON(site, late.options))).toBeProblem(401, "UNAUTHORIZED");
  });

  test.each<[string, (answer: Shown["response"]) => void]>([
    ["a changed signature", (answer) => (answer.signature = edited(answer.signature, (bytes) => bytes.fill(7, 8, 12)))],
    ["an invalid signature", (answer) => (answer.signature = "AAAA")],
    ["authenticator data cut short", (answer) => (answer.authenticatorData = "AAAA")],
    ["client data that is not JSON", (answer) => (answer.clientDataJSON = "AAAA")],
    ["client data that is a list", (answer) => (answer.clientDataJSON = Buffer.from("[]").toString("base64url"))],
    ["client data that is null", (answer) => (answer.clientDataJSON = Buffer.from("null").toString("base64url"))],
    ["another user's handle", (answer) => (answer.userHandle = Buffer.from(crypto.randomUUID()).toString("base64url"))],
  ])("a passkey assertion with %s is refused", async (_what, spoil) => {
    const { options, verify } = await started();
    const credential = editable(key.getJSON(site, options));
    spoil(credential.response);
    expect(await verify(credential)).toBeProblem(401, "UNAUTHORIZED");
  });
});

describe("a wrong passkey as the second factor", () => {
  test("after twenty wrong passkeys from an address, further ones get 429 and are not audited, and a correct one still signs in", async () => {
    const from = fresh();
    const key = securityKey();
    const patient = await zw.member("Patient");
    await addPasskey(patient, key);
    const start = async () => {
      const pending = await awaitingSecondFactor(zw, "Patient");
      const { body: options } = await pending.post("/api/2fa/passkey/options");
      const verify = (credential: unknown) => pending.post("/api/2fa/verify", { method: "passkey", credential }, from);
      return { options, verify };
    };
    const { options, verify } = await start();
    const wrong = key.getJSON(evil, options, [evil]);
    for (let tried = 0; tried < 20; tried++) expect(await verify(wrong)).toBeProblem(401, "UNAUTHORIZED");
    expect(await verify(wrong)).toBeProblem(429, "TOO_MANY_REQUESTS");
    const failed = { action: "auth.second_factor_failed", targetId: await idOf(patient) };
    expect(await entries(await zw.signIn("admin", adminPassword), failed)).toHaveLength(20);
    const again = await start();
    expect((await again.verify(key.getJSON(site, again.options))).status).toBe(200);
  });
});

describe("removing a passkey", () => {
  test("only its owner can remove a passkey, with the correct password, and it no longer signs in", async () => {
    const key = securityKey();
    const client = await zw.member("Removing");
    const { id } = await addPasskey(client, key);
    const path = `/api/2fa/passkeys/${id}`;
    const remove = { currentPassword: memberPassword };
    expect(await client.send("DELETE", path, { currentPassword: "wrong" })).toBeProblem(403, "FORBIDDEN");
    const other = await zw.member("Not the owner");
    expect(await other.send("DELETE", path, remove)).toBeProblem(404, "NOT_FOUND");
    expect((await client.send("DELETE", path, remove)).body).toEqual({ success: true });
    expect(await client.send("DELETE", path, remove)).toBeProblem(404, "NOT_FOUND");
    expect((await login(zw, "Removing")).body).toHaveProperty("accessToken");
    const { body: options } = await zw.nobody.post("/api/auth/passkey/options");
    const answer = await zw.nobody.post("/api/auth/passkey", { credential: key.getJSON(site, options) });
    expect(answer).toBeProblem(401, "UNAUTHORIZED");
  });
});
