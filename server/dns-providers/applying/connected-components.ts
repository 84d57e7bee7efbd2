/** Splits items, in order, into groups that share no link. Pure. */
export function connectedComponents<Item>(
  items: readonly Item[],
  linksOf: (item: Item) => readonly string[],
): Item[][] {
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
  const links = new Map(items.map((item) => [item, linksOf(item)]));
  for (const [first, ...others] of links.values()) {
    for (const other of others) {
      const [root, joined] = [rootOf(first ?? ""), rootOf(other)];
      if (root !== joined) parents.set(joined, root);
    }
  }
  return [...Map.groupBy(items, (item) => rootOf(links.get(item)?.[0] ?? "")).values()];
}
