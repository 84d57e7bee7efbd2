import type { Command } from "commander";
import { command, examplesOf, usualOf, withJson, type Example } from "../command.ts";
import { printJson } from "../terminal.ts";

/** A command as the reference and the man page show it. */
export interface CommandDescription {
  /** The words that call it, such as `zonewright records add`. */
  name: string;
  summary: string;
  description: string;
  usage: string;
  options: { flags: string; description: string; fallback: string | null }[];
  examples: readonly Example[];
  /** What `--help` prints. */
  help: string;
  /** The command that runs when none of `commands` is named; null for none. */
  usual: string | null;
  commands: CommandDescription[];
}

/** Prints all commands for the pages that are made from the help. Not listed in the help. @param wholeProgram all commands, loaded */
export function describe(wholeProgram: () => Promise<Command>): Command {
  return withJson(command("describe", "Print all commands as JSON")).action(async () => {
    printJson(descriptionOf(await wholeProgram(), ""));
  });
}

function descriptionOf(one: Command, above: string): CommandDescription {
  const name = `${above} ${one.name()}`.trim();
  return {
    name,
    summary: one.summary(),
    description: one.description(),
    usage: `${name} ${one.usage()}`,
    options: one.options.map(({ flags, description, defaultValue }) => ({
      flags,
      description,
      // The name of this machine is no fact of the reference.
      fallback: typeof defaultValue === "string" && !defaultValue.startsWith("zonewright on ") ? defaultValue : null,
    })),
    examples: examplesOf(one),
    help: helpOf(one),
    usual: usualOf(one),
    commands: one.commands.filter((sub) => sub.name() !== "describe").map((sub) => descriptionOf(sub, name)),
  };
}

function helpOf(one: Command): string {
  let help = "";
  one.configureOutput({ writeOut: (text) => void (help += text) });
  one.outputHelp();
  return help;
}
