import { addressKey } from "../limits/address.ts";

/** Unknown names that an address may send in a window; more are not looked up. */
const mostFailures = 20;
const windowMilliseconds = 60_000;
/** Addresses of each protocol that are remembered. */
const mostAddresses = 10_000;

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
