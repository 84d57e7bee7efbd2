import { WireError } from "../names/wire-names.ts";
import { shortened, type RdataPart } from "./field.ts";

/** An unsigned number of `size` octets, or one of the mnemonics in `names`. Printed as a number. */
export function number(size: 1 | 2 | 4, what: string, names?: ReadonlyMap<string, number>): RdataPart {
  const max = 256 ** size - 1;
  return {
    parse(fields) {
      const text = fields.takeWord(what);
      const value = /^\d{1,10}$/.test(text) ? Number(text) : names?.get(text.toUpperCase());
      if (value === undefined || value > max) {
        throw new WireError(`the ${what} must be a number from 0 to ${max}, not "${shortened(text)}"`);
      }
      return octetsOf(value, size);
    },
    print(octets) {
      return String(octets.number(size));
    },
  };
}

export function octetsOf(value: number, size: number): Buffer {
  const octets = Buffer.alloc(size);
  octets.writeUIntBE(value, 0, size);
  return octets;
}

/** A timestamp of RRSIG and SIG (RFC 4034 §3.2): `YYYYMMDDHHmmSS` in UTC, or seconds since 1970 modulo 2^32. Printed in the first form. */
export function moment(what: string): RdataPart {
  return {
    parse(fields) {
      const text = fields.takeWord(what);
      const seconds = /^\d{14}$/.test(text) ? secondsOf(text) : /^\d{1,10}$/.test(text) ? Number(text) : null;
      if (seconds === null || seconds >= 2 ** 32) {
        throw new WireError(`the ${what} must be a time such as 20301122173103, not "${shortened(text)}"`);
      }
      return octetsOf(seconds, 4);
    },
    print(octets) {
      return new Date(octets.number(4) * 1000).toISOString().replaceAll(/\.\d+|\D/g, "");
    },
  };
}

function secondsOf(text: string): number | null {
  const iso = text.replace(/^(....)(..)(..)(..)(..)(..)$/, "$1-$2-$3T$4:$5:$6.000Z");
  const time = Date.parse(iso);
  return Number.isNaN(time) || time < 0 || new Date(time).toISOString() !== iso ? null : time / 1000;
}

/** DNSSEC algorithms by mnemonic (RFC 4034 §A.1 and IANA's registry). */
export const algorithms: ReadonlyMap<string, number> = new Map([
  ["RSAMD5", 1],
  ["DH", 2],
  ["DSA", 3],
  ["RSASHA1", 5],
  ["DSA-NSEC3-SHA1", 6],
  ["NSEC3DSA", 6],
  ["RSASHA1-NSEC3-SHA1", 7],
  ["NSEC3RSASHA1", 7],
  ["RSASHA256", 8],
  ["RSASHA512", 10],
  ["ECC-GOST", 12],
  ["ECCGOST", 12],
  ["ECDSAP256SHA256", 13],
  ["ECDSAP384SHA384", 14],
  ["ED25519", 15],
  ["ED448", 16],
  ["INDIRECT", 252],
  ["PRIVATEDNS", 253],
  ["PRIVATEOID", 254],
]);

/** DS digest types by mnemonic. */
export const digests: ReadonlyMap<string, number> = new Map([
  ["SHA-1", 1],
  ["SHA1", 1],
  ["SHA-256", 2],
  ["SHA256", 2],
  ["GOST", 3],
  ["SHA-384", 4],
  ["SHA384", 4],
]);

/** Certificate types by mnemonic (RFC 4398 §2.1). */
export const certificates: ReadonlyMap<string, number> = new Map([
  ["PKIX", 1],
  ["SPKI", 2],
  ["PGP", 3],
  ["IPKIX", 4],
  ["ISPKI", 5],
  ["IPGP", 6],
  ["ACPKIX", 7],
  ["IACPKIX", 8],
  ["URI", 253],
  ["OID", 254],
]);

/** DSYNC schemes by mnemonic (RFC 9859 §2.2). */
export const synchronisations: ReadonlyMap<string, number> = new Map([["NOTIFY", 1]]);
