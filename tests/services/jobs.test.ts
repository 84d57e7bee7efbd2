import { expect, onTestFinished, test, vi } from "vitest";
import { createDatabase } from "../support/servers/postgres.ts";
import { startProgram, type RunningProgram } from "../support/programs.ts";

const script = new URL("./job-process.ts", import.meta.url).pathname;

async function start(database: string, mode: "finish" | "hang"): Promise<RunningProgram> {
  const options = { env: { PATH: process.env["PATH"] } };
  const program = await startProgram(process.execPath, [script, database, mode], /ready/, options);
  onTestFinished(async () => {
    await program.stop("SIGKILL");
  });
  return program;
}

test("a job run ended by kill -9 is repeated by another process with the same input", async () => {
  const database = await createDatabase(process.env["TEST_DATABASE_URL"] ?? "", "zonewright_jobs");
  const killed = await start(database, "hang");
  const asked = 'began {"zone":"kept.example"}';
  await vi.waitFor(() => expect(killed.output()).toContain(asked), { timeout: 60_000 });
  const other = await start(database, "finish");
  await killed.stop("SIGKILL");
  await vi.waitFor(() => expect(other.output()).toContain(`${asked}\ndone`), { timeout: 60_000, interval: 100 });
});
