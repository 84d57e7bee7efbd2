import { open, type FileHandle } from "node:fs/promises";
import { Option, type Command } from "commander";
import type { Client, RouterInputs, RouterOutputs } from "@zonewright/client";
import { command, group, wholeNumber, withJson } from "../command.ts";
import { connect } from "../credentials.ts";
import { Failure } from "../failure.ts";
import { note, printJson, printTable, progress, type Column } from "../terminal.ts";
import { domainNamed, instant } from "../zones.ts";

type Entry = RouterOutputs["audit"]["list"]["entries"][number];
type Filters = Omit<NonNullable<RouterInputs["audit"]["export"]>, "format">;

export function audit(): Command {
  return group("audit", "List and export the audit trail", [list(), exportTrail()], "list");
}

const permission = "For administrators and auditors, with a token that has the permission audit:read.";

const columns: readonly Column<Entry>[] = [
  { title: "when (UTC)", cell: ({ at }) => instant(at) },
  { title: "who", cell: authorOf },
  { title: "action", cell: ({ action }) => action },
  { title: "target", cell: ({ targetName, targetId }) => targetName ?? targetId ?? "–" },
  { title: "domain", cell: ({ domainName, domainId }) => domainName ?? domainId ?? "–" },
  { title: "address", cell: ({ ip }) => ip ?? "–" },
  { title: "changed fields", cell: ({ before, after }) => changedFields(before, after).join(", ") },
];

function authorOf({ actorName, actorId, tsigKey, ip }: Entry): string {
  const nobody = actorId !== null ? "a deleted user" : ip === null ? "the service" : "a visitor";
  return `${actorName ?? nobody}${tsigKey === null ? "" : ` (key ${tsigKey})`}`;
}

function changedFields(before: Entry["before"], after: Entry["after"]): string[] {
  const fields = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...fields].filter((field) => JSON.stringify(before?.[field]) !== JSON.stringify(after?.[field]));
}

interface FilterOptions {
  user?: string;
  domain?: string;
  action?: string;
  targetType?: string;
  target?: string;
  from?: string;
  to?: string;
  before?: string;
}

function withFilters(made: Command): Command {
  return made
    .option("--user <user>", "only what this user did; a username or an id")
    .option("--domain <domain>", "only entries about this domain; a name, or an id if it was deleted")
    .option("--action <action>", "only this action, such as domain.update")
    .option("--target-type <type>", "only this type of target, such as domain")
    .option("--target <id>", "only entries with this target")
    .option(
      "--from <time>",
      "only entries at or after this time: 2027-03-01, 2027-03-01T12:00:00Z, or 7d for 7 days ago",
    )
    .option("--to <time>", "only entries before this time")
    .option("--before <id>", "go on with the entries older than this one");
}

function list(): Command {
  return withJson(
    withFilters(
      command("list", "List the audit trail", {
        more: `Shows sign-ins and changes, newest first. ${permission}`,
        examples: [
          ["audit", "List the newest 50 entries."],
          ["audit --user ada --from 7d", "List what a user did in the last seven days."],
          ["audit list --domain example.com --limit 500 --json", "Print up to 500 entries of a domain for programs."],
        ],
      }),
    ),
  )
    .option("--limit <number>", "how many", "50")
    .action(async ({ limit, json, ...options }: FilterOptions & { limit: string; json?: true }) => {
      const most = wholeNumber(limit, "--limit");
      if (most === 0) throw new Failure("--limit must be at least 1.");
      const client = await connect();
      const filters = await filtersOf(client, options);
      const entries: Entry[] = [];
      let more = false;
      for await (const page of pagesOf(client, filters, most)) {
        entries.push(...page.entries);
        ({ more } = page);
        if (entries.length >= most) break;
        progress(`${entries.length} entries …`);
      }
      progress("");
      if (json) printJson({ entries, more });
      else printTable(entries, columns, "There are no such entries.");
      const last = entries.at(-1);
      if (!json && more && last) note(`There are more. --before ${last.id} goes on, and --limit shows more at once.`);
    });
}

interface Page {
  entries: Entry[];
  /** Whether there are older ones. */
  more: boolean;
}

/** Yields the entries from the newest on. Each page goes on from the last entry, so that new ones shift nothing. */
async function* pagesOf(client: Client, filters: Filters, most: number): AsyncGenerator<Page, void, undefined> {
  let { before } = filters;
  for (let left = most; left > 0;) {
    const { entries, total } = await client.audit.list.query({
      ...filters,
      ...(before === undefined ? {} : { before }),
      limit: Math.min(left, 100),
      count: "false",
    });
    const more = total > entries.length;
    yield { entries, more };
    if (!more) return;
    before = entries.at(-1)?.id;
    left -= entries.length;
  }
}

