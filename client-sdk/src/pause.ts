/** Waits. @throws the signal's reason if it aborts */
export async function pause(seconds: number, signal: AbortSignal | null | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      if (signal?.aborted) reject(signal.reason as Error);
      else resolve();
    };
    const timer = setTimeout(end, seconds * 1000);
    if (signal?.aborted) end();
    else signal?.addEventListener("abort", end);
  });
}
