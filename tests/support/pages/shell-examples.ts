import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { outputDifferences } from "./documented-output.ts";

/** Commands of a page, and their output as documented in the comment right below them. */
export interface ShellStep {
  commands: string;
  /** Null if no output is documented. */
  reported: string | null;
}

/** Steps end at a blank line or with the comment that documents their output. A comment above a command only introduces it. */
export function shellSteps(code: string): ShellStep[] {
  const steps: ShellStep[] = [];
  let commands: string[] = [];
  let reported: string[] = [];
  const finish = () => {
    if (commands.length > 0) {
      steps.push({ commands: commands.join("\n"), reported: reported.length === 0 ? null : reported.join("\n") });
    }
    commands = [];
    reported = [];
  };
  for (const line of code.split("\n")) {
    const [, comment] = /^#(?: (.*))?$/.exec(line) ?? [];
    if (line === "") finish();
    else if (line.startsWith("#")) {
      if (commands.length > 0) reported.push(comment ?? "");
    } else {
      if (reported.length > 0) finish();
      commands.push(line);
    }
  }
  finish();
  return steps;
}

/** Ends the output of a step. */
const separator = "\u001e";

/**
 * Runs steps in one shell, in order.
 * @returns the output of each. @throws Error where a command fails
 */
export async function runShell(steps: readonly ShellStep[], folder: string): Promise<string[]> {
  const script = steps.map(({ commands }) => `${commands}\nprintf '${separator}'`).join("\n");
  const bash = spawn("bash", ["-euo", "pipefail", "-c", script], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<number | null>((resolve) => void bash.once("close", resolve));
  const [printed, errors, status] = await Promise.all([text(bash.stdout), text(bash.stderr), ended]);
  const outputs = printed.split(separator);
  const failed = steps[outputs.length - 1];
  if (status !== 0) throw new Error(`${failed?.commands}\nfails (${status}): ${errors}${outputs.at(-1)}`);
  return outputs.slice(0, steps.length);
}

/** What is wrong with the output of steps: it differs from the documented one, or an error is undocumented. */
export function wrongOutputs(steps: readonly ShellStep[], outputs: readonly string[]): string[] {
  return steps.flatMap(({ commands, reported }, index) => {
    const printed = outputs[index] ?? "";
    const wrong =
      reported !== null
        ? outputDifferences(reported, printed)
        : /"requestId":/.test(printed)
          ? [`fails: ${printed}`]
          : [];
    return wrong.length === 0 ? [] : [[commands, ...wrong].join("\n")];
  });
}
