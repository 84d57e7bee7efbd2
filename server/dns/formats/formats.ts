import { loadedLate } from "../../platform/late-modules.ts";
import type { Steps } from "../../platform/slices.ts";
import { isProviderType } from "../zone-file/type-names.ts";
import { isVendorType, printingInPieces } from "../zone-file/write.ts";
import { firstRow, readCsv, readTsv, separatorOf } from "./csv.ts";
import { isHeader, isRecordRow } from "./csv-columns.ts";
import type { FormatContent, FormatOptions, FormatReader, FormatReading, FormatWriter } from "./format.ts";
import { octodnsTypes } from "./octodns-types.ts";
import { looksLikeTerraform, readTerraform } from "./terraform.ts";
import { looksLikeDig, readDig } from "./dig.ts";
import { readDialect } from "./zone-file.ts";

interface Format {
  /** Returns whether a text that begins so is in this format. Without it, a text must be said to be. */
  detect?: (head: string) => boolean;
  reader?: () => Promise<FormatReader>;
  writer?: () => Promise<FormatWriter>;
  /** Returns whether the format can have an active record of this type, so that its absence from a text says something. */
  holds: (recordType: string) => boolean;
}

// Most are rarely used, and octoDNS's brings a reader of YAML.
const loadOctodns = loadedLate(() => import("./octodns.ts"));
const loadOctodnsWriter = loadedLate(() => import("./octodns-write.ts"));
const loadTerraformWriter = loadedLate(() => import("./terraform-write.ts"));
const loadCsvWriter = loadedLate(() => import("./csv-write.ts"));
const loadDnscontrolWriter = loadedLate(() => import("./dnscontrol-write.ts"));

/** Every format, those that are recognized by a sign before zone files, which have none. */
const formats = {
  dig: {
    detect: looksLikeDig,
    reader: () => Promise.resolve(readDig),
    holds: (recordType) => !isVendorType(recordType),
  },
  octodns: {
    detect: (head) => /^(?:---\s*$|(?:'[^']*'|"[^"]*"|[^\s#;,:{}[\]"']+):\s*(?:#.*)?$)/.test(firstLine(head)),
    reader: async () => (await loadOctodns()).readOctodns,
    writer: async () => (await loadOctodnsWriter()).writeOctodns,
    holds: (recordType) => octodnsTypes.has(recordType),
  },
  terraform: {
    detect: looksLikeTerraform,
    reader: () => Promise.resolve(readTerraform),
    writer: async () => (await loadTerraformWriter()).writeTerraform,
    holds: (recordType) => !isProviderType(recordType),
  },
  csv: {
    detect: (head) => {
      const separator = separatorOf(head);
      const row = firstRow(head, separator);
      // A zone file often begins with a comment.
      return !/^\s*;/.test(head) && (isHeader(row) || (separator === "," && isRecordRow(row)));
    },
    reader: () => Promise.resolve(readCsv),
    writer: async () => (await loadCsvWriter()).writeCsv,
    holds: () => true,
  },
  tsv: {
    // Without a header, a table with tabs looks like a zone file.
    detect: (head) => isHeader(firstRow(head, "\t")),
    reader: () => Promise.resolve(readTsv),
    writer: async () => (await loadCsvWriter()).writeTsv,
    holds: () => true,
  },
  dnscontrol: {
    writer: async () => (await loadDnscontrolWriter()).writeDnscontrol,
    holds: () => true,
  },
  zonefile: {
    reader: () => Promise.resolve(readDialect),
    writer: () => Promise.resolve(printingInPieces),
    holds: (recordType) => !isVendorType(recordType),
  },
} satisfies Record<string, Format>;

type FormatName = keyof typeof formats;

/** The formats that zones can be read from. `auto` recognizes one by its content. */
export const readableFormats = ["auto", "zonefile", "dig", "octodns", "csv", "tsv", "terraform"] as const;
export type ReadableFormat = (typeof readableFormats)[number];

/** The formats that zones can be written in. */
export const writableFormats = [
  "zonefile",
  "octodns",
  "csv",
  "tsv",
  "terraform",
  "dnscontrol",
] as const satisfies readonly FormatName[];
export type WritableFormat = (typeof writableFormats)[number];

/** What is known of a text before it is read. */
export type OpenedText =
  | {
      ok: true;
      format: Exclude<ReadableFormat, "auto">;
      holds: Format["holds"];
      read: (options: FormatOptions) => Steps<FormatReading>;
    }
  | { ok: false; errors: { line: number; message: string }[] };

/** Signs and headers are near the beginning. */
const headLength = 16_384;

/** Recognizes the format of a text if it is not given, and loads its reader. */
export async function openText(text: string, given: ReadableFormat): Promise<OpenedText> {
  const head = text.slice(0, headLength);
  const name = given === "auto" ? recognized(head) : given;
  const foreign = given === "auto" && name === "zonefile" ? foreignFormat(head) : null;
  if (foreign !== null) {
    const message = `This is ${foreign}, not a zone file. Export the zone as a zone file, often called BIND format.`;
    return { ok: false, errors: [{ line: 1, message }] };
  }
  const { reader, holds }: Format = formats[name];
  if (!reader) throw new TypeError(`${name} cannot be read`);
  const read = await reader();
  return { ok: true, format: name, holds, read: (options) => read(text, options) };
}

/** Writes a zone in one of the {@link writableFormats}, in pieces. */
export async function writingIn(format: WritableFormat, content: FormatContent): Promise<Steps<string[]>> {
  return (await formats[format].writer())(content);
}

function recognized(head: string): Exclude<ReadableFormat, "auto"> {
  const names = readableFormats.filter((name) => name !== "auto");
  return names.find((name) => (formats[name] as Format).detect?.(head) === true) ?? "zonefile";
}

/** Returns the first line that is neither blank nor a comment with `#`. */
function firstLine(head: string): string {
  for (const line of head.replace(/^\uFEFF/, "").split("\n")) {
    const text = line.trimEnd();
    if (text.trim() !== "" && !text.trimStart().startsWith("#")) return text;
  }
  return "";
}

/** Returns the name of a format that cannot be read, or null. */
function foreignFormat(head: string): string | null {
  const start = head.slice(0, 1000).trimStart();
  if (/^[{[]\s*(?:["{[\]}]|$)/.test(start)) return "JSON";
  return /^<(?:!doctype|html|\?xml)/i.test(start) ? "HTML or XML" : null;
}
