import { setTimeout as wait } from "node:timers/promises";
import { isZonewrightError, type Client, type Domain, type RouterOutputs } from "@zonewright/client";
import { explain } from "./failure.ts";
import { changesOf, countsOf, filePlan, patchOf, printPlan, sizeOf, type Changes } from "./plans.ts";
import { counted, note, print, progress } from "./terminal.ts";
import { visible } from "./table.ts";
import { fullName } from "./zones.ts";
import { inItsFile, textHash, warningsIn, type ZoneFile } from "./zone-files.ts";

/** Others whose records can be left as they are. */
export const owners = ["keys", "tokens", "external-dns", "acme"] as const;
export type Owner = (typeof owners)[number];

/** What a zone's file is planned with; the same input applies the plan. */
export interface PlanInput {
  id: string;
  zonefile: string;
  format: ZoneFile["format"];
  mode: "replace";
  ignore?: string[];
  leave?: Owner[];
  lenient?: true;
  ignoreOutOfZone?: true;
  unlock?: true;
}

/** The plan of one zone. */
export interface ZonePlan {
  /** The domain with its view. */
  domain: string;
  file: string;
  /** Null for a domain that is created first. */
  input: PlanInput | null;
  /** The file of a domain that is created first. */
  zone?: ZoneFile;
  /** Whether the records of a domain to create would need a review. */
  needsReview?: boolean;
  /** The zone at the provider of a domain to create. */
  providerZone?: string;
  planHash: string | null;
  plan: Changes & { warnings: readonly string[] };
  /** Whether only records were compared that the user may request changes of, by the call for it. */
  isRequest?: boolean;
  /** Number of records that were left as they are. */
  left: number;
  /** How much of the zone is deleted or replaced, in percent, as the server counts it for its threshold. */
  lossPercent: number;
}

/** Why a zone could not be planned or applied, a line each. */
export interface ZoneFailure {
  domain: string;
  file: string;
  reasons: string[];
  exitCode: number;
}

export interface PlanOptions {
  lenient?: true;
  unlock?: true;
  create?: true;
  /** Where domains are created; undefined: the server's zone files. */
  createdAt?: { id: string; name: string } | undefined;
  ignore?: string[];
  leave?: Owner[];
  /** What the plan is for. `either`: for requests, if the user may not make the changes. */
  plansFor: PlannedFor;
}

/** Whether changes are made or requested. Each has its own call, and takes its own rights. */
export type PlannedFor = "changes" | "requests" | "either";

/** Calls that compare whole zones count against a limit for each user. */
const atOnce = 8;

/** Runs a task for each item, eight at a time, until `isStopped` returns true. Returns the results in the order of the items. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  task: (item: Item, index: number) => Promise<Result>,
  isStopped: () => boolean = () => false,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length && !isStopped()) {
      const index = next++;
      const item = items[index];
      if (item !== undefined) results[index] = await task(item, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return results.filter(() => true);
}

/** A call was not made: it waited for its turn when the command was interrupted. */
export class NotBegun extends Error {}

/** Makes a call again when the server has had enough for a while. @param stop ends the wait @throws NotBegun if it does */
export async function patiently<Result>(call: () => Promise<Result>, stop?: AbortSignal): Promise<Result> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isZonewrightError(error) || error.code !== "TOO_MANY_REQUESTS" || error.retryAfterSeconds === undefined)
        throw error;
      await wait(error.retryAfterSeconds * 1000, undefined, stop ? { signal: stop } : {}).catch(() => {
        throw new NotBegun();
      });
    }
  }
}

function byDomain(one: { domain: string }, other: { domain: string }): number {
  return one.domain < other.domain ? -1 : 1;
}

