import { Argument, type Command } from "commander";
import { command, usualOf, withJson } from "../command.ts";
import { printJson, printRaw } from "../terminal.ts";

const shells = ["bash", "zsh", "fish"] as const;

/** @param wholeProgram all commands, loaded */
export function completion(wholeProgram: () => Promise<Command>): Command {
  return withJson(
    command("completion", "Print a script that completes commands in your shell", {
      examples: [
        ["completion bash > ~/.local/share/bash-completion/completions/zonewright", "Install it for bash."],
        ['completion zsh > "${fpath[1]}/_zonewright"', "Install it for zsh."],
        ["completion fish > ~/.config/fish/completions/zonewright.fish", "Install it for fish."],
      ],
    }),
  )
    .addArgument(new Argument("<shell>", "your shell").choices(shells))
    .action(async (shell: (typeof shells)[number], { json }: { json?: true }) => {
      const words = vocabulary(await wholeProgram());
      const script = { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](words);
      if (json) printJson({ shell, script });
      else printRaw(script);
    });
}

/** What can follow a line of words. */
interface Words {
  /** The words so far, without `zonewright`: empty at the beginning. */
  path: string;
  words: { word: string; about: string }[];
}

function vocabulary(program: Command): Words[] {
  const list: Words[] = [];
  const visit = (at: Command, path: string) => {
    // The usual command of a group may be left out, but not its options.
    const usual = at.commands.find((sub) => sub.name() === usualOf(at));
    list.push({
      path,
      words: [
        ...at.commands
          .filter((sub) => sub.name() !== "describe")
          .map((sub) => ({ word: sub.name(), about: sub.summary() })),
        ...[...at.options, ...(usual?.options ?? [])].flatMap(({ long, description }) =>
          long ? [{ word: long, about: description }] : [],
        ),
        { word: "--help", about: "show this help" },
      ],
    });
    for (const sub of at.commands) if (sub.name() !== "describe") visit(sub, `${path} ${sub.name()}`.trim());
  };
  visit(program, "");
  return list;
}

/** Both shells know the words so far in the same way: those that no option takes. */
function cases(list: readonly Words[], answer: (words: Words["words"]) => string): string {
  return list.map(({ path, words }) => `    '${path}') ${answer(words)} ;;`).join("\n");
}

function bashScript(list: Words[]): string {
  const commands = list.map(({ path }) => `'${path}'`).join("|");
  return `# bash completion of zonewright
_zonewright() {
  local path='' word next
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${path:+$path }$word"
    case "$next" in ${commands}) path="$next" ;; esac
  done
  case "$path" in
${cases(list, (words) => `word='${words.map(({ word }) => word).join(" ")}'`)}
  esac
  COMPREPLY=($(compgen -W "$word" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _zonewright zonewright
`;
}

function zshScript(list: Words[]): string {
  const commands = list.map(({ path }) => `'${path}'`).join("|");
  const quoted = ({ word, about }: Words["words"][number]) =>
    `'${word}:${about.replaceAll("'", "'\\''").replaceAll(":", "\\:")}'`;
  return `#compdef zonewright
_zonewright() {
  local zw='' word next
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    next="\${zw:+$zw }$word"
    case "$next" in ${commands}) zw="$next" ;; esac
  done
  case "$zw" in
${cases(list, (words) => `found=(${words.map(quoted).join(" ")})`)}
  esac
  _describe 'zonewright' found || _files
}
# As a file of fpath, this is the function itself, which runs at the first Tab.
if [[ $funcstack[1] == _zonewright ]]; then _zonewright "$@"; else compdef _zonewright zonewright; fi
`;
}

function fishScript(list: Words[]): string {
  const lines = list.flatMap(({ path, words }) => {
    const below = words.filter(({ word }) => !word.startsWith("-")).map(({ word }) => word);
    const seen = path
      .split(" ")
      .filter((word) => word !== "")
      .map((word) => `__fish_seen_subcommand_from ${word}`);
    const none = below.length === 0 ? [] : [`not __fish_seen_subcommand_from ${below.join(" ")}`];
    const when = [...seen, ...none].join("; and ");
    return words.map(({ word, about }) => {
      const what = word.startsWith("--") ? `-l ${word.slice(2)}` : `-f -a ${word}`;
      return `complete -c zonewright ${when === "" ? "" : `-n ${fishQuoted(when)} `}${what} -d ${fishQuoted(about)}`;
    });
  });
  return `# fish completion of zonewright\n${lines.join("\n")}\n`;
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;
}
