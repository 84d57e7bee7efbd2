import { createSocket } from "node:dgram";
import { connect, type Socket } from "node:net";
import {
  incrementalQueryMessage,
  queryMessage,
  readMessage,
  type WireMessage,
} from "../../../server/dns/wire/messages.ts";
import { valueOf } from "../../../server/dns/record.ts";
import { readRdata } from "../../../server/dns/wire/rdata.ts";
import { signRequest, TsigVerifier, type TsigKey } from "../../../server/dns/wire/tsig.ts";
import { typeName, types } from "../../../server/dns/zone-file/type-names.ts";
import { patience } from "../patience.ts";

const seconds = () => Math.floor(Date.now() / 1_000);

/** The answer to a transfer: an RCODE, and each record as `name ttl type value`. */
export interface Transferred {
  rcode: number;
  lines: string[];
  messages: number;
}

/** Transfers a zone from loopback, whole or what changed since a serial, and verifies every signature. */
export async function transfer(
  port: number,
  zone: string,
  {
    since = null,
    key = null,
    from = "127.0.0.1",
    begun = () => Promise.resolve(),
  }: {
    since?: number | null;
    key?: TsigKey | null;
    /** The address to ask from. */
    from?: string;
    /** What happens after the first message. No other is read before. */
    begun?: () => Promise<void>;
  } = {},
): Promise<Transferred> {
  const query = since === null ? queryMessage(7, zone, "AXFR") : incrementalQueryMessage(7, zone, since);
  const signed = key ? signRequest(query, key, seconds()) : null;
  const verifier = key && signed ? new TsigVerifier(key, signed.mac, seconds) : null;
  const socket = connect({ port, host: loopbackFor(from), localAddress: from });
  try {
    sendFramed(socket, signed?.message ?? query);
    const answer: Transferred = { rcode: 0, lines: [], messages: 0 };
    for await (const octets of framed(socket)) {
      const message = readMessage(octets);
      answer.messages++;
      answer.rcode = message.rcode;
      if (message.rcode !== 0) return answer;
      verifier?.take(message);
      answer.lines.push(...linesOf(message));
      if (isComplete(answer.lines, since)) return answer;
      if (answer.messages === 1) await begun();
    }
    throw new Error(`The transfer broke off after ${answer.lines.length} records.`);
  } finally {
    socket.destroy();
  }
}

/** A whole transfer ends with the second SOA, one of differences with the third, or it is a single SOA (RFC 1995 §4). */
function isComplete(lines: readonly string[], since: number | null): boolean {
  if (lines.length === 1) return since !== null && isSoa(lines[0]) && serialOfLine(lines[0] ?? "") === since;
  const isDifference = isSoa(lines[1]) && lines[1] !== lines[0];
  const seen = lines.filter((line) => line === lines[0]).length;
  return isSoa(lines.at(-1)) && seen === (isDifference ? 3 : 2);
}

function isSoa(line: string | undefined): boolean {
  return line?.includes(" SOA ") ?? false;
}

/** Returns the serial in a line of an SOA. */
export function serialOfLine(line: string): number {
  return Number(line.split(" ")[5]);
}

/** How long to wait where no answer is expected. */
export const moment = { milliseconds: 300 };

/** Parts of the time that a datagram waits: while this process, which often has both sides, is stalled, no more than one of them passes. */
const waitParts = 5;

/** Sends a datagram to loopback. @returns the answer, or null if none comes */
export async function ask(
  port: number,
  message: Buffer,
  { milliseconds = patience.timeout, from = "127.0.0.1" }: { milliseconds?: number; from?: string } = {},
): Promise<Buffer | null> {
  const socket = createSocket(from.includes(":") ? "udp6" : "udp4");
  let waiting: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve) => socket.bind(0, from, resolve));
    return await new Promise<Buffer | null>((resolve) => {
      let left = waitParts;
      waiting = setInterval(() => {
        if (--left === 0) resolve(null);
      }, milliseconds / waitParts);
      socket.once("message", resolve);
      socket.send(message, port, loopbackFor(from));
    });
  } finally {
    clearInterval(waiting);
    socket.close();
  }
}

/** Sends a message to loopback by TCP. @returns the first message of the answer, or null if the connection ends without one */
export async function askByStream(port: number, message: Buffer, more: { from?: string } = {}): Promise<Buffer | null> {
  const [answer = null] = await askAllByStream(port, [message], more);
  return answer;
}

/** Sends messages to loopback by one TCP connection. @returns as many messages, in the order in which they come, or fewer if the connection ends */
export async function askAllByStream(
  port: number,
  messages: readonly Buffer[],
  { from = "127.0.0.1" }: { from?: string } = {},
): Promise<Buffer[]> {
  const socket = connect({ port, host: loopbackFor(from), localAddress: from });
  const answers: Buffer[] = [];
  try {
    for (const message of messages) sendFramed(socket, message);
    for await (const octets of framed(socket)) if (answers.push(octets) === messages.length) break;
    return answers;
  } finally {
    socket.destroy();
  }
}

/** Returns the address of loopback that can be reached from an address. */
function loopbackFor(from: string): string {
  return from.includes(":") ? "::1" : "127.0.0.1";
}

/** Returns the records of a message's answer section as lines. */
export function linesOf(message: WireMessage): string[] {
  return message.answers.map(({ written, ttl, type, rdataStart, rdataEnd }) => {
    const value =
      type === types.SOA
        ? soaText(message.octets, rdataEnd)
        : valueOf(readRdata(message.octets, typeName(type), rdataStart, rdataEnd));
    return `${written} ${ttl} ${typeName(type)} ${value}`;
  });
}

function soaText(octets: Buffer, end: number): string {
  return `mname rname ${octets.readUInt32BE(end - 20)}`;
}

/** Writes a message with its length in front. */
function sendFramed(socket: Socket, message: Buffer): void {
  socket.write(Buffer.concat([Buffer.of(message.length >> 8, message.length & 255), message]));
}

/** Yields the messages of a stream. */
async function* framed(socket: Socket): AsyncGenerator<Buffer> {
  let pending = Buffer.alloc(0);
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
      const end = 2 + pending.readUInt16BE(0);
      yield pending.subarray(2, end);
      pending = pending.subarray(end);
    }
  }
}
