import { createHash } from "node:crypto";
import type { Socket } from "node:net";
import type { Agent } from "undici";
import { type Reach, AllowList } from "./address-rules.ts";
import { EgressError } from "./egress-error.ts";
import {
  httpAgent,
  loadUndici,
  type ClientCertificate,
  sendGuarded,
  targetOf,
  type GuardedRequest,
} from "./http-agent.ts";
import {
  openGuarded,
  resolvedAddresses,
  systemAddresses,
  type Lookup,
  type Target,
  checkedAddresses,
  plainHost,
  type Guard,
} from "./guarded-socket.ts";
import { SharedSlots, Slots } from "./slots.ts";
import { createSocket, type Socket as UdpSocket } from "node:dgram";

export interface EgressOptions {
  /** EGRESS_ALLOW: hosts and networks. */
  allow: readonly string[];
  now: () => Date;
  /** Resolves names. Default: the system resolver. */
  lookup?: Lookup;
}

interface GuardedConnection {
  host: string;
  port: number;
  reach: Reach;
  /** Ports allowed for public hosts. */
  ports?: readonly number[];
  /** Default: 5 seconds. */
  connectTimeoutMilliseconds?: number;
  /** Whether it is one of very many. Their names are resolved without the threads that other work needs, and without the hosts file. */
  many?: boolean;
  signal?: AbortSignal;
}

interface GuardedDatagram extends Datagram, Pick<GuardedConnection, "host" | "port" | "reach" | "ports" | "signal"> {}

/** The single gateway for outgoing calls to addresses that users or other servers choose. */
export interface Egress {
  /** Makes an HTTP call and reads the whole response. @throws EgressError, or the reason of the caller's signal */
  guardedFetch(url: string | URL, request: GuardedRequest): Promise<Response>;
  /** Opens a TCP connection, which the caller must close. @throws EgressError, or the reason of the caller's signal */
  guardedConnect(connection: GuardedConnection): Promise<Socket>;
  /** Sends a UDP message and returns its answer. @throws EgressError, or the reason of the caller's signal */
  guardedExchange(datagram: GuardedDatagram): Promise<Buffer>;
  close(): Promise<void>;
}

const connectTimeoutMilliseconds = 5_000;
const all = { atOnce: 64, mostWaiting: 512 };
/** Client certificates whose connections are kept open. */
const mostClients = 50;
const perHost = { atOnce: 8, mostWaiting: 128 };
/** Messages are short and many, and must not take the slots of calls. */
const datagrams = { all: { atOnce: 128, mostWaiting: 8_192 }, perHost: { atOnce: 32, mostWaiting: 4_096 } };

