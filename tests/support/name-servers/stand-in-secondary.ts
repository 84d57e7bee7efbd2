import { createSocket, type Socket } from "node:dgram";
import { opcodes, readMessage, types, type WireMessage } from "../../../server/dns/wire/messages.ts";
import { MessageWriter } from "../../../server/dns/wire/message-writer.ts";
import { AnswerSigner, verifyRequest } from "../../../server/dns/wire/tsig-request.ts";
import type { TsigKey } from "../../../server/dns/wire/tsig.ts";

/** A secondary on loopback that acknowledges each NOTIFY and serves the serial that a test gives it. */
export class StandInSecondary {
  /** The serials that it was notified of, in order. */
  readonly notified: number[] = [];
  /** Which serial it serves: one, or null to take over each that it is notified of. */
  serves: number | null = null;
  /** Whether it answers at all. */
  answers = true;
  readonly #socket: Socket;
  readonly #key: TsigKey | null;
  readonly #seconds: () => number;

  private constructor(socket: Socket, key: TsigKey | null, now: () => Date) {
    this.#seconds = () => Math.floor(now().getTime() / 1_000);
    this.#socket = socket;
    this.#key = key;
    socket.on("message", (octets, { port, address }) => {
      const answer = this.#answer(readMessage(octets));
      if (answer) socket.send(answer, port, address);
    });
  }

  static async start(key: TsigKey | null, now: () => Date): Promise<StandInSecondary> {
    const socket = createSocket("udp4");
    await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
    return new StandInSecondary(socket, key, now);
  }

  get port(): number {
    return this.#socket.address().port;
  }

  stop(): void {
    this.#socket.close();
  }

  #answer(request: WireMessage): Buffer | null {
    if (!this.answers) return null;
    const signature = verifyRequest(request, () => (this.#key ? [this.#key] : []), this.#seconds());
    const question = request.octets.subarray(12, request.questionsEnd);
    const bits = 0x8400 | (request.opcode << 11);
    const writer = new MessageWriter(200);
    if (this.#key && signature.kind !== "valid") {
      writer.begin(request.id, bits | 9, question);
      return writer.finish();
    }
    writer.begin(request.id, bits, question);
    if (request.opcode === opcodes.notify) this.notified.push(serialIn(request));
    else writer.add(ownerIn(question), types.soa, 60, soa(this.serves ?? this.notified.at(-1) ?? 0));
    const answer = writer.finish();
    return signature.kind === "valid"
      ? new AnswerSigner(signature.key, signature.mac, this.#seconds).sign(answer)
      : answer;
  }
}

function serialIn({ octets, answers }: WireMessage): number {
  const [record] = answers;
  return record ? octets.readUInt32BE(record.rdataEnd - 20) : 0;
}

function ownerIn(question: Buffer): string {
  return question.toString("latin1", 0, question.length - 4);
}

function soa(serial: number): Buffer {
  const rdata = Buffer.alloc(22);
  rdata.writeUInt32BE(serial, 2);
  return rdata;
}
