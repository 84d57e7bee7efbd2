import { isKeyName } from "../access/tsig-keys.ts";
import type { Logger } from "../platform/log.ts";
import { received, signerOf } from "./requests.ts";
import type { Responder } from "./responder.ts";

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