export function createEgress({ allow: allowed, now, lookup: given }: EgressOptions): Egress {
  const lookup = given ?? systemAddresses;
  const allow = new AllowList(allowed);
  const breaker = new Breaker(now);
  const slots = new SharedSlots(new Slots(all.atOnce, all.mostWaiting), perHost);
  const messageSlots = new SharedSlots(new Slots(datagrams.all.atOnce, datagrams.all.mostWaiting), datagrams.perHost);
  // One pool per reach and client certificate: a connection made under wider rules, or as somebody, must not serve other calls.
  const open = (target: Target) =>
    openGuarded(target, { allow, lookup, connectTimeoutMilliseconds, signal: neverAborted() });
  const agents = new Map<string, Agent>();
  /** The pools with a client certificate, the one that was used least recently first. */
  const clients = new Set<string>();
  /** Pools that end with their last call. */
  const ending = new Set<Agent>();
  let closed = false;
  const end = (pool: string) => {
    const agent = agents.get(pool);
    agents.delete(pool);
    clients.delete(pool);
    if (!agent) return;
    ending.add(agent);
    void agent.close().finally(() => ending.delete(agent));
  };
  const agentFor = async (reach: Reach, client?: ClientCertificate): Promise<Agent> => {
    const undici = await loadUndici();
    if (closed) throw new EgressError("busy", "Zonewright is stopping and makes no more outgoing calls.");
    const pool = client ? poolOf(reach, client) : reach;
    if (client) {
      clients.delete(pool);
      clients.add(pool);
    }
    const known = agents.get(pool);
    if (known) return known;
    const agent = httpAgent(undici, reach, open, client);
    agents.set(pool, agent);
    const [oldest = ""] = clients;
    if (clients.size > mostClients) end(oldest);
    return agent;
  };

  /** Runs a call with a slot and the host's circuit breaker. */
  async function withSlot<T>(host: string, signal: AbortSignal, call: () => Promise<T>): Promise<T> {
    const release = await slots.take(host, signal);
    if (!release) throw new EgressError("busy", "Too many outgoing calls are waiting. Try again shortly.");
    try {
      const wait = breaker.enter(host);
      if (wait > 0) {
        throw new EgressError(
          "breaker",
          `${host} failed several times in a row. The next attempt is possible in ${wait} s.`,
        );
      }
      try {
        const result = await call();
        breaker.answered(host);
        return result;
      } catch (error) {
        if (isHostFailure(error)) breaker.failed(host);
        else breaker.abandoned(host);
        throw error;
      }
    } finally {
      release();
    }
  }

  return {
    async guardedFetch(url, request) {
      const target = targetOf(url);
      return await sendGuarded(
        target,
        request,
        () => agentFor(request.reach, request.clientCertificate),
        (signal, call) => withSlot(target.host, signal, call),
      );
    },
    async guardedConnect({ host, port, reach, ports = [], signal = neverAborted(), many = false, ...times }) {
      const target: Target = { host, port, reach, readable: false, ports };
      return await withSlot(`${host}:${port}`, signal, () =>
        openGuarded(target, {
          allow,
          lookup: many ? (given ?? resolvedAddresses) : lookup,
          connectTimeoutMilliseconds,
          ...times,
          signal,
        }),
      );
    },
    async guardedExchange({ host, port, reach, ports = [], signal = neverAborted(), ...datagram }) {
      const release = await messageSlots.take(`${host}:${port}`, signal);
      if (!release) throw new EgressError("busy", "Too many outgoing messages are waiting. Try again shortly.");
      try {
        const target: Target = { host, port, reach, readable: false, ports };
        return await exchangeDatagram(target, datagram, { allow, lookup, signal });
      } finally {
        release();
      }
    },
    async close() {
      closed = true;
      await Promise.all([...agents.values(), ...ending].map((agent) => agent.destroy()));
    },
  };
}

function poolOf(reach: Reach, { certificate, key }: ClientCertificate): string {
  return createHash("sha256")
    .update(JSON.stringify([reach, certificate, key]))
    .digest("base64");
}

/** Returns a signal that is never aborted. A shared one would accumulate listeners. */
function neverAborted(): AbortSignal {
  return new AbortController().signal;
}

/** Returns whether the failure is the host's rather than the request's. */
function isHostFailure(error: unknown): boolean {
  return error instanceof EgressError && ["lookup", "connect", "tls", "timeout", "cut"].includes(error.failure);
}

/** Consecutive failures that open the circuit, and how long it stays open. */
const failuresToOpen = 5;
const openMilliseconds = 30_000;
/** Maximum hosts tracked; the one that failed longest ago is dropped first. */
const mostHosts = 1_000;

interface HostState {
  failures: number;
  /** Milliseconds since the epoch; 0 while it is closed. */
  openUntil: number;
  /** Whether a trial call is in flight (half-open). */
  trying: boolean;
}

/**
 * A circuit breaker per host: after five consecutive failures it blocks calls for thirty seconds, then lets one trial call through. Only
 * calls without a response count as failures, whatever its status. State is per process.
 */
class Breaker {
  readonly #now: () => Date;
  readonly #hosts = new Map<string, HostState>();

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Requests a call. If allowed, report its result with `answered`, `failed` or `abandoned`. @returns seconds to wait, 0 to proceed */
  enter(host: string): number {
    const state = this.#hosts.get(host);
    if (!state || state.openUntil === 0) return 0;
    const wait = state.openUntil - this.#now().getTime();
    if (wait > 0) return Math.ceil(wait / 1_000);
    if (state.trying) return 1;
    state.trying = true;
    return 0;
  }

