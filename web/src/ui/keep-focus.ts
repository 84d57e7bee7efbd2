/**
 * Gives the focus to the page's content when the element that had it is removed: browsers leave it on nothing, and the next key does nothing.
 * Returns the function that ends it.
 */
export function keepFocus(): () => void {
  let last: Element | null = null;
  const note = ({ target }: FocusEvent) => {
    last = target instanceof Element ? target : null;
  };
  // A click on nothing also takes the focus: then its element is still there.
  const forget = ({ target }: FocusEvent) =>
    queueMicrotask(() => {
      if (target === last && last?.isConnected && document.activeElement === document.body) last = null;
    });
  const observer = new MutationObserver(() => {
    if (last === null || last.isConnected || document.activeElement !== document.body) return;
    last = null;
    // What is about to open or return takes the focus itself.
    requestAnimationFrame(() => {
      if (document.activeElement !== document.body) return;
      const popups = document.querySelectorAll<HTMLElement>("[role=dialog][tabindex]");
      (popups[popups.length - 1] ?? document.querySelector<HTMLElement>("#content"))?.focus({ preventScroll: true });
    });
  });
  addEventListener("focusin", note);
  addEventListener("focusout", forget);
  observer.observe(document.body, { childList: true, subtree: true });
  return () => {
    removeEventListener("focusin", note);
    removeEventListener("focusout", forget);
    observer.disconnect();
  };
}
