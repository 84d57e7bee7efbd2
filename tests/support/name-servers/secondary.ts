import { rm } from "node:fs/promises";
import { vi } from "vitest";
import { recordLines, type PresentedRecord } from "../records/presentation.ts";
import { patience } from "../patience.ts";
import { freePorts, type RunningProgram } from "../programs.ts";
import { dig } from "./dig.ts";
import { serverFolder, type ServerKey } from "./update-server.ts";

/** What a secondary on loopback transfers, and from where. */
export interface SecondaryOptions {
  primaryPort: number;
  /** Signs requests. Null: the address is enough. */
  key: ServerKey | null;
  zones?: readonly string[];
  catalog?: string | null;
  port?: number;
  folder?: string;
  /** BIND as a hosting company runs it: it transfers from this address of loopback, and is notified at another. */
  transfersFrom?: string;
  /** More statements in BIND's `options`. */
  bindOptions?: string;
  /** More statements in each of BIND's zones. */
  bindZone?: string;
}

/** A name server that transfers zones from Zonewright. */
export interface Secondary {
  readonly name: string;
  readonly port: number;
  readonly folder: string;
  /** Its log since its last start. */
  log(): string;
  /** The whole zone as it serves it; empty while it does not. */
  served(zone: string): Promise<PresentedRecord[]>;
  /** Does what an operator does after a zone was added. Nothing where a catalog zone lists it. */
  add(zone: string): Promise<void>;
  /** Does what an operator does after a zone was deleted. Nothing where a catalog zone lists it. */
  drop(zone: string): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again with what it stored. */
  restart(): Promise<void>;
  remove(): Promise<void>;
}

/** What all kinds of secondaries have in common. @param start starts the program and returns it when it answers */
export async function startSecondary(
  name: string,
  { port: givenPort, folder: givenFolder }: SecondaryOptions,
  start: (folder: string, port: number) => Promise<RunningProgram>,
): Promise<Secondary> {
  const folder = givenFolder ?? (await serverFolder(`${name}-secondary`));
  const port = givenPort ?? (await freePorts(1))[0] ?? 0;
  let program = await start(folder, port);
  return {
    name,
    port,
    folder,
    log: () => program.output(),
    served: (zone) => dig(port, "+tcp", `${zone}.`, "AXFR").catch(() => []),
    add: () => Promise.resolve(),
    drop: () => Promise.resolve(),
    async stop(signal = "SIGTERM") {
      await program.stop(signal);
    },
    async restart() {
      program = await start(folder, port);
    },
    async remove() {
      await program.stop("SIGKILL");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until a secondary serves exactly these lines of a zone, besides the SOA. */
export async function untilServed(
  secondary: Secondary,
  zone: string,
  wanted: readonly string[],
  timeout = patience.timeout,
): Promise<void> {
  const check = async () => {
    const served = recordLines(await secondary.served(zone));
    if (served.join("\n") === wanted.join("\n")) return;
    const counts = `${served.length} records of ${zone}, not the ${wanted.length} of the API`;
    throw new Error(
      `${secondary.name} serves ${counts}:\n${difference(served, wanted)}\n${secondary.log().slice(-1_500)}`,
    );
  };
  await vi.waitFor(check, { timeout, interval: 100 });
}

function difference(served: readonly string[], wanted: readonly string[]): string {
  const [one, other] = [new Set(served), new Set(wanted)];
  return [
    ...served.filter((line) => !other.has(line)).map((line) => `extra: ${line}`),
    ...wanted.filter((line) => !one.has(line)).map((line) => `missing: ${line}`),
  ]
    .slice(0, 10)
    .join("\n");
}
