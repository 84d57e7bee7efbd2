import { binary } from "../binaries.ts";
import { presentedRecords, type PresentedRecord } from "../records/presentation.ts";
import { mustRun } from "../programs.ts";

/** Asks the server on this port of loopback. @returns the answer section, without the SOA that a transfer ends with. */
export async function dig(port: number, ...query: string[]): Promise<PresentedRecord[]> {
  const printed = await mustRun(binary("dig"), [
    "@127.0.0.1",
    "-p",
    String(port),
    "+noall",
    "+answer",
    "+onesoa",
    "+noidnin",
    "+noidnout",
    "+norecurse",
    "+time=5",
    "+tries=3",
    ...query,
  ]);
  return presentedRecords(printed);
}
