import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { domainToASCII } from "node:url";
import { terraformZones } from "../../server/dns/formats/terraform.ts";
import { Failure } from "./failure.ts";
import { textOf } from "./terminal.ts";

/** The formats of files, by how their names end. */
const formats = {
  ".zone": "zonefile",
  ".yaml": "octodns",
  ".yml": "octodns",
  ".csv": "csv",
  ".tsv": "tsv",
  ".tf": "terraform",
} as const;

type FileFormat = (typeof formats)[keyof typeof formats];

/** A zone as a file has it. */
export interface ZoneFile {
  file: string;
  /** The domain, with its view: `example.com!internal`. */
  domain: string;
  format: FileFormat;
  text: string;
  /** Patterns of records that are not the file's, from the ignore file beside it. */
  ignore: string[];
  /** The files of which the text is made, with the first line of each in it. Left out: `file` alone. */
  parts?: { file: string; from: number }[];
  /** The other zones of the same text, which are compared by themselves. */
  others?: readonly string[];
}

/** Says in which of its files the lines of a zone are that a message begins with. */
export function inItsFile(message: string, { parts }: Pick<ZoneFile, "parts">): string {
  if (!parts) return message;
  const placed = (line: string, between: string) => {
    const part = parts.findLast(({ from }) => from <= Number(line));
    return part ? `${basename(part.file)}${between}${Number(line) - part.from + 1}` : line;
  };
  return message
    .replace(/^Line (\d+)(?=:)/, (_, line: string) => placed(line, ", line "))
    .replace(/^Lines [\d, andmore]+(?=:)/, (lines) =>
      lines.replaceAll(/\d+/g, (line, at: number) =>
        // "and 4 more" counts lines.
        lines.startsWith(" more", at + line.length) ? line : placed(line, ":"),
      ),
    );
}

/** Returns the warnings about a text in words about its files, without those about zones that are compared anyway. */
export function warningsIn(zone: ZoneFile, warnings: readonly string[]): string[] {
  const others = new Set(zone.others);
  return warnings
    .filter(
      (warning) => !others.has(/: Records of other zones, such as (\S+), are left out\.$/.exec(warning)?.[1] ?? ""),
    )
    .map((warning) => inItsFile(warning, zone));
}

/** Name of the file with patterns beside the zones. */
const ignoreFile = ".zonewrightignore";

const ends = Object.keys(formats).join(", ");

/**
 * Finds the zones in files and folders, and in the folders below.
 * @param only the zones that are read, as `--only` takes them; of the others their names are enough
 * @returns the chosen zones in order, and names of files that look like zones but are none
 * @throws Failure if there are none, none is chosen, or a zone is in two files
 */
export async function zoneFilesIn(
  paths: readonly string[],
  only: readonly string[] = [],
): Promise<{ zones: ZoneFile[]; skipped: string[] }> {
  const files: string[] = [];
  const skipped: string[] = [];
  for (const path of paths) {
    if ((await stat(path)).isDirectory()) files.push(...(await filesBelow(path)));
    else if (formatOf(path)) files.push(path);
    else throw new Failure(`${path} is not a zone. Its name must end in ${ends}, such as example.com.zone.`);
  }
  const zones: (Pick<ZoneFile, "domain" | "file"> & { read: () => Promise<ZoneFile> })[] = [];
  // A zone's records may be in several files of a folder, so one of them alone would delete those of the others.
  const moduleFiles = [...new Set(files.filter(isModuleFile))];
  for (const folder of new Set(moduleFiles.map((file) => dirname(file)))) {
    const named = moduleFiles.filter((file) => dirname(file) === folder);
    const parts = (await filesBelow(folder, { deep: false })).filter(isModuleFile);
    const module = await terraformModule(folder, parts, named);
    if (module.length === 0) skipped.push(...named);
    for (const zone of module) {
      const { domain, file } = zone;
      zones.push({ domain, file, read: () => Promise.resolve(zone) });
    }
  }
  for (const file of new Set(files)) {
    const format = formatOf(file);
    if (!format) continue;
    const name = zoneOfFile(file);
    const isNamed = isDomainName(name);
    if (!isNamed) {
      if (format !== "terraform") skipped.push(file);
      continue;
    }
    const domain = name.toLowerCase();
    const read = async () => {
      const text = await readZone(file);
      return { file, domain, format, text, ignore: await ignoredBeside(file, domain) };
    };
    zones.push({ file, domain, read });
  }
  refuseTwice(zones);
  const nameless = skipped.find((file) => formatOf(file) === "terraform");
  if (zones.length === 0 && nameless !== undefined) {
    throw new Failure(
      `${nameless} names no zone by a literal value. Write the zone's name in its resource, or name the file after its zone: example.com.tf.`,
    );
  }
  if (zones.length === 0) {
    throw new Failure(
      `There are no zones in ${paths.join(", ")}. A zone is a file such as example.com.zone; other ends are ${ends}.`,
    );
  }
  const chosen = zones.filter(({ domain }) => isChosen(domain, only));
  if (chosen.length === 0) throw new Failure(`No zone in ${paths.join(", ")} is called ${only.join(" or ")}.`);
  const read: ZoneFile[] = [];
  for (const zone of chosen.toSorted((one, other) => (one.domain < other.domain ? -1 : 1)))
    read.push(await zone.read());
  return { zones: read, skipped };
}

/**
 * Returns the zones of Terraform files in one folder, which are one text: records name a zone that another of the files may declare.
 * @param named the files whose zones are returned; the records of these zones may be in the others, too
 * @returns none if no named file names a zone
 */
