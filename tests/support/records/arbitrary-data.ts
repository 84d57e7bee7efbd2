import * as fc from "fast-check";
import { hostName } from "./arbitrary-names.ts";

const byte = fc.integer({ min: 0, max: 255 });
const hex = (octets: number) =>
  fc.uint8Array({ minLength: octets, maxLength: octets }).map((all) => Buffer.from(all).toString("hex"));
const parameter = fc.oneof(
  fc.constantFrom("alpn=h2", 'alpn="h2,h3"', "alpn=h3"),
  fc.integer({ min: 1, max: 65_535 }).map((port) => `port=${port}`),
  fc.ipV4().map((address) => `ipv4hint=${address}`),
  fc.ipV6().map((address) => `ipv6hint=${address}`),
  fc.integer({ min: 100, max: 65_000 }).map((key) => `key${key}=x${key}`),
);
/** Values as clients may write them, by type. */
export const writtenValues: Readonly<Record<string, fc.Arbitrary<string>>> = {
  PTR: hostName,
  TLSA: fc
    .tuple(
      byte,
      byte,
      byte.filter((type) => type !== 2),
      hex(32),
    )
    .map((fields) => fields.join(" ")),
  SSHFP: fc.tuple(byte, hex(32)).map(([algorithm, digest]) => `${algorithm} 2 ${digest}`),
  HTTPS: fc
    .tuple(
      fc.integer({ min: 1, max: 65_535 }),
      hostName,
      fc.uniqueArray(parameter, { selector: (text) => text.split("=")[0], maxLength: 5 }),
    )
    .map(([priority, host, all]) => [priority, host, ...all].join(" ")),
  SVCB: fc.tuple(fc.integer({ min: 0, max: 65_535 }), hostName).map((fields) => fields.join(" ")),
  DS: fc
    .tuple(fc.integer({ min: 0, max: 65_535 }), byte, hex(32))
    .map(([tag, algorithm, digest]) => `${tag} ${algorithm} 2 ${digest}`),
  NAPTR: fc
    .tuple(fc.integer({ min: 0, max: 65_535 }), fc.constantFrom("s", "a", "u", "p", ""), hostName)
    .map(([order, flags, host]) => `${order} 10 "${flags}" "E2U+sip" "" ${host}`),
  DHCID: fc.uint8Array({ minLength: 3, maxLength: 60 }).map((all) => Buffer.from(all).toString("base64")),
};
