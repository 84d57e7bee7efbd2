import { lazy, Suspense, useEffect, useState } from "react";
import { patiently } from "./patiently.ts";
import type { ToastOptions } from "./toast-list.tsx";

/** Resolves with the first message. */
const wanted = Promise.withResolvers<undefined>();

/** Without a message, the list is loaded when the page has long been complete: a message may be about a lost network. */
const loadAfterMilliseconds = 3_000;

/** Resolves with what shows a message, once the list is on the page: earlier messages wait for it. */
const mounted = Promise.withResolvers<(options: ToastOptions) => void>();

/** Shows a message that goes away by itself; longer if it has a button. */
export function toast(options: ToastOptions): void {
  wanted.resolve(undefined);
  void mounted.promise.then((show) => show(options));
}

const ToastList = lazy(patiently(async () => ({ default: (await import("./toast-list.tsx")).ToastList })));

/** Where toasts appear. Their code arrives after the first page. */
export function Toasts() {
  const [isLoading, setIsLoading] = useState(false);
  useEffect(() => {
    const start = () => setIsLoading(true);
    const wait = setTimeout(start, loadAfterMilliseconds);
    void wanted.promise.then(start);
    return () => clearTimeout(wait);
  }, []);
  if (!isLoading) return null;
  return (
    <Suspense fallback={null}>
      <ToastList onMounted={mounted.resolve} />
    </Suspense>
  );
}
