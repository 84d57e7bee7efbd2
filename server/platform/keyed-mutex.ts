const tails = new Map<string, Promise<unknown>>();

/** Runs `work` after all earlier work with the same key has settled, within this process. */
export async function withKeyedMutex<T>(key: string, work: () => Promise<T>): Promise<T> {
  const before = tails.get(key) ?? Promise.resolve();
  const mine = before.then(work, work);
  tails.set(key, mine);
  try {
    return await mine;
  } finally {
    if (tails.get(key) === mine) tails.delete(key);
  }
}
