import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { ProviderError } from "../../../server/dns-providers/provider.ts";
import { VendorAccounts, type Purpose } from "../../../server/dns-providers/vendor-api/accounts.ts";
import { VendorCalls, type Vendor, type VendorRequest } from "../../../server/dns-providers/vendor-api/calls.ts";
import { createEgress, type Egress } from "../../../server/platform/net/egress.ts";
import { Clock } from "../../support/clock.ts";
import {
  startLoopbackVendor,
  type LoopbackVendor,
  type VendorFault,
  type VendorReply,
} from "../../support/vendors/loopback-vendor.ts";

/** Calls a vendor on loopback; waiting advances the clock. */
export interface Calling {
  readonly server: LoopbackVendor;
  readonly clock: Clock;
  readonly accounts: VendorAccounts;
  /** How long each pause was, in milliseconds. */
  readonly pauses: readonly number[];
  connect(purpose?: Purpose, more?: Partial<Vendor>): VendorCalls;
  reading(): VendorRequest;
  changing(): VendorRequest;
  /** The vendor's answers to the next calls, which have no effect. */
  answers(reply: VendorFault["reply"], times?: number): void;
}

const ok: VendorReply = { status: 200, body: "fine" };

export function useCalling(): Calling {
  let server: LoopbackVendor;
  let egress: Egress;
  let clock: Clock;
  let accounts: VendorAccounts;
  let pauses: number[];
  beforeAll(async () => {
    server = await startLoopbackVendor(() => ok);
    egress = createEgress({ allow: ["127.0.0.1"], now: () => new Date() });
  });
  afterAll(async () => {
    await egress.close();
    await server.stop();
  });
  beforeEach(() => {
    clock = new Clock();
    pauses = [];
    accounts = new VendorAccounts({
      now: clock.now,
      pause: async (milliseconds) => {
        pauses.push(milliseconds);
        await clock.pause(milliseconds);
      },
    });
    server.calls.length = 0;
  });
  afterEach(() => server.forgetFaults());

  const reading = (): VendorRequest => ({ method: "GET", url: `${server.url}/zones`, headers: {}, changes: false });
  return {
    get server() {
      return server;
    },
    get clock() {
      return clock;
    },
    get accounts() {
      return accounts;
    },
    get pauses() {
      return pauses;
    },
    connect: (purpose = "person", more = {}) =>
      new VendorCalls({
        name: "Harbour",
        address: server.url,
        environment: { egress, accounts, purpose },
        secrets: ["s3cret/of+the harbour"],
        ...more,
      }),
    reading,
    changing: () => ({ ...reading(), method: "POST", body: "{}", changes: true }),
    answers: (reply, times = 1) => server.failNext({ after: false, reply }, times),
  };
}

/** The failure of a call that must fail as providers do. */
export async function failureOf(call: Promise<unknown>): Promise<ProviderError> {
  const end = await call.then(
    () => new Error("The call went through."),
    (error: unknown) => error,
  );
  if (end instanceof ProviderError) return end;
  throw end;
}