interface ExportOptions extends FilterOptions {
  format: "csv" | "jsonl";
  output?: string;
  json?: true;
}

function exportTrail(): Command {
  return withJson(
    withFilters(
      command("export", "Export the audit trail", {
        more: `Writes all entries that match, newest first, however many there are. ${permission}`,
        examples: [
          ["audit export > audit.csv", "Write the whole trail as a table."],
          ["audit export --from 2027-01-01 --to 2028-01-01 --output 2027.csv", "Write a year to a file."],
          ["audit export --format jsonl --domain example.com", "Print a domain's entries, one JSON object a line."],
          ["audit export --output audit.csv --before <id>", "Go on with an export that broke off: adds to the file."],
        ],
      }),
    ),
  )
    .addOption(
      new Option("--format <format>", "a table, or one JSON object a line").choices(["csv", "jsonl"]).default("csv"),
    )
    .option("-o, --output <file>", "write to this file instead of the standard output; with --before, add to it")
    .action(async ({ format, output, json, ...options }: ExportOptions) => {
      if (json && output === undefined)
        throw new Failure(
          "--json describes the file that --output names. To print the entries as JSON, use --format jsonl, one object a line.",
        );
      const client = await connect();
      const filters = await filtersOf(client, options);
      // Who goes on with an export keeps what it wrote before it broke off.
      await using written = writerTo(output, options.before === undefined ? "w" : "a");
      let { before } = filters;
      try {
        for (let part = 1; ; part++) {
          const { content, next } = await client.audit.export.query({
            ...filters,
            ...(before === undefined ? {} : { before }),
            format,
          });
          if (!(await written.write(content))) return;
          if (next === null) break;
          before = next;
          progress(`Part ${part} is written …`);
        }
      } catch (error) {
        progress("");
        if (before !== filters.before) note(`The export is not complete. --before ${before} goes on from here.`);
        throw error;
      }
      progress("");
      if (json) printJson({ format, file: output });
      else if (output !== undefined) note(`Wrote ${output}.`);
    });
}

/** Writes to a file, or to the standard output. The file is opened by the first part: a call that is refused changes none. */
function writerTo(output: string | undefined, flags: "w" | "a") {
  let file: FileHandle | null = null;
  return {
    /** @returns whether somebody still reads */
    async write(text: string): Promise<boolean> {
      if (output === undefined) return await printed(text);
      file ??= await open(output, flags);
      await file.writeFile(text);
      return true;
    },
    async [Symbol.asyncDispose]() {
      await file?.close();
    },
  };
}

/** Prints a part and waits until it is taken. @returns whether somebody still reads */
async function printed(text: string): Promise<boolean> {
  return await new Promise((resolve) => {
    process.stdout.write(text, (error) => resolve(!error));
  });
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns the filters of the API. @throws Failure */
async function filtersOf(client: Client, options: FilterOptions): Promise<Filters> {
  const { user, domain, action, targetType, target, before } = options;
  for (const [option, id] of Object.entries({ "--target": target, "--before": before }))
    if (id !== undefined && !uuid.test(id)) throw new Failure(`${option} must be an id, as --json shows it.`);
  const [from, to] = [timeOf(options.from, "--from"), timeOf(options.to, "--to")];
  const filters: Filters = {
    ...(domain === undefined ? {} : { domainId: uuid.test(domain) ? domain : (await domainNamed(client, domain)).id }),
    ...(action === undefined ? {} : { action }),
    ...(targetType === undefined ? {} : { targetType }),
    ...(target === undefined ? {} : { targetId: target }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(before === undefined ? {} : { before }),
  };
  if (user === undefined) return filters;
  return { ...filters, ...(uuid.test(user) ? { actorId: user } : { actorName: user }) };
}

const agoUnits: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** Reads a day (from its start in UTC), a time, or how long ago. @throws Failure if it is none */
function timeOf(text: string | undefined, option: string): Date | undefined {
  if (text === undefined) return undefined;
  const [, count, unit = ""] = /^(\d{1,5})([mhdw])$/.exec(text) ?? [];
  if (count !== undefined) return new Date(Date.now() - Number(count) * (agoUnits[unit] ?? 0) * 1_000);
  const [, day] = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/i.exec(text) ?? [];
  // Else 30 February would be a day in March.
  const isDay = day !== undefined && new Date(`${day}T00:00Z`).toJSON()?.startsWith(day);
  const time = new Date(text.toUpperCase());
  if (isDay && !Number.isNaN(time.getTime())) return time;
  throw new Failure(
    `${option} must be a day such as 2027-03-01, a time such as 2027-03-01T12:00:00Z, or how long ago, such as 7d or 12h.`,
  );
}
