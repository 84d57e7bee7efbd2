import { monitorEventLoopDelay } from "node:perf_hooks";

/** A message to a process whose event loop is monitored. */
export type DelayOrder = "begin" | "end";

/** How late timers fired between `begin` and `end`. */
export interface LoopDelay {
  worstMilliseconds: number;
  p99Milliseconds: number;
}

/** Monitors the event loop of this process: answers each `end` with the delays since `begin`. */
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
