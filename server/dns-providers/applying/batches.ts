import { refuse } from "../../platform/result.ts";
import { ProviderError } from "../provider.ts";

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

/**
 * Makes a call that undoes an earlier call of the same set.
 * @param reason the refusal that made it necessary.
 * @throws ProviderError with effect `unknown` if it fails
 */
export async function takeBack(
  call: () => Promise<{ ok: true } | { ok: false; message: string }>,
  reason: string,
): Promise<void> {
  let answered = true;
  const answer = await call().catch((error: unknown) => {
    if (!(error instanceof ProviderError)) throw error;
    ({ answered } = error);
    return refuse(error.message);
  });
  if (answer.ok) return;
  const message = `${reason.replace(/[^.!?]$/, "$&.")} Earlier changes in the set could not be undone: ${answer.message}`;
  throw new ProviderError(message, "unknown", { answered, refusal: reason });
}
