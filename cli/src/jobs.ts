import {
  isZonewrightError,
  type Client,
  type RouterInputs,
  type RouterOutputs,
  type ZonewrightError,
} from "@zonewright/client";
import { exitCodes, Failure, isOutcomeUnknown } from "./failure.ts";
import { note, progress } from "./terminal.ts";

/** A job of the server that changes many domains, with a page of them. */
export type Job = RouterOutputs["replacements"]["get"];
/** A domain of a job, and its outcome. */
export type JobDomain = Job["domains"][number];

const pageSize = 100;
const firstPause = 500;
const longestPause = 5_000;
/** How long the server may not answer before the command gives up. */
const patience = 10 * 60_000;

/** The codes of a lost connection, and of a server that restarts or is busy. The job goes on meanwhile. */
const passing: ReadonlySet<string> = new Set([
  "NETWORK_ERROR",
  "TIMEOUT",
  "UNEXPECTED_ANSWER",
  "REQUEST_TIMEOUT",
  "TOO_MANY_REQUESTS",
  "UNAVAILABLE",
]);

/** Returns whether a call may succeed later: its failure says nothing about what was asked. */
export function isPassing(error: unknown): error is ZonewrightError {
  return isZonewrightError(error) && passing.has(error.code);
}

/** Returns what is said of a call whose outcome is unknown: the service may have carried it out. Null for other errors. */
function unansweredText(error: unknown): string | null {
  if (!isZonewrightError(error) || !isOutcomeUnknown(error)) return null;
  const { code, message } = error;
  const isOwn = code === "UNAVAILABLE" && !message.includes("`Idempotency-Key`");
  return isOwn ? message : "No response while the job was being started.";
}

const whereJobsAre = "The console lists jobs under Replace, and `zonewright replace undo` takes one back.";

function leaveStart(): never {
  note(`Interrupted while the job was being started. ${whereJobsAre}`);
  process.exit(exitCodes.interrupted);
}

/**
 * Starts a job. Ctrl-C does not take back a call that is on its way.
 * @throws Failure if it is unknown whether the job was started, or which one it is
 */
export async function started<Started>(start: Promise<Started>): Promise<Started> {
  process.once("SIGINT", leaveStart);
  try {
    return await start;
  } catch (error) {
    const text = unansweredText(error);
    throw text === null ? error : new Failure(`${text} It may be running. ${whereJobsAre}`);
  } finally {
    process.off("SIGINT", leaveStart);
  }
}

/**
 * Follows a job to its end. Ctrl-C leaves it running and says so. A lost connection is tried again.
 * @throws Failure if the server does not answer for ten minutes
 */
export async function followed(client: Client, jobId: string): Promise<Job> {
  const leave = () => {
    progress("");
    note(goesOn(jobId));
    process.exit(exitCodes.interrupted);
  };
  process.once("SIGINT", leave);
  try {
    for (let pause = firstPause; ; pause = Math.min(longestPause, pause * 1.1)) {
      const { state, progress: counts } = await page(client, { jobId, limit: 1 }, goesOn(jobId));
      if (state === "done" || state === "stopped") return await page(client, { jobId }, hasEnded(jobId));
      progress("domains changed", { done: counts.done + counts.failed, total: counts.domains });
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  } finally {
    process.off("SIGINT", leave);
    progress("");
  }
}

function goesOn(jobId: string): string {
  return `The server carries on. \`zonewright replace show ${jobId}\` shows its progress, \`zonewright replace stop ${jobId}\` stops it.`;
}

function hasEnded(jobId: string): string {
  return `\`zonewright replace show ${jobId}\` shows what the job did.`;
}

/**
 * Reads a job with a page of its domains, again while the server does not answer.
 * @param hint how to find the job, for when it cannot be read: nothing else names it
 * @throws Failure
 */
async function page(client: Client, input: RouterInputs["replacements"]["get"], hint: string): Promise<Job> {
  const began = Date.now();
  for (let pause = firstPause; ; pause = Math.min(longestPause, pause * 2)) {
    try {
      return await client.replacements.get.query({ limit: pageSize, ...input });
    } catch (error) {
      if (!isPassing(error)) {
        progress("");
        note(hint);
        throw error;
      }
      if (Date.now() - began > patience)
        throw new Failure(`No response for 10 minutes. Check the address and the connection. ${hint}`);
      progress("No response. Trying again …");
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** Returns all domains of a job in one of some states, in the order of its plan. */
export async function domainsIn(
  client: Client,
  jobId: string,
  states: readonly JobDomain["state"][],
): Promise<JobDomain[]> {
  const found: JobDomain[] = [];
  for (const state of states) {
    for (let number = 1, more = true; more; number += 1) {
      const { domains, total } = await page(client, { jobId, state, page: number }, hasEnded(jobId));
      found.push(...domains);
      more = domains.length > 0 && number * pageSize < total;
    }
  }
  return found;
}
