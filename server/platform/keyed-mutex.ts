const tails = new Map<string, Promise<void>>();

/** Waits until every earlier holder of the key has released it, within this process. Take it with `using`, which releases it. */
export async function keyedMutex(key: string): Promise<Disposable> {
  const before = tails.get(key);
  const { promise: mine, resolve } = Promise.withResolvers<void>();
  tails.set(key, mine);
  await before;
  return {
    [Symbol.dispose]() {
      resolve();
      if (tails.get(key) === mine) tails.delete(key);
    },
  };
}

/** Runs `work` while holding the key. */
export async function withKeyedMutex<T>(key: string, work: () => Promise<T>): Promise<T> {
  const held = await keyedMutex(key);
  try {
    return await work();
  } finally {
    held[Symbol.dispose]();
  }
}