/** Plans every zone by comparing its file on the server. */
export async function planZones(
  client: Client,
  zones: readonly ZoneFile[],
  options: PlanOptions,
): Promise<{ plans: ZonePlan[]; failures: ZoneFailure[] }> {
  const plans: ZonePlan[] = [];
  const failures: ZoneFailure[] = [];
  let done = 0;
  let hopeless: unknown = null;
  progress("zones compared", { done, total: zones.length });
  // A token that may only request changes lists no domains.
  const present = options.create || options.plansFor === "requests" ? null : await namesAmong(client, zones.length);
  await inParallel(
    zones,
    async (zone) => {
      try {
        const isAbsent = present !== null && isPlainName(zone.domain) && !present.has(bareName(zone.domain));
        plans.push(isAbsent ? await missingZone(client, zone, options) : await planZone(client, zone, options));
      } catch (error) {
        if (isAboutAll(error)) hopeless = error;
        const failure = await failureOf(zone, error);
        failures.push({ ...failure, reasons: failure.reasons.map((reason) => inItsFile(reason, zone)) });
      }
      progress("zones compared", { done: ++done, total: zones.length });
    },
    () => hopeless !== null,
  );
  progress("");
  if (hopeless !== null) throw hopeless;
  return { plans: plans.toSorted(byDomain), failures: failures.toSorted(byDomain) };
}

/** As many files as make it worth reading the list of domains first. */
const manyZones = 50;
const pageSize = 100;

/**
 * Returns the names of all domains that the caller may see, without views: fewer calls than one for each of many files.
 * @returns null if the list is not shorter, or changes while it is read: then each domain is asked for
 */
async function namesAmong(client: Client, zoneCount: number): Promise<Set<string> | null> {
  if (zoneCount < manyZones) return null;
  const ids = new Set<string>();
  const names = new Set<string>();
  let expected: number | null = null;
  for (let page = 1; expected === null || (page - 1) * pageSize < expected; page++) {
    const at = page;
    const { domains, total } = await patiently(() => client.domains.list.query({ page: at, limit: pageSize }));
    if (Math.ceil(total / pageSize) * 2 > zoneCount || total !== (expected ?? total)) return null;
    expected = total;
    for (const { id, name } of domains) {
      ids.add(id);
      names.add(name.toLowerCase());
    }
  }
  return ids.size === expected ? names : null;
}

function bareName(domain: string): string {
  return (domain.split("!")[0] ?? "").toLowerCase();
}

/** Returns whether a name has one spelling only. The server knows others by several. */
function isPlainName(domain: string): boolean {
  return /^[\w./-]+$/.test(bareName(domain));
}

/** Returns whether all other zones would fail alike: the token lacks a permission, or the server is too old to plan. */
export function isAboutAll(error: unknown): boolean {
  if (!isZonewrightError(error)) return false;
  if (isMissingCall(error)) return true;
  return error.code === "UNAUTHORIZED" || (error.code === "FORBIDDEN" && error.message.startsWith("This token lacks "));
}

async function planZone(client: Client, zone: ZoneFile, options: PlanOptions): Promise<ZonePlan> {
  if (options.plansFor === "requests") return await planRequest(client, zone, options);
  try {
    return await planChanges(client, zone, options);
  } catch (error) {
    if (!isForbidden(error)) throw error;
    const requested = await planRequest(client, zone, options).catch((other: unknown) => {
      throw isForbidden(other) || isMissingCall(other) ? error : other;
    });
    if (options.plansFor === "changes") throw isAboutAll(error) ? error : new Refused(await onlyByRequest(error));
    const { plan } = requested;
    return { ...requested, plan: { ...plan, warnings: [onlyRequests, ...plan.warnings] } };
  }
}

const onlyRequests =
  "You may only request changes here: add --request 'what it is for' to `zonewright apply`. Other records are not compared.";

/** Returns why changes are refused that the user may request. */
async function onlyByRequest(error: unknown): Promise<string[]> {
  return [`${(await explain(error)).text} You may request it: add --request 'what it is for'.`];
}

function isForbidden(error: unknown): boolean {
  return isZonewrightError(error) && error.code === "FORBIDDEN";
}

function isMissingCall(error: unknown): boolean {
  return isZonewrightError(error) && error.code === "NOT_FOUND" && error.message.startsWith("No procedure found");
}

