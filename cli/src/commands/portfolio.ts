import { open, type FileHandle } from "node:fs/promises";
import { Option, type Command } from "commander";
import { isZonewrightError, type Client, type RouterInputs, type RouterOutputs } from "@zonewright/client";
import { decoded, mostBytes } from "../../../server/dns/formats/decoded.ts";
import { command, group, withJson } from "../command.ts";
import { connect } from "../credentials.ts";
import { exitCodes, Failure } from "../failure.ts";
import { heldPermissions } from "../held-permissions.ts";
import { domainsIn, followed, started, type Job } from "../jobs.ts";
import { uninterrupted } from "../plans.ts";
import {
  confirmed,
  counted,
  deliver,
  note,
  print,
  printFields,
  printJson,
  printRaw,
  printTable,
  readInput,
  readNamed,
  type Column,
} from "../terminal.ts";
import { domainNamed, fullName } from "../zones.ts";

type Finding = RouterOutputs["portfolio"]["findings"]["findings"][number];
type Imported = RouterOutputs["portfolio"]["import"];
type ImportedRow = Imported["rows"][number];
type ImportInput = RouterInputs["portfolio"]["startImport"];
type Registration = RouterOutputs["registrations"]["get"];
type Host = RouterOutputs["tlsHosts"]["get"]["hosts"][number];

export function portfolio(): Command {
  return group(
    "portfolio",
    "Check, export and import the table of domains",
    [check(), exportTable(), importTable()],
    "check",
  );
}

const findingColumns: readonly Column<Finding>[] = [
  { title: "domain", cell: fullName },
  { title: "severity", cell: ({ severity }) => severity },
  { title: "what is wrong", cell: ({ message }) => message },
];

function check(): Command {
  return withJson(
    command("check", "Report what is wrong with registrations", {
      more: "Covers all domains that you see as a whole, what harms most first. Exits with 2 if it finds something, and with 1 if the token lacks registrations:read and the rest is fine.",
      examples: [
        ["portfolio", "List expired names, names about to expire, broken delegations and open transfer locks."],
        ["portfolio check --json", "Print it for programs."],
      ],
    }),
  ).action(async ({ json }: { json?: true }) => {
    const client = await connect();
    const { findings, more, withoutRegistrations } = await client.portfolio.findings.query();
    if (json) printJson({ findings, more, withoutRegistrations });
    else printTable(findings, findingColumns, withoutRegistrations ? "No delegation is wrong." : "Nothing is wrong.");
    if (more) note("These are the first 100. More may appear once they are fixed.");
    if (withoutRegistrations)
      note("Expiry dates and transfer locks were not checked. Use a token with the permission registrations:read.");
    if (findings.length > 0) process.exitCode = exitCodes.pending;
    else if (withoutRegistrations) process.exitCode = exitCodes.error;
  });
}

function exportTable(): Command {
  return withJson(
    command("export", "Export the domains as a table", {
      more: "Writes CSV with expiry dates, registrars, costs, groups, tags and notes.",
      examples: [
        ["portfolio export > portfolio.csv", "Write a table for a spreadsheet."],
        ["portfolio export --output portfolio.csv", "Write it to a file."],
      ],
    }),
  )
    .option("-o, --output <file>", "write to this file instead of the standard output")
    .action(async ({ output, json }: { output?: string; json?: true }) => {
      const client = await connect();
      const { csv } = await client.portfolio.export.query({});
      await deliver(csv, output, json ? {} : null);
    });
}

interface ImportOptions {
  dateOrder?: "dmy" | "mdy" | "ymd";
  clear?: true;
  skipRefused?: true;
  undoTo?: string;
  dryRun?: true;
  yes?: true;
  message?: string;
  json?: true;
}

