import { expect, test } from "vitest";
import { knownKind } from "../../../server/dns-providers/kinds.ts";
import { VendorAccounts, type AccountGate, type CallsLeft } from "../../../server/dns-providers/vendor-api/accounts.ts";
import type { VendorEnvironment } from "../../../server/dns-providers/vendor-api/calls.ts";
import { createEgress } from "../../../server/platform/net/egress.ts";
import { porkbun } from "../../../server/registry/registrars/porkbun.ts";
import { Clock } from "../../support/clock.ts";

const clock = new Clock();

const limitOf = (known: CallsLeft | null) => known && `${known.limit} in ${known.seconds}`;

/** What is known of the limits of the accounts that `connect` connects to. */
function limitsOf(connect: (environment: VendorEnvironment & { zonesFolder: string; now: () => Date }) => void) {
  const gates: AccountGate[] = [];
  connect({
    zonesFolder: "/nowhere",
    now: clock.now,
    egress: createEgress({ allow: [], now: clock.now }),
    accounts: new VendorAccounts({ now: clock.now, pause: clock.pause }),
    onGate: (gate) => gates.push(gate),
  });
  return { gates, limits: gates.map((gate) => limitOf(gate.callsLeft())) };
}

test.each(["zones", "registrar"])("zones and registrations of a Porkbun account share its limit: %s first", (first) => {
  const config = porkbun.configSchema.parse({ apiKey: "pk1_0123456789abcdef", secretKey: "sk1_0123456789abcdef" });
  const { gates, limits } = limitsOf((environment) => {
    const connects = [
      () => knownKind("porkbun").connect?.(config, environment),
      () => porkbun.connect(config, environment),
    ];
    for (const connect of first === "zones" ? connects : connects.toReversed()) connect();
  });
  expect(limits).toEqual(["1 in 1", "1 in 1"]);
  expect(new Set(gates).size).toBe(1);
});

test("a limit that is known later counts for an account that is in use", async () => {
  const accounts = new VendorAccounts({ now: clock.now, pause: clock.pause });
  const gateWith = (limits: { calls: number; seconds: number }[]) =>
    accounts.gate("https://api.harbour.example", ["key"], limits);
  const gate = gateWith([]);
  expect(gate.callsLeft()).toBeNull();
  expect(gateWith([{ calls: 2, seconds: 60 }])).toBe(gate);
  for (let call = 0; call < 2; call++) await gate.enter("person", 0);
  expect(await gate.enter("person", 0)).toBeGreaterThan(0);
  // The limit stays, whatever connects later.
  gateWith([]);
  expect(gate.callsLeft()).toMatchObject({ left: 0, limit: 2 });
});

test("calls of any kind to a deSEC account count towards its limit of a day", () => {
  const { gates, limits } = limitsOf((environment) =>
    knownKind("desec").connect?.({ token: "a-token-of-the-desec-account", endpoint: "https://desec.io" }, environment),
  );
  expect(limits).toEqual(["50 in 60", "1900 in 86400"]);
  expect(gates).toHaveLength(2);
});
