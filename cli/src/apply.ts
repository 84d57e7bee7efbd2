import type { Client } from "@zonewright/client";
import { changeInput, type ChangeOptions } from "./command.ts";
import { exitCodes, Failure, unknownOutcome } from "./failure.ts";
import {
  countsOf,
  inputOf,
  lateReverse,
  requested,
  requestText,
  type ChangeOutcome,
  type ReverseOutcome,
} from "./plans.ts";
import { note, print, printJson, progress } from "./terminal.ts";
import {
  comparison,
  failureOf,
  inParallel,
  inputFor,
  isWithin,
  NotBegun,
  patiently,
  zoneReport,
  type PlanInput,
  type Owner,
  type PlannedFor,
  type ZonePlan,
} from "./zone-plans.ts";

/** How files are compared with zones. */
export interface CompareOptions {
  only?: string[];
  create?: true;
  provider?: string;
  createdAt?: { id: string; name: string } | undefined;
  lenient?: true;
  unlock?: true;
  json?: true;
  format?: "text" | "markdown";
  allowDeletePercent?: string;
  ignore?: string[];
  leave?: Owner[];
}

/** How plans are applied. */
export interface ApplyOptions extends CompareOptions, Omit<ChangeOptions, "json" | "unlock" | "dryRun"> {
  lock?: string;
}

/** Returns what `apply` plans for. */
export function plansFor({ request }: ApplyOptions): PlannedFor {
  return request === undefined ? "changes" : "requests";
}

interface Outcome {
  domain: string;
  applied: boolean;
  revision: number | null;
  /** The outcome in each reverse zone whose PTR records follow. */
  reverse: readonly ReverseOutcome[];
  request: number | null;
  /** The request is of an earlier run. */
  isEarlier?: boolean;
  reasons: string[];
  exitCode: number;
  /** The server may have done it, or not: it did not say. */
  isUnknown?: true;
  /** The domain was created, and Ctrl-C came before its records. */
  isOnlyCreated?: boolean;
}

/**
 * Creates the domains that do not exist, then applies each plan by its hash. If one cannot be created, no record is changed anywhere. Ctrl-C lets
 * the calls that are under way end, and says what was done. Another Ctrl-C does not wait for them.
 */
export async function applyAll(client: Client, plans: readonly ZonePlan[], options: ApplyOptions): Promise<void> {
  const stop = new AbortController();
  const outcomes: Outcomes = new Map();
  const leave = () => {
    progress("");
    report(plans, [...outcomes.values()], options);
    process.exit(exitCodes.interrupted);
  };
  const finish = () => {
    stop.abort();
    process.once("SIGINT", leave);
    note("Stopping once the calls in flight have finished. Ctrl-C again leaves them …");
  };
  process.once("SIGINT", finish);
  const created = await createMissing(client, plans, options, { stop: stop.signal, outcomes });
  if (created.some(({ refusal }) => refusal !== null)) {
    for (const { plan: one, refusal } of created)
      outcomes.set(one.domain, refusal ?? onlyCreated(one, "another domain could not be created"));
  } else {
    const madeFor = new Map(created.map((one) => [one.plan.domain, one.made]));
    let done = 0;
    await inParallel(
      plans,
      async (one) => {
        const before = outcomes.get(one.domain);
        outcomes.set(one.domain, unknown(one, `The command was interrupted. ${lookFor(one, options)}`));
        const outcome = await outcomeOf(client, one, madeFor.get(one.domain) ?? null, options, stop.signal);
        const now = outcome ?? before;
        if (now) outcomes.set(one.domain, now);
        else outcomes.delete(one.domain);
        if (outcome) progress("zones applied", { done: ++done, total: plans.length });
      },
      () => stop.signal.aborted,
    );
  }
  process.off("SIGINT", finish);
  process.off("SIGINT", leave);
  progress("");
  const all = [...outcomes.values()];
  report(plans, all, options);
  const isCut = all.length < plans.length || all.some(({ isOnlyCreated }) => isOnlyCreated);
  const worst = Math.max(...all.map(({ exitCode }) => exitCode), exitCodes.done);
  if (stop.signal.aborted && isCut) process.exitCode = exitCodes.interrupted;
  else if (worst !== exitCodes.done)
    process.exitCode = all.some(({ exitCode }) => exitCode === exitCodes.error) ? exitCodes.error : worst;
}

