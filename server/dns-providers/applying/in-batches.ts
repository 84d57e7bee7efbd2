/**
 * Packs items into batches, in order and as full as possible. Items are never split; one too large for any batch gets its own.
 * Pure.
 * @param sizesOf returns an item's size in each of the measures that `most` limits.
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
