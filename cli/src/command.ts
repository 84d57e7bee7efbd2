import { Command, Option } from "commander";
import { Failure } from "./failure.ts";

/** A call of a command that its help shows, and what it does. */
export interface Example {
  line: string;
  does: string;
}

const examples = new WeakMap<Command, readonly Example[]>();

/** Returns the examples of a command, for the pages made from the help. */
export function examplesOf(command: Command): readonly Example[] {
  return examples.get(command) ?? [];
}

/**
 * Makes a command. `line` is its name and arguments, such as `add <domain> [name...]`.
 * @param given each example as the line after `zonewright` and what it does
 */
export function command(
  line: string,
  summary: string,
  {
    more = "",
    examples: given = [],
  }: { more?: string; examples?: readonly (readonly [line: string, does: string])[] } = {},
): Command {
  const [name = "", ...parameters] = line.split(" ");
  const made = new Command(name).summary(summary).description(more === "" ? `${summary}.` : `${summary}. ${more}`);
  if (parameters.length > 0) made.arguments(parameters.join(" "));
  examples.set(
    made,
    given.map(([example, does]) => ({ line: `zonewright ${example}`, does })),
  );
  return made;
}

const usual = new WeakMap<Command, string>();

/** Makes a command that only groups others. @param unnamed the one that runs without a name */
export function group(line: string, summary: string, members: readonly Command[], unnamed: string): Command {
  const made = command(line, summary, { more: `Without a subcommand, it is \`${unnamed}\`.` });
  for (const member of members) made.addCommand(member, { isDefault: member.name() === unnamed });
  usual.set(made, unnamed);
  return made;
}

/** Returns the command of a group that runs without a name; null for none. */
export function usualOf(made: Command): string | null {
  return usual.get(made) ?? null;
}

/** Adds `--json`. */
export function withJson(made: Command): Command {
  return made.option("--json", "print JSON for programs");
}

/** The options of {@link withChanges}. */
export interface ChangeOptions {
  yes?: true;
  dryRun?: true;
  force?: true;
  unlock?: true;
  override?: true;
  message?: string;
  request?: string;
  json?: true;
}

/** Adds the options of a command that changes records. @param request whether it can ask for a review instead */
export function withChanges(made: Command, { request = false } = {}): Command {
  made
    .option("-m, --message <text>", "why you make the change; the history keeps it")
    .option("-y, --yes", "do not ask")
    .option("--dry-run", "only show what would change; exits with 2 if something would")
    .option("--force", "confirm a change beyond the safety threshold")
    .option("--unlock", "also change locked records (owner and administrators)")
    .option("--override", "skip the review that the domain requires (administrators; needs --message)");
  if (request) made.addOption(new Option("--request <title>", "ask for a review instead of changing anything"));
  return withJson(made);
}

/** What calls that change records take, of the options. */
export function changeInput({ message, force, unlock, override }: ChangeOptions): {
  message?: string;
  force?: true;
  unlock?: true;
  override?: true;
} {
  return {
    ...(message === undefined ? {} : { message }),
    ...(force ? { force } : {}),
    ...(unlock ? { unlock } : {}),
    ...(override ? { override } : {}),
  };
}

/** Reads a number of an option. @throws Failure if it is none */
export function wholeNumber(text: string, option: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new Failure(`${option} must be a whole number, such as 12.`);
  return Number(text);
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** Reads a TTL: seconds, or with a unit. @throws Failure if it is none */
export function ttlOf(text: string): number {
  const [, digits = "", unit = "s"] = /^(\d{1,10})([smhdw]?)$/i.exec(text) ?? [];
  if (digits === "") throw new Failure("--ttl must be seconds, such as 300, or have a unit: 5m, 1h, 1d, 1w.");
  return Number(digits) * (unitSeconds[unit.toLowerCase()] ?? 1);
}
