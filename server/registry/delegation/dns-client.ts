import { randomInt } from "node:crypto";
import { dial } from "../../dns-providers/rfc2136/session.ts";
import {
  additionalCount,
  classes,
  headerOctets,
  rcodes,
  readMessage,
  typeQueryMessage,
  type WireMessage,
  type WireRecord,
} from "../../dns/wire/messages.ts";
import { WireError } from "../../dns/names/wire-names.ts";
import { expandRdata, readRdata } from "../../dns/wire/rdata.ts";
import { typeName, types } from "../../dns/zone-file/type-names.ts";
import type { Reach } from "../../platform/net/address-rules.ts";
import { EgressError, type EgressFailure } from "../../platform/net/egress-error.ts";
import type { Egress } from "../../platform/net/egress.ts";

/** A type that is asked for. */
export type QueriedType =
  | "A"
  | "NS"
  | "CNAME"
  | "SOA"
  | "PTR"
  | "MX"
  | "TXT"
  | "AAAA"
  | "SRV"
  | "NAPTR"
  | "DS"
  | "SSHFP"
  | "DNSKEY"
  | "CDS"
  | "CDNSKEY"
  | "DHCID"
  | "TLSA"
  | "SVCB"
  | "HTTPS"
  | "CAA";

/** A server to ask. Those that administrators configure may be `inside`. */
export interface Server {
  address: string;
  port: number;
  reach: Reach;
}

export interface Question {
  name: string;
  type: QueriedType;
  /** Whether the server shall ask others. */
  recursive?: boolean;
  /** Asks over TCP, for what may have been left out of a UDP answer. */
  overTcp?: boolean;
  /** Asks for signatures and proofs too, and for what a recursive server finds bogus (RFC 4035 §3.2). */
  dnssec?: boolean;
}

/**
 * Why there is no answer. `silent`: the server did not answer, or not with a DNS message. The others say nothing about the server.
 * `barred`: the rules forbid the address, or this machine has no route to it. `unasked`: time, questions or capacity ran out.
 */
interface NoAnswer {
  failure: "silent" | "barred" | "unasked";
  message: string;
}

export interface Record {
  name: string;
  type: string;
  value: string;
  /** Its names uncompressed. */
  rdata: Buffer;
}

/** A reply, with its records in canonical form. */
export interface Reply {
  authoritative: boolean;
  rcode: number;
  answers: Record[];
  authorities: Record[];
  additionals: Record[];
}

export type Asked = { reply: Reply } | NoAnswer;

const milliseconds = 2_000;
const tries = 2;
const failures: Partial<{ [failure in EgressFailure]: NoAnswer["failure"] }> = {
  timeout: "silent",
  connect: "silent",
  cut: "silent",
  refused: "barred",
  route: "barred",
};
/** EDNS (RFC 6891): an OPT record that accepts answers of 1,232 octets. */
const edns = Buffer.from([0, 0, 41, 0x04, 0xd0, 0, 0, 0, 0, 0, 0]);
/** The same with DO. */
const ednsForDnssec = Buffer.from([0, 0, 41, 0x04, 0xd0, 0, 0, 0x80, 0, 0, 0]);
const [recursionDesired, checkingDisabled] = [0x01, 0x10];
/** Codes of servers that may leave out the question. */
const refusals: ReadonlySet<number> = new Set([rcodes.FORMERR, rcodes.SERVFAIL, rcodes.NOTIMP, rcodes.REFUSED]);

/** Asks name servers, over UDP and, where an answer is truncated, over TCP. Counts its questions, so that no zone can make it ask for ever. */
export class DnsClient {
  readonly #egress: Egress;
  readonly #signal: AbortSignal;
  #left: number;

  /** @param mostQuestions the maximum number of questions to all servers together */
  constructor(egress: Egress, signal: AbortSignal, mostQuestions: number) {
    this.#egress = egress;
    this.#signal = signal;
    this.#left = mostQuestions;
  }

