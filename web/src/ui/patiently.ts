/** Waits between attempts while the network seems to be there: the service may be starting anew. */
const pauses = [1_000, 2_000, 4_000, 8_000, 16_000];

/** Returns a loader of a part of the page that outlasts a lost network: a failed import would otherwise end the whole page. */
export function patiently<Part>(load: () => Promise<Part>): () => Promise<Part> {
  return async () => {
    for (let attempt = 0; ; attempt++) {
      try {
        return await load();
      } catch (error) {
        const pause = pauses[attempt];
        if (pause === undefined) throw error;
        await networkOrPause(pause);
      }
    }
  };
}

/** Ends after the pause, and not before the network is back. */
async function networkOrPause(milliseconds: number): Promise<void> {
  await new Promise<void>((resolve) => {
    if (navigator.onLine) setTimeout(resolve, milliseconds);
    else addEventListener("online", () => resolve(), { once: true });
  });
}
