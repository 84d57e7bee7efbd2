import { useEffect, useEffectEvent, useSyncExternalStore } from "react";
import { flushSync } from "react-dom";

/** Of a longer list only those that are loaded are printed: nobody reads more on paper. */
export const mostPrinted = 2_000;

const listeners = new Set<() => void>();
let isPrinting = false;

function note({ type }: Event): void {
  isPrinting = type === "beforeprint";
  // The browser prints the page as it is when the event ends.
  flushSync(() => listeners.forEach((listener) => listener()));
}
addEventListener("beforeprint", note);
addEventListener("afterprint", note);

/** Whether the page is being printed. */
export function usePrinting(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isPrinting,
  );
}

/**
 * Loads every row of a list before the keys for printing print it. The browser's menu prints what is loaded.
 * @param at the row at an index, if it is loaded
 * @param printed how many rows were asked for, 0 if none
 */
export function usePrintKey(
  count: number,
  at: (index: number) => unknown,
  printed: number,
  onPrinted: (count: number) => void,
): void {
  const isLoaded = () => Array.from({ length: count }, (_, index) => at(index)).every((row) => row !== undefined);
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { key, metaKey, ctrlKey } = event;
    if (key !== "p" || !(metaKey || ctrlKey) || count > mostPrinted || isLoaded()) return;
    event.preventDefault();
    onPrinted(count);
  });
  useEffect(() => {
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  useEffect(() => {
    if (printed === 0 || !isLoaded()) return undefined;
    const wait = setTimeout(() => {
      print();
      onPrinted(0);
    });
    return () => clearTimeout(wait);
  });
}
