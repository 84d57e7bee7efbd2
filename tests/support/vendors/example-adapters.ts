import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { programEnv, startProgram } from "../programs.ts";

const examples = join(import.meta.dirname, "../../../examples");

/** The adapters of `examples/`, and what runs them. */
const commands = {
  typescript: [process.execPath, join(examples, "webhook-typescript/adapter.ts")],
  python: ["python3", join(examples, "webhook-python/adapter.py")],
} as const;

export interface ExampleAdapter {
  /** A configuration of ours for it. */
  config: { url: string; token: string };
  stop(): Promise<void>;
}

/** Starts an adapter of `examples/` as its reader does, with no zones. */
export async function startExampleAdapter(language: keyof typeof commands): Promise<ExampleAdapter> {
  const folder = await mkdtemp(join(tmpdir(), "zonewright-adapter-"));
  const token = "token-of-the-example-adapter";
  const [program, script] = commands[language];
  const env = { ...programEnv, TOKEN: token, PORT: "0", FILE: join(folder, "zones.json") };
  const running = await startProgram(program, [script], /Listening on (http:\S+)/, { env });
  const [, url = ""] = running.ready;
  return {
    config: { url, token },
    async stop() {
      await running.stop("SIGTERM");
      await rm(folder, { recursive: true });
    },
  };
}
