import type { Socket } from "node:net";
import { addressKey } from "../api/limits/address.ts";
import { shortenTurn, takeShare } from "../platform/slices.ts";
import { received, signerOf } from "./requests.ts";
import type { Responder } from "./responder.ts";
import { isKeyName } from "../access/tsig-keys.ts";
import type { Logger } from "../platform/log.ts";

/** Milliseconds without a request, or a part of one, after which a connection is closed (RFC 7766 §6.2.3). */
const idleMilliseconds = 10_000;
/** Milliseconds in which a reader must take something of an answer. */
const stalledMilliseconds = 20_000;
/**
 * Open connections; the one that is idle the longest makes room for a new one, else one whose reader lags behind or that waits for its turn, of
 * the address that has the most.
 */
const mostConnections = 1_000;
/**
 * Messages of one address that are answered at the same time, one on each connection (RFC 7766 §6.2.2); the others wait in order. Those that name
 * a key that exists count by themselves.
 */
const mostInFlight = { unsigned: 4, signed: 32 };
/** Octets of a message that is parsed as soon as it arrived: one of 64 KiB has thousands of records, and may arrive on many connections at once. */
const parsedAtOnce = 512;

/** Times and sizes, for tests. */
export interface ConnectionLimits {
  idleMilliseconds: number;
  stalledMilliseconds: number;
  mostConnections: number;
}

/** What answers messages. */
type Answering = Pick<Responder, "answer" | "knows">;

/** Messages of one address. */
interface InFlight {
  count: number;
  waiting: (() => void)[];
}

/** Answers requests by TCP (RFC 7766), one after another on each connection. */
export class Connections {
  readonly #responder: Answering;
  readonly #limits: ConnectionLimits;
  /** With the address that each counts for. */
  readonly #open = new Map<Socket, string>();
  /** The timers of connections that wait for a request, the one that waits the longest first. */
  readonly #idle = new Map<Socket, NodeJS.Timeout>();
  /** Connections whose reader lags behind, or that wait for their turn, the one that waits the longest first. */
  readonly #stalled = new Set<Socket>();
  /** By address, apart for messages with and without a key. */
  readonly #inFlight = { signed: new Map<string, InFlight>(), unsigned: new Map<string, InFlight>() };

  constructor(responder: Answering, limits: Partial<ConnectionLimits> = {}) {
    this.#responder = responder;
    this.#limits = { idleMilliseconds, stalledMilliseconds, mostConnections, ...limits };
  }

  /** Serves a connection until it ends. */
  accept(socket: Socket, address: string): void {
    shortenTurn();
    const network = addressKey(address);
    if (this.#open.size >= this.#limits.mostConnections) {
      const [longest = this.#greedy(network)] = this.#idle.keys();
      if (longest) this.#end(longest);
    }
    if (this.#open.size >= this.#limits.mostConnections) {
      socket.destroy();
      return;
    }
    this.#open.set(socket, network);
    socket.once("close", () => this.#end(socket));
    this.#serve(socket, address).catch(() => this.#end(socket));
  }

  #end(socket: Socket): void {
    this.#open.delete(socket);
    this.#busy(socket);
    socket.destroy();
  }

  /** Returns a connection that lags behind or waits, of the address with the most connections; undefined if a new one would have as many. */
  #greedy(network: string): Socket | undefined {
    const counts = new Map<string, number>();
    for (const owner of this.#open.values()) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    const countOf = (socket: Socket) => counts.get(this.#open.get(socket) ?? "") ?? 0;
    let greedy: Socket | undefined;
    let most = (counts.get(network) ?? 0) + 1;
    for (const socket of this.#stalled) {
      if (countOf(socket) <= most) continue;
      greedy = socket;
      most = countOf(socket);
    }
    return greedy;
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
        this.#busy(socket);
        await this.#answer(socket, address, pending.subarray(2, end));
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

  /** Answers a message when it is its address's turn, and everybody else had theirs. */
  async #answer(socket: Socket, address: string, octets: Buffer): Promise<void> {
    const network = addressKey(address);
    if (octets.length > parsedAtOnce) await this.#share(socket, network);
    const request = received(octets);
    const signer = signerOf(request);
    const kind = signer !== null && (await this.#responder.knows(signer)) ? "signed" : "unsigned";
    await this.#enter(socket, kind, network);
    try {
      if (socket.destroyed) return;
      for await (const message of this.#responder.answer(request, address, "tcp")) {
        if (write(socket, message)) continue;
        // A reader that lags behind keeps no place from others.
        this.#leave(kind, network);
        try {
          await this.#drained(socket);
        } finally {
          await this.#enter(socket, kind, network);
        }
      }
    } finally {
      this.#leave(kind, network);
    }
  }

  /** Waits until the address has a place, and then for a share of a turn. */
  async #enter(socket: Socket, kind: keyof typeof mostInFlight, network: string): Promise<void> {
    const known = this.#inFlight[kind].get(network);
    const inFlight = known ?? { count: 0, waiting: [] };
    if (!known) this.#inFlight[kind].set(network, inFlight);
    this.#stalled.add(socket);
    if (inFlight.count < mostInFlight[kind]) inFlight.count++;
    else await new Promise<void>((resolve) => inFlight.waiting.push(resolve));
    await this.#share(socket, network);
  }

  async #share(socket: Socket, network: string): Promise<void> {
    this.#stalled.add(socket);
    await takeShare(`DNS ${network}`);
    this.#stalled.delete(socket);
  }

