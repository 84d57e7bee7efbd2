import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startArguments, thisCheckout } from "./start-script.ts";
import type { DelayOrder, LoopDelay } from "./loop-delay.ts";

/** Starts a program of this folder that monitors its event loop, with the options of Node that `npm start` has. */
export async function startWatched(
  program: string,
  env: Record<string, string>,
): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(fileURLToPath(new URL(`../${program}`, import.meta.url)), {
    env: { ...process.env, ...env },
    execArgv: startArguments(thisCheckout).slice(0, -1),
  });
  const [{ url }] = (await once(child, "message")) as [{ url: string }];
  return { child, url };
}

/** Returns how late timers of a process fired during some work. */
export async function worstDelay(child: ChildProcess, work: () => Promise<unknown>): Promise<LoopDelay> {
  const order = (what: DelayOrder) => {
    const answer = once(child, "message");
    child.send(what);
    return answer;
  };
  await order("begin");
  await work();
  const [delay] = (await order("end")) as [LoopDelay];
  return delay;
}
