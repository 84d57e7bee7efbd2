import { defaultRangeExtractor, useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useState, type RefCallback } from "react";
import { mostPrinted, usePrinting } from "./printing.ts";

export interface Rows {
  /** For the element that contains the rows. It may come after the list, such as with the first row. */
  container: RefCallback<HTMLElement>;
  virtualizer: Virtualizer<HTMLElement, Element>;
  /** The rows in view when scrolling settles. */
  settled: { first: number; last: number };
}

const everyRow = (count: number) => Array.from({ length: Math.min(count, mostPrinted) }, (_, index) => index);
const nothingCovered = { top: 0, bottom: 0 };

/**
 * Shows only the rows in view of a list in the page's work area, which scrolls as a whole, or in a part that scrolls by itself. On paper it
 * shows all of them.
 * @param keyAt names a row, so that its height follows it when rows are added or removed; by default rows are named by their index.
 *   Another function names all rows again, so it must stay the same while the rows do.
 * @param covered the heights of what lies over the work area, at its top and its bottom: a row that is scrolled to comes between them
 */
export function useRows(
  count: number,
  rowHeight: number,
  keyAt?: (index: number) => string | undefined,
  covered = nothingCovered,
): Rows {
  const [container, setContainer] = useState<HTMLElement | null>(null);
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const [margin, setMargin] = useState(0);
  useLayoutEffect(() => {
    const found = container?.closest<HTMLElement>("[data-scroll]") ?? null;
    setScroller(found);
    if (!found) return undefined;
    const measure = () => {
      const top = container?.getBoundingClientRect().top ?? 0;
      setMargin(Math.round(top - found.getBoundingClientRect().top + found.scrollTop));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(found);
    for (const child of found.children) observer.observe(child);
    return () => observer.disconnect();
  }, [container]);
  const isPrinting = usePrinting();
  // Another function makes the virtualizer name every row of the list again.
  const getItemKey = useCallback((index: number) => keyAt?.(index) ?? index, [keyAt]);
  const virtualizer = useVirtualizer<HTMLElement, Element>({
    count,
    getScrollElement: () => scroller,
    estimateSize: () => rowHeight,
    overscan: 12,
    rangeExtractor: isPrinting ? () => everyRow(count) : defaultRangeExtractor,
    getItemKey,
    scrollMargin: margin,
    scrollPaddingStart: covered.top,
    scrollPaddingEnd: covered.bottom,
  });
  const items = virtualizer.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  const [settled, setSettled] = useState({ first: 0, last: 0 });
  useEffect(() => {
    const wait = setTimeout(() => {
      setSettled((before) => (before.first === first && before.last === last ? before : { first, last }));
    }, 60);
    return () => clearTimeout(wait);
  }, [first, last]);
  return { container: setContainer, virtualizer, settled };
}
