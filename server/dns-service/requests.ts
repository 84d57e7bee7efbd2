import { classes, flags, headerOctets, opcodes, rcodes, parseMessage, type WireMessage } from "../dns/wire/messages.ts";
import { types } from "../dns/zone-file/type-names.ts";
import { emptyResponse, MessageWriter, withOpt } from "../dns/wire/message-writer.ts";
import { AnswerSigner, signatureOctets, verifyRequest, type Lateness } from "../dns/wire/tsig-request.ts";
import { fudgeSeconds, type TsigKey } from "../dns/wire/tsig.ts";

/** The payload size in our OPT records, which fits every path (RFC 6891 §6.2.5). */
const udpSize = 1_232;
/** RFC 6891 §6.1.3: BADVERS is 16, whose upper eight bits are in the OPT record. */
const badVersionUpper = 1;
const optOctets = 11;
const noQuestion = Buffer.alloc(0);

/** A message as it arrived, parsed once. */
export interface Received {
  octets: Buffer;
  /** Null: the octets are not a DNS message. */
  message: WireMessage | null;
}

/** Parses what arrived. Never throws. */
export function received(octets: Buffer): Received {
  const message = isAnswered(octets) ? parseMessage(octets) : null;
  return { octets, message: typeof message === "string" ? null : message };
}

/** A question that may be answered. */
export interface Question {
  kind: "question";
  request: WireMessage;
  /** Canonical name. */
  name: string;
  type: number;
  key: TsigKey | null;
  answers: AnswerWriter;
}

/** A dynamic update, whose sections are still to be read. */
export interface Update {
  kind: "update";
  request: WireMessage;
  /** Null: not signed. */
  signature: { key: TsigKey; mac: Buffer } | null;
  answers: Pick<AnswerWriter, "empty" | "datagram">;
}

/** What to do with a message: answer a question, make an update, send a refusal, or stay silent. */
export type Request = Question | Update | Refusal | { kind: "silence" };

interface Refusal {
  kind: "refusal";
  answer: Buffer;
  /** Set if a key signed the message at another time. */
  late?: Lateness;
}

/** Returns the canonical name of the key that a request says it is signed with; null if there is none, or the message is a response. */
export function signerOf({ message }: Received): string | null {
  const last = message?.additionals.at(-1);
  return last?.type === types.TSIG ? last.name : null;
}

/**
 * Reads a request of any octets. Never throws. Refusals are no longer than the message, but for the time in the one to a message that a
 * valid key signed at another time. @param seconds the Unix time
 */
export function readRequest(
  { octets, message: request }: Received,
  keysNamed: (name: string) => readonly TsigKey[],
  seconds: () => number,
): Request {
  if (!isAnswered(octets)) return { kind: "silence" };
  if (request === null)
    return refusal(emptyResponse(octets.readUInt16BE(0), bitsOf(octets, rcodes.FORMERR), noQuestion));
  const opts = request.additionals.filter(({ type }) => type === types.OPT);
  const [opt] = opts;
  const question = request.questions.length === 1 ? octets.subarray(headerOctets, request.questionsEnd) : noQuestion;
  const unsigned = (rcode: number) => {
    const answer = emptyResponse(request.id, bitsOf(octets, rcode), question);
    return opt ? withOpt(answer, udpSize, 0) : answer;
  };
  const refuse = (rcode: number, sign: (answer: Buffer) => Buffer = (answer) => answer): Refusal => {
    const answer = unsigned(rcode);
    const signed = sign(answer);
    // Names that the message compresses are whole in the answer's TSIG: it is left out rather than amplify.
    return refusal(signed.length > octets.length ? answer : signed);
  };
  if (request.end !== octets.length || opts.length > 1) return refuse(rcodes.FORMERR);
  if (opt && ((opt.ttl >> 16) & 255) > 0) {
    return refusal(
      withOpt(emptyResponse(request.id, bitsOf(octets, rcodes.NOERROR), question), udpSize, badVersionUpper),
    );
  }
  // An update must not be repeated after its answer was forgotten.
  const isUpdate = request.opcode === opcodes.update;
  const signature = verifyRequest(request, keysNamed, seconds(), isUpdate ? fudgeSeconds : undefined);
  if (signature.kind === "malformed") return refuse(rcodes.FORMERR);
  if (signature.kind === "refused") {
    // RFC 8945 §5.2.3: our time is in the answer, which is six octets longer for it.
    if (signature.late) return { ...refusal(signature.sign(unsigned(rcodes.NOTAUTH))), late: signature.late };
    return refuse(rcodes.NOTAUTH, signature.sign);
  }
  const newSign = () => {
    const signer = signature.kind === "valid" ? new AnswerSigner(signature.key, signature.mac, seconds) : null;
    return (answer: Buffer) => signer?.sign(answer) ?? answer;
  };
  const key = signature.kind === "valid" ? signature.key : null;
  if (isUpdate) {
    const answers = new AnswerWriter({ octets, request, question, key, newSign, opt: opt !== undefined });
    return { kind: "update", request, signature: signature.kind === "valid" ? signature : null, answers };
  }
  if (request.opcode !== opcodes.query) return refuse(rcodes.NOTIMP, newSign());
  const [asked, ...others] = request.questions;
  if (!asked || others.length > 0) return refuse(rcodes.FORMERR, newSign());
  if (asked.class !== classes.in) return refuse(rcodes.REFUSED, newSign());
  const fault = faultOfType(asked.type);
  if (fault !== null) return refuse(fault, newSign());
  const answers = new AnswerWriter({ octets, request, question, key, newSign, opt: opt !== undefined });
  return { kind: "question", request, name: asked.name, type: asked.type, key, answers };
}

