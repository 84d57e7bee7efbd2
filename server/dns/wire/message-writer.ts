import { WireError } from "../names/wire-names.ts";
import { additionalCount, answerCount, authorityCount, classes, headerOctets, wireRecord } from "./messages.ts";
import { types } from "../zone-file/type-names.ts";

/** The longest message (RFC 1035 §4.2.2). */
const longestMessage = 65_535;
/** Compression pointers have 14 bits (RFC 1035 §4.1.4). */
const pointable = 0x4000;
/** Where the only name begins in RDATA that may be compressed (RFC 3597 §4). */
const nameOffsets: ReadonlyMap<number, number> = new Map<number, number>([
  [types.NS, 0],
  [types.CNAME, 0],
  [types.PTR, 0],
  [types.MX, 2],
]);

/** Writes one message after another: a header, the question, and as many compressed answer records as fit. */
export class MessageWriter {
  readonly #octets = Buffer.allocUnsafe(longestMessage);
  readonly #limit: number;
  /** Offsets of names, by their uncompressed wire form: a pointer to a name in another case would change the case (RFC 4343 §4.1). */
  readonly #offsets = new Map<string, number>();
  #position = 0;
  #answers = 0;

  /** @param reserved octets left free in each message, for an OPT record and a signature */
  constructor(reserved = 0) {
    this.#limit = longestMessage - reserved;
  }

  /** Starts a message. @param question the octets of the question section; empty: none. @param bits the second field of the header */
  begin(id: number, bits: number, question: Buffer): void {
    this.#offsets.clear();
    this.#answers = 0;
    this.#octets.fill(0, 0, headerOctets);
    this.#octets.writeUInt16BE(id, 0);
    this.#octets.writeUInt16BE(bits, 2);
    this.#octets.writeUInt16BE(question.length > 0 ? 1 : 0, 4);
    question.copy(this.#octets, headerOctets);
    this.#position = headerOctets + question.length;
    if (question.length > 4) this.#remember(question.toString("latin1", 0, question.length - 4), headerOctets);
  }

  /** How many records the message has. */
  get answers(): number {
    return this.#answers;
  }

  /**
   * Adds a record of class IN. @param owner and names in `rdata`: uncompressed wire form; `owner` as Latin-1
   * @returns whether it fit; if not, the message is unchanged.
   * @throws WireError if it does not fit into an empty message either
   */
  add(owner: string, type: number, ttl: number, rdata: Buffer): boolean {
    const start = this.#position;
    if (start + owner.length + 10 + rdata.length > this.#limit) {
      if (this.#answers === 0) throw new WireError("a record is too long for a message");
      return false;
    }
    this.#name(owner);
    const head = this.#position;
    const octets = this.#octets;
    octets.writeUInt16BE(type, head);
    octets.writeUInt16BE(classes.in, head + 2);
    octets.writeUInt32BE(ttl, head + 4);
    this.#position = head + 10;
    const nameOffset = nameOffsets.get(type);
    if (nameOffset === undefined) {
      rdata.copy(octets, this.#position);
      this.#position += rdata.length;
    } else {
      rdata.copy(octets, this.#position, 0, nameOffset);
      this.#position += nameOffset;
      this.#name(rdata.toString("latin1", nameOffset));
    }
    octets.writeUInt16BE(this.#position - head - 10, head + 8);
    this.#answers++;
    return true;
  }

  /**
   * Returns a copy of the message. @param udpSize adds an OPT record with this payload size (RFC 6891 §6.1); null: none
   * @param authorities how many of its records, the last ones, are the authority section
   */
  finish(udpSize: number | null = null, authorities = 0): Buffer {
    this.#octets.writeUInt16BE(this.#answers - authorities, answerCount);
    this.#octets.writeUInt16BE(authorities, authorityCount);
    const message = Buffer.from(this.#octets.subarray(0, this.#position));
    return udpSize === null ? message : withOpt(message, udpSize, 0);
  }

  #name(name: string): void {
    let from = 0;
    for (;;) {
      const length = name.charCodeAt(from);
      if (length === 0) {
        this.#octets[this.#position++] = 0;
        return;
      }
      const rest = from === 0 ? name : name.slice(from);
      const known = this.#offsets.get(rest);
      if (known !== undefined) {
        this.#octets.writeUInt16BE(0xc000 | known, this.#position);
        this.#position += 2;
        return;
      }
      if (this.#position < pointable) this.#offsets.set(rest, this.#position);
      this.#position += this.#octets.write(name.slice(from, from + 1 + length), this.#position, "latin1");
      from += 1 + length;
    }
  }

  #remember(name: string, offset: number): void {
    for (let from = 0; from < name.length && name.charCodeAt(from) !== 0; from += 1 + name.charCodeAt(from)) {
      this.#offsets.set(name.slice(from), offset + from);
    }
  }
}

/** Appends an OPT record. @param extendedRcode the upper eight bits of the response code */
export function withOpt(message: Buffer, udpSize: number, extendedRcode: number): Buffer {
  const opt = wireRecord(Buffer.of(0), types.OPT, udpSize, extendedRcode * 2 ** 24, null);
  const result = Buffer.concat([message, opt]);
  result.writeUInt16BE(message.readUInt16BE(additionalCount) + 1, additionalCount);
  return result;
}

/** Returns a response without records. @param question the octets of the question section; empty: none */
export function emptyResponse(id: number, bits: number, question: Buffer): Buffer {
  const head = Buffer.alloc(headerOctets);
  head.writeUInt16BE(id, 0);
  head.writeUInt16BE(bits, 2);
  head.writeUInt16BE(question.length > 0 ? 1 : 0, 4);
  return Buffer.concat([head, question]);
}
