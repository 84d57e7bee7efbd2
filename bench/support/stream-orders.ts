/** What a process with streams is told to do, by the one that measures it. */
export type Order =
  | { do: "tell"; userIds: string[]; title: string }
  /** Told back in bytes. */
  | { do: "weigh" };

export interface Weight {
  bytes: number;
}

/** Lets this process be measured. It answers each order to weigh itself after what is garbage is gone. */
export function takeOrders(tell: (userIds: readonly string[], title: string) => unknown): void {
  process.on("message", (order: Order) => {
    if (order.do === "tell") tell(order.userIds, order.title);
    else void weigh().then((weight) => process.send?.(weight));
  });
  process.send?.({ ready: process.env["PORT"] });
}

async function weigh(): Promise<Weight> {
  for (let time = 0; time < 3; time++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return { bytes: process.memoryUsage.rss() };
}
