import type { Socket } from "node:net";
import type { Responder } from "./responder.ts";

/** Milliseconds without a request, or a part of one, after which a connection is closed (RFC 7766 §6.2.3). */
const idleMilliseconds = 10_000;
/** Milliseconds in which a reader must take something of an answer. */
const stalledMilliseconds = 20_000;
/** Open connections; the one that is idle the longest makes room for a new one. */
const mostConnections = 1_000;

/** Times and sizes, for tests. */
export interface ConnectionLimits {
  idleMilliseconds: number;
  stalledMilliseconds: number;
  mostConnections: number;
}

/** Answers requests by TCP (RFC 7766), one after another on each connection. */
export class Connections {
  readonly #responder: Pick<Responder, "answer">;
  readonly #limits: ConnectionLimits;
  readonly #open = new Set<Socket>();
  /** The timers of connections that wait for a request, the one that waits the longest first. */
  readonly #idle = new Map<Socket, NodeJS.Timeout>();

  constructor(responder: Pick<Responder, "answer">, limits: Partial<ConnectionLimits> = {}) {
    this.#responder = responder;
    this.#limits = { idleMilliseconds, stalledMilliseconds, mostConnections, ...limits };
  }

  /** Serves a connection until it ends. */
  accept(socket: Socket, address: string): void {
    if (this.#open.size >= this.#limits.mostConnections) {
      const [longest] = this.#idle.keys();
      if (longest) this.#end(longest);
    }
    if (this.#open.size >= this.#limits.mostConnections) {
      socket.destroy();
      return;
    }
    this.#open.add(socket);
    socket.once("close", () => this.#end(socket));
    this.#serve(socket, address).catch(() => this.#end(socket));
  }

  #end(socket: Socket): void {
    this.#open.delete(socket);
    this.#busy(socket);
    socket.destroy();
  }

  async #serve(socket: Socket, address: string): Promise<void> {
    // Parts are joined once a message is whole: joining each would cost the square of a request that arrives octet by octet.
    let parts: Buffer[] = [];
    let length = 0;
    let wanted = 2;
    this.#wait(socket);
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      parts.push(chunk);
      length += chunk.length;
      if (length < wanted) continue;
      let pending = parts.length === 1 ? chunk : Buffer.concat(parts, length);
      for (let end = endOf(pending); end !== null; end = endOf(pending)) {
        const request = pending.subarray(2, end);
        this.#busy(socket);
        for await (const message of this.#responder.answer(request, address, "tcp")) await this.#write(socket, message);
        if (socket.destroyed) return;
        pending = pending.subarray(end);
        this.#wait(socket);
      }
      parts = [pending];
      length = pending.length;
      wanted = length < 2 ? 2 : 2 + pending.readUInt16BE(0);
    }
    socket.end();
  }

  /** Closes the connection unless a whole request arrives in time. */
  #wait(socket: Socket): void {
    this.#busy(socket);
    this.#idle.set(
      socket,
      setTimeout(() => this.#end(socket), this.#limits.idleMilliseconds),
    );
  }

  #busy(socket: Socket): void {
    clearTimeout(this.#idle.get(socket));
    this.#idle.delete(socket);
  }

  /** Writes a message with its length (RFC 1035 §4.2.2). @throws Error if the reader does not take it in time */
  async #write(socket: Socket, message: Buffer): Promise<void> {
    if (socket.destroyed) throw new Error("the connection ended");
    socket.cork();
    socket.write(Buffer.of(message.length >> 8, message.length & 255));
    const flowing = socket.write(message);
    socket.uncork();
    if (flowing) return;
    const done = Promise.withResolvers<void>();
    const stalled = setTimeout(
      () => done.reject(new Error("the reader is too slow")),
      this.#limits.stalledMilliseconds,
    );
    const end = () => done.reject(new Error("the connection ended"));
    socket.once("close", end);
    socket.once("drain", done.resolve);
    try {
      await done.promise;
    } finally {
      clearTimeout(stalled);
      socket.off("close", end);
      socket.off("drain", done.resolve);
    }
  }
}

/** Returns where the first message ends; null if it is incomplete. */
function endOf(pending: Buffer): number | null {
  if (pending.length < 2) return null;
  const end = 2 + pending.readUInt16BE(0);
  return pending.length < end ? null : end;
}