async function terraformModule(
  folder: string,
  files: readonly string[],
  named: readonly string[],
): Promise<ZoneFile[]> {
  const parts: { file: string; from: number }[] = [];
  let text = "";
  let lines = 0;
  for (const file of files) {
    const read = await readZone(file);
    const ended = read === "" || read.endsWith("\n") ? read : `${read}\n`;
    parts.push({ file, from: lines + 1 });
    text += ended;
    lines += ended.split("\n").length - 1;
  }
  const [first = folder] = files;
  const place = files.length === 1 ? { file: first } : { file: folder, parts };
  const zones: ZoneFile[] = [];
  const names = new Set(named.map((file) => basename(file)));
  const isNamed = (line: number) => names.has(basename(parts.findLast(({ from }) => from <= line)?.file ?? ""));
  const others = zonesOfTerraform(text);
  for (const domain of zonesOfTerraform(text, isNamed)) {
    zones.push({
      ...place,
      others,
      domain,
      format: "terraform",
      text,
      ignore: await ignoredBeside(first, domain),
    });
  }
  return zones;
}

/** Returns whether a file is Terraform without a zone of its own: one of the files of its folder. */
function isModuleFile(file: string): boolean {
  return formatOf(file) === "terraform" && !isDomainName(zoneOfFile(file));
}

async function filesBelow(folder: string, { deep = true }: { deep?: boolean } = {}): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.name.startsWith(".") || entry.name === "node_modules") return [];
      if (entry.isDirectory()) return deep ? await filesBelow(path) : [];
      if (!formatOf(path)) return [];
      // Zones with the same records may be links to one file.
      const isFile = entry.isSymbolicLink() ? (await stat(path)).isFile() : entry.isFile();
      return isFile ? [path] : [];
    }),
  );
  return found.flat().toSorted();
}

function formatOf(file: string): FileFormat | null {
  const end = extname(file).toLowerCase();
  return Object.hasOwn(formats, end) ? formats[end as keyof typeof formats] : null;
}

/** Bytes of the largest body that the server takes. A text is longer there, not shorter. */
const largestZone = 16 * 2 ** 20;

/** @throws Failure if the server takes no such file */
async function readZone(file: string): Promise<string> {
  const { size } = await stat(file);
  if (size > largestZone)
    throw new Failure(`${file} has ${Math.ceil(size / 2 ** 20)} MiB. The server takes zones of up to 16 MiB.`);
  return textOf(file, await readFile(file));
}

/** Returns the zone that a file is named after. No file name has a slash: `%2f` stands for that of a classless zone (RFC 2317). */
function zoneOfFile(file: string): string {
  return withSlash(basename(file, extname(file)));
}

function withSlash(name: string): string {
  return name.replaceAll(/%2f/gi, "/");
}

/** Returns the name of a zone's file. @param end such as `.zone` */
export function fileOfZone(domain: string, end: string): string {
  return `${domain.replaceAll("/", "%2f")}${end}`;
}

function isDomainName(name: string): boolean {
  const [zone = "", view, ...more] = name.split("!");
  const isView = view === undefined || /^[\w-]+$/.test(view);
  return isView && more.length === 0 && !/\s/.test(zone) && zone.slice(1, -1).includes(".") && !zone.endsWith(".");
}

function zonesOfTerraform(text: string, isAsked?: (line: number) => boolean): string[] {
  const steps = terraformZones(text, isAsked);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** @throws Failure if two files are for one zone */
export function refuseTwice(zones: readonly Pick<ZoneFile, "domain" | "file">[]): void {
  const files = new Map<string, string>();
  for (const { domain, file } of zones) {
    const name = asciiName(domain);
    const other = files.get(name);
    if (other !== undefined)
      throw new Failure(`${other} and ${file} are both ${domain}. Keep one of them, or name a single file.`);
    files.set(name, file);
  }
}

/** Returns a domain's name with its view as the server writes it: an internationalized name has two spellings. */
function asciiName(domain: string): string {
  const [name = "", ...view] = domain.toLowerCase().split("!");
  return [domainToASCII(name) || name, ...view].join("!");
}

const ignoreFiles = new Map<string, Promise<string[]>>();

/** Returns the patterns of the ignore file in the folder of a file that are for a domain. */
async function ignoredBeside(file: string, domain: string): Promise<string[]> {
  const path = join(dirname(file), ignoreFile);
  const read = async () => {
    const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return "";
      throw error;
    });
    return text
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== "" && !line.startsWith("#"));
  };
  const lines = ignoreFiles.get(path) ?? read();
  ignoreFiles.set(path, lines);
  return (await lines).flatMap((line) => {
    // A pattern has a slash before any colon, which is then one of its value.
    // Only a classless zone has one before: 0/25.2.0.192.in-addr.arpa (RFC 2317).
    const [, of, pattern] = /^((?:\d+\/\d+\.)?[^\s:/]+):\s*(\S.*)$/.exec(line) ?? [];
    if (of === undefined || pattern === undefined || !of.slice(1, -1).includes(".")) return [line];
    return asciiName(withSlash(of)) === asciiName(domain) ? [pattern] : [];
  });
}

/** Returns whether a zone is chosen by `--only`, which takes names with `*`. */
function isChosen(domain: string, only: readonly string[]): boolean {
  return only.length === 0 || only.some((pattern) => isLike(domain, pattern.toLowerCase()));
}

/** Returns whether a text matches a pattern in which `*` stands for any characters. */
function isLike(text: string, glob: string): boolean {
  const [first = "", ...others] = glob.split("*");
  const last = others.pop();
  if (last === undefined) return text === first;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.startsWith(first) && text.length - last.length >= at && text.endsWith(last);
}

/** Returns a hash of a file's text, by which a saved plan knows it again. */
export function textHash(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