/** The outcome for each domain that was begun, by its name. While its calls are under way, the outcome is unknown. */
type Outcomes = Map<string, Outcome>;

function onlyCreated(plan: ZonePlan, why: string, isOnlyCreated = false): Outcome {
  const reason = `The domain was created, but no record was changed, because ${why}.`;
  return { ...noOutcome(plan), reasons: [reason], exitCode: exitCodes.error, isOnlyCreated };
}

function noOutcome({ domain }: ZonePlan): Outcome {
  return { domain, applied: false, revision: null, reverse: [], request: null, reasons: [], exitCode: exitCodes.done };
}

/** A domain that was created, with what applies its file, or why it was not. */
interface Created {
  plan: ZonePlan;
  made: { input: PlanInput; planHash: string | null } | null;
  refusal: Outcome | null;
}

/** Returns the domains that were created or refused, without those that a stop came before. */
async function createMissing(
  client: Client,
  plans: readonly ZonePlan[],
  options: ApplyOptions,
  { stop, outcomes }: { stop: AbortSignal; outcomes: Outcomes },
): Promise<Created[]> {
  const missing = plans.filter(({ input }) => input === null);
  let done = 0;
  const results = await inParallel(
    missing,
    async (plan): Promise<Created | null> => {
      const { domain: name } = plan;
      const look = `\`zonewright domains show ${name}\` shows whether the domain was created.`;
      const refused = (refusal: Outcome) => {
        outcomes.set(name, refusal);
        return { plan, made: null, refusal };
      };
      let isCreated = false;
      outcomes.set(name, unknown(plan, `The command was interrupted. ${look}`));
      try {
        const place = options.createdAt === undefined ? {} : { providerConfigId: options.createdAt.id };
        const domain = await patiently(() => client.domains.create.mutate({ name, ...place }), stop);
        isCreated = true;
        outcomes.set(name, onlyCreated(plan, "the command was interrupted", true));
        const made = await planOfNew(client, domain, plan, options, stop);
        progress("domains created", { done: ++done, total: missing.length });
        return { plan, made, refusal: null };
      } catch (error) {
        if (error instanceof NotBegun) {
          if (!isCreated) outcomes.delete(name);
          return null;
        }
        const lost = isCreated ? null : await unknownOutcome(error);
        if (lost) return refused(unknown(plan, `${lost.why} ${look}`));
        const { reasons, exitCode } = await failureOf(plan, error);
        const what = isCreated ? reasons.map((reason) => `The domain was created. ${reason}`) : reasons;
        return refused({ ...noOutcome(plan), reasons: what, exitCode });
      }
    },
    () => stop.aborted,
  );
  return results.filter((one) => one !== null);
}

function unknown(plan: ZonePlan, reason: string): Outcome {
  return { ...noOutcome(plan), reasons: [reason], exitCode: exitCodes.error, isUnknown: true };
}

/** Returns where the outcome of a change stands. */
function lookFor({ domain }: ZonePlan, { request }: ApplyOptions): string {
  return request === undefined
    ? `\`zonewright history ${domain}\` shows whether it was applied.`
    : "`zonewright requests` shows whether the request was made.";
}

/** Applies a plan, or requests its review. @returns null if the stop came before */
async function outcomeOf(
  client: Client,
  one: ZonePlan,
  made: Created["made"],
  options: ApplyOptions,
  stop: AbortSignal,
): Promise<Outcome | null> {
  const { domain } = one;
  const { input, planHash } = made ?? one;
  const none = noOutcome(one);
  try {
    if (input === null) throw new Failure(`${domain} does not exist.`);
    const { id } = input;
    if (options.request !== undefined) {
      const asked = { ...options, dryRun: undefined } as ChangeOptions;
      const title = options.request;
      const changes = inputOf(one.plan);
      const made = await patiently(() => requested(client, { id, changes }, title, asked), stop);
      return { ...none, request: made.number, isEarlier: made.isEarlier };
    }
    const { message, unlock, override } = options;
    // The threshold of the server is not this one: what it would refuse was allowed here.
    const force = options.force ?? (one.lossPercent > 30 ? true : undefined);
    const given = changeInput({ message, unlock, override, force });
    const reviewed = { ...input, ...(planHash === null ? {} : { planHash }), ...given };
    const answer: ChangeOutcome = await patiently(() => client.records.importZonefile.mutate(reviewed), stop);
    const { revision = null, reverse = [] } = answer;
    const exitCode = lateReverse(reverse).length > 0 ? exitCodes.error : exitCodes.done;
    return { ...none, applied: true, revision, reverse, exitCode };
  } catch (error) {
    if (error instanceof NotBegun) return null;
    const lost = await unknownOutcome(error);
    if (lost) return unknown(one, `${lost.why} ${lookFor(one, options)}`);
    const { reasons, exitCode } = await failureOf(one, error);
    return {
      ...none,
      reasons: made ? reasons.map((reason) => `The domain was created. ${reason}`) : reasons,
      exitCode,
    };
  }
}

