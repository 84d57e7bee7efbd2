import { isZonewrightError } from "@zonewright/client";
import { useCallback, useLayoutEffect, useRef, useState } from "react";
import { mayHaveSession } from "../api.ts";

const failures = new WeakSet();

/** Whether something that a person started failed so: they wait for it, and its message takes the focus. */
export function isOfAction(error: unknown): boolean {
  return error instanceof Object && failures.has(error);
}

/** The state of something that a person started. */
export interface Action<Input extends unknown[]> {
  /** Starts it, unless it is running. Resolves to whether it succeeded. */
  run: (...input: Input) => Promise<boolean>;
  pending: boolean;
  error: unknown;
  reset: () => void;
}

/** Runs one thing at a time and keeps what went wrong, so that the form can say it. @param signsIn whether it needs no session */
export function useAction<Input extends unknown[]>(
  perform: (...input: Input) => Promise<unknown>,
  signsIn = false,
): Action<Input> {
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const running = useRef(false);
  const latest = useRef(perform);
  useLayoutEffect(() => {
    latest.current = perform;
  });
  const run = useCallback(
    async (...input: Input) => {
      if (running.current) return false;
      running.current = true;
      setPending(true);
      setError(null);
      try {
        await latest.current(...input);
        return true;
      } catch (failure) {
        if (failure instanceof Object) failures.add(failure);
        // That the session ended is said by the dialog above, which leads back here.
        const isEnd = !signsIn && !mayHaveSession() && isZonewrightError(failure) && failure.status === 401;
        if (!isEnd) setError(failure);
        return false;
      } finally {
        running.current = false;
        setPending(false);
      }
    },
    [signsIn],
  );
  return { run, pending, error, reset: useCallback(() => setError(null), []) };
}
