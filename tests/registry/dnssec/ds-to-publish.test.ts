import { expect, test } from "vitest";
import { dsText, dsOf, type ZoneKey } from "../../../server/dns/dnssec/keys.ts";
import { dsToPublish } from "../../../server/registry/dnssec/findings.ts";

const key = (tag: number, entryPoint: boolean): ZoneKey => ({ tag, algorithm: 13, entryPoint, rdata: `0${tag}0d` });
const [ksk, another, zsk] = [key(1, true), key(2, true), key(3, false)];

test.each<[string, ZoneKey[], number[], ZoneKey[]]>([
  ["the key-signing keys", [ksk, another, zsk], [1], [ksk, another]],
  ["all keys if none is one", [zsk], [3], [zsk]],
  ["the keys that sign the keys, if no key-signing key does", [ksk, zsk], [3], [zsk]],
  ["the key-signing keys while nothing is known of signatures", [ksk, zsk], [], [ksk]],
])("DS records are made of %s", (_, keys, signers, expected) => {
  const texts = expected.map((one) => dsText(dsOf(one, "example.com"))).toSorted();
  expect(dsToPublish("example.com", keys, signers).map(dsText)).toEqual(texts);
});