/**
 * Returns the RCODE for a question whose type nothing can be asked about; null for others. Type 0 is reserved (RFC 6895 §3.1.4), OPT and TSIG belong
 * to messages, and the other types of questions are obsolete or not known here (RFC 1035 §4.1.1: NOTIMP).
 */
function faultOfType(type: number): number | null {
  if (type === 0 || type === types.OPT || type === types.TSIG) return rcodes.FORMERR;
  const isAnswerable = type === types.IXFR || type === types.AXFR || type === types.ANY;
  return type > 127 && type < 256 && !isAnswerable ? rcodes.NOTIMP : null;
}

/** RFC 1035 §7.3: responses are not answered, or two servers would answer each other forever. */
function isAnswered(octets: Buffer): boolean {
  return octets.length >= headerOctets && (octets.readUInt16BE(2) & flags.response) === 0;
}

/** Returns the answer to a message whose keys cannot be looked up; null for silence. It is no longer than the message. */
export function serverFailure({ octets, message: request }: Received): Buffer | null {
  if (!isAnswered(octets)) return null;
  const question = request?.questions.length === 1 ? octets.subarray(headerOctets, request.questionsEnd) : noQuestion;
  return emptyResponse(octets.readUInt16BE(0), bitsOf(octets, request ? rcodes.SERVFAIL : rcodes.FORMERR), question);
}

/** Returns the serial in the authority section of a request for what changed (RFC 1995 §3); null if there is none. */
export function serialIn({ octets, authorities }: WireMessage): number | null {
  const [soa] = authorities;
  if (soa?.type !== types.SOA || soa.rdataEnd - soa.rdataStart < 22) return null;
  return octets.readUInt32BE(soa.rdataEnd - 20);
}

interface AnswerParts {
  octets: Buffer;
  request: WireMessage;
  /** The octets of the question section. */
  question: Buffer;
  key: TsigKey | null;
  /** Returns what signs the messages of one answer, in order. */
  newSign: () => (message: Buffer) => Buffer;
  /** Whether the request has an OPT record. */
  opt: boolean;
}

/** Writes the messages of one answer, each signed if the request was. */
class AnswerWriter {
  readonly #parts: AnswerParts;

  constructor(parts: AnswerParts) {
    this.#parts = parts;
  }

  /** Returns an answer without records. @param rcode with other bits of the header, if any */
  empty(rcode: number): Buffer {
    return this.#parts.newSign()(this.#unsigned(rcode));
  }

