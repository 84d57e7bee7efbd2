import type { RecordChange } from "./provider.ts";

/** Parts changes, in order, so that changes of two parts have no link in common. Pure. */
export function linkedChanges(
  changes: readonly RecordChange[],
  linksOf: (change: RecordChange) => readonly string[],
): RecordChange[][] {
  const parents = new Map<string, string>();
  const rootOf = (link: string): string => {
    let root = link;
    for (let parent = parents.get(root); parent !== undefined; parent = parents.get(root)) {
      const above = parents.get(parent);
      if (above !== undefined) parents.set(root, above);
      root = parent;
    }
    return root;
  };
  const links = new Map(changes.map((change) => [change, linksOf(change)]));
  for (const [first, ...others] of links.values()) {
    for (const other of others) {
      const [root, joined] = [rootOf(first ?? ""), rootOf(other)];
      if (root !== joined) parents.set(joined, root);
    }
  }
  return [...Map.groupBy(changes, (change) => rootOf(links.get(change)?.[0] ?? "")).values()];
}
