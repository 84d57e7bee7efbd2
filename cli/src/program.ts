import { Command, CommanderError } from "commander";
import { commands } from "./commands.ts";
import { exitCodes, explain } from "./failure.ts";
import { examplesText, helpLayout } from "./help.ts";
import { fill } from "./table.ts";
import { closeInput, helpColumns, hideProgress, note, progress } from "./terminal.ts";

/** Commands that print until somebody ends them. */
const endless = new Set(["watch", "mcp"]);

/** Runs a command line, and sets the exit code. */
export async function run(given: readonly string[], version: string): Promise<void> {
  // A reader that has seen enough, such as `head`, is no failure. It ends what only prints; a change goes on to its end and its exit code.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      if (endless.has(given[0] ?? "")) process.exit(exitCodes.done);
    });
  }
  // `zonewright help records add` is `zonewright records add --help`.
  const asked = given[0] === "help" ? [...given.slice(1), "--help"] : [...given];
  const [name = "-"] = asked;
  // The help of a command that does not exist would be that of all.
  const line = name.startsWith("-") || commands.some((one) => one.name === name) ? asked : [name];
  try {
    const program = await programWith(line[0], version);
    if (line.length === 0) program.outputHelp();
    else await program.parseAsync(line, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode;
    else {
      progress("");
      const { text, exitCode } = await explain(error);
      note(text);
      process.exitCode = exitCode;
    }
  } finally {
    closeInput();
  }
}

/** Returns the program with the named command loaded, and only the summaries of the others. */
async function programWith(name: string | undefined, version: string): Promise<Command> {
  const load = async ({ load: loaded, ...entry }: (typeof commands)[number]) =>
    entry.name === name ? await loaded(() => wholeProgram(version)) : new Command(entry.name).summary(entry.summary);
  return assembled(await Promise.all(commands.map(load)), version);
}

/** Returns the program with all commands loaded, for the pages and completions made from it. */
async function wholeProgram(version: string): Promise<Command> {
  return assembled(await Promise.all(commands.map(({ load }) => load(() => wholeProgram(version)))), version);
}

/** @param members in the order of `commands` */
function assembled(members: readonly Command[], version: string): Command {
  const program = new Command("zonewright")
    .description("Manage domains and their DNS records on a Zonewright server.")
    .usage("<command> [options]")
    .version(version, "-V, --version", "print the version");
  for (const [index, member] of members.entries()) {
    program.addCommand(member, { hidden: commands[index]?.hidden === true });
  }
  program.hook("preAction", (_, called) => {
    if (called.opts()["json"]) hideProgress();
  });
  const after = [
    `Exit codes: ${exitCodes.done} done, ${exitCodes.error} error, ${exitCodes.pending} changes pending, ${exitCodes.refused} refused by a safety threshold.`,
    "Variables: ZONEWRIGHT_URL, ZONEWRIGHT_TOKEN, NO_COLOR.",
    "`zonewright <command> --help` shows examples of a command.",
  ];
  program.addHelpText("after", ["", ...after.flatMap((line) => fill(line.split(" "), helpColumns))].join("\n"));
  configure(program);
  return program;
}

/** Sets for a command and all below it how help and errors look. Commander passes settings only to commands that it makes itself. */
function configure(command: Command): void {
  command
    .exitOverride()
    .helpOption("-h, --help", "show this help")
    .helpCommand(false)
    .configureHelp(helpLayout)
    .configureOutput({
      getOutHelpWidth: () => helpColumns,
      outputError: (text, write) => write(sentence(text, command)),
    });
  const examples = examplesText(command);
  if (examples !== "") command.addHelpText("after", examples);
  for (const sub of command.commands) configure(sub);
}

/** Commander's messages as sentences that say where to look. */
function sentence(text: string, command: Command): string {
  const [, message = text] = /^error: (.*)$/s.exec(text.trim()) ?? [];
  const names: string[] = [];
  for (let at: Command | null = command; at; at = at.parent) names.unshift(at.name());
  const [first = "", ...rest] = message.replace(/\.$/, "").split("\n");
  const capital = first.charAt(0).toUpperCase() + first.slice(1);
  const hint = rest.length > 0 ? ` ${rest.join(" ").replace(/^\(|\)$/g, "")}` : "";
  return `${capital}.${hint} See \`${names.join(" ")} --help\`.\n`;
}
