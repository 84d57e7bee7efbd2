import { writeFile } from "node:fs/promises";
import { Option, type Command } from "commander";
import type { Client } from "@zonewright/client";
import { applyAll, plansFor, printOutcomes, type ApplyOptions, type CompareOptions } from "../apply.ts";
import { command, withJson, wholeNumber } from "../command.ts";
import { connect } from "../credentials.ts";
import { exitCodes, explain, Failure } from "../failure.ts";
import { confirmed, note, printJson, printRaw, progress, readNamed } from "../terminal.ts";
import { configNamed } from "../zones.ts";
import { refuseTwice, textHash, zoneFilesIn } from "../zone-files.ts";
import {
  comparison,
  failureOf,
  inParallel,
  isChange,
  markdownOf,
  missingZone,
  patiently,
  planZones,
  printFailures,
  printPlans,
  sharedZones,
  totalsOf,
  zoneReport,
  owners,
  type ZoneFailure,
  type Owner,
  type PlannedFor,
  type ZonePlan,
} from "../zone-plans.ts";

interface PlanCommandOptions extends CompareOptions {
  out?: string;
  expectNoChanges?: true;
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
        "Views are example.com!internal.zone. A file .zonewrightignore beside them has patterns of records that are not theirs. Nothing is changed. Exits with 2 if something would change. Domains that you own are compared whole; of others, " +
        "only the records that you may request changes of. A token needs domains:read and records:read, or requests:write.",
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
      const { plans, failures } = await planned(client, paths, options, "either");
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

async function planned(client: Client, paths: readonly string[], options: CompareOptions, plansFor: PlannedFor) {
  const { zones, skipped } = await zoneFilesIn(paths, options.only);
  for (const file of skipped) note(`${file} is skipped: its name is not that of a domain, and it names no zone.`);
  if (options.provider !== undefined && !options.create)
    throw new Failure("--provider says where --create makes domains. Add --create, or leave it out.");
  if (options.provider !== undefined) options.createdAt = await configNamed(client, options.provider);
  const planned = await planZones(client, zones, { ...options, plansFor });
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
  zones: Pick<
    ZonePlan,
    "domain" | "file" | "input" | "zone" | "planHash" | "plan" | "isRequest" | "left" | "lossPercent"
  >[];
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
        "has an error, no zone is changed. For a domain's owner and administrators, whose token needs domains:read, records:read and records:write. With --request, also for members " +
        "who may write or propose, whose token needs requests:write: only the records that they may request changes of are compared, and others stay as they are.",
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
        : await planned(client, paths, options, plansFor(options));
      if (failures.length > 0) {
        endUnchanged(plans, failures, options);
        return;
      }
      const changed = plans.filter(isChange);
      let isAsked = false;
      try {
        isAsked = await refuseAll(plans, changed, options);
      } catch (error) {
        if (options.json) printOutcomes(changed, [], (await explain(error)).text.split("\n"));
        throw error;
      }
      // While the question stood, a zone may have changed.
      if (isAsked && (saved !== null || options.lock !== undefined)) {
        const again = await verified(client, changed, options);
        if (again.failures.length > 0) {
          endUnchanged(again.plans, again.failures, options);
          return;
        }
      }
      if (changed.length > 0) await applyAll(client, changed, options);
      else if (options.json) printOutcomes([], []);
    });
}

/** Ends the command because of zones whose plans cannot be applied. */
function endUnchanged(plans: readonly ZonePlan[], failures: readonly ZoneFailure[], options: ApplyOptions): void {
  if (options.json) show(plans, failures, options);
  printFailures(failures);
  note("Nothing was changed.");
  process.exitCode = exitCodes.error;
}

/**
 * Shows the plans, and asks.
 * @returns whether somebody was asked, and answered yes
 * @throws Failure if they must not be applied, or the answer is no
 */
async function refuseAll(
  plans: readonly ZonePlan[],
  changed: readonly ZonePlan[],
  options: ApplyOptions,
): Promise<boolean> {
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
  if (changed.length === 0 || options.yes || options.request !== undefined) return false;
  const what = `This changes ${changed.length === 1 ? changed[0]?.domain : `${changed.length} zones`}: ${totalsOf(changed).counts}.`;
  if (!(await confirmed("Apply?", what))) throw new Failure("Nothing was changed.");
  return true;
}

/** Plans a saved plan again: all of it must still be what was shown. */
async function verified(
  client: Client,
  zones: SavedPlan["zones"],
  options: SavedOptions & Pick<ApplyOptions, "request">,
): Promise<{ plans: ZonePlan[]; failures: ZoneFailure[] }> {
  const failures: ZoneFailure[] = [];
  const total = zones.length;
  let done = 0;
  progress("zones compared", { done, total });
  const plans = await inParallel(zones, async (zone): Promise<ZonePlan[]> => {
    try {
      if (zone.input === null && zone.zone) {
        const isMissing = (await patiently(() => client.domainNamed(zone.domain))) === null;
        const again = isMissing
          ? await missingZone(client, zone.zone, { ...options, plansFor: "changes", create: true })
          : null;
        if (again?.planHash === zone.planHash) return again ? [again] : [];
        const since = isMissing ? "The zone that it would have has changed" : `${zone.domain} has been created`;
        const reasons = [`${since} since the plan was made. Plan again.`];
        failures.push({ domain: zone.domain, file: zone.file, reasons, exitCode: exitCodes.error });
        return [];
      }
      const isRequest = options.request !== undefined || zone.isRequest === true;
      const now = zone.input && (await comparison(client, zone.input, { isRequest }));
      // What is shown is what the server would do, whatever the file says.
      if (now?.planHash === zone.planHash) return [{ ...zone, ...now }];
      const reasons = [
        `${zone.domain} has changed since the plan was made (\`zonewright history ${zone.domain}\`). Plan again.`,
      ];
      failures.push({ domain: zone.domain, file: zone.file, reasons, exitCode: exitCodes.error });
    } catch (error) {
      failures.push(await failureOf(zone, error));
    } finally {
      progress("zones compared", { done: ++done, total });
    }
    return [];
  });
  progress("");
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
