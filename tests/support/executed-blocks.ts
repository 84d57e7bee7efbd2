import { Session, type Profiler } from "node:inspector/promises";

/**
 * Counts how often blocks of JavaScript are entered, the libraries' included: a measure of work that does not depend on the clock. Native
 * functions count as nothing. A count looks at all functions of its thread, so it takes a thread that has loaded little else, and does
 * little else.
 */
export class ExecutedBlocks {
  readonly #session = new Session();

  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post("Profiler.enable");
    await this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  }

  /** Blocks entered since the start, or since they were last counted. */
  async count(): Promise<number> {
    const { result } = await this.#session.post("Profiler.takePreciseCoverage");
    return result.reduce((sum, script) => sum + blocksOf(script), 0);
  }
}

function blocksOf({ functions }: Profiler.ScriptCoverage): number {
  return functions.reduce((sum, { ranges }) => sum + ranges.reduce((of, { count }) => of + count, 0), 0);
}
