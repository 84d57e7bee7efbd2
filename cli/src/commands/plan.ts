import { writeFile } from "node:fs/promises";
import { Option, type Command } from "commander";
import type { Client } from "@zonewright/client";
import { changeInput, command, withJson, wholeNumber, type ChangeOptions } from "../command.ts";
import { connect } from "../credentials.ts";
import { exitCodes, Failure, unknownOutcome } from "../failure.ts";
import {
  countsOf,
  inputOf,
  lateReverse,
  requested,
  requestText,
  type ChangeOutcome,
  type ReverseOutcome,
} from "../plans.ts";
import { confirmed, note, print, printJson, printRaw, progress, readNamed } from "../terminal.ts";
import { configNamed } from "../zones.ts";
import { refuseTwice, textHash, zoneFilesIn } from "../zone-files.ts";
import {
  comparison,
  failureOf,
  inParallel,
  inputFor,
  isChange,
  isWithin,
  markdownOf,
  missingZone,
  NotBegun,
  patiently,
  planZones,
  printFailures,
  printPlans,
  sharedZones,
  totalsOf,
  zoneReport,
  owners,
  type PlanInput,
  type ZoneFailure,
  type Owner,
  type ZonePlan,
} from "../zone-plans.ts";

interface CompareOptions {
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

interface PlanCommandOptions extends CompareOptions {
  out?: string;
  expectNoChanges?: true;
}

interface ApplyOptions extends CompareOptions, Omit<ChangeOptions, "json" | "unlock" | "dryRun"> {
  lock?: string;
}

function withFiles(made: Command): Command {
  return withJson(made)
    .option("--only <domain...>", "only these zones; * stands for any characters")
    .option("--ignore <pattern...>", "records that are not the files': name/type or name/type/value, with *")
    .addOption(new Option("--leave <owners>", `records of others: ${owners.join(", ")}`).argParser(ownersOf))
    .option("--create", "also create domains that do not exist")
    .option("--provider <configuration>", "where --create makes them, by name or id (default: zone files)")
    .option("--lenient", "keep what breaks a rule, with a warning")
    .option("--unlock", "also change locked records (owner and administrators)")
    .option(
      "--allow-delete-percent <percent>",
      "how much of a zone of ten or more records may be deleted or replaced (default: 30)",
    )
    .addOption(new Option("--format <format>", "how to print the plan").choices(["text", "markdown"]));
}

export function plan(): Command {
  return withFiles(
    command("plan <path...>", "Show how zones differ from files", {
      more:
        "Takes zone files (example.com.zone), octoDNS (example.com.yaml), tables (.csv, .tsv) and Terraform (.tf), and folders of them. " +
        "Views are example.com!internal.zone. A file .zonewrightignore beside them has patterns of records that are not theirs. Nothing is changed. Exits with 2 if something would change.",
      examples: [
        ["plan zones/", "Compare a folder with the server."],
        ["plan zones/ --format markdown > comment.md", "Write a comment for a merge request."],
        [
          "plan zones/ --out plan.json",
          "Save the plan: `zonewright apply plan.json` makes exactly these changes, or none.",
        ],
        ["plan zones/ --leave keys,external-dns,acme", "Leave the records that other tools keep."],
        ["plan zones/ --expect-no-changes", "Fail if somebody changed a zone elsewhere."],
      ],
    }),
  )
    .option("-o, --out <file>", "save the plan, to apply exactly this")
    .option("--expect-no-changes", "exit with 1 instead of 2 if something would change")
    .action(async (paths: string[], options: PlanCommandOptions) => {
      limitOf(options);
      if (options.out !== undefined && !options.out.endsWith(".json"))
        throw new Failure(
          "--out must end in .json, such as plan.json. `zonewright apply` recognizes a saved plan by it.",
        );
      const client = await connect();
      const { plans, failures } = await planned(client, paths, options);
      show(plans, failures, options);
      if (failures.length > 0) {
        process.exitCode = exitCodes.error;
        return;
      }
      for (const one of plans) if (one.lossPercent > limitOf(options)) note(lossText(one, options));
      if (options.out !== undefined) {
        await writeFile(options.out, JSON.stringify(savedPlan(plans, options)), { mode: 0o600 });
        note(`Saved the plan to ${options.out}.`);
      }
      if (totalsOf(plans).changed.length > 0)
        process.exitCode = options.expectNoChanges ? exitCodes.error : exitCodes.pending;
    });
}

/** Reads `keys,acme`. @throws Failure for another word */
function ownersOf(text: string): Owner[] {
  return text.split(",").map((word) => {
    const owner = owners.find((one) => one === word.trim());
    if (owner === undefined)
      throw new Failure(`--leave takes ${owners.join(", ")}, with commas between them, not ${word}.`);
    return owner;
  });
}

function show(plans: readonly ZonePlan[], failures: readonly ZoneFailure[], { json, format }: CompareOptions): void {
  if (json) {
    const { creates, updates, deletes } = totalsOf(plans);
    printJson({
      zones: plans.map(zoneReport),
      errors: failures.map(({ domain, file, reasons }) => ({ domain, file, reasons })),
      creates,
      updates,
      deletes,
    });
  } else if (format === "markdown") printRaw(`${markdownOf(plans, failures)}\n`);
  else printPlans(plans, failures);
  if (!json) printFailures(failures);
}

async function planned(client: Client, paths: readonly string[], options: CompareOptions) {
  const { zones, skipped } = await zoneFilesIn(paths, options.only);
  for (const file of skipped) note(`${file} is skipped: its name is not that of a domain, and it names no zone.`);
  if (options.provider !== undefined && !options.create)
    throw new Failure("--provider says where --create makes domains. Add --create, or leave it out.");
  if (options.provider !== undefined) options.createdAt = await configNamed(client, options.provider);
  const planned = await planZones(client, zones, options);
  // The server knows a zone by several names: without a view, and in Unicode.
  refuseTwice(planned.plans);
  const shared = sharedZones(planned.plans);
  const refused = new Set(shared.map(({ domain }) => domain));
  return {
    plans: planned.plans.filter(({ domain }) => !refused.has(domain)),
    failures: [...planned.failures, ...shared],
  };
}

function limitOf({ allowDeletePercent }: CompareOptions): number {
  const limit = allowDeletePercent === undefined ? 30 : wholeNumber(allowDeletePercent, "--allow-delete-percent");
  if (limit > 100) throw new Failure("--allow-delete-percent must be 100 or less.");
  return limit;
}

function lossText(one: ZonePlan, options: CompareOptions): string {
  return `${one.domain}: ${Math.ceil(one.lossPercent)} % of the records would be deleted or replaced, which is more than ${limitOf(options)} %. Apply it with --force if that is meant.`;
}

/** How the zones of domains that a plan creates are compared once they exist. */
type SavedOptions = Pick<CompareOptions, "lenient" | "unlock" | "ignore" | "leave" | "createdAt">;

/** A plan as `--out` saves it. */
interface SavedPlan {
  version: 1;
  zones: Pick<ZonePlan, "domain" | "file" | "input" | "zone" | "planHash" | "plan" | "left" | "lossPercent">[];
  /** Only with domains to create. */
  creating?: SavedOptions;
}

function savedPlan(plans: readonly ZonePlan[], options: CompareOptions): SavedPlan {
  const zones = plans.filter(isChange);
  if (zones.every(({ input }) => input !== null)) return { version: 1, zones };
  const { lenient, unlock, ignore, leave, createdAt } = options;
  const given = Object.entries({ lenient, unlock, ignore, leave, createdAt }).filter(
    ([, value]) => value !== undefined,
  );
  return { version: 1, zones, creating: Object.fromEntries(given) };
}

/** The records of a saved plan are not read: they are compared again. */
function isSavedZone(zone: Partial<SavedPlan["zones"][number]> | null): boolean {
  const place =
    zone?.input === null
      ? [zone.zone?.domain, zone.zone?.text, zone.zone?.format]
      : [zone?.planHash, zone?.input?.id, zone?.input?.zonefile];
  const texts = [zone?.domain, zone?.file, ...place];
  return texts.every((text) => typeof text === "string") && typeof zone?.lossPercent === "number";
}

async function readPlan(file: string): Promise<SavedPlan> {
  let read: Partial<SavedPlan> | null = null;
  try {
    read = JSON.parse((await readNamed(file)).toString()) as Partial<SavedPlan> | null;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  if (read?.version !== 1 || !Array.isArray(read.zones) || !read.zones.every(isSavedZone)) {
    throw new Failure(`${file} is not a plan. Make one with \`zonewright plan … --out ${file}\`.`);
  }
  return { version: 1, zones: read.zones, creating: read.creating ?? {} };
}

export function apply(): Command {
  return withFiles(
    command("apply <path...>", "Make zones equal to files", {
      more:
        "Plans as `zonewright plan` does, shows the plan, asks and applies exactly that. Given a saved plan, it applies that or nothing. If a file " +
        "has an error, no zone is changed.",
      examples: [
        ['apply zones/ --yes --message "$CI_COMMIT_TITLE"', "Apply a folder without a question, as a job does."],
        ["apply plan.json --yes", "Apply a saved plan, or nothing if a zone has changed since."],
        ["apply zones/ --request 'Move the mail'", "Ask for a review of each zone instead."],
      ],
    }),
  )
    .option("-m, --message <text>", "why you make the change; the history keeps it")
    .option("-y, --yes", "do not ask")
    .option("--force", "confirm changes beyond the safety threshold")
    .option("--override", "skip the review that a domain requires (administrators; needs --message)")
    .option("--request <title>", "ask for reviews instead of changing anything")
    .option("--lock <plan>", "fail if the plan differs from this saved one")
    .action(async (paths: string[], options: ApplyOptions) => {
      limitOf(options);
      const client = await connect();
      const [only = ""] = paths;
      const saved = paths.length === 1 && only.endsWith(".json") ? await readPlan(only) : null;
      if (saved) refuseComparison(options);
      Object.assign(options, saved?.creating);
      const { plans, failures } = saved
        ? await verified(client, saved.zones, options)
        : await planned(client, paths, options);
      if (failures.length > 0) {
        if (options.json) show(plans, failures, options);
        printFailures(failures);
        note("Nothing was changed.");
        process.exitCode = exitCodes.error;
        return;
      }
      const changed = plans.filter(isChange);
      const missing = options.request === undefined ? undefined : changed.find(({ input }) => input === null);
      if (missing !== undefined) {
        const { domain } = missing;
        throw new Failure(
          `--request cannot create ${domain}. Create it with \`zonewright domains add ${domain}\` first. Nothing was changed.`,
        );
      }
      if (!options.override) refuseUnreviewed(changed);
      if (options.lock !== undefined)
        refuseOther(changed, await readPlan(options.lock), options.lock, options.createdAt?.id);
      if (!options.json) show(plans, [], options);
      refuseLoss(changed, options);
      if (changed.length === 0) {
        if (options.json) report([], [], options);
        return;
      }
      const what = `This changes ${changed.length === 1 ? changed[0]?.domain : `${changed.length} zones`}: ${totalsOf(changed).counts}.`;
      if (!options.yes && options.request === undefined && !(await confirmed("Apply?", what)))
        throw new Failure("Nothing was changed.");
      await applyAll(client, changed, options);
    });
}

/** Plans a saved plan again: all of it must still be what was shown. */
async function verified(
  client: Client,
  zones: SavedPlan["zones"],
  options: SavedOptions,
): Promise<{ plans: ZonePlan[]; failures: ZoneFailure[] }> {
  const failures: ZoneFailure[] = [];
  const plans = await inParallel(zones, async (zone): Promise<ZonePlan[]> => {
    try {
      if (zone.input === null && zone.zone) {
        const isMissing = (await patiently(() => client.domainNamed(zone.domain))) === null;
        const again = isMissing ? await missingZone(client, zone.zone, { ...options, create: true }) : null;
        if (again?.planHash === zone.planHash) return again ? [again] : [];
        const since = isMissing ? "The zone that it would have has changed" : `${zone.domain} has been created`;
        const reasons = [`${since} since the plan was made. Plan again.`];
        failures.push({ domain: zone.domain, file: zone.file, reasons, exitCode: exitCodes.error });
        return [];
      }
      const now = zone.input && (await comparison(client, zone.input));
      // What is shown is what the server would do, whatever the file says.
      if (now?.planHash === zone.planHash) return [{ ...zone, ...now }];
      const reasons = [`${zone.domain} has changed since the plan was made. Plan again.`];
      failures.push({ domain: zone.domain, file: zone.file, reasons, exitCode: exitCodes.error });
    } catch (error) {
      failures.push(await failureOf(zone, error));
    }
    return [];
  });
  return { plans: plans.flat(), failures };
}

/** A saved plan is applied whole, and compared as it was when it was made. @throws Failure for an option that says otherwise */
function refuseComparison(options: ApplyOptions): void {
  for (const option of ["only", "ignore", "leave", "create", "provider", "lenient"] as const) {
    if (options[option] === undefined) continue;
    throw new Failure(`A saved plan is applied whole. Leave out --${option}, or plan again with it.`);
  }
}

/** Returns what must be the same in two plans of a zone. */
function identity({ domain, planHash, input, zone }: Pick<ZonePlan, "domain" | "planHash" | "input" | "zone">): string {
  return `${domain} ${planHash} ${textHash(input?.zonefile ?? zone?.text ?? "")}`;
}

/** @param place the provider configuration at which domains are created; undefined for the default one */
function refuseOther(plans: readonly ZonePlan[], locked: SavedPlan, file: string, place: string | undefined): void {
  if (plans.some(({ input }) => input === null) && locked.creating?.createdAt?.id !== place)
    throw new Failure(`${file} creates its domains at another provider. Plan again. Nothing was changed.`);
  const hashes = new Set(locked.zones.map(identity));
  const other = plans.find((one) => !hashes.has(identity(one)));
  const missing = locked.zones.find(({ domain }) => !plans.some((one) => one.domain === domain));
  const domain = other?.domain ?? missing?.domain;
  if (domain !== undefined)
    throw new Failure(
      `${domain} differs from ${file}: the zone or its file has changed since. Plan again. Nothing was changed.`,
    );
}

/** Refuses to create domains whose records could not be applied then: only a domain that exists has change requests. */
function refuseUnreviewed(plans: readonly ZonePlan[]): void {
  const unreviewed = plans.find(({ needsReview }) => needsReview);
  if (unreviewed === undefined) return;
  const { domain } = unreviewed;
  throw new Failure(
    `The server requires a review of each change, also in ${domain} once it exists. Create it with \`zonewright domains add ${domain}\`, then ask for one with --request 'what it is for'. Nothing was changed.`,
  );
}

function refuseLoss(plans: readonly ZonePlan[], options: ApplyOptions): void {
  const beyond = plans.filter((one) => one.lossPercent > limitOf(options));
  if (beyond.length === 0 || options.force || options.request !== undefined) return;
  throw new Failure(
    [...beyond.map((one) => lossText(one, options)), "Nothing was changed."].join("\n"),
    exitCodes.refused,
  );
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
async function applyAll(client: Client, plans: readonly ZonePlan[], options: ApplyOptions): Promise<void> {
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
        if (outcome) progress(`${++done} of ${plans.length} zones applied …`);
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
        progress(`${++done} of ${missing.length} domains created …`);
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
  const { plan: now, planHash } = await comparison(client, input, stop);
  if (!isWithin(now, shown)) throw new Failure("Its provider has records that the plan did not show. Plan again.");
  return { input, planHash };
}

function report(plans: readonly ZonePlan[], outcomes: readonly Outcome[], { json }: ApplyOptions): void {
  const byDomain = new Map(outcomes.map((outcome) => [outcome.domain, outcome]));
  if (json) {
    const zones = plans.map((one) => {
      const {
        applied = false,
        revision = null,
        reverse = [],
        request = null,
        reasons = [],
      } = byDomain.get(one.domain) ?? {};
      return { ...zoneReport(one), applied, revision, reverse, request, reasons };
    });
    printJson({ zones, applied: outcomes.filter(({ applied }) => applied).length });
  }
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
