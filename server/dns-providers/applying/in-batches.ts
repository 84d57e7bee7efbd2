/**
 * Packs items, in order, as many into a batch as it holds; an item is never split, and one that is too large for any batch stands alone.
 * @param sizesOf one number for each of the measures that `most` limits. Pure.
 */
export function inBatches<Item>(
  items: readonly Item[],
  sizesOf: (item: Item) => readonly number[],
  most: readonly number[],
): Item[][] {
  const batches: Item[][] = [];
  let room: readonly number[] = [];
  for (const item of items) {
    const sizes = sizesOf(item);
    const last = batches.at(-1);
    const fits = last !== undefined && sizes.every((size, measure) => size <= (room[measure] ?? 0));
    if (fits) last.push(item);
    else batches.push([item]);
    room = (fits ? room : most).map((left, measure) => left - (sizes[measure] ?? 0));
  }
  return batches;
}
