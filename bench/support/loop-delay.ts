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
    const milliseconds = (nanoseconds: number) => nanoseconds / 1e6;
    const delay: LoopDelay = {
      worstMilliseconds: milliseconds(histogram.max),
      p99Milliseconds: milliseconds(histogram.percentile(99)),
    };
    process.send?.(delay);
  });
}
