import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { CommandDescription } from "../../cli/src/commands/describe.ts";
import { generatedNote, page, table } from "./markdown.ts";

const root = join(import.meta.dirname, "../..");

/** Returns all commands of the command line, from its sources: the pages need no build. */
export async function describedCommands(): Promise<CommandDescription> {
  const args = ["--conditions=zonewright-source", "cli/src/main.ts", "describe"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, maxBuffer: 16 * 1024 * 1024 });
  return JSON.parse(stdout) as CommandDescription;
}

/** Returns the commands that do something. */
function leavesOf(one: CommandDescription): CommandDescription[] {
  return one.commands.length === 0 ? [one] : one.commands.flatMap(leavesOf);
}

const exitCodes = [
  ["0", "Done."],
  ["1", "Error: nothing was changed, unless the message says so."],
  ["2", "Changes are pending: `--dry-run`, `drift` or `reverse` found some."],
  ["3", "Refused by a safety threshold. Review the plan, then add `--force`."],
  ["130", "Interrupted by Ctrl-C."],
] as const;

const variables = [
  ["`ZONEWRIGHT_URL`", "Address of the server, such as `https://dns.example.com`. Wins over the stored one."],
  ["`ZONEWRIGHT_TOKEN`", "Personal token. Wins over the stored one."],
  ["`NO_COLOR`", "Any value: no colors."],
  ["`VISUAL`, `EDITOR`", "Editor of `records edit`. Default: `vi`, on Windows `notepad`."],
  ["`ZONEWRIGHT_TTY`", "A number of columns: prints and asks as on a terminal of that width."],
  ["`NODE_EXTRA_CA_CERTS`", "File with the certificate of your own authority."],
] as const;

/** The page on all commands. */
export function commandLinePage(program: CommandDescription): string {
  const leaves = leavesOf(program);
  const rows = leaves.map(({ name, summary }) => [`[${name}](#${anchorOf(name)})`, summary]);
  return page(
    generatedNote,
    "# Command line",
    "Look up every command of `zonewright`, its options and examples here. [The guide](../guide/command-line.md) shows how to work with it. `zonewright <command> --help` prints the same.",
    table(["command", "does"], rows),
    "## Exit codes",
    table(["code", "meaning"], exitCodes),
    "## Environment",
    table(["variable", "meaning"], variables),
    "## Commands",
    ...leaves.map(sectionOf),
  );
}

function anchorOf(name: string): string {
  return name.replaceAll(" ", "-");
}

function sectionOf({ name, description, usage, options, examples }: CommandDescription): string {
  const rows = options.map(({ flags, description: text, fallback }) => [
    `\`${flags}\``,
    fallback === null ? capital(text) : `${capital(text)} (default: \`${fallback}\`)`,
  ]);
  const lines = examples.map(({ line, does }) => `# ${does}\n${line}`);
  return [
    `### ${name}`,
    description.replaceAll("<", "\\<"),
    `\`${usage}\``,
    ...(rows.length === 0 ? [] : [table(["option", "meaning"], rows)]),
    `\`\`\`sh\n${lines.join("\n\n")}\n\`\`\``,
  ].join("\n\n");
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** The man page, in the macros of man(7). */
export function manPage(program: CommandDescription, version: string): string {
  const lines = [
    `.TH ZONEWRIGHT 1 "" "Zonewright ${version}" "User Commands"`,
    ".SH NAME",
    `zonewright \\- ${roff(program.description.replace(/^Manage/, "manage").replace(/\.$/, ""))}`,
    ".SH SYNOPSIS",
    ".B zonewright",
    roff("<command> [options]"),
    ".SH COMMANDS",
    ...leavesOf(program).flatMap(manSection),
    ".SH EXIT STATUS",
    ...exitCodes.flatMap(([code, meaning]) => [".TP", `.B ${code}`, roff(meaning)]),
    ".SH ENVIRONMENT",
    ...variables.flatMap(([name, meaning]) => [".TP", `.B ${roff(name)}`, roff(meaning)]),
    ".SH FILES",
    ".TP",
    ".I ~/.config/zonewright/credentials.json",
    roff(
      "The address and token that `zonewright login` stored; in XDG_CONFIG_HOME, ~/Library/Application Support or %APPDATA% where these apply.",
    ),
  ];
  return `${lines.join("\n")}\n`;
}

function manSection({ name, description, usage, options, examples }: CommandDescription): string[] {
  const listed = options.flatMap(({ flags, description: text }) => [".TP", `.B ${roff(flags)}`, roff(text)]);
  const shown = examples.flatMap(({ line, does }) => [".PP", roff(does), ".EX", `  ${roff(line)}`, ".EE"]);
  return [`.SS "${roff(name)}"`, roff(description), ".PP", `.B ${roff(usage)}`, ...listed, ...shown];
}

/** Text for roff: no request at the beginning of a line, hyphens that can be copied, no Markdown. */
function roff(text: string): string {
  return text
    .replaceAll("`", "")
    .replaceAll("\\", String.raw`\e`)
    .replaceAll("-", String.raw`\-`)
    .replaceAll("…", "...")
    .replaceAll("→", String.raw`\(->`)
    .replace(/^([.'])/, String.raw`\&$1`);
}
