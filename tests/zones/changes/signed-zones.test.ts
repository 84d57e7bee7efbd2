import { expect, test } from "vitest";
import { callProvider } from "../../../server/zones/changes/provider-call.ts";
import {
  ProviderError,
  type ApplyOptions,
  type DnsProvider,
  type RecordChange,
} from "../../../server/dns-providers/provider.ts";
import type { ReadRecord } from "../../../server/dns/record.ts";

const signature: ReadRecord = {
  recordType: "RRSIG",
  name: "@",
  value: "SOA 13 2",
  ttl: 300,
  strings: null,
  priority: null,
  proxied: false,
  serverManaged: true,
};
const changes = ["one", "two"].map((name): RecordChange => {
  const after = { ...signature, recordType: "A", name, value: "192.0.2.1" };
  delete after.serverManaged;
  return { action: "create", before: null, after };
});

/** A provider whose first call gets no answer and leaves no trace. */
function silentProvider(...shown: ReadRecord[]) {
  const calls: { changes: readonly RecordChange[]; options: ApplyOptions }[] = [];
  const provider: Partial<DnsProvider> = {
    signingLagSeconds: 30,
    async *readZone() {
      yield await Promise.resolve(shown);
    },
    async applyChanges(_, sent, options = {}) {
      await options.beforeCall?.(sent);
      calls.push({ changes: sent, options });
      if (calls.length === 1) throw new ProviderError("No answer.", "unknown");
      return { outcomes: sent.map(() => ({ ok: true })), before: null, after: null };
    },
  };
  return { provider: provider as DnsProvider, calls };
}

test("an unanswered change stays pending while a signer may not show it yet", async () => {
  const { provider } = silentProvider(signature);
  const call = callProvider(provider, "zone.example", changes, { atomic: true, mayStayOpen: true });
  await expect(call).rejects.toMatchObject({ effect: "unknown" });
});

test("an unanswered change is settled immediately in a zone without a signer", async () => {
  const { provider } = silentProvider();
  const call = callProvider(provider, "zone.example", changes, { atomic: true, mayStayOpen: true });
  await expect(call).rejects.toMatchObject({ effect: "none" });
});

test("an unanswered change in a signed zone that cannot stay pending is undone, shown or not", async () => {
  const { provider, calls } = silentProvider(signature);
  await expect(callProvider(provider, "zone.example", changes, { atomic: true })).rejects.toMatchObject({
    effect: "none",
  });
  expect(calls[1]).toMatchObject({
    changes: changes.map(({ after }) => ({ action: "delete", before: after })),
    options: { undoes: true, signed: true },
  });
});
