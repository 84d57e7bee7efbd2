import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary } from "../binaries.ts";
import { mustRun } from "../programs.ts";
import type { UpdateServer } from "./update-server.ts";

/** Changes a zone as another program would: over TCP, signed. `lines` are `nsupdate` commands; the final `send` is added. */
export async function nsupdate(server: UpdateServer, zone: string, lines: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "zonewright-nsupdate-"));
  const { algorithm, name, secret } = server.key;
  const script = [
    `server 127.0.0.1 ${server.port}`,
    `zone ${zone}`,
    `key ${algorithm}:${name} ${secret}`,
    ...lines,
    "send",
    "",
  ];
  await writeFile(join(folder, "script"), script.join("\n"), { mode: 0o600 });
  await mustRun(binary("nsupdate"), ["-v", join(folder, "script")]);
  await rm(folder, { recursive: true });
}
