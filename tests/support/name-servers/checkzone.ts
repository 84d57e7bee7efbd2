import { binary } from "../binaries.ts";
import { presentedRecords, type PresentedRecord } from "../records/presentation.ts";
import { run } from "../programs.ts";

export interface CheckedZone {
  serial: number;
  /** All records, the SOA among them, as BIND prints them. */
  records: PresentedRecord[];
}

/**
 * Reads a zone file with BIND's `named-checkzone`, which looks at the file alone: no look-ups of hosts elsewhere.
 * @throws Error with what it says against the file.
 */
export async function checkZone(zone: string, file: string): Promise<CheckedZone> {
  const { exitCode, stdout, stderr } = await run(binary("named-checkzone"), [
    "-i",
    "local",
    "-D",
    "-o",
    "-",
    zone,
    file,
  ]);
  // The zone goes to standard output, so messages go to standard error.
  if (exitCode !== 0) throw new Error(`named-checkzone refuses ${file}:\n${stderr}`);
  const records = presentedRecords(stdout);
  const serial = Number(records.find(({ type }) => type === "SOA")?.rdata.split(" ")[2]);
  return { serial, records };
}