  answered(host: string): void {
    this.#hosts.delete(host);
  }

  failed(host: string): void {
    const failures = (this.#hosts.get(host)?.failures ?? 0) + 1;
    const openUntil = failures >= failuresToOpen ? this.#now().getTime() + openMilliseconds : 0;
    this.#hosts.delete(host);
    this.#hosts.set(host, { failures, openUntil, trying: false });
    const [oldest] = this.#hosts.keys();
    if (this.#hosts.size > mostHosts && oldest !== undefined) this.#hosts.delete(oldest);
  }

  /** Records a call that says nothing about the host: it was blocked, or aborted by the caller. */
  abandoned(host: string): void {
    const state = this.#hosts.get(host);
    if (state) state.trying = false;
  }
}

interface Datagram {
  /** Returns whether a datagram answers the message. Others are ignored until the time is over. */
  accepts: (answer: Buffer) => boolean;
  message: Buffer;
  milliseconds: number;
}

/** Parts of the time that a message waits for its answer. */
const waitParts = 5;

/** Failures of the way there: this machine has no route, so they say nothing about the server. */
const noRoute: ReadonlySet<unknown> = new Set(["ENETUNREACH", "EADDRNOTAVAIL", "EAFNOSUPPORT", "EINVAL"]);

/**
 * Sends a UDP message to a checked address and returns the answer. The socket is connected and has a random port, so the system drops
 * what comes from other addresses and ports.
 * @throws EgressError, or the signal's reason
 */
async function exchangeDatagram(target: Target, datagram: Datagram, guard: Guard): Promise<Buffer> {
  const host = plainHost(target.host);
  const [address] = await checkedAddresses(target, host, guard);
  if (!address) throw new EgressError("lookup", `${host} has no usable address.`);
  guard.signal.throwIfAborted();
  const socket = createSocket(address.kind() === "ipv6" ? "udp6" : "udp4");
  try {
    return await exchange(socket, { address: address.toString(), port: target.port }, host, datagram, guard.signal);
  } finally {
    socket.close();
  }
}

async function exchange(
  socket: UdpSocket,
  { address, port }: { address: string; port: number },
  host: string,
  { message, accepts, milliseconds }: Datagram,
  signal: AbortSignal,
): Promise<Buffer> {
  const done = Promise.withResolvers<Buffer>();
  const fail = (error: unknown) => done.reject(failure(host, error));
  const late = () => done.reject(new EgressError("timeout", `${host} did not answer in time.`, { sent: true }));
  // While this process is stalled, nothing is sent or read: however long that takes, no more than one part of the time passes.
  let left = waitParts;
  const timer = setInterval(() => {
    // An answer that arrived meanwhile is read before the timer's verdict.
    if (--left === 0) setImmediate(late);
  }, milliseconds / waitParts);
  const end = () => done.reject(signal.reason as Error);
  signal.addEventListener("abort", end, { once: true });
  socket.on("error", fail);
  socket.on("message", (answer) => {
    if (accepts(answer)) done.resolve(answer);
  });
  socket.once("connect", () => socket.send(message, (error) => error && fail(error)));
  try {
    socket.connect(port, address);
    return await done.promise;
  } catch (error) {
    throw error instanceof EgressError || error === signal.reason ? error : failure(host, error);
  } finally {
    clearInterval(timer);
    signal.removeEventListener("abort", end);
  }
}

function failure(host: string, error: unknown): EgressError {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (noRoute.has(code)) return new EgressError("route", `This machine has no route to ${host}.`, { cause: error });
  const reason = code === "ECONNREFUSED" ? "does not accept messages on this port" : "cannot be reached";
  return new EgressError("connect", `${host} ${reason}.`, { sent: true, cause: error });
}