/** Compares a file as a request for its changes would. Takes no other call, so no other permission. */
async function planRequest(client: Client, zone: ZoneFile, options: PlanOptions): Promise<ZonePlan> {
  const { domain, file } = zone;
  const given = inputFor({ id: domain }, zone, options);
  try {
    const answer = await patiently(() => client.changeRequests.planZonefile.mutate(given));
    const { domainId: id, domainName } = answer;
    const planned = planIn(answer);
    const warnings = warningsIn(zone, planned.plan.warnings);
    return {
      ...planned,
      domain: domainName,
      file,
      input: { ...given, id },
      isRequest: true,
      plan: { ...planned.plan, warnings },
    };
  } catch (error) {
    if (!isZonewrightError(error) || error.code !== "NOT_FOUND" || isMissingCall(error)) throw error;
    return await missingZone(client, zone, options);
  }
}

async function planChanges(client: Client, zone: ZoneFile, options: PlanOptions): Promise<ZonePlan> {
  const { domain, file } = zone;
  const found = await patiently(() => client.domainNamed(domain));
  if (found === null) return await missingZone(client, zone, options);
  const input = inputFor(found, zone, options);
  const planned = await comparison(client, input);
  const warnings = warningsIn(zone, planned.plan.warnings);
  return { domain: fullName(found), file, input, ...planned, plan: { ...planned.plan, warnings } };
}

/** Returns what compares a file with a domain, and what applies it. */
export function inputFor(
  { id }: Pick<Domain, "id">,
  { text, format, ignore: beside }: ZoneFile,
  { lenient, unlock, ignore = [], leave = [] }: Omit<PlanOptions, "plansFor">,
): PlanInput {
  return {
    id,
    // A file without anything is a zone without records, which the server does not take for one.
    zonefile: text === "" ? "\n" : text,
    format,
    mode: "replace",
    ...(beside.length + ignore.length > 0 ? { ignore: [...beside, ...ignore] } : {}),
    ...(leave.length > 0 ? { leave } : {}),
    ...(lenient ? { lenient } : {}),
    ...(format === "terraform" ? { ignoreOutOfZone: true as const } : {}),
    ...(unlock ? { unlock } : {}),
  };
}

/** Compares a text on the server. @param isRequest whether by the call for those who may request changes */
export async function comparison(
  client: Client,
  input: PlanInput,
  { isRequest = false, stop }: { isRequest?: boolean; stop?: AbortSignal } = {},
): Promise<Pick<ZonePlan, "plan" | "planHash" | "left" | "lossPercent">> {
  const call = isRequest ? client.changeRequests.planZonefile : client.records.planZonefile;
  return planIn(await patiently(() => call.mutate(input), stop));
}

function planIn({
  planHash,
  left,
  lossPercent,
  ...answer
}: Pick<RouterOutputs["records"]["planZonefile"], "planHash" | "left" | "lossPercent" | "plan" | "warnings">) {
  return { plan: filePlan(answer), planHash, left, lossPercent };
}

/** Plans a domain that does not exist yet. The server says whether it can be added, and with which records its zone would begin. */
export async function missingZone(client: Client, given: ZoneFile, options: PlanOptions): Promise<ZonePlan> {
  const { domain, file } = given;
  const { create, createdAt, plansFor } = options;
  if (!create) {
    const how = plansFor === "requests" ? "" : " Add --create to make it.";
    throw new Refused([`There is no domain ${domain}, or you may not see it.${how}`]);
  }
  const { id: _, mode: __, ...text } = inputFor({ id: "" }, given, options);
  const place = createdAt === undefined ? {} : { providerConfigId: createdAt.id };
  const answer = await patiently(() => client.domains.plan.mutate({ ...text, name: domain, ...place }));
  const planned = planIn(answer);
  const { needsReview, providerZone } = answer;
  const warnings = [
    `The domain ${domain} is created${createdAt === undefined ? "" : ` at ${createdAt.name}`}.`,
    ...(needsReview
      ? [`Records of ${domain} need a review, so \`zonewright apply\` needs --override to create it.`]
      : []),
    ...warningsIn(given, planned.plan.warnings),
  ];
  const plan = { ...planned.plan, warnings };
  return {
    ...planned,
    domain,
    file,
    input: null,
    planHash: hashOf(plan),
    zone: given,
    needsReview,
    providerZone,
    plan,
  };
}