/** Compares the file of a domain that was just created. @throws Failure if that changes something that the plan did not show */
async function planOfNew(
  client: Client,
  { id }: { id: string },
  { domain, zone, plan: shown }: ZonePlan,
  options: ApplyOptions,
  stop: AbortSignal,
) {
  if (!zone) throw new Failure(`${domain} does not exist.`);
  const input = inputFor({ id }, zone, options);
  const { plan: now, planHash } = await comparison(client, input, { stop });
  if (!isWithin(now, shown)) throw new Failure("Its provider has records that the plan did not show. Plan again.");
  return { input, planHash };
}

/** Prints what `--json` prints of each plan. @param reasons why no zone was begun */
export function printOutcomes(
  plans: readonly ZonePlan[],
  outcomes: readonly Outcome[],
  reasons: readonly string[] = [],
): void {
  const byDomain = new Map(outcomes.map((outcome) => [outcome.domain, outcome]));
  const zones = plans.map((one) => {
    const { applied, revision, reverse, request, reasons: own } = byDomain.get(one.domain) ?? noOutcome(one);
    return { ...zoneReport(one), applied, revision, reverse, request, reasons: own };
  });
  printJson({ zones, applied: outcomes.filter(({ applied }) => applied).length, reasons });
}

/** Says what became of each plan. */
function report(plans: readonly ZonePlan[], outcomes: readonly Outcome[], { json }: ApplyOptions): void {
  const byDomain = new Map(outcomes.map((outcome) => [outcome.domain, outcome]));
  if (json) printOutcomes(plans, outcomes);
  const say = json ? () => undefined : print;
  let undone = 0;
  for (const { domain, plan: one } of plans) {
    const outcome = byDomain.get(domain);
    if (!outcome) undone++;
    else if (outcome.applied)
      say(`${domain}: applied${outcome.revision === null ? "" : ` as revision ${outcome.revision}`}, ${done(one)}.`);
    else if (outcome.request !== null) {
      const { request: number, isEarlier = false } = outcome;
      say(`${domain}: request ${number} ${requestText({ number, isEarlier })}`);
    } else
      for (const reason of outcome.reasons)
        note(`${domain}: ${outcome.isUnknown ? "outcome unknown" : "not applied"}. ${reason}`);
  }
  for (const { domain, reverse } of outcomes)
    for (const sentence of lateReverse(reverse)) note(`${domain}: ${sentence}`);
  const onlyMade = outcomes.filter(({ isOnlyCreated }) => isOnlyCreated).length;
  const unsure = outcomes.filter(({ isUnknown }) => isUnknown).length;
  const refused = outcomes.filter(({ reasons }) => reasons.length > 0).length - onlyMade - unsure;
  const applied = outcomes.filter((outcome) => outcome.applied).length;
  const parts = [
    `${applied} of ${plans.length} zones applied`,
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(unsure > 0 ? [`${unsure} unknown`] : []),
    ...(onlyMade > 0 ? [`${onlyMade} only created`] : []),
    ...(undone > 0 ? [`${undone} not started`] : []),
  ];
  if (plans.length > 1 && applied + onlyMade + undone > 0) say(`${parts.join(", ")}.`);
  if (json && undone > 0) note(`${undone} zones were not started.`);
}

function done({ creates, updates, deletes }: ZonePlan["plan"]): string {
  return countsOf({ creates, updates, deletes }).replaceAll(/ to (create|update|delete)/g, " $1d");
}
