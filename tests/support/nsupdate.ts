import { spawn } from "node:child_process";
import { binary } from "./binaries.ts";
import type { UpdateServer } from "./update-server.ts";

/** Changes a zone as another program does. @param lines commands such as `add www.example.com. 300 A 192.0.2.1` @throws Error unless the server does it */
export async function sendUpdate({ port, key }: UpdateServer, zone: string, lines: readonly string[]): Promise<void> {
  const commands = [`server 127.0.0.1 ${port}`, `zone ${zone}.`, ...lines.map((line) => `update ${line}`), "send", ""];
  const child = spawn(binary("nsupdate"), ["-y", `${key.algorithm}:${key.name}:${key.secret}`]);
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  }
  child.stdin.end(commands.join("\n"));
  const exitCode = await new Promise((resolve) => child.once("close", resolve));
  if (exitCode !== 0) throw new Error(`nsupdate ended with ${String(exitCode)}: ${printed}`);
}
