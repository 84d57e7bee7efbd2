import { setImmediate as nextTurn } from "node:timers/promises";

/** Returns by how much a count grew at most between two turns of the event loop, while some work is done. */
export async function mostInTurn(counted: () => number, work: () => Promise<unknown>): Promise<number> {
  let most = 0;
  let before = counted();
  let isOver = false;
  const look = () => {
    const now = counted();
    most = Math.max(most, now - before);
    before = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await work();
  // The last turn of the work counts, too.
  await nextTurn();
  isOver = true;
  return most;
}
