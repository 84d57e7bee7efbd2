import { generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import type { DnssecAnswer, Fetch } from "../../../server/dns/dnssec/chain.ts";
import { dsOf, readKey, type Ds } from "../../../server/dns/dnssec/keys.ts";
import type { SignedRecord } from "../../../server/dns/dnssec/signatures.ts";
import { writeName } from "../../../server/dns/names/wire-names.ts";
import { typeNumber } from "../../../server/dns/zone-file/type-names.ts";

export const now = new Date("2027-01-15T12:00:00Z");
const seconds = (date: Date) => Math.floor(date.getTime() / 1_000) >>> 0;
const day = 86_400;
const ed25519 = 15;

/** Tags of all keys. Two of one tag, or a key of tag 0, whose tag no other key can be given, would be another case than a test means. */
const tags = new Set([0]);

/** A signed zone that answers as a test wants. */
export class SignedZone {
  readonly name: string;
  readonly rdata: Buffer;
  readonly #secret: KeyObject;

  constructor(name: string) {
    this.name = name;
    let pair: { secret: KeyObject; rdata: Buffer; tag: number };
    do pair = newKey();
    while (tags.has(pair.tag));
    tags.add(pair.tag);
    this.#secret = pair.secret;
    this.rdata = pair.rdata;
  }

  get tag(): number {
    return readKey(this.rdata)?.tag ?? 0;
  }

  get ds(): Ds {
    const key = readKey(this.rdata);
    if (!key) throw new Error("It is a zone key.");
    return dsOf(key, this.name);
  }

  /** A set with its signature. @param as what of the signature is other than usual */
  signed(
    name: string,
    type: string,
    rdata: readonly Buffer[],
    as: { labels?: number; owner?: string; expires?: Date } = {},
  ) {
    const records: SignedRecord[] = rdata.map((data) => ({ name, type, rdata: data }));
    const head = Buffer.alloc(18);
    head.writeUInt16BE(typeNumber(type) ?? 0, 0);
    head.writeUInt8(ed25519, 2);
    head.writeUInt8(as.labels ?? (name === "." ? 0 : name.split(".").length), 3);
    head.writeUInt32BE(300, 4);
    head.writeUInt32BE(seconds(as.expires ?? new Date(now.getTime() + 7 * day * 1_000)), 8);
    head.writeUInt32BE(seconds(new Date(now.getTime() - 30 * day * 1_000)), 12);
    head.writeUInt16BE(this.tag, 16);
    const fixed = Buffer.alloc(8);
    fixed.writeUInt16BE(typeNumber(type) ?? 0, 0);
    fixed.writeUInt16BE(1, 2);
    fixed.writeUInt32BE(300, 4);
    const start = Buffer.concat([head, writeName(this.name)]);
    const octets = [...rdata]
      .toSorted((one, other) => Buffer.compare(one, other))
      .flatMap((data) => [writeName(as.owner ?? name), fixed, Buffer.of(data.length >> 8, data.length & 255), data]);
    const value = sign(null, Buffer.concat([start, ...octets]), this.#secret);
    return [...records, { name, type: "RRSIG", rdata: Buffer.concat([start, value]) }];
  }

  /** Its own answers to questions about its apex. */
  apex(keys: readonly Buffer[] = [this.rdata]): Record<string, DnssecAnswer> {
    const soa = Buffer.concat([writeName("ns.lab"), writeName("h.lab"), Buffer.alloc(20, 1)]);
    return {
      [`${this.name} DNSKEY`]: answer(this.signed(this.name, "DNSKEY", keys)),
      [`${this.name} SOA`]: answer(this.signed(this.name, "SOA", [soa])),
      [`${this.name} NS`]: answer(this.signed(this.name, "NS", [writeName("ns.lab")])),
    };
  }
}

function newKey(): { secret: KeyObject; rdata: Buffer; tag: number } {
  const { privateKey: secret, publicKey } = generateKeyPairSync("ed25519");
  const { x = "" } = publicKey.export({ format: "jwk" });
  const rdata = Buffer.concat([Buffer.of(1, 1, 3, ed25519), Buffer.from(x, "base64url")]);
  return { secret, rdata, tag: readKey(rdata)?.tag ?? 0 };
}

export function answer(answers: SignedRecord[], authorities: SignedRecord[] = [], rcode = 0): DnssecAnswer {
  return { rcode, answers, authorities };
}

export function dsRdata({ tag, algorithm, digestType, digest }: Ds): Buffer {
  return Buffer.concat([Buffer.of(tag >> 8, tag & 255, algorithm, digestType), Buffer.from(digest, "hex")]);
}

/** Answers from a table; nothing for what is not in it. */
export function fetchFrom(answers: Readonly<Record<string, DnssecAnswer>>): Fetch {
  return (name, type) => Promise.resolve(answers[`${name} ${type}`] ?? null);
}

/** A type bit map of types below 256. */
export function typeMap(...types: string[]): Buffer {
  const map = Buffer.alloc(32);
  for (const type of types) {
    const number = typeNumber(type) ?? 0;
    map.writeUInt8(map.readUInt8(number >> 3) | (0x80 >> (number & 7)), number >> 3);
  }
  return Buffer.concat([Buffer.of(0, 32), map]);
}
