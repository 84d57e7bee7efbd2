import { addressKey } from "../limits/address.ts";

/** Unknown names and invalid signatures that an address may send in a window; more are not looked up. */
const mostFailures = 20;
const windowMilliseconds = 60_000;
/** Addresses, and pairs of address and key, that are remembered. */
const mostEntries = 10_000;

/**
 * Limits how often an address has the database asked for keys that it cannot sign with. Datagrams and connections count apart, because
 * the sender of a datagram may be forged, and a key that an address signed with before is always looked up: nobody can lock out another.
 */
export class UnknownKeys {
  readonly #now: () => number;
  #failures = { udp: new Map<string, number>(), tcp: new Map<string, number>() };
  #since = -Infinity;
  readonly #proven = new Set<string>();

  /** @param now milliseconds, as `performance.now` counts */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Returns whether to look up a key. */
  mayLookUp(protocol: "udp" | "tcp", address: string, keyName: string): boolean {
    const network = addressKey(address);
    if (this.#proven.has(`${network} ${keyName}`)) return true;
    this.#expire();
    const failures = this.#failures[protocol];
    const count = failures.get(network);
    return count === undefined ? failures.size < mostEntries : count < mostFailures;
  }

  /** Notes whether a message was validly signed with a key that was looked up. */
  note(protocol: "udp" | "tcp", address: string, keyName: string, valid: boolean): void {
    const network = addressKey(address);
    const proof = `${network} ${keyName}`;
    if (valid) {
      this.#proven.delete(proof);
      this.#proven.add(proof);
      const [oldest] = this.#proven;
      if (oldest !== undefined && this.#proven.size > mostEntries) this.#proven.delete(oldest);
      return;
    }
    this.#expire();
    const failures = this.#failures[protocol];
    const count = failures.get(network);
    if (count !== undefined || failures.size < mostEntries) failures.set(network, (count ?? 0) + 1);
  }

  #expire(): void {
    const now = this.#now();
    if (now - this.#since < windowMilliseconds) return;
    this.#since = now;
    this.#failures = { udp: new Map(), tcp: new Map() };
  }
}
