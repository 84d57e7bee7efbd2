/**
 * Works through items in lanes: those of one lane one after the other and in order, of different lanes several at once.
 * @throws what the first failing piece of work throws, once all that was begun has ended.
 */
export async function inLanes<T>(
  items: readonly T[],
  laneOf: (item: T) => string,
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const lanes = Map.groupBy(items, laneOf).values();
  const worker = async () => {
    for (const lane of lanes) for (const item of lane) await work(item);
  };
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, worker));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}
