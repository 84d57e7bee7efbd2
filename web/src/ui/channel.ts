/** Opens a channel between the tabs of this browser. Null where the browser has none, or blocks it along with storage. */
export function openChannel(name: string): BroadcastChannel | null {
  try {
    return new BroadcastChannel(name);
  } catch {
    return null;
  }
}
