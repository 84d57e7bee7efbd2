import { monitorEventLoopDelay } from "node:perf_hooks";

/** What a process whose event loop is watched is told. */
export type DelayOrder = "begin" | "end";

/** How late timers fired between the two orders. */
export interface LoopDelay {
  worstMilliseconds: number;
  p99Milliseconds: number;
}

/** Lets the event loop of this process be watched: each `end` is answered with the delays since `begin`. */
export function watchLoop(): void {
  const histogram = monitorEventLoopDelay({ resolution: 1 });
  histogram.enable();
  process.on("message", (order: DelayOrder) => {
    if (order === "begin") {
      histogram.reset();
      process.send?.("begun");
      return;
    }
    const delay: LoopDelay = {
      worstMilliseconds: histogram.max / 1e6,
      p99Milliseconds: histogram.percentile(99) / 1e6,
    };
    process.send?.(delay);
  });
}
