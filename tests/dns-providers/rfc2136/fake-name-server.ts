import { createHmac } from "node:crypto";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { readMessage, wireRecord, type WireMessage } from "../../../server/dns/wire/messages.ts";
import type { TsigKey } from "../../../server/dns/wire/tsig.ts";
import { writeName } from "../../../server/dns/names/wire-names.ts";

const sha256Octets = 32;

/** What a fake server does with a request. */
export type Reaction =
  | { rcode: number; answers?: readonly Buffer[]; unsigned?: boolean }
  /** Hangs up without an answer. */
  | "cut"
  /** Says nothing. */
  | "silent"
  /** Octets that are not a message. */
  | "noise";

export interface FakeNameServer {
  port: number;
  /** The requests received, in order. */
  requests: WireMessage[];
  stop(): Promise<void>;
}

/** A name server on loopback, with a key of hmac-sha256, that reacts to each signed request as `react` says. */
export async function startFakeNameServer(
  key: TsigKey,
  react: (request: WireMessage) => Reaction,
): Promise<FakeNameServer> {
  const requests: WireMessage[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let pending = Buffer.alloc(0);
    socket.on("error", () => null);
    socket.on("data", (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
        const request = readMessage(Buffer.from(pending.subarray(2, 2 + pending.readUInt16BE(0))));
        pending = pending.subarray(2 + pending.readUInt16BE(0));
        requests.push(request);
        answer(socket, key, request, react(request));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(socket: Socket, key: TsigKey, request: WireMessage, reaction: Reaction): void {
  if (reaction === "silent") return;
  if (reaction === "cut") {
    socket.destroy();
    return;
  }
  const message = reaction === "noise" ? Buffer.from("noise") : response(key, request, reaction);
  socket.write(Buffer.concat([u16(message.length), message]));
}

function response(key: TsigKey, request: WireMessage, reaction: Exclude<Reaction, string>): Buffer {
  const { rcode, answers = [], unsigned = false } = reaction;
  const head = Buffer.alloc(12);
  head.writeUInt16BE(request.id, 0);
  head.writeUInt16BE(0x8400 | (request.opcode << 11) | rcode, 2);
  head.writeUInt16BE(answers.length, 6);
  const message = Buffer.concat([head, ...answers]);
  return unsigned ? message : signed(key, request, message);
}

function signed(key: TsigKey, request: WireMessage, message: Buffer): Buffer {
  const requestMac = macOf(request);
  const timers = Buffer.alloc(8);
  timers.writeUIntBE(Math.floor(Date.now() / 1000), 0, 6);
  timers.writeUInt16BE(300, 6);
  const [name, algorithm] = [writeName(key.name), writeName(key.algorithm)];
  const mac = createHmac(key.algorithm.slice(5), key.secret)
    .update(Buffer.concat([u16(requestMac.length), requestMac, message]))
    .update(Buffer.concat([name, Buffer.from("00ff00000000", "hex"), algorithm, timers, u16(0), u16(0)]))
    .digest();
  const rdata = Buffer.concat([algorithm, timers, u16(mac.length), mac, message.subarray(0, 2), u16(0), u16(0)]);
  message.writeUInt16BE(1, 10);
  return Buffer.concat([message, wireRecord(name, 250, 255, 0, rdata)]);
}

function macOf({ octets, additionals }: WireMessage): Buffer {
  const tsig = additionals.at(-1);
  if (!tsig) throw new Error("the request is not signed");
  // The MAC is followed by the original id, the error and the length of no other data.
  return octets.subarray(tsig.rdataEnd - 6 - sha256Octets, tsig.rdataEnd - 6);
}

function u16(number: number): Buffer {
  return Buffer.of(number >> 8, number & 255);
}
