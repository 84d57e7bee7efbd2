import { beforeAll, expect, test } from "vitest";
import { Clock } from "../../../support/clock.ts";
import { problemOf } from "../../../support/problems.ts";
import type { RestClient } from "../../../support/rest-client.ts";
import { appUser, awaitingSecondFactor } from "../../../support/second-factors/app-user.ts";
import { memberPassword, useZonewright } from "../../../support/zonewright.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now });

let client: RestClient;
let pending: RestClient;
beforeAll(async () => {
  ({ client } = await appUser(zw, clock, "Ada"));
  pending = await awaitingSecondFactor(zw, "Ada");
});

const response = { clientDataJSON: "AAAA", authenticatorData: "AAAA", signature: "AAAA" };
const credential = { id: "AAAA", rawId: "AAAA", type: "public-key", response };

test.each<[string, object, (string | number)[]]>([
  ["nothing", {}, ["method"]],
  ["an unknown method", { method: "sms", code: "123456" }, ["method"]],
  ["a missing code", { method: "totp" }, ["code"]],
  ["a code of five digits", { method: "totp", code: "12345" }, ["code"]],
  ["a code of seven digits", { method: "email", code: "1234567" }, ["code"]],
  ["a code of letters", { method: "totp", code: "abcdef" }, ["code"]],
  ["digits of another script", { method: "totp", code: "١٢٣٤٥٦" }, ["code"]],
  ["a number as code", { method: "totp", code: 123_456 }, ["code"]],
  ["a code with a NUL", { method: "totp", code: "12345\0" }, ["code"]],
  ["a recovery code too short", { method: "recovery", code: "7k2m-x0qd" }, ["code"]],
  ["a recovery code with a u", { method: "recovery", code: "7k2m-x0qd-9fhs-3w8u" }, ["code"]],
  ["no credential", { method: "passkey", code: "123456" }, ["credential"]],
  ["a string as credential", { method: "passkey", credential: "AAAA" }, ["credential"]],
  [
    "a credential without a response",
    { method: "passkey", credential: { ...credential, response: {} } },
    ["credential", "response", "clientDataJSON"],
  ],
  ["padded base64", { method: "passkey", credential: { ...credential, id: "AAA=" } }, ["credential", "id"]],
  ["another type", { method: "passkey", credential: { ...credential, type: "password" } }, ["credential", "type"]],
  ["an unknown field", { method: "totp", code: "123456", admin: true }, ["admin"]],
])(
  "a second-factor proof with %s is refused as malformed, and does not count as an attempt",
  async (_what, body, path) => {
    const { issues } = problemOf(await pending.post("/api/2fa/verify", body), 400, "BAD_REQUEST");
    expect(issues?.[0]?.path).toEqual(path);
  },
);

test("a credential with additional fields from the browser is accepted as well-formed", async () => {
  const grown = {
    ...credential,
    authenticatorAttachment: "platform",
    clientExtensionResults: {},
    response: { ...response, later: 1 },
  };
  expect(await pending.post("/api/2fa/verify", { method: "passkey", credential: grown })).toBeProblem(
    401,
    "UNAUTHORIZED",
  );
});

test.each<[string, string, unknown, (string | number)[]]>([
  ["/api/2fa/totp", "a password as a number", { currentPassword: 1 }, ["currentPassword"]],
  ["/api/2fa/totp", "a password in a list", { currentPassword: [memberPassword] }, ["currentPassword"]],
  ["/api/2fa/totp", "an unknown field", { currentPassword: memberPassword, force: true }, ["force"]],
  ["/api/2fa/email", "an empty password", { currentPassword: "" }, ["currentPassword"]],
  ["/api/2fa/passkeys/1", "an invalid ID", { currentPassword: memberPassword }, ["id"]],
])("DELETE %s with %s is refused as malformed", async (path, _what, body, place) => {
  const { issues } = problemOf(await client.send("DELETE", path, body), 400, "BAD_REQUEST");
  expect(issues?.[0]?.path).toEqual(place);
});

test("a password in the query of a DELETE is refused, because URLs are logged", async () => {
  const path = `/api/2fa/totp?currentPassword=${encodeURIComponent(memberPassword)}`;
  const { issues } = problemOf(await client.delete(path), 400, "BAD_REQUEST");
  expect(issues).toMatchObject([{ path: ["currentPassword"] }]);
  expect((await client.get("/api/2fa")).body.totp).toBe(true);
});

test("PATCH does not delete a second factor", async () => {
  const answer = await client.send("PATCH", "/api/2fa/totp", { currentPassword: memberPassword });
  expect(answer).toBeProblem(405, "METHOD_NOT_ALLOWED");
  expect((await client.get("/api/2fa")).body.totp).toBe(true);
});

test("without a mail server, email codes cannot be enabled or sent", async () => {
  const enable = { currentPassword: memberPassword };
  expect(await client.post("/api/2fa/email/enable", enable)).toBeProblem(409, "CONFLICT");
  expect(await pending.post("/api/2fa/email/send")).toBeProblem(409, "CONFLICT");
  expect(await pending.post("/api/2fa/passkey/options")).toBeProblem(409, "CONFLICT");
});
