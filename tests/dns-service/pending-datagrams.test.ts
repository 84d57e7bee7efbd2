import { expect, test } from "vitest";
import { Datagrams } from "../../server/dns-service/connections.ts";
import { typeQueryMessage } from "../../server/dns/wire/messages.ts";
import { types } from "../../server/dns/zone-file/type-names.ts";
import { signRequest } from "../../server/dns/wire/tsig.ts";
import { createLog } from "../../server/platform/log.ts";

const signed = (name: string) => {
  const key = { name, algorithm: "hmac-sha256" as const, secret: Buffer.from("secret") };
  return signRequest(typeQueryMessage(1, "a.example", types.SOA), key, 1_700_000_000).message;
};
const slow = signed("zw-aaaaaaaaaaaaa");
const others = [signed("zw-bbbbbbbbbbbbb"), signed("secondaries"), typeQueryMessage(1, "a.example", types.SOA)];

test("a key whose updates wait for a slow provider has 50 of them pending, and everybody else is answered", async () => {
  const release = Promise.withResolvers<void>();
  const provider = {
    async *answer({ octets: message }: { octets: Buffer }) {
      if (message === slow) await release.promise;
      yield message;
    },
  };
  const datagrams = new Datagrams(provider, createLog("silent"));
  const answered: Buffer[] = [];
  const receive = (message: Buffer) => datagrams.receive(message, "192.0.2.1", (answer) => answered.push(answer));
  const pending = Array.from({ length: 2_000 }, () => receive(slow));
  for (const message of others) await receive(message);
  expect(answered).toEqual(others);
  release.resolve();
  await Promise.all(pending);
  expect(answered).toHaveLength(others.length + 50);
  await receive(slow);
  expect(answered).toHaveLength(others.length + 51);
});
