import { spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { builtCli } from "./cli.ts";
import { programEnv } from "./programs.ts";

/** `zonewright login` while it waits for its user. */
export interface WaitingLogin {
  /** The address to open, or the code to type. */
  shown: string;
  /** Ends with its exit code and what it printed. */
  ended: Promise<{ exitCode: number | null; stderr: string }>;
}

interface LoginOptions {
  url: string;
  /** Where it stores credentials. */
  folder: string;
  args?: readonly string[];
  env?: Record<string, string>;
}

/** Starts `zonewright login` and waits until it shows the address of its page or, with `--device`, its code. */
export async function startLogin({ url, folder, args = [], env = {} }: LoginOptions): Promise<WaitingLogin> {
  const child = spawn(process.execPath, [await builtCli(), "login", "--url", url, ...args], {
    env: { ...programEnv, HOME: folder, XDG_CONFIG_HOME: folder, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill());
  let stderr = "";
  const shown = new Promise<string>((resolve) => {
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
      const [, found] = /^ {2}(\S+)\n/m.exec(stderr) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  const ended = once(child, "close").then(([exitCode]) => ({ exitCode: exitCode as number | null, stderr }));
  return { shown: await shown, ended };
}