/**
 * Returns why domains cannot be created together: at a provider without views, two views of a name would share one zone. The server knows it
 * only of domains that exist.
 */
export function sharedZones(plans: readonly ZonePlan[]): ZoneFailure[] {
  const first = new Map<string, string>();
  return plans.flatMap(({ domain, file, providerZone }) => {
    if (providerZone === undefined) return [];
    const other = first.get(providerZone);
    if (other === undefined) {
      first.set(providerZone, domain);
      return [];
    }
    const reason = `${domain} and ${other} would both be the zone ${providerZone} of their provider, which has no views. Leave one out with --only, or create it at another provider.`;
    return [{ domain, file, reasons: [reason], exitCode: 1 }];
  });
}

/** Returns a hash of a plan's changes, by which it is known again without the zone. */
function hashOf(plan: Changes): string {
  return textHash(JSON.stringify(changesOf(plan)));
}

/** Returns whether a plan has no change that another one lacks. */
export function isWithin(plan: Changes, shown: Changes): boolean {
  const known = new Set(changesOf(shown).map((change) => JSON.stringify(change)));
  return changesOf(plan).every((change) => known.has(JSON.stringify(change)));
}

class Refused extends Error {
  readonly reasons: string[];

  constructor(reasons: string[]) {
    super(reasons[0]);
    this.reasons = reasons;
  }
}

/** Returns why a zone failed, in sentences. */
export async function failureOf(
  { domain, file }: Pick<ZoneFile, "domain" | "file">,
  error: unknown,
): Promise<ZoneFailure> {
  if (error instanceof Refused) return { domain, file, reasons: error.reasons, exitCode: 1 };
  const { text, exitCode } = await explain(error);
  return { domain, file, reasons: text.split("\n"), exitCode };
}

/** Returns whether a plan changes something: creating a domain is a change also without records. */
export function isChange({ plan, input }: Pick<ZonePlan, "plan" | "input">): boolean {
  return sizeOf(plan) > 0 || input === null;
}

/** Sums up all plans. */
export function totalsOf(plans: readonly ZonePlan[]) {
  const changed = plans.filter(isChange);
  const created = changed.filter(({ input }) => input === null).length;
  const all: Changes = {
    creates: changed.flatMap(({ plan }) => plan.creates),
    updates: changed.flatMap(({ plan }) => plan.updates),
    deletes: changed.flatMap(({ plan }) => plan.deletes),
  };
  return {
    changed,
    counts: [
      ...(created === 0 ? [] : [`${counted(created, "domain")} to create`]),
      ...(created > 0 && sizeOf(all) === 0 ? [] : [`${created > 0 ? "records: " : ""}${countsOf(all)}`]),
    ].join("; "),
    creates: all.creates.length,
    updates: all.updates.length,
    deletes: all.deletes.length,
  };
}

function zones(count: number): string {
  return count === 1 ? "1 zone" : `${count} zones`;
}

/** Says what all plans come to, in one sentence. */
function summaryOf(plans: readonly ZonePlan[], failures: readonly ZoneFailure[]): string {
  const { changed, counts } = totalsOf(plans);
  const left = plans.reduce((sum, one) => sum + one.left, 0);
  const parts = [
    ...(changed.length > 0
      ? [`${changed.length} of ${zones(plans.length + failures.length)} would change: ${counts}`]
      : plans.length > 0 || failures.length === 0
        ? [`${zones(plans.length)}, no changes`]
        : []),
    ...(left > 0 ? [`${left === 1 ? "1 record was" : `${left} records were`} left to others`] : []),
    ...(failures.length > 0 ? [`${zones(failures.length)} could not be compared`] : []),
  ];
  return `${parts.join("; ")}.`;
}

