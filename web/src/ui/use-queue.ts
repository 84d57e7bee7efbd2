import { useLayoutEffect, useRef } from "react";
import { messageOf } from "../api.ts";
import { useAction, type Action } from "./use-action.ts";

/** Something that waits, or that is running. */
interface Waiting {
  /** As it was when it was started: the page may be about something else by its turn. */
  perform: () => Promise<unknown>;
  key: string;
  done: Promise<boolean>;
  end: (succeeded: boolean) => void;
}

/**
 * Runs one thing after another, for lists: what is started for one row waits for what is running for another.
 * The same for the same row is started once. What went wrong is said when all has ended.
 */
export function useQueue<Input extends unknown[]>(perform: (...input: Input) => Promise<unknown>): Action<Input> {
  const queue = useRef<Waiting[]>([]);
  const latest = useRef(perform);
  useLayoutEffect(() => {
    latest.current = perform;
  });
  const { run: start, ...action } = useAction(async () => {
    const failures: unknown[] = [];
    for (let next = queue.current[0]; next; next = queue.current[0]) {
      const failed = failures.length;
      await next.perform().catch((failure: unknown) => failures.push(failure));
      queue.current.shift();
      next.end(failures.length === failed);
    }
    if (failures.length > 1) throw new Error([...new Set(failures.map(messageOf))].join(" "), { cause: failures[0] });
    if (failures.length === 1) throw failures[0];
  });
  const run = async (...input: Input) => {
    const key = JSON.stringify(input);
    const same = queue.current.find((each) => each.key === key);
    if (same) return await same.done;
    const { promise: done, resolve: end } = Promise.withResolvers<boolean>();
    const now = latest.current;
    queue.current.push({ perform: async () => await now(...input), key, done, end });
    void start();
    return await done;
  };
  return { ...action, run };
}