  async ask(server: Server, question: Question): Promise<Asked> {
    if (this.#signal.aborted) return { failure: "unasked", message: "The check took too long." };
    if (this.#left-- <= 0) return { failure: "unasked", message: "The check needed too many queries." };
    try {
      const message = await (question.overTcp ? this.#byTcp(server, question) : this.#byUdp(server, question));
      return { reply: replyOf(message) };
    } catch (error) {
      return this.#noAnswer(error, server);
    }
  }

  async #byUdp(server: Server, question: Question): Promise<WireMessage> {
    const withEdns = queryOf(question, true);
    let answer = await this.#exchange(server, withEdns);
    // RFC 6891 §7: a server that does not know EDNS.
    if (answer.rcode === rcodes.FORMERR) answer = await this.#exchange(server, queryOf(question, false));
    return answer.truncated ? await this.#byTcp(server, question) : answer;
  }

  async #exchange(server: Server, query: Buffer): Promise<WireMessage> {
    for (let attempt = 1; ; attempt++) {
      try {
        const { address: host, port, reach } = server;
        const accepts = (answer: Buffer) => answersQuery(answer, query);
        const signal = this.#signal;
        const ports = [port];
        return readMessage(
          await this.#egress.guardedExchange({
            host,
            port,
            reach,
            ports,
            signal,
            message: query,
            accepts,
            milliseconds,
          }),
        );
      } catch (error) {
        const again = error instanceof EgressError && ["timeout", "connect"].includes(error.failure);
        if (!again || attempt === tries || this.#signal.aborted) throw error;
      }
    }
  }

  async #byTcp({ address, port, reach }: Server, question: Question): Promise<WireMessage> {
    const query = queryOf(question, true);
    const signal = this.#signal;
    const connection = await dial(this.#egress, address, port, { reach, ports: [port], signal });
    const end = () => connection.close();
    signal.addEventListener("abort", end, { once: true });
    try {
      signal.throwIfAborted();
      connection.send(query);
      const answer = await connection.next(milliseconds * tries);
      if (!answersQuery(answer, query)) throw new WireError("it answers another question");
      return readMessage(answer);
    } finally {
      signal.removeEventListener("abort", end);
      connection.close();
    }
  }

  #noAnswer(error: unknown, { address }: Server): NoAnswer {
    if (this.#signal.aborted) return { failure: "unasked", message: "The check took too long." };
    const cause = error instanceof Error && error.cause instanceof EgressError ? error.cause : error;
    if (cause instanceof EgressError) {
      return { failure: failures[cause.failure] ?? "unasked", message: cause.message };
    }
    if (error instanceof WireError) {
      return { failure: "silent", message: `${address} sent what is not a DNS answer: ${error.message}.` };
    }
    if (!(error instanceof Error) || error.name !== "ConnectionError") throw error;
    return { failure: "silent", message: error.message };
  }
}

function queryOf({ name, type, recursive = false, dnssec = false }: Question, withEdns: boolean): Buffer {
  const query = typeQueryMessage(randomInt(0x1_00_00), name, types[type]);
  if (recursive) query.writeUInt8(query.readUInt8(2) | recursionDesired, 2);
  if (recursive && dnssec) query.writeUInt8(checkingDisabled, 3);
  if (!withEdns) return query;
  query.writeUInt16BE(1, additionalCount);
  return Buffer.concat([query, dnssec ? ednsForDnssec : edns]);
}

/** Returns whether a message is the answer to a query: its id, and its question in the octets that were sent. */
function answersQuery(answer: Buffer, query: Buffer): boolean {
  if (answer.length < headerOctets || answer.readUInt16BE(0) !== query.readUInt16BE(0)) return false;
  const isResponse = (answer.readUInt8(2) & 0x80) !== 0;
  if (!isResponse) return false;
  if (answer.readUInt16BE(4) === 0) return refusals.has(answer.readUInt8(3) & 15);
  const questionEnd = query.length - (query.readUInt16BE(additionalCount) === 0 ? 0 : edns.length);
  return (
    answer.readUInt16BE(4) === 1 &&
    answer.subarray(headerOctets, questionEnd).equals(query.subarray(headerOctets, questionEnd))
  );
}

function replyOf(message: WireMessage): Reply {
  const records = (wires: readonly WireRecord[]) => wires.flatMap((wire) => recordOf(message, wire));
  return {
    authoritative: message.authoritative,
    rcode: message.rcode,
    answers: records(message.answers),
    authorities: records(message.authorities),
    additionals: records(message.additionals),
  };
}

function recordOf({ octets }: WireMessage, { name, type, class: recordClass, rdataStart, rdataEnd }: WireRecord) {
  // IN only, which leaves out the OPT record.
  if (recordClass !== classes.in) return [];
  const recordType = typeName(type);
  const { value } = readRdata(octets, recordType, rdataStart, rdataEnd);
  return [{ name, type: recordType, value, rdata: expandRdata(octets, recordType, rdataStart, rdataEnd) }];
}
