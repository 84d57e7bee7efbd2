import { describe, expect, test } from "vitest";
import { callback, loopbackRequest } from "../../../web/src/account/loopback.ts";

const valid = { client: "cli", port: "49152", state: "a-state", code_challenge: "c".repeat(43) };

describe("loopbackRequest", () => {
  test("an address of the command line is read, with the permissions that it names in the order of the form", () => {
    const permissions = "records:write,records:read,unknown:read";
    expect(loopbackRequest({ ...valid, permissions })).toEqual({
      port: 49_152,
      state: "a-state",
      codeChallenge: "c".repeat(43),
      permissions: ["records:read", "records:write"],
    });
  });

  test("an address without permissions asks for all that commands need, and not for the audit trail", () => {
    const { permissions = [] } = loopbackRequest(valid) ?? {};
    expect(permissions).toContain("records:write");
    expect(permissions).not.toContain("audit:read");
  });

  test.each([
    ["another client", { client: "web" }],
    ["no client", { client: undefined }],
    ["no port", { port: undefined }],
    ["port 0", { port: "0" }],
    ["a port that is too high", { port: "65536" }],
    ["a host in the port", { port: "80@evil.example" }],
    ["a port in another notation", { port: "0x50" }],
    ["no state", { state: undefined }],
    ["a state with other characters", { state: "a&b" }],
    ["a long state", { state: "a".repeat(201) }],
    ["no code challenge", { code_challenge: undefined }],
    ["a short code challenge", { code_challenge: "c".repeat(42) }],
    ["only unknown permissions", { permissions: "everything" }],
  ])("an address with %s is incomplete", (_what, change) => {
    expect(loopbackRequest({ ...valid, ...change })).toBeNull();
  });
});

describe("callback", () => {
  test("the answer goes to the port on 127.0.0.1, with the state", () => {
    const request = loopbackRequest(valid);
    if (!request) throw new Error("The address was not read.");
    expect(callback(request, { code: "a-code" })).toBe("http://127.0.0.1:49152/callback?code=a-code&state=a-state");
    expect(callback(request, { error: "access_denied" })).toBe(
      "http://127.0.0.1:49152/callback?error=access_denied&state=a-state",
    );
  });
});
