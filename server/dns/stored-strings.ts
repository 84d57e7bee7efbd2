/** What the column holds in rows that 0.1 wrote: it kept no split. It means something for TXT records only. */
export const unreadSplit = "";

/** Strings of a record as its row holds them; null stands for the default split. */
export function storedStrings(strings: readonly string[] | null): string | null {
  return strings === null ? null : JSON.stringify(strings);
}
