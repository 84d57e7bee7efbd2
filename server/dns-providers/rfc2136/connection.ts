import type { Socket } from "node:net";
import { EgressError } from "../../platform/net/egress-error.ts";
import type { Egress } from "../../platform/net/egress.ts";

/** Thrown when a name server cannot be reached, does not answer or closes the connection. `message` is a sentence. */
export class ConnectionError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "ConnectionError";
  }
}

const reasons: Readonly<Record<string, string>> = {
  ECONNRESET: "it closed the connection",
  EPIPE: "it closed the connection",
};

/**
 * Opens a TCP connection. Name servers are usually on the internal network, so internal addresses are allowed by default.
 * @throws ConnectionError if the server cannot be reached or the egress rules forbid it.
 */
export async function dial(
  egress: Egress,
  host: string,
  port: number,
  rules: Pick<Parameters<Egress["guardedConnect"]>[0], "reach" | "ports" | "signal"> = { reach: "inside" },
): Promise<DnsConnection> {
  const label = `${host} port ${port}`;
  try {
    const socket = await egress.guardedConnect({ host, port, ...rules });
    socket.setNoDelay(true);
    return new DnsConnection(socket, label);
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    throw new ConnectionError(`The name server ${label} cannot be reached: ${error.message}`, error);
  }
}

/** A connection that carries DNS messages over TCP, each prefixed with its length (RFC 1035 §4.2.2). */
export class DnsConnection {
  readonly #socket: Socket;
  readonly #label: string;
  readonly #chunks: AsyncIterator<Buffer>;
  #pending: Buffer = Buffer.alloc(0);

  constructor(socket: Socket, label: string) {
    this.#socket = socket;
    this.#label = label;
    // The next read reports what happened to the connection.
    socket.on("error", () => null);
    this.#chunks = socket[Symbol.asyncIterator]();
  }

  send(message: Buffer): void {
    const length = Buffer.of(message.length >> 8, message.length & 255);
    this.#socket.write(Buffer.concat([length, message]));
  }

  /** Returns the next message. @throws ConnectionError if it does not arrive within `milliseconds`. */
  async next(milliseconds: number): Promise<Buffer> {
    const timer = setTimeout(
      () => {
        this.#socket.destroy(new ConnectionError(`The name server ${this.#label} did not answer in time.`));
      },
      Math.max(1, milliseconds),
    );
    try {
      for (;;) {
        const message = this.#take();
        if (message !== null) return message;
        const { done, value } = await this.#chunks.next();
        if (done === true) throw new ConnectionError(`The name server ${this.#label} closed the connection.`);
        this.#pending = this.#pending.length === 0 ? value : Buffer.concat([this.#pending, value]);
      }
    } catch (error) {
      if (error instanceof ConnectionError) throw error;
      throw new ConnectionError(`The connection to ${this.#label} failed: ${reasonOf(error)}.`, error);
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(): Buffer | null {
    if (this.#pending.length < 2) return null;
    const end = 2 + this.#pending.readUInt16BE(0);
    if (this.#pending.length < end) return null;
    const message = this.#pending.subarray(2, end);
    this.#pending = this.#pending.subarray(end);
    return message;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return reasons[code] ?? error.message;
}
