import { openChannel } from "../ui/channel.ts";
import { uniqueText } from "../ui/unique-text.ts";

/** A tab that is hidden for longer lets another one lead. Who only looks something up elsewhere returns before. */
const hiddenMilliseconds = 5_000;
/** A leader answers in this time. One that was ended without a word does not. */
const answerMilliseconds = 500;
/** How often the others ask whether there still is a leader. */
const checkMilliseconds = 10_000;

type Message = { kind: "who" } | { kind: "leading"; tab: string } | { kind: "gone" };

/**
 * Lets one of the tabs in which somebody looks at the page lead, and another when it closes or is hidden. If all are hidden, none leads.
 * @param name of what they share
 * @param signal ends this tab's part
 * @param lead called for each turn of this tab, with the signal that ends the turn
 */
export function takeTurns(name: string, signal: AbortSignal, lead: (turn: AbortSignal) => void): void {
  let turn: AbortController | null = null;
  let hiding: ReturnType<typeof setTimeout> | undefined;
  const join = () => {
    clearTimeout(hiding);
    if (turn || document.visibilityState === "hidden") return;
    turn = new AbortController();
    waitForTurn(name, turn.signal, lead);
  };
  const leave = () => {
    clearTimeout(hiding);
    turn?.abort();
    turn = null;
  };
  const look = () => {
    join();
    if (document.visibilityState === "hidden") hiding = setTimeout(leave, hiddenMilliseconds);
  };
  const options = { signal };
  document.addEventListener("visibilitychange", look, options);
  addEventListener("pagehide", leave, options);
  addEventListener("pageshow", join, options);
  signal.addEventListener("abort", leave, { once: true });
  join();
}

/** Web Locks know when a tab ends, whatever ended it. They are missing on plain HTTP, and refused where storage is blocked. */
function waitForTurn(name: string, turn: AbortSignal, lead: (turn: AbortSignal) => void): void {
  if (!("locks" in navigator)) {
    waitForMessages(name, turn, lead);
    return;
  }
  const held = navigator.locks.request(name, { signal: turn }, async () => {
    lead(turn);
    await new Promise<void>((resolve) => {
      turn.addEventListener("abort", () => resolve(), { once: true });
    });
  });
  held.catch(() => turn.aborted || waitForMessages(name, turn, lead));
}

/**
 * The tabs agree by messages: who hears of no leader leads. Two that begin at the same time hear of each other, and the one with the
 * smaller id stays. Without messages, each tab leads for itself.
 */
function waitForMessages(name: string, turn: AbortSignal, lead: (turn: AbortSignal) => void): void {
  const tab = uniqueText();
  const channel = openChannel(`${name}.turns`);
  let leading: AbortController | null = null;
  let next: ReturnType<typeof setTimeout> | undefined;
  // A channel has no target.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  const say = (message: Message) => channel?.postMessage(message);
  const plan = (run: () => void, milliseconds: number) => {
    clearTimeout(next);
    next = setTimeout(run, milliseconds);
  };
  const begin = () => {
    leading = new AbortController();
    say({ kind: "leading", tab });
    lead(leading.signal);
  };
  const ask = () => {
    say({ kind: "who" });
    plan(begin, answerMilliseconds);
  };
  channel?.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    if (data.kind === "gone") {
      ask();
    } else if (data.kind === "leading" && (!leading || data.tab < tab)) {
      leading?.abort();
      leading = null;
      plan(ask, checkMilliseconds);
    } else if (leading) {
      say({ kind: "leading", tab });
    }
  });
  turn.addEventListener(
    "abort",
    () => {
      clearTimeout(next);
      if (leading) say({ kind: "gone" });
      leading?.abort();
      channel?.close();
    },
    { once: true },
  );
  if (channel) ask();
  else begin();
}
