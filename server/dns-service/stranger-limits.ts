import { addressKey } from "../api/limits/address.ts";

/** Answers a second for one address without a right to them. */
const refusalsPerSecond = 20;
/** Addresses that each limit remembers. */
const mostAddresses = 10_000;

interface LimitOptions {
  perSecond?: number;
  /** Milliseconds, as `performance.now` counts. */
  now?: () => number;
}

/**
 * Limits refusals, or other answers, to an address, so that the service is of no use against forged senders. IPv6 addresses count by /64. Counts within
 * one second at a time; more addresses than it remembers get no answer.
 */
export class StrangerLimit {
  readonly #perSecond: number;
  readonly #now: () => number;
  readonly #counts = new Map<string, number>();
  #second = 0;

  constructor({ perSecond = refusalsPerSecond, now = () => performance.now() }: LimitOptions = {}) {
    this.#perSecond = perSecond;
    this.#now = now;
  }

  /** Counts an answer. @returns whether to send it */
  allows(address: string): boolean {
    const second = Math.floor(this.#now() / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#counts.clear();
    }
    const network = networkOf(address);
    const count = this.#counts.get(network) ?? 0;
    if (count >= this.#perSecond || (count === 0 && this.#counts.size >= mostAddresses)) return false;
    this.#counts.set(network, count + 1);
    return true;
  }
}

function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.split("::");
  const groups = head.split(":").filter((group) => group !== "");
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(":").filter((group) => group !== "").length;
  const all = [...groups, ...Array.from({ length: missing }, () => "0"), ...(tail ?? "").split(":")];
  return all.slice(0, 4).join(":");
}

/** Unknown names that an address may send in a window; more are not looked up. */
const mostFailures = 20;
const windowMilliseconds = 60_000;

type Protocol = "udp" | "tcp";

/**
 * Limits how often an address has the database asked for keys that are not known to exist. Datagrams and connections count apart, because the
 * sender of a datagram may be forged. While datagrams come from more senders than are remembered, those of new ones are not looked up;
 * connections are.
 */
export class UnknownKeys {
  readonly #now: () => number;
  #failures = noFailures();
  #since = -Infinity;

  /** @param now milliseconds, as `performance.now` counts */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Returns whether to look up a key that is not known to exist. */
  mayLookUp(protocol: Protocol, address: string): boolean {
    this.#expire();
    const failures = this.#failures[protocol];
    const count = failures.get(addressKey(address));
    return count === undefined ? failures.size < mostAddresses : count < mostFailures;
  }

  /** Counts a name that no key has. */
  count(protocol: Protocol, address: string): void {
    this.#expire();
    const network = addressKey(address);
    const failures = this.#failures[protocol];
    const count = failures.get(network);
    // Those that are not looked up need no count, and could be as many as there are addresses.
    if (count !== undefined || failures.size < mostAddresses) failures.set(network, (count ?? 0) + 1);
  }

  #expire(): void {
    const now = this.#now();
    if (now - this.#since < windowMilliseconds) return;
    this.#since = now;
    this.#failures = noFailures();
  }
}

function noFailures(): Record<Protocol, Map<string, number>> {
  return { udp: new Map(), tcp: new Map() };
}
