import { createHmac, createSecretKey, timingSafeEqual, type Hmac } from "node:crypto";
import { additionalCount, classes, wireRecord, type WireMessage, type WireRecord } from "./messages.ts";
import { types } from "../zone-file/type-names.ts";
import { readName, WireError, writeName } from "../names/wire-names.ts";

/** The HMACs of RFC 8945 §6; SHA-1 is for servers without the others. */
export const tsigAlgorithms = ["hmac-sha256", "hmac-sha512", "hmac-sha384", "hmac-sha1"] as const;
export type TsigAlgorithm = (typeof tsigAlgorithms)[number];

export interface TsigKey {
  /** Canonical name. */
  name: string;
  algorithm: TsigAlgorithm;
  secret: Buffer;
}

/** Seconds that the clocks may differ (RFC 8945 §10 recommends 300). */
export const fudgeSeconds = 300;
/** Consecutive messages that may be unsigned (RFC 8945 §5.3.1). */
const mostUnsigned = 99;

/** Error codes of a TSIG (RFC 8945 §3). */
export const tsigErrors = { badSig: 16, badKey: 17, badTime: 18, badTrunc: 22 } as const;
const errors: Readonly<Record<number, string>> = { 16: "BADSIG", 17: "BADKEY", 18: "BADTIME", 22: "BADTRUNC" };

/** Thrown when a signature is invalid, or the server rejects ours. */
export class TsigError extends Error {
  /** `BADKEY`, `BADSIG`, `BADTIME`, `BADTRUNC`: reported by the server. `unsigned`, `forged`: detected here. */
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.name = "TsigError";
    this.reason = reason;
  }
}

/** Appends a TSIG (RFC 8945 §4.2, §5.1) to a request. `seconds` is the Unix time. */
export function signRequest(message: Buffer, key: TsigKey, seconds: number): { message: Buffer; mac: Buffer } {
  const timers = timersOf(seconds, fudgeSeconds);
  const mac = hmacOf(key)
    .update(message)
    .update(variables(key, timers, 0, Buffer.alloc(0)))
    .digest();
  return { message: withTsig(message, key, { timers, mac, error: 0, other: Buffer.alloc(0) }), mac };
}

/** Appends a TSIG record whose MAC is computed already. */
export function withTsig(
  message: Buffer,
  key: Pick<TsigKey, "name"> & { algorithm: string },
  { timers, mac, error, other }: Pick<Tsig, "timers" | "mac" | "error" | "other">,
): Buffer {
  const rdata = Buffer.concat([
    writeName(key.algorithm),
    timers,
    u16(mac.length),
    mac,
    message.subarray(0, 2),
    u16(error),
    u16(other.length),
    other,
  ]);
  const record = wireRecord(writeName(key.name), types.TSIG, classes.any, 0, rdata);
  const signed = Buffer.concat([message, record]);
  signed.writeUInt16BE(message.readUInt16BE(additionalCount) + 1, additionalCount);
  return signed;
}

/** Verifies the answer to one request, which may span many messages (RFC 8945 §5.3, §5.3.1). */
export class TsigVerifier {
  readonly #key: TsigKey;
  readonly #seconds: () => number;
  #priorMac: Buffer;
  #unsigned: Buffer[] = [];
  #first = true;

  constructor(key: TsigKey, requestMac: Buffer, seconds: () => number) {
    this.#key = key;
    this.#priorMac = requestMac;
    this.#seconds = seconds;
  }