function importTable(): Command {
  return withJson(
    command("import <file>", "Import a table of domains", {
      more: "Takes CSV with a line that names the columns. Changes nothing before it has shown the plan. `-` reads the standard input. More than 100 domains, and any with --undo-to, are changed by a job of the server: Ctrl-C leaves it running, and `replace show`, `replace stop` and `replace undo` take its id.",
      examples: [
        ["portfolio import portfolio.csv --dry-run", "See what each row changes."],
        ["portfolio import renewals.csv --date-order dmy", "Say how dates such as 03/04/27 are written."],
        ["portfolio import portfolio.csv --undo-to before.csv", "Keep a table that takes the import back."],
        ["portfolio import before.csv --clear", "Take it back."],
      ],
    }),
  )
    .addOption(
      new Option("--date-order <order>", "order of day, month and year in dates such as 03/04/27").choices([
        "dmy",
        "mdy",
        "ymd",
      ]),
    )
    .option("--clear", "let empty cells clear what is known")
    .option("--skip-refused", "import the other rows if some are refused")
    .option("--undo-to <file>", "write a table that takes the import back, with --clear, to this file")
    .option("-m, --message <text>", "why you make the change; the audit trail keeps it")
    .option("-y, --yes", "do not ask")
    .option("--dry-run", "only show what would change; exits with 2 if something would")
    .action(async (file: string, options: ImportOptions) => {
      const csv = await tableIn(file);
      const client = await connect();
      const { dateOrder, clear, message, json } = options;
      const input = {
        csv,
        ...(dateOrder === undefined ? {} : { dateOrder }),
        ...(clear ? { emptyCells: "clear" as const } : {}),
      };
      const plan = await client.portfolio.import.mutate({ ...input, dryRun: true });
      if (json && options.dryRun) printJson(plan);
      if (!json) printPlan(plan);
      if (options.dryRun) {
        if (plan.changed + plan.refused > 0) process.exitCode = exitCodes.pending;
        return;
      }
      if (plan.refused > 0 && !options.skipRefused)
        throw new Failure(
          `${counted(plan.refused, "row")} cannot be imported. Correct the table, or add --skip-refused to import the others.`,
        );
      if (plan.changed === 0) {
        if (json) printJson(plan);
        return;
      }
      const about = `This changes ${counted(plan.changed, "domain")}.`;
      if (!options.yes && !(await confirmed(`${about} Go on?`, about))) throw new Failure("Nothing was changed.");
      // Before the change: an undo that cannot be kept is lost.
      await using undoFile = options.undoTo === undefined ? null : await openToWrite(options.undoTo);
      const applied = { ...input, planHash: plan.planHash, ...(message === undefined ? {} : { message }) };
      let isKeptBefore = false;
      const keepUndo = async (undo: string | null) => {
        // If nothing was changed in the end, what was kept at the beginning goes. What the file had before this import stays.
        if (undoFile === null || (undo === null && !isKeptBefore)) return true;
        isKeptBefore = true;
        return (await isWritten(undoFile, undo ?? "")) || undo === null;
      };
      const isJob = plan.changed > mostAtOnce || undoFile !== null;
      const byJob = isJob ? await importByJob(client, { plan, applied, keepUndo }) : null;
      const look = "`zonewright portfolio export` shows the present values.";
      const done = byJob ?? (await uninterrupted(client.portfolio.import.mutate(applied), look));
      const isKept = await keepUndo(done.undo);
      if (json) printJson(done);
      else if (!isKept) printRaw(done.undo ?? "");
      const changed = `Changed ${counted(done.changed, "domain")}.`;
      if (!isKept)
        throw new Failure(
          `${changed} ${options.undoTo} could not be written. The table that takes the import back is on the standard output: keep it.`,
        );
      if (!json) {
        const refusedBefore = new Set(plan.rows.flatMap(({ line, refusal }) => (refusal === null ? [] : [line])));
        const failed = done.rows.filter(({ line, refusal }) => refusal !== null && !refusedBefore.has(line));
        if (failed.length > 0) printTable(failed, rowColumns, "");
        note(changed);
        if (byJob && done.changed > 0) note(`To undo it: zonewright replace undo ${byJob.job.jobId}`);
      }
      if (byJob?.job.state === "stopped") throw new Failure(`The job was stopped. ${byJob.job.reason ?? ""}`.trim());
      if (done.refused > plan.refused)
        throw new Failure(
          `${counted(done.refused - plan.refused, "row")} could not be changed meanwhile. Import the table again.`,
        );
    });
}

/**
 * Imports that change more domains go on as a job, as in the console: proxies often end a call that takes longer than a minute. So do those
 * whose undo is kept: a job gives it out before it begins, and the call without one only in its answer, which may be lost.
 */
const mostAtOnce = 100;

interface JobOfImport {
  plan: Imported;
  applied: ImportInput;
  /** Takes the table that takes the import back, once the job has started and again when it has ended; null if nothing was changed. */
  keepUndo: (undo: string | null) => Promise<boolean>;
}

