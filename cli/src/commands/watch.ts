import { setTimeout as wait } from "node:timers/promises";
import type { Command } from "commander";
import { isZonewrightError, type Client, type Domain } from "@zonewright/client";
import { command, withJson } from "../command.ts";
import { connect } from "../credentials.ts";
import { exitCodes, Failure } from "../failure.ts";
import { isPassing } from "../jobs.ts";
import { note, print } from "../terminal.ts";
import { printPlan } from "../plans.ts";
import { domainNamed, fullName, instant } from "../zones.ts";
import { authorOf, noteCut, recorded, type ChangeSet } from "./history.ts";

export function watch(): Command {
  return withJson(
    command("watch [domain...]", "Show events as they happen", {
      more: "With domains, shows each change of their records; without, your notifications. Ctrl-C ends it. A lost connection is opened again.",
      examples: [
        ["watch", "Show your notifications as they come."],
        ["watch example.com example.org", "Show each change of two domains, record by record."],
        ["watch example.com --json", "Print each change as a line of JSON."],
      ],
    }),
  ).action(async (names: string[], { json }: { json?: true }) => {
    const client = await connect();
    const stop = new AbortController();
    process.once("SIGINT", () => stop.abort());
    try {
      if (names.length === 0) await notifications(client, stop.signal, json === true);
      else await changes(client, names, stop.signal, json === true);
    } catch (error) {
      if (!stop.signal.aborted || !isZonewrightError(error)) throw error;
    }
    process.exitCode = exitCodes.done;
  });
}

/** One line each, whatever the output is. */
function printLine(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

async function notifications(client: Client, signal: AbortSignal, json: boolean): Promise<void> {
  const events = client.watchNotifications({
    signal,
    onConnected: ({ gap }) =>
      note(gap ? "Watching. Earlier notifications may be missing." : "Watching. Ctrl-C ends it."),
    onDisconnected: ({ retryInSeconds }) => note(`Disconnected. Trying again in ${retryInSeconds} s.`),
  });
  for await (const event of events) {
    if (json) printLine(event);
    else
      print(
        `${instant(event.createdAt)}  ${event.title}: ${event.content}`,
        event.level === "error" ? "red" : undefined,
      );
  }
}

async function changes(client: Client, names: readonly string[], signal: AbortSignal, json: boolean): Promise<void> {
  const zones = new Map<string, Domain>();
  for (const name of names) {
    const zone = await domainNamed(client, name);
    zones.set(zone.id, zone);
  }
  if (zones.size > 50) throw new Failure("At most 50 domains can be watched at once.");
  await new Promise<void>((resolve, reject) => {
    /** The revision up to which each domain's changes were shown. */
    const upTo = new Map<string, number>();
    let isCut = false;
    // Answers come in the order of the events.
    let shown = Promise.resolve();
    // The stream would keep the command running.
    const fail = (error: unknown) => {
      subscription.unsubscribe();
      reject(error);
    };
    const subscription = client.domains.watch.subscribe(
      { ids: [...zones.keys()] },
      {
        onData: ({ domainId, changeSetId, revision }) => {
          const zone = zones.get(domainId);
          if (zone === undefined) return;
          // After a lost connection, the first message has a later revision: what made it was missed.
          const after = upTo.get(domainId);
          upTo.set(domainId, revision);
          if (after === undefined) note(`Watching ${fullName(zone)} from revision ${revision}. Ctrl-C ends it.`);
          else if (revision > after || changeSetId !== null) {
            const isNew = (change: ChangeSet) =>
              change.id === changeSetId ||
              (change.revision !== null && change.revision > after && change.revision <= revision);
            shown = shown.then(() => showChanges(client, zone, { after, isNew }, { signal, json })).catch(fail);
          }
        },
        onConnectionStateChange: ({ state }) => {
          if (state === "connecting" && upTo.size > 0 && !isCut) {
            isCut = true;
            note("Disconnected. Connecting again.");
          } else if (state === "pending" && isCut) {
            isCut = false;
            note("Connected again.");
          }
        },
        onError: reject,
        onComplete: resolve,
      },
    );
    signal.addEventListener("abort", () => {
      subscription.unsubscribe();
      resolve();
    });
  });
}

interface NewChanges {
  after: number;
  isNew: (change: ChangeSet) => boolean;
}

const firstPauseSeconds = 0.5;
const longestPauseSeconds = 30;

/** Shows the new changes after a revision, oldest first. Nothing announces them again, so they are asked for until the server answers. */
async function showChanges(
  client: Client,
  zone: Domain,
  wanted: NewChanges,
  { signal, json }: { signal: AbortSignal; json: boolean },
): Promise<void> {
  for (let pause = firstPauseSeconds; ; pause = Math.min(longestPauseSeconds, pause * 2)) {
    try {
      const found = await newChanges(client, zone, wanted, signal);
      for (const change of found.toReversed()) showChange(zone, change, json);
      return;
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (pause === firstPauseSeconds) note(`The changes of ${fullName(zone)} cannot be read now. Trying again …`);
      await wait(Math.max(pause, error.retryAfterSeconds ?? 0) * 1000, undefined, { signal });
    }
  }
}

/** Returns the new changes after a revision, newest first. */
async function newChanges(client: Client, { id }: Domain, { after, isNew }: NewChanges, signal: AbortSignal) {
  const found: ChangeSet[] = [];
  for await (const change of client.each(client.records.history, { id }, { signal })) {
    if (isNew(change)) found.push(change);
    if (change.revision !== null && change.revision <= after) break;
  }
  return found;
}

function showChange(zone: Domain, change: ChangeSet, json: boolean): void {
  if (json) {
    printLine({ domain: fullName(zone), ...change });
    return;
  }
  const why = change.message === null ? "" : `: ${change.message}`;
  print(`${instant(change.createdAt)}  ${authorOf(change)}, ${change.kind}, revision ${change.revision ?? "–"}${why}`);
  printPlan(fullName(zone), recorded(change));
  noteCut(change);
}
