import { timingSafeEqual } from "node:crypto";
import { WireError } from "../names/wire-names.ts";
import { classes, type WireMessage } from "./messages.ts";
import { types } from "../zone-file/type-names.ts";
import {
  fudgeSeconds,
  hmacOf,
  readTsig,
  timersOf,
  tsigErrors,
  u16,
  variables,
  withoutTsig,
  withTsig,
  type Tsig,
  type TsigKey,
} from "./tsig.ts";

/**
 * The signature of a request, as a server sees it (RFC 8945 §5.2).
 * `malformed`: answer FORMERR. `refused`: answer NOTAUTH, and let `sign` add the TSIG that says why.
 */
export type RequestSignature =
  | { kind: "none" }
  | { kind: "malformed" }
  | { kind: "valid"; key: TsigKey; mac: Buffer }
  | { kind: "refused"; error: number; sign: (answer: Buffer) => Buffer; late?: Lateness };

/** A message with a valid MAC whose time is too far from ours (RFC 8945 §5.2.3). */
export interface Lateness {
  key: TsigKey;
  /** Whether it was signed before our time; otherwise after it. */
  before: boolean;
}

/**
 * Verifies the signature of a request. @param keysNamed returns all keys of a canonical name. @param seconds the Unix time
 * @param mostFudge how far the clocks may differ in seconds, whatever the request allows
 */
export function verifyRequest(
  message: WireMessage,
  keysNamed: (name: string) => readonly TsigKey[],
  seconds: number,
  mostFudge = Infinity,
): RequestSignature {
  const { additionals, answers, authorities } = message;
  const last = additionals.at(-1);
  const misplaced = [...answers, ...authorities, ...additionals.slice(0, -1)].some(({ type }) => type === types.TSIG);
  if (misplaced) return { kind: "malformed" };
  if (last?.type !== types.TSIG) return { kind: "none" };
  if (last.class !== classes.any || last.ttl !== 0 || message.end !== message.octets.length)
    return { kind: "malformed" };
  const tsig = tsigOf(message, last);
  if (tsig === null) return { kind: "malformed" };
  const keys = keysNamed(last.name).filter(({ algorithm }) => algorithm === tsig.algorithm);
  const refuse = (error: number): RequestSignature => ({
    kind: "refused",
    error,
    sign: (answer) =>
      withTsig(
        answer,
        { name: last.name, algorithm: tsig.algorithm },
        // RFC 8945 §5.3.2: such an answer is not signed.
        { timers: tsig.timers, mac: Buffer.alloc(0), error, other: Buffer.alloc(0) },
      ),
  });
  if (keys.length === 0) return refuse(tsigErrors.badKey);
  const signed = withoutTsig(message.octets, last, tsig.originalId);
  for (const key of keys) {
    const length = hashLengths[key.algorithm];
    // RFC 8945 §5.2.2.1.
    if (tsig.mac.length > length || tsig.mac.length < Math.max(10, length / 2)) return { kind: "malformed" };
    const mac = hmacOf(key)
      .update(signed)
      .update(variables(key, tsig.timers, tsig.error, tsig.other))
      .digest();
    if (!timingSafeEqual(mac.subarray(0, tsig.mac.length), tsig.mac)) continue;
    if (Math.abs(seconds - tsig.seconds) > Math.min(tsig.fudge, mostFudge)) return badTime(key, tsig, seconds);
    if (tsig.mac.length < length) return refuse(tsigErrors.badTrunc);
    return { kind: "valid", key, mac };
  }
  return refuse(tsigErrors.badSig);
}

const hashLengths = { "hmac-sha1": 20, "hmac-sha256": 32, "hmac-sha384": 48, "hmac-sha512": 64 } as const;

function tsigOf(message: WireMessage, record: WireMessage["additionals"][number]): Tsig | null {
  try {
    const tsig = readTsig(message.octets, record);
    const otherLength = message.octets.readUInt16BE(record.rdataEnd - tsig.other.length - 2);
    return otherLength === tsig.other.length ? tsig : null;
  } catch (error) {
    if (error instanceof WireError) return null;
    throw error;
  }
}

/** Signs the answer with the request's time and adds ours (RFC 8945 §5.2.3). */
function badTime(key: TsigKey, tsig: Tsig, seconds: number): RequestSignature {
  const other = timersOf(seconds, 0).subarray(0, 6);
  const sign = (answer: Buffer) => {
    const mac = hmacOf(key)
      .update(u16(tsig.mac.length))
      .update(tsig.mac)
      .update(answer)
      .update(variables(key, tsig.timers, tsigErrors.badTime, other))
      .digest();
    return withTsig(answer, key, { timers: tsig.timers, mac, error: tsigErrors.badTime, other });
  };
  return { kind: "refused", error: tsigErrors.badTime, sign, late: { key, before: tsig.seconds < seconds } };
}

/** Signs the messages that answer one request, in order (RFC 8945 §5.3.1). */
export class AnswerSigner {
  readonly #key: TsigKey;
  readonly #seconds: () => number;
  #priorMac: Buffer;
  #first = true;

  /** @param seconds returns the Unix time */
  constructor(key: TsigKey, requestMac: Buffer, seconds: () => number) {
    this.#key = key;
    this.#priorMac = requestMac;
    this.#seconds = seconds;
  }

  sign(message: Buffer): Buffer {
    const timers = timersOf(this.#seconds(), fudgeSeconds);
    const none = Buffer.alloc(0);
    const mac = hmacOf(this.#key)
      .update(u16(this.#priorMac.length))
      .update(this.#priorMac)
      .update(message)
      .update(this.#first ? variables(this.#key, timers, 0, none) : timers)
      .digest();
    this.#priorMac = mac;
    this.#first = false;
    return withTsig(message, this.#key, { timers, mac, error: 0, other: none });
  }
}

/** Returns the most octets that a key's TSIG adds to a message. */
export function signatureOctets({ name, algorithm }: TsigKey): number {
  // Two names of at most a length octet more than their text, and the fixed fields of record and RDATA.
  return name.length + 2 + 10 + algorithm.length + 2 + 16 + hashLengths[algorithm];
}
