import { useLayoutEffect, useRef } from "react";
import { altLetter } from "./alt-letter.ts";

/** Calls back for keys pressed anywhere on the page, such as `/` or, with Alt, `Alt+n`, except while typing or in a dialog. */
export function usePageKeys(keys: Readonly<Record<string, (() => void) | null>>): void {
  const latest = useRef(keys);
  useLayoutEffect(() => {
    latest.current = keys;
  });
  // Before the page is seen: who sees it may press at once.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey) return;
      const { target } = event;
      if (target instanceof Element && target.closest("input, select, textarea, [role=dialog], [role=menu]")) return;
      const action = latest.current[event.altKey ? `Alt+${altLetter(event) ?? ""}` : event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
