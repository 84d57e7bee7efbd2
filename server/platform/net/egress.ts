import { createHash } from "node:crypto";
import type { Socket } from "node:net";
import type { Agent } from "undici";
import type { Reach } from "./address-rules.ts";
import { AllowList } from "./allow-list.ts";
import { Breaker } from "./breaker.ts";
import { EgressError } from "./egress-error.ts";
import { exchangeDatagram, type Datagram } from "./guarded-datagram.ts";
import { sendGuarded, targetOf, type GuardedRequest } from "./guarded-request.ts";
import { httpAgent, loadUndici, type ClientCertificate } from "./http-agent.ts";
import { openGuarded, resolvedAddresses, systemAddresses, type Lookup, type Target } from "./guarded-socket.ts";
import { SharedSlots, Slots } from "./slots.ts";

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
