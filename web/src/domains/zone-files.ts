import { parseZoneName } from "../../../server/dns/names/names.ts";
import { openText } from "../../../server/dns/formats/formats.ts";

/** Comments and directives that name the zone. */
const namings = [/^;+\s*Domain:\s*(\S+)/im, /^\$ORIGIN\s+(\S+\.\S*)/im];

/** Returns the owner of the SOA, if it stands whole in a text. */
function ownerOfSoa(text: string): string | undefined {
  for (const line of text.split("\n")) {
    const [owner = "", ...rest] = line.split(/\s+/);
    const isOwner = owner.includes(".") && !/^[;$@]/.test(owner);
    if (isOwner && rest.slice(0, 4).some((word) => word.toUpperCase() === "SOA")) return owner;
  }
  return undefined;
}

/** Returns the name of the zone in a file: as the file says, or else as the file is called. */
export function zoneNameOf(text: string, file: string): string {
  const head = text.slice(0, 20_000);
  const said = namings.map((naming) => naming.exec(head)?.[1]).find((name) => name !== undefined) ?? ownerOfSoa(head);
  const named = said ?? file.replace(/^db\./i, "").replace(/\.(?:txt|zone|db|dns|hosts?|bind|ya?ml|csv|tsv|tf)$/i, "");
  return named.replace(/\.$/, "").toLowerCase();
}

/** Returns how many records a text has for a zone, or what is wrong with it. */
export async function recordsIn(
  text: string,
  zone: string,
  inLine: (line: number, message: string) => string,
): Promise<{ count: number } | { error: string }> {
  const name = parseZoneName(zone);
  if (!name.ok) return { error: name.message };
  const opened = await openText(text, "auto");
  const reading = opened.ok ? await finished(opened.read({ zone: name.value })) : opened;
  if (reading.ok) return { count: reading.records.length };
  const [first] = reading.errors;
  return { error: first ? inLine(first.line, first.message) : "" };
}

/** Milliseconds of reading after which the page may draw and be used. */
const mostAtOnce = 20;

async function finished<Result>(steps: Generator<void, Result, void>): Promise<Result> {
  for (let from = performance.now(); ;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - from < mostAtOnce) continue;
    await new Promise((resolve) => setTimeout(resolve));
    from = performance.now();
  }
}