/** Nobody reads more lines of failures than this. */
const mostLines = 100;

/** Returns a line for each reason why zones failed, and how many zones are left out. */
function failureLines(failures: readonly ZoneFailure[]): string[] {
  const shown = failures.slice(0, mostLines);
  const lines = shown.flatMap(({ file, reasons }) => reasons.map((reason) => `${file}: ${reason}`));
  const hidden = failures.length - shown.length;
  return hidden === 0 ? lines : [...lines, `${hidden} more could not be compared. --json lists all of them.`];
}

/** Prints the failures on standard error, with the file and each reason on a line. */
export function printFailures(failures: readonly ZoneFailure[]): void {
  for (const line of failureLines(failures)) note(line);
}

/** Prints the plans of changed zones as patches, and the summary. */
export function printPlans(plans: readonly ZonePlan[], failures: readonly ZoneFailure[]): void {
  for (const { domain, plan } of plans) {
    if (sizeOf(plan) > 0) printPlan(domain, plan);
    else for (const warning of plan.warnings) note(`Warning: ${domain}: ${warning}`);
  }
  print(summaryOf(plans, failures));
}

/** Returns what `--json` prints of a plan. */
export function zoneReport({ domain, file, plan, left, input }: ZonePlan) {
  const { warnings, reverse: reverseChanges = [] } = plan;
  return { domain, file, createsDomain: input === null, changes: changesOf(plan), reverseChanges, warnings, left };
}

/** By which a job finds its comment again, to replace it. */
const marker = "<!-- zonewright plan -->";

/** Returns the plans as Markdown for a comment in a merge request. */
export function markdownOf(plans: readonly ZonePlan[], failures: readonly ZoneFailure[]): string {
  const { changed } = totalsOf(plans);
  const quiet = plans.filter((one) => !isChange(one) && one.plan.warnings.length > 0);
  const failed =
    failures.length === 0
      ? []
      : [
          "**Errors**",
          "",
          ...fenced(
            failureLines(failures).map((line) => visible(line)),
            "",
          ),
        ];
  return [
    marker,
    "### Zonewright plan",
    "",
    summaryOf(plans, failures),
    "",
    ...failed,
    ...sectionsOf(changed),
    ...quiet.flatMap(({ domain, plan }) => warningsOf(plan.warnings.map((warning) => `${domain}: ${warning}`))),
  ]
    .join("\n")
    .trimEnd();
}

/** GitHub takes comments of 65,536 characters. */
const longestSections = 50_000;

/** Returns the sections of the plans that fit into a comment, and says how many do not. */
function sectionsOf(changed: readonly ZonePlan[]): string[] {
  const shown: string[] = [];
  let length = 0;
  let hidden = 0;
  for (const one of changed) {
    const section = sectionOf(one).join("\n");
    if (length + section.length > longestSections) hidden++;
    else {
      shown.push(section);
      length += section.length;
    }
  }
  const rest = `${zones(hidden)} too long to show here. \`zonewright plan\` prints every change.`;
  return hidden === 0 ? shown : [...shown, rest, ""];
}

function sectionOf(one: ZonePlan): string[] {
  const { domain, plan } = one;
  const patch = patchOf(plan).map(({ text, action }) => (action === "update" ? `!${text.slice(1)}` : text));
  const head = `<details><summary><b>${domain}</b>: ${totalsOf([one]).counts}</summary>`;
  return [head, "", ...fenced(patch), ...warningsOf(plan.warnings), "</details>", ""];
}

/** Puts lines into a code block that none of them can end. */
function fenced(lines: readonly string[], language = "diff"): string[] {
  let longest = 2;
  // A call takes no more than about 100,000 arguments.
  for (const line of lines) for (const [run] of line.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return [`${fence}${language}`, ...lines, fence, ""];
}

function warningsOf(warnings: readonly string[]): string[] {
  return warnings.length === 0
    ? []
    : [
        "Warnings:",
        "",
        ...fenced(
          warnings.map((warning) => visible(warning)),
          "",
        ),
      ];
}
