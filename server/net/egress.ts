import type { Socket } from "node:net";
import type { Reach } from "./address-rules.ts";
import { AllowList } from "./allow-list.ts";
import { Breaker } from "./breaker.ts";
import { EgressError } from "./egress-error.ts";
import { sendGuarded, targetOf, type GuardedRequest } from "./guarded-request.ts";
import { httpAgent } from "./http-agent.ts";
import { openGuarded, systemAddresses, type Lookup, type Target } from "./guarded-socket.ts";
import { SharedSlots, Slots } from "./slots.ts";

export interface EgressOptions {
  /** EGRESS_ALLOW: hosts and networks. */
  allow: readonly string[];
  now: () => Date;
  /** How names become addresses; the system's way when left out. */
  lookup?: Lookup;
}

interface GuardedConnection {
  host: string;
  port: number;
  reach: Reach;
  /** Ports that a public host may be asked on. */
  ports?: readonly number[];
  /** To have the connection; 5 seconds when left out. */
  connectTimeoutMilliseconds?: number;
  signal?: AbortSignal;
}

/** The one door for outgoing calls. Everything that leaves this process for an address that somebody else chose goes through it. */
export interface Egress {
  /** An HTTP call whose answer is read to its end. @throws EgressError, and the reason of the caller's signal */
  guardedFetch(url: string | URL, request: GuardedRequest): Promise<Response>;
  /** A TCP connection. Whoever asked for it ends it. @throws EgressError, and the reason of the caller's signal */
  guardedConnect(connection: GuardedConnection): Promise<Socket>;
  close(): Promise<void>;
}

const connectTimeoutMilliseconds = 5_000;
const all = { atOnce: 64, mostWaiting: 512 };
const perHost = { atOnce: 8, mostWaiting: 128 };

export function createEgress({ allow: allowed, now, lookup = systemAddresses }: EgressOptions): Egress {
  const allow = new AllowList(allowed);
  const breaker = new Breaker(now);
  const slots = new SharedSlots(new Slots(all.atOnce, all.mostWaiting), perHost);
  // One pool for each reach: a connection made under wider rules must not serve a call under narrower ones.
  const open = (target: Target) =>
    openGuarded(target, { allow, lookup, connectTimeoutMilliseconds, signal: patient() });
  const agents = { public: httpAgent("public", open), inside: httpAgent("inside", open) };

  /** Runs a call with a slot and under the host's breaker. */
  async function withKeyedMutex<T>(host: string, signal: AbortSignal, call: () => Promise<T>): Promise<T> {
    const release = await slots.take(host, signal);
    if (!release) throw new EgressError("busy", "Too many calls to other servers are waiting; try again shortly.");
    try {
      const wait = breaker.enter(host);
      if (wait > 0) {
        throw new EgressError(
          "breaker",
          `${host} did not answer several times in a row; it is asked again in ${wait} s.`,
        );
      }
      try {
        const result = await call();
        breaker.answered(host);
        return result;
      } catch (error) {
        if (isTrouble(error)) breaker.failed(host);
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
      return await sendGuarded(target, request, agents[request.reach], (signal, call) =>
        withKeyedMutex(target.host, signal, call),
      );
    },
    async guardedConnect({ host, port, reach, ports = [], signal = patient(), ...times }) {
      const target: Target = { host, port, reach, readable: false, ports };
      return await withKeyedMutex(`${host}:${port}`, signal, () =>
        openGuarded(target, { allow, lookup, connectTimeoutMilliseconds, ...times, signal }),
      );
    },
    async close() {
      await Promise.all([agents.public.destroy(), agents.inside.destroy()]);
    },
  };
}

/** For what nobody will give up. A new one each time: a shared one would remember all that ever waited on it. */
function patient(): AbortSignal {
  return new AbortController().signal;
}

/** Whether the host is to blame, and not what was asked of it. */
function isTrouble(error: unknown): boolean {
  return error instanceof EgressError && ["lookup", "connect", "tls", "timeout", "cut"].includes(error.failure);
}
