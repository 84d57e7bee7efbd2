import type { Argument, Command } from "commander";
import { examplesOf, type Example } from "./command.ts";
import { fill } from "./table.ts";
import { helpColumns, styled } from "./terminal.ts";

/** Two columns need this much room for the right one; with less, each description has lines of its own. */
const leastBeside = 22;

/** Lays out a command's help for the terminal's width: no line is longer, unless a single word is. */
export const helpLayout = {
  showGlobalOptions: false,
  minWidthToWrap: 1,
  styleTitle: (title: string) => styled("bold", title),
  subcommandTerm: (sub: Command) => [sub.name(), ...sub.registeredArguments.map(argumentText)].join(" "),
  commandUsage(command: Command): string {
    const names: string[] = [];
    for (let at: Command | null = command; at; at = at.parent) names.unshift(at.name());
    const words = [...names, ...command.usage().split(" ")];
    return fill(words, helpColumns - "Usage: ".length).join("\n       ");
  },
  formatItem(term: string, termWidth: number, description: string): string {
    const beside = helpColumns - termWidth - 4;
    if (description !== "" && beside >= leastBeside) {
      const [first = "", ...rest] = fill(description.split(" "), beside);
      const indent = " ".repeat(termWidth + 4);
      return [`  ${term.padEnd(termWidth)}  ${first}`, ...rest.map((line) => indent + line)].join("\n");
    }
    const lines = fill(term.split(" "), helpColumns - 4).join("\n    ");
    const below =
      description === "" ? [] : fill(description.split(" "), helpColumns - 6).map((line) => `      ${line}`);
    return [`  ${lines}`, ...below].join("\n");
  },
};

function argumentText(argument: Argument): string {
  const shown = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${shown}>` : `[${shown}]`;
}

/** Returns what help says after the options of a command; an empty text for nothing. */
export function examplesText(command: Command): string {
  const given = examplesOf(command);
  if (given.length === 0) return "";
  return ["", styled("bold", "Examples:"), ...given.flatMap(exampleLines)].join("\n");
}

/** A call that is broken stays one that can be copied: between words of the shell, with a backslash. */
function exampleLines({ line, does }: Example): string[] {
  const calls = line.split("\n").flatMap((call) => {
    if (call.length <= helpColumns - 2) return [`  ${call}`];
    const lines = fill(shellWords(call, helpColumns - 6), helpColumns - 6);
    return lines.map((part, index) => `${index === 0 ? "  " : "    "}${part}${index < lines.length - 1 ? " \\" : ""}`);
  });
  return [...calls, ...fill(does.split(" "), helpColumns - 6).map((part) => `      ${part}`)];
}

/** Splits a line where a shell does, but keeps an option with its value if both fit into a line. */
function shellWords(line: string, width: number): string[] {
  const words: string[] = [];
  let option = false;
  for (const word of line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []) {
    const both = `${words.at(-1)} ${word}`;
    if (option && !/^[-|>&]/.test(word) && both.length <= width) words[words.length - 1] = both;
    else words.push(word);
    option = word.startsWith("-") && word !== "-";
  }
  return words;
}