  /**
   * Verifies the next message.
   * @returns whether everything so far is verified; false for a message that only a later signature covers.
   * @throws TsigError
   */
  take(message: WireMessage): boolean {
    const record = message.additionals.at(-1);
    if (record?.type !== types.TSIG) {
      if (this.#first) throw new TsigError("unsigned", "The name server's answer is not signed.");
      this.#unsigned.push(message.octets);
      if (this.#unsigned.length > mostUnsigned) {
        throw new TsigError("unsigned", "The name server left too many messages in a row unsigned.");
      }
      return false;
    }
    this.#check(message, record);
    this.#unsigned = [];
    this.#first = false;
    return true;
  }

  #check(message: WireMessage, record: WireRecord): void {
    const tsig = readTsig(message.octets, record);
    const reported = errors[tsig.error];
    // These two come unsigned (RFC 8945 §5.2.1, §5.2.2).
    if (reported === "BADKEY" || reported === "BADSIG") throw refusedSignature(reported, this.#key);
    if (record.name !== this.#key.name || tsig.algorithm !== this.#key.algorithm) {
      throw new TsigError("forged", "The name server's answer is signed with another key.");
    }
    const hmac = hmacOf(this.#key).update(u16(this.#priorMac.length)).update(this.#priorMac);
    for (const octets of this.#unsigned) hmac.update(octets);
    hmac.update(withoutTsig(message.octets, record, tsig.originalId));
    hmac.update(this.#first ? variables(this.#key, tsig.timers, tsig.error, tsig.other) : tsig.timers);
    const mac = hmac.digest();
    if (mac.length !== tsig.mac.length || !timingSafeEqual(mac, tsig.mac)) {
      throw new TsigError("forged", "The signature of the name server's answer is invalid.");
    }
    const now = this.#seconds();
    if (reported === "BADTIME")
      throw badTime(tsig.other.length === 6 ? tsig.other.readUIntBE(0, 6) : tsig.seconds, now);
    if (reported !== undefined) throw refusedSignature(reported, this.#key);
    if (Math.abs(now - tsig.seconds) > tsig.fudge) throw badTime(tsig.seconds, now);
    this.#priorMac = tsig.mac;
  }
}

/** The RDATA of a TSIG (RFC 8945 §4.2). */
export interface Tsig {
  algorithm: string;
  /** Time signed and fudge, in wire format. */
  timers: Buffer;
  seconds: number;
  fudge: number;
  mac: Buffer;
  originalId: number;
  error: number;
  other: Buffer;
}

/** Reads the RDATA of a TSIG. @throws WireError */
export function readTsig(octets: Buffer, { rdataStart, rdataEnd }: WireRecord): Tsig {
  const { name: algorithm, end } = readName(octets, rdataStart);
  const macStart = end + 10;
  if (macStart > rdataEnd) throw new WireError("its TSIG is truncated");
  const macEnd = macStart + octets.readUInt16BE(end + 8);
  if (macEnd + 6 > rdataEnd) throw new WireError("its TSIG is truncated");
  return {
    algorithm,
    timers: octets.subarray(end, end + 8),
    seconds: octets.readUIntBE(end, 6),
    fudge: octets.readUInt16BE(end + 6),
    mac: octets.subarray(macStart, macEnd),
    originalId: octets.readUInt16BE(macEnd),
    error: octets.readUInt16BE(macEnd + 2),
    other: octets.subarray(macEnd + 6, rdataEnd),
  };
}

/** Returns the message as it was before signing (RFC 8945 §4.3.2). */
export function withoutTsig(octets: Buffer, { start }: WireRecord, originalId: number): Buffer {
  const message = Buffer.from(octets.subarray(0, start));
  message.writeUInt16BE(originalId, 0);
  message.writeUInt16BE(message.readUInt16BE(10) - 1, 10);
  return message;
}

/** Returns the TSIG variables to sign (RFC 8945 §4.3.3). */
export function variables(
  key: Pick<TsigKey, "name" | "algorithm">,
  timers: Buffer,
  error: number,
  other: Buffer,
): Buffer {
  return Buffer.concat([
    writeName(key.name),
    u16(classes.any),
    Buffer.alloc(4),
    writeName(key.algorithm),
    timers,
    u16(error),
    u16(other.length),
    other,
  ]);
}

/** Returns the time signed and the fudge in wire format. */
export function timersOf(seconds: number, fudge: number): Buffer {
  const timers = Buffer.alloc(8);
  timers.writeUIntBE(seconds, 0, 6);
  timers.writeUInt16BE(fudge, 6);
  return timers;
}

/** Begins a MAC. A key object costs Node a tenth of what plain octets do. */
export function hmacOf({ algorithm, secret }: TsigKey): Hmac {
  return createHmac(algorithm.slice("hmac-".length), createSecretKey(secret));
}

/** Returns a number as two octets. */
export function u16(number: number): Buffer {
  return Buffer.of(number >> 8, number & 255);
}

function refusedSignature(reason: string, { name, algorithm }: TsigKey): TsigError {
  return new TsigError(
    reason,
    reason === "BADKEY"
      ? `The name server does not know the key ${name} with ${algorithm} (BADKEY); check name and algorithm on both sides.`
      : `The name server rejects the signature of the key ${name} (${reason}); check the secret on both sides.`,
  );
}

function badTime(theirs: number, ours: number): TsigError {
  return new TsigError(
    "BADTIME",
    `The clocks here and on the name server differ by ${Math.abs(theirs - ours)} seconds (BADTIME); at most ${fudgeSeconds} are allowed. Synchronize the clocks.`,
  );
}
