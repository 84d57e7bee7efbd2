import { expect, test, vi } from "vitest";

// The module asks the page when it is loaded.
vi.stubGlobal("location", { hostname: "localhost" });
vi.stubGlobal("isSecureContext", true);
const { obstacleToPasskeys } = await import("../../../web/src/ui/passkeys.ts");

test.each([
  ["dns.example.com", true, true, null],
  ["localhost", true, true, null],
  ["dns.lan", false, false, "insecure"],
  ["192.0.2.1", false, false, "insecure"],
  ["192.0.2.1", true, true, "address"],
  ["[2001:db8::1]", true, true, "address"],
  ["dns.example.com", true, false, "browser"],
  // WebKit: no context there is secure, and there is nothing to change about the address.
  ["localhost", false, false, "browser"],
] as const)(
  "at %s, a page whose context is secure: %s and that has passkeys: %s meets %s",
  (hostname, isSecure, hasPasskeys, obstacle) => {
    expect(obstacleToPasskeys({ hostname, isSecure, hasPasskeys })).toBe(obstacle);
  },
);