  #leave(kind: keyof typeof mostInFlight, network: string): void {
    const inFlight = this.#inFlight[kind].get(network);
    if (!inFlight) return;
    // Whoever waits takes the place.
    const next = inFlight.waiting.shift();
    if (next) next();
    else if (--inFlight.count === 0) this.#inFlight[kind].delete(network);
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

  /** Waits until the reader took what was written. @throws Error if it does not in time */
  async #drained(socket: Socket): Promise<void> {
    const done = Promise.withResolvers<void>();
    const stalled = setTimeout(
      () => done.reject(new Error("the reader is too slow")),
      this.#limits.stalledMilliseconds,
    );
    const end = () => done.reject(new Error("the connection ended"));
    this.#stalled.add(socket);
    socket.once("close", end);
    socket.once("drain", done.resolve);
    try {
      await done.promise;
    } finally {
      clearTimeout(stalled);
      this.#stalled.delete(socket);
      socket.off("close", end);
      socket.off("drain", done.resolve);
    }
  }
}

/** Writes a message with its length (RFC 1035 §4.2.2). @returns whether the reader keeps up. @throws Error if the connection ended */
function write(socket: Socket, message: Buffer): boolean {
  if (socket.destroyed) throw new Error("the connection ended");
  socket.cork();
  socket.write(Buffer.of(message.length >> 8, message.length & 255));
  const flowing = socket.write(message);
  socket.uncork();
  return flowing;
}

/** Returns where the first message ends; null if it is incomplete. */
function endOf(pending: Buffer): number | null {
  if (pending.length < 2) return null;
  const end = 2 + pending.readUInt16BE(0);
  return pending.length < end ? null : end;
}

/** Datagrams that are answered at once. */
const mostPending = 1_000;
/** Those of one TSIG key. Keys of secondaries have no such limit: all their zones share one. */
const mostPendingOfKey = 50;

/** Answers datagrams. Drops those that exceed a limit: clients repeat them. */
export class Datagrams {
  readonly #responder: Pick<Responder, "answer">;
  readonly #log: Logger;
  readonly #pendingOf = new Map<string, number>();
  #pending = 0;

  constructor(responder: Pick<Responder, "answer">, log: Logger) {
    this.#responder = responder;
    this.#log = log;
  }

  /** Answers a message. Never throws. */
  async receive(octets: Buffer, from: string, reply: (answer: Buffer) => void): Promise<void> {
    if (this.#pending >= mostPending) return;
    const message = received(octets);
    const signer = signerOf(message);
    const keyName = signer !== null && isKeyName(signer) ? signer : null;
    const ofKey = keyName === null ? 0 : (this.#pendingOf.get(keyName) ?? 0);
    if (ofKey >= mostPendingOfKey) return;
    this.#pending++;
    if (keyName !== null) this.#pendingOf.set(keyName, ofKey + 1);
    try {
      for await (const answer of this.#responder.answer(message, from, "udp")) reply(answer);
    } catch (error) {
      this.#log.warn({ err: error }, "a DNS message could not be answered");
    } finally {
      this.#pending--;
      if (keyName !== null) this.#release(keyName);
    }
  }

  #release(keyName: string): void {
    const others = (this.#pendingOf.get(keyName) ?? 1) - 1;
    if (others === 0) this.#pendingOf.delete(keyName);
    else this.#pendingOf.set(keyName, others);
  }
}