/**
 * Carries a plan out by a job of the server, and follows it. Returns what the call without a job would, with the job.
 * @returns null if the server is too old for it, or the token may not follow jobs
 */
async function importByJob(client: Client, { plan, applied, keepUndo }: JobOfImport) {
  if ((await heldPermissions(client, ["records:read"])).length === 0) return null;
  const begun = await startedJob(client, applied);
  if (begun === null) return null;
  const { jobId, undo } = begun;
  // Whoever interrupts the command has the table anyway.
  await keepUndo(undo);
  const job = await followed(client, jobId);
  const refusals = await refusalsOf(client, plan, job);
  const { done } = job.progress;
  return {
    ...plan,
    applied: true,
    changed: done,
    refused: plan.refused + plan.changed - done,
    rows: plan.rows.map((row) => {
      const refusal = refusals.get(row.line);
      return refusal === undefined ? row : { ...row, changes: [], warnings: [], refusal };
    }),
    undo: done === 0 || undo === null ? null : undoWithout(undo, plan, refusals),
    job,
  };
}

/** Starts the job. @returns null if the server is too old */
async function startedJob(client: Client, applied: ImportInput) {
  try {
    return await started(client.portfolio.startImport.mutate({ ...applied, undo: true }));
  } catch (error) {
    if (isZonewrightError(error) && error.message.startsWith("No procedure found")) return null;
    throw error;
  }
}

/** Returns why rows were not carried out, by line. */
async function refusalsOf(client: Client, plan: Imported, { jobId, progress }: Job): Promise<Map<number, string>> {
  // Domains that were deleted since the plan are missing in the job.
  const areMissing = progress.domains < plan.changed;
  const others = progress.done === plan.changed ? [] : (["failed", "skipped"] as const);
  const states = areMissing ? ([...others, "done"] as const) : others;
  const outcomes = new Map((await domainsIn(client, jobId, states)).map((domain) => [domain.domainId, domain]));
  const refusals = new Map<number, string>();
  for (const { line, domainId } of changingRows(plan)) {
    const outcome = outcomes.get(domainId ?? "");
    if (outcome ? outcome.state === "done" : !areMissing) continue;
    refusals.set(line, outcome ? (outcome.error ?? notBegun) : "The domain was deleted meanwhile.");
  }
  return refusals;
}

const notBegun = "The job was stopped before this domain.";

/** The rows of a plan that change something. */
function changingRows({ rows }: Imported): ImportedRow[] {
  return rows.filter(({ changes, refusal }) => refusal === null && changes.length > 0);
}

/** Returns the table that takes an import back without the rows that were not carried out. It has a row for each that was to be. */
function undoWithout(undo: string, plan: Imported, refusals: ReadonlyMap<number, string>): string {
  const [header = "", ...rows] = rowsOf(undo);
  const planned = changingRows(plan);
  return [header, ...rows.filter((_, index) => !refusals.has(planned[index]?.line ?? 0))].join("");
}

/** Returns the rows of a table in CSV as they stand there. Within quotes, a line break belongs to the row. */
function rowsOf(table: string): string[] {
  const rows: string[] = [];
  let lines: string[] = [];
  let isQuoted = false;
  for (const line of table.split("\r\n")) {
    lines.push(line);
    if (line.split('"').length % 2 === 0) isQuoted = !isQuoted;
    if (isQuoted) continue;
    rows.push(`${lines.join("\r\n")}\r\n`);
    lines = [];
  }
  // The table ends with a line break.
  return rows.slice(0, -1);
}

/** Opens a file without emptying it yet. @throws Failure */
async function openToWrite(file: string): Promise<FileHandle> {
  return await open(file, "a").catch((error: Error) => {
    throw new Failure(`${file} cannot be written (${error.message}). Nothing was changed.`);
  });
}

async function isWritten(file: FileHandle, text: string): Promise<boolean> {
  try {
    if ((await file.stat()).size > 0) await file.truncate();
    await file.writeFile(text);
    return true;
  } catch {
    return false;
  }
}

/** Reads a table as spreadsheets write files. @throws Failure */
async function tableIn(file: string): Promise<string> {
  if (file === "-") return await readInput();
  const read = decoded(await readNamed(file));
  if (read.ok && read.text === "") throw new Failure(`${file} is empty. Check that it was written.`);
  if (read.ok) return read.text;
  throw new Failure(
    read.why === "tooLarge"
      ? `${file} exceeds ${mostBytes / 1024 / 1024} MiB. Import it in parts.`
      : `${file} is not a text file. Save the table as CSV.`,
  );
}

