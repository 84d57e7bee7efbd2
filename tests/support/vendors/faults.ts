/** What a fake vendor does instead of answering as it should. */
export type Fault =
  /** Answers so, and does nothing. */
  | { kind: "refuses"; status: number; body: unknown; headers?: Record<string, string> }
  /** Does what was asked, and then answers so. */
  | { kind: "fails after"; status: number; body: unknown }
  /** Does what was asked, and closes the connection without an answer. */
  | { kind: "cuts after" }
  /** Answers so, and does what was asked when the test says so. */
  | { kind: "does later"; status: number; body: unknown };

interface Waiting {
  action: string;
  /** Calls that go well before. */
  spared: number;
  fault: Fault;
}

/** Faults that wait for calls of an action. Set by tests, never through the API. */
export class Faults {
  readonly #waiting: Waiting[] = [];
  readonly #late: (() => void)[] = [];

  /** For the next calls of an action, or for those that come after some have gone well. */
  next(action: string, fault: Fault, { times = 1, after = 0 } = {}): void {
    for (let count = 0; count < times; count++) this.#waiting.push({ action, spared: after, fault });
  }

  /** The fault for a call that came in now. */
  take(action: string): Fault | null {
    const waiting = this.#waiting.find((one) => one.action === action);
    if (!waiting || waiting.spared-- > 0) return null;
    this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
    return waiting.fault;
  }

  later(act: () => void): void {
    this.#late.push(act);
  }

  /** Does what was put off. */
  catchUp(): void {
    for (const act of this.#late.splice(0)) act();
  }

  /** How many never met their call. */
  get left(): number {
    return this.#waiting.length;
  }
}
