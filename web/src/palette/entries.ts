/** Something to jump to or to do. */
export interface Entry {
  id: string;
  label: string;
  /** Beside the label: a view, a value. */
  detail: string;
  group: "domains" | "pages" | "actions" | "records";
  run: () => void;
}

export const groupOrder = ["domains", "pages", "actions", "records"] as const;

/** Without case and accents: “Übersicht” is found by “ubersicht”, too. */
const plain = (text: string) => text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();

/** Those whose label holds every word of a search, the ones that begin with it first. All without a search. */
export function matching(entries: readonly Entry[], search: string): Entry[] {
  const wanted = plain(search).split(/\s+/).filter(Boolean);
  const rank = ({ label }: Entry) => (plain(label).startsWith(wanted[0] ?? "") ? 0 : 1);
  return entries
    .filter(({ label }) => wanted.every((word) => plain(label).includes(word)))
    .toSorted((one, other) => rank(one) - rank(other));
}

/** The entries in the order in which they stand below each other. */
export function inGroups(entries: readonly Entry[]): Entry[] {
  return groupOrder.flatMap((group) => entries.filter((entry) => entry.group === group));
}

/** Returns the index after a key, or null for a key that does not move. */
export function moved(key: string, index: number, count: number): number | null {
  if (count === 0) return null;
  if (key === "ArrowDown") return (index + 1) % count;
  if (key === "ArrowUp") return (index - 1 + count) % count;
  if (key === "PageDown") return Math.min(count - 1, index + 8);
  if (key === "PageUp") return Math.max(0, index - 8);
  return null;
}
