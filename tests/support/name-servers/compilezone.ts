import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary } from "../binaries.ts";
import { run } from "../programs.ts";

/** Checks only the file itself, not BIND's rules on hosts and policies. */
const checksOff = ["-i", "none", ..."knmMSrT".split("").flatMap((option) => [`-${option}`, "ignore"])];

/**
 * A master file as BIND's `named-compilezone` writes it: sorted, whole, one record a line. Names are in small letters and the SOA is without
 * its serial, so that files that mean the same give the same lines.
 * @throws Error with what it says against the file.
 */
export async function compiledZone(zone: string, text: string | Buffer): Promise<string[]> {
  return await withFile(text, async (file) => {
    const { exitCode, stdout, stderr } = await run(binary("named-compilezone"), [
      ...checksOff,
      "-s",
      "full",
      "-o",
      "-",
      zone,
      file,
    ]);
    if (exitCode !== 0) throw new Error(`named-compilezone refuses ${zone}:\n${stderr}\n${stdout}`);
    return stdout
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith(";"))
      .map(comparable);
  });
}

/** Whether Knot's `kzonecheck` accepts a master file. */
export async function knotAccepts(zone: string, text: string | Buffer): Promise<{ accepted: boolean; said: string }> {
  return await withFile(text, async (file) => {
    const { exitCode, stdout, stderr } = await run(binary("kzonecheck"), ["-d", "off", "-o", zone, file]);
    return { accepted: exitCode === 0, said: stdout + stderr };
  });
}

async function withFile<T>(text: string | Buffer, work: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "zonewright-compile-"));
  try {
    const file = join(folder, "zone");
    await writeFile(file, text);
    return await work(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function comparable(line: string): string {
  const words = line.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? [];
  const type = words[3];
  return words
    .filter((_, index) => type !== "SOA" || index !== 6)
    .map((word) => (word.endsWith(".") || (type === "CAA" && !word.startsWith('"')) ? word.toLowerCase() : word))
    .join(" ");
}
