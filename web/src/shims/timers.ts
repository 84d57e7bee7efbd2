/** What the pure model uses of `node:timers/promises`, for browsers. */
export async function setImmediate(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve));
}