  #unsigned(rcode: number): Buffer {
    const { octets, request, question, opt } = this.#parts;
    const answer = emptyResponse(request.id, bitsOf(octets, rcode), question);
    return opt ? withOpt(answer, udpSize, 0) : answer;
  }

  /** How long an answer by UDP may be (RFC 1035 §4.2.1, RFC 6891 §6.2.3). */
  get mostUdpOctets(): number {
    const { request, opt } = this.#parts;
    const offered = opt ? (request.additionals.find(({ type }) => type === types.OPT)?.class ?? 0) : 0;
    return Math.max(512, Math.min(offered, udpSize));
  }

  /** Returns an answer that has the client try TCP. */
  truncated(): Buffer {
    return this.empty(flags.truncated);
  }

  /** Returns an answer if it is no longer than the request; otherwise one that has the client try TCP, unless the client would not. */
  datagram(answer: Buffer): Buffer {
    const { octets, request, key, opt } = this.#parts;
    if (answer.length <= octets.length) return answer;
    // nsupdate finds its zone so, without an OPT record. It does not try TCP.
    const asksSoa = request.opcode === opcodes.query && request.questions[0]?.type === types.SOA;
    if (asksSoa && key !== null && !opt) return answer;
    const truncated = this.truncated();
    // Names that the request compresses are whole in the answer's TSIG, which is then left out.
    return truncated.length <= octets.length ? truncated : this.#unsigned(flags.truncated);
  }

  /** Returns an authoritative answer with these records, or one that has the client try TCP if no message holds them. */
  single(entries: readonly WireRecordEntry[]): Buffer {
    return this.#whole(rcodes.NOERROR, entries);
  }

  /**
   * Returns an authoritative answer that a name or its records do not exist, with the SOA in its authority section (RFC 2308 §2).
   * @param aliases CNAME records that lead to the name, which the RCODE is about (RFC 6604 §3)
   */
  negative(rcode: number, soa: WireRecordEntry, aliases: readonly WireRecordEntry[] = []): Buffer {
    return this.#whole(rcode, [...aliases, soa], 1);
  }

  /** Returns a message with all these records, or one that has the client try TCP if no message holds them. */
  #whole(rcode: number, entries: readonly WireRecordEntry[], authorities = 0): Buffer {
    const { octets, request, question, key, newSign, opt } = this.#parts;
    const writer = new MessageWriter((opt ? optOctets : 0) + (key ? signatureOctets(key) : 0));
    writer.begin(request.id, bitsOf(octets, rcode) | flags.authoritative, question);
    const fits = entries.every(({ owner, type, ttl, rdata }) => writer.add(owner, type, ttl, rdata));
    return fits ? newSign()(writer.finish(opt ? udpSize : null, authorities)) : this.truncated();
  }

  /** Yields the messages of an authoritative answer with these records. The first repeats the question (RFC 5936 §2.2). */
  async *messages(
    entries: AsyncIterable<WireRecordEntry> | Iterable<WireRecordEntry>,
  ): AsyncGenerator<{ message: Buffer; records: number }> {
    const { octets, request, question, key, newSign, opt } = this.#parts;
    const writer = new MessageWriter((opt ? optOctets : 0) + (key ? signatureOctets(key) : 0));
    const bits = bitsOf(octets, rcodes.NOERROR) | flags.authoritative;
    const sign = newSign();
    let first = true;
    const finish = () => {
      const done = { message: sign(writer.finish(first && opt ? udpSize : null)), records: writer.answers };
      first = false;
      return done;
    };
    writer.begin(request.id, bits, question);
    for await (const { owner, type, ttl, rdata } of entries) {
      if (writer.add(owner, type, ttl, rdata)) continue;
      yield finish();
      writer.begin(request.id, bits, Buffer.alloc(0));
      writer.add(owner, type, ttl, rdata);
    }
    yield finish();
  }
}

interface WireRecordEntry {
  owner: string;
  type: number;
  ttl: number;
  rdata: Buffer;
}

function refusal(answer: Buffer): Refusal {
  return { kind: "refusal", answer };
}

/** Returns the header's second field for a response: the opcode and RD are those of the request (RFC 1035 §4.1.1). */
function bitsOf(octets: Buffer, rcode: number): number {
  const opcodeAndRecursion = 0x7900;
  return flags.response | (octets.readUInt16BE(2) & opcodeAndRecursion) | rcode;
}
