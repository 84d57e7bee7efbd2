/** Answers a second for one address without a right to them. */
const refusalsPerSecond = 20;
/** Addresses remembered within a second; more get no answer. */
const mostAddresses = 10_000;

interface LimitOptions {
  perSecond?: number;
  /** Milliseconds, as `performance.now` counts. */
  now?: () => number;
}

/**
 * Limits refusals, or other answers, to an address, so that the service is of no use against forged senders. IPv6 addresses count by /64. Counts within
 * one second at a time.
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