const rowColumns: readonly Column<ImportedRow>[] = [
  { title: "line", cell: ({ line }) => String(line), alignRight: true },
  { title: "domain", cell: ({ name }) => name },
  { title: "change", cell: changeOf },
];

function changeOf({ changes, warnings, refusal }: ImportedRow): string {
  if (refusal !== null) return `refused: ${refusal.replace(/ Send [^.]* in `dateOrder`\./, " Add --date-order.")}`;
  const changed = changes.map(({ field, before, after }) => `${field}: ${before || "–"} → ${after || "–"}`).join(", ");
  return [changed, ...warnings].filter((part) => part !== "").join(". ");
}

function printPlan({ rows, changed, unchanged, refused, ignoredColumns }: Imported): void {
  printTable(rows, rowColumns, "There is nothing to change.");
  if (ignoredColumns.length > 0) note(`Columns that an import does not change: ${ignoredColumns.join(", ")}.`);
  note(`${changed} to change, ${unchanged} unchanged, ${refused} refused.`);
}

export function registration(): Command {
  return group("registration", "Show what is known of a registration", [show(), certificates()], "show");
}

function show(): Command {
  return withJson(
    command("show <domain>", "Show a domain's registration", {
      more: "Shows what the registrar, the registry and the parent zone say, and what to do.",
      examples: [["registration show example.com", "Show expiry, renewal, lock, name servers and DS records."]],
    }),
  ).action(async (name: string, { json }: { json?: true }) => {
    const client = await connect();
    const { id } = await domainNamed(client, name);
    const found = await client.registrations.get.query({ id });
    if (json) printJson(found);
    else printRegistration(found);
  });
}

const hostColumns: readonly Column<Host>[] = [
  { title: "host", cell: ({ host, port }) => `${host}:${port}` },
  { title: "valid until", cell: ({ notAfter }) => (notAfter === null ? "–" : day(notAfter)) },
  { title: "issuer", cell: ({ issuer }) => issuer ?? "–" },
  { title: "problem", cell: ({ error, checkedAt }) => error ?? (checkedAt === null ? "not checked yet" : "–") },
];

function certificates(): Command {
  return withJson(
    command("certificates <domain>", "Show the certificates of a domain's hosts", {
      more: "Lists the watched hosts as of the last check. Exits with 2 if a host shows no valid certificate, or one that should have been renewed. Hosts that are unreachable do not count. Hosts are chosen in the console.",
      examples: [["registration certificates example.com", "Show until when they are valid."]],
    }),
  ).action(async (name: string, { json }: { json?: true }) => {
    const client = await connect();
    const { id } = await domainNamed(client, name);
    const watched = await client.tlsHosts.get.query({ id });
    if (json) printJson(watched);
    else printTable(watched.hosts, hostColumns, "No host is watched.");
    if (watched.hosts.some(({ problem, endsSoon }) => endsSoon || (problem !== null && problem !== "unreachable")))
      process.exitCode = exitCodes.pending;
  });
}

function printRegistration({
  name,
  expiresAt,
  expirySource,
  registrar,
  registry,
  parent,
  findings,
}: Registration): void {
  printFields([
    ["registered name", name],
    ["expires", expiresAt === null ? "unknown" : `${day(expiresAt)} (${expirySource ?? "unknown"})`],
    ["registrar", registrar?.account ?? registry?.registrar ?? "unknown"],
    ...(registrar
      ? ([
          ["auto-renew", flag(registrar.autoRenew)],
          ["transfer lock", flag(registrar.locked)],
          ["name servers at the registrar", listed(registrar.nameServers)],
          ["DS records at the registrar", listed(registrar.ds)],
        ] as const)
      : []),
    ...(registry ? ([["status at the registry", listed(registry.statuses)]] as const) : []),
    ...(parent
      ? ([
          [`name servers in ${parent.zone}`, listed(parent.nameServers)],
          [`DS records in ${parent.zone}`, listed(parent.ds)],
        ] as const)
      : []),
  ]);
  for (const { severity, message } of findings) print(`${severity}: ${message}`);
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}

function flag(value: boolean | null): string {
  return value === null ? "unknown" : value ? "on" : "off";
}

function listed(values: readonly string[] | null): string {
  if (values === null) return "unknown";
  return values.length === 0 ? "none" : values.join(", ");
}
