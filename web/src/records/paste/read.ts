import type { FormatOptions, FormatReading } from "../../../../server/dns/formats/format.ts";
import { openText, type ReadableFormat } from "../../../../server/dns/formats/formats.ts";

export { readableFormats, type ReadableFormat } from "../../../../server/dns/formats/formats.ts";

/** Long work divided into small steps, as the model has it. */
export type Steps<Result> = Generator<void, Result, void>;

/** Work of the page between two looks at the keyboard, in milliseconds: far less than anybody notices. */
const slice = 25;

/** What was read of a text, and as which format. */
export type Read = FormatReading & { format: Exclude<ReadableFormat, "auto"> | null };

/** What a text's records meet at the zone's provider: read like that, they become what an import makes of them. */
export type AtProvider = Pick<FormatOptions, "defaultTtl" | "automaticTtl" | "supportsProxied">;

/** What is known of a kind of providers, for readers. @param kind null if it is not known: then what depends on it is read as elsewhere */
export function atProvider(
  kind: { minTtl: number; automaticTtl: number | null; supportsProxied: boolean } | null,
): AtProvider {
  if (kind === null) return {};
  const { minTtl, automaticTtl, supportsProxied } = kind;
  return { defaultTtl: Math.max(3600, minTtl), automaticTtl: automaticTtl ?? undefined, supportsProxied };
}

interface ReadOptions {
  /** The zone's name. */
  zone: string;
  format: ReadableFormat;
  lenient: boolean;
  provider?: AtProvider;
}

/** Reads the records of a text in slices, so that the page stays usable. Records outside the zone are counted. @throws the signal's reason */
export async function readText(
  text: string,
  { zone, format, lenient, provider }: ReadOptions,
  signal: AbortSignal,
): Promise<Read> {
  const opened = await openText(text, format);
  if (!opened.ok) return { ok: false, errors: opened.errors, format: null };
  const reading = await inSlices(opened.read({ zone, lenient, ignoreOutOfZone: true, ...provider }), signal);
  return { ...reading, format: opened.format };
}

/** Runs long work in slices; between them the page draws and hears keys. @throws the signal's reason */
export async function inSlices<Result>(steps: Steps<Result>, signal: AbortSignal): Promise<Result> {
  let until = performance.now() + slice;
  for (;;) {
    for (let left = 32; left > 0; left -= 1) {
      const { done, value } = steps.next();
      if (done) return value;
    }
    if (performance.now() < until) continue;
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
    until = performance.now() + slice;
  }
}

/** The text of a line, shortened, to show beside what is wrong with it. */
export function lineAt(text: string, line: number): string {
  let start = 0;
  for (let count = 1; count < line; count += 1) {
    const end = text.indexOf("\n", start);
    if (end === -1) return "";
    start = end + 1;
  }
  const end = text.indexOf("\n", start);
  const whole = text.slice(start, Math.min(end === -1 ? text.length : end, start + 200));
  return whole.length > 120 ? `${whole.slice(0, 120)}…` : whole.trimEnd();
}
