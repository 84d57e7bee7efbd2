/** What a fake vendor does instead of answering normally. */
export type Fault =
  /** Answers with this, and does nothing. */
  | { kind: "refuses"; status: number; body: unknown; headers?: Record<string, string> }
  /** Carries the call out, and then answers with this. */
  | { kind: "fails after"; status: number; body: unknown }
  /** Carries the call out, and closes the connection without an answer. */
  | { kind: "cuts after" }
  /** Answers with this, and carries the call out when the test says so. */
  | { kind: "does later"; status: number; body: unknown };

interface Waiting {
  action: string;
  /** Number of calls that succeed first. */
  spared: number;
  fault: Fault;
}

/** Faults that wait for calls of an action. Set by tests, never through the API. */
export class Faults {
  readonly #waiting: Waiting[] = [];
  readonly #late: (() => void)[] = [];

  /** For the next calls of an action, or for those after some have succeeded. */
  next(action: string, fault: Fault, { times = 1, after = 0 } = {}): void {
    for (let count = 0; count < times; count++) this.#waiting.push({ action, spared: after, fault });
  }

  /** The fault for the current call. */
  take(action: string): Fault | null {
    const waiting = this.#waiting.find((one) => one.action === action);
    if (!waiting || waiting.spared-- > 0) return null;
    this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
    return waiting.fault;
  }

  later(act: () => void): void {
    this.#late.push(act);
  }

  /** Carries the postponed calls out. */
  catchUp(): void {
    for (const act of this.#late.splice(0)) act();
  }

  /** Discards the faults that have not struck. */
  forget(): void {
    this.#waiting.length = 0;
  }

  /** How many faults never struck. */
  get left(): number {
    return this.#waiting.length;
  }
}
