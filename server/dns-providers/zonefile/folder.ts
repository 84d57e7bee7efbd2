import {
  readFileSync,
  realpathSync,
  statSync,
  type BigIntStats,
  watch,
  type FSWatcher,
  linkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { open, realpath, rename, rm, stat, readdir } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep, dirname, basename } from "node:path";
import { ok, refuse, type Result } from "../../platform/result.ts";
import { ProviderError } from "../provider.ts";
import { randomUUID } from "node:crypto";
import { parseQualified, qualifiedName } from "../../dns/names/names.ts";
import { hostname } from "node:os";
import { sql } from "kysely";
import { queries, type EntityManager } from "../../database/database.ts";
import { InstallationError } from "../../database/installation.ts";

/** A zone's file at one moment. */
export interface FoundFile {
  /** Absolute, symbolic links resolved. */
  path: string;
  content: Buffer;
  stats: BigIntStats;
}

/** Returns the absolute folder of a configuration. @throws ProviderError if a relative one leaves `zonesFolder`. */
export function zoneFolder(zonesFolder: string, configured: string | undefined): string {
  if (configured === undefined) return zonesFolder;
  const folder = resolve(zonesFolder, configured);
  if (isAbsolute(configured) || isWithin(folder, zonesFolder)) return folder;
  throw new ProviderError(
    `The folder ${configured} is outside the service's zone folder; enter it as an absolute path.`,
    "none",
  );
}

/** Returns the zone's file; null if it has none. @throws ProviderError if it cannot be read or is outside the folder. */
export async function findZoneFile(folder: string, zone: string): Promise<FoundFile | null> {
  for (const name of fileNamesOf(zone)) {
    const found = await readInFolder(folder, name);
    if (found !== null) return found;
  }
  return null;
}

/** Reads a file, or its first `most` bytes; null if it does not exist. @throws ProviderError */
export async function readInFolder(folder: string, name: string, most?: number): Promise<FoundFile | null> {
  const named = join(folder, name);
  try {
    const path = await realpath(named);
    if (!isWithin(path, await realpath(folder))) {
      throw new ProviderError(`${name} is a link that leads outside the zone folder.`, "none");
    }
    const handle = await open(path, "r");
    try {
      const stats = await handle.stat({ bigint: true });
      if (!stats.isFile()) throw new ProviderError(`${name} is not a file.`, "none");
      if (most === undefined) return { path, content: await handle.readFile(), stats };
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(most), 0, most, 0);
      return { path, content: buffer.subarray(0, bytesRead), stats };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isMissing(error)) return null;
    throw fileError(error, "read the zone file", named);
  }
}

/**
 * Returns a reader for $INCLUDE files. Paths are relative to the folder and must not leave it, not even through a symbolic link.
 */
export function includeFrom(folder: string): (path: string) => Result<Buffer> {
  return (path) => {
    const named = resolve(folder, path);
    try {
      // Checked before accessing the disk, so that the error does not reveal what exists elsewhere.
      if (!isWithin(named, folder) || !isWithin(realpathSync(named), realpathSync(folder))) {
        return refuse(`$INCLUDE ${path} leads outside the zone folder.`);
      }
      if (!statSync(named).isFile()) return refuse(`$INCLUDE ${path} is not a file.`);
      return ok(readFileSync(named));
    } catch (error) {
      return refuse(`$INCLUDE ${path} cannot be read: ${fileFailure(error)}.`);
    }
  };
}

function isWithin(path: string, folder: string): boolean {
  const from = relative(folder, path);
  return from === "" || (from !== ".." && !from.startsWith(`..${sep}`) && !isAbsolute(from));
}

/**
 * Replaces a file atomically: a reader, or a machine after power loss, sees either the old or the new content. `replaced` describes
 * the file that the content was made from, null for a new one. If the file has changed since, it is left alone.
 * @throws ProviderError with effect `none`, unless the file was replaced but may not survive a crash.
 */
export async function replaceFile(path: string, content: string | Buffer, replaced: BigIntStats | null): Promise<void> {
  const temporary = join(dirname(path), `.zonewright-${randomUUID()}.tmp`);
  try {
    await writeDurably(temporary, content, replaced);
    await refuseIfEdited(path, replaced);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw fileError(error, "write the zone file", path);
  }
  try {
    await syncFolder(dirname(path));
  } catch (error) {
    throw fileError(error, "flush the new zone file to disk", path, "unknown");
  }
}

async function writeDurably(path: string, content: string | Buffer, replaced: BigIntStats | null): Promise<void> {
  const handle = await open(path, "wx", 0o600);
  try {
    await handle.writeFile(content);
    if (replaced !== null) {
      // A name server may read the file through its group. Only root may change the owner, so this is best effort.
      await handle.chown(Number(replaced.uid), Number(replaced.gid)).catch(() => null);
    }
    await handle.chmod(replaced === null ? 0o644 : Number(replaced.mode & 0o777n));
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function refuseIfEdited(path: string, replaced: BigIntStats | null): Promise<void> {
  const present = await statsOf(path);
  const same =
    present?.ino === replaced?.ino && present?.size === replaced?.size && present?.mtimeNs === replaced?.mtimeNs;
  if (!same)
    throw new ProviderError("The zone file was edited at the same moment; nothing was written. Try again.", "none");
}

async function statsOf(path: string): Promise<BigIntStats | null> {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const reasons: Record<string, string> = {
  ENOENT: "it does not exist",
  EACCES: "the service lacks permission",
  EPERM: "the operating system does not allow it",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  EISDIR: "it is a folder",
  ENOTDIR: "part of its path is not a folder",
  ELOOP: "its symbolic links go in a circle",
  ENAMETOOLONG: "its name is longer than the file system allows",
  EIO: "the disk reports an error",
};

/** Returns why an operation on a file failed, as the end of a sentence. Contains no path. */
function fileFailure(error: unknown): string {
  const code = errorCode(error);
  if (code === null) return error instanceof Error ? error.message : String(error);
  return reasons[code] ?? `the operating system reports ${code}`;
}

/** Returns the ProviderError for a failed operation on `path`. `doing` completes "cannot": `read the file of example.com`. */
export function fileError(
  error: unknown,
  doing: string,
  path: string,
  effect: "none" | "unknown" = "none",
): ProviderError {
  if (error instanceof ProviderError) return error;
  return new ProviderError(`Cannot ${doing} (${basename(path)}): ${fileFailure(error)}.`, effect, { cause: error });
}

/** Returns whether an error means that a file or folder does not exist. */
export function isMissing(error: unknown): boolean {
  return errorCode(error) === "ENOENT";
}

function errorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return null;
  return error.code;
}

/**
 * Maps zones to file names. A character other than a-z, 0-9, `.`, `_`, `!` and `-` becomes `%` and its two-digit hexadecimal code,
 * including `%` itself: `0/25.2.0.192.in-addr.arpa` (RFC 2317) is `0%2f25.2.0.192.in-addr.arpa.zone`. So two zones never share a
 * file, and no zone's name leads outside the folder. A view other than the default follows the name: `example.com!internal.zone`.
 */

/** Returns the names that a zone's file may have. New files use the first; the others occur in folders taken over from a server. */
export function fileNamesOf(zone: string): string[] {
  const stem = encode(zone);
  return [`${stem}.zone`, `db.${stem}`, `${stem}.db`, stem].filter((file) => zoneOfFile(file) === zone);
}

/**
 * Returns the zone of a file name, or null. Each file name means one zone: `db.example.com` is `example.com`, and `example.zone` is
 * `example`. The result may not be a valid zone name.
 */
export function zoneOfFile(file: string): string | null {
  return decode(stemOf(file));
}

/** Whether a program made the file beside a zone's: hidden files and an editor's backups. */
export function isBesideZones(file: string): boolean {
  return /^[.#]|~$/.test(file);
}

/**
 * Returns the zone of a file name if a domain can have that name, with its view. The refusal says how to name the file.
 * @param files all files of the folder
 */
export function readFileName(file: string, files: ReadonlySet<string>): Result<string> {
  const zone = zoneOfFile(file);
  const parsed = parseQualified(zone ?? zoneOfFile(file.toLowerCase()) ?? stemOf(file));
  if (!parsed.ok) return parsed;
  const { name, view } = parsed.value;
  const meant = qualifiedName({ name, view: view ?? "" });
  if (meant === zone) return ok(zone);
  const names = fileNamesOf(meant);
  const other = names.find((named) => files.has(named));
  return refuse(other === undefined ? `Rename the file to ${names[0]}.` : `${other} already has the zone's name.`);
}

function stemOf(file: string): string {
  if (file.endsWith(".zone")) return file.slice(0, -".zone".length);
  if (file.startsWith("db.")) return file.slice("db.".length);
  return file.endsWith(".db") ? file.slice(0, -".db".length) : file;
}

function encode(zone: string): string {
  return Array.from(Buffer.from(zone), (byte) => {
    const character = String.fromCharCode(byte);
    return /[a-z0-9._!-]/.test(character) ? character : `%${byte.toString(16).padStart(2, "0")}`;
  }).join("");
}

/** Reverses `encode`. Returns null for other names, such as hidden files, capitals and editor backups (`~`). */
function decode(stem: string): string | null {
  if (!/^(?:[a-z0-9._!-]|%[0-9a-f]{2})+$/.test(stem) || stem.startsWith(".")) return null;
  const zone = stem.replaceAll(/%([0-9a-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return encode(zone) === stem ? zone : null;
}

/** Editors and name servers write in several steps; only the last one counts. */
const settleMilliseconds = 500;
const leastPollMilliseconds = 10_000;
/** Interval while waiting for a folder that is created with its first zone. */
const awaitMilliseconds = 1_000;
/** Checking a file takes about 10 µs of processor time, so a folder of any size takes a thousandth of it. */
const pollMillisecondsPerFile = 10;

/**
 * Calls `onChange` with a file's name soon after it was written, created or deleted. Listens to the file system and also polls,
 * because network file systems report nothing and watches may run out.
 * @param options.listen false: only polls. @param options.everyMilliseconds the shortest polling interval
 * @returns a function that stops watching.
 */
export function watchFolder(
  folder: string,
  onChange: (file: string) => void,
  options: { listen?: boolean; everyMilliseconds?: number } = {},
): () => void {
  const { listen = true, everyMilliseconds = leastPollMilliseconds } = options;
  const waiting = new Map<string, NodeJS.Timeout>();
  let ended = false;
  const changed = (file: string) => {
    if (ended) return;
    clearTimeout(waiting.get(file));
    const timer = setTimeout(() => {
      waiting.delete(file);
      onChange(file);
    }, settleMilliseconds);
    waiting.set(file, timer.unref());
  };
  let watcher: FSWatcher | null = null;
  let known: Map<string, string> | null = null;
  let poll: NodeJS.Timeout | undefined;
  const look = async () => {
    // The folder may have been created since.
    if (listen) watcher ??= listener(folder, changed);
    const present = await marksIn(folder);
    if (ended) return;
    if (known && present) {
      for (const [file, mark] of present) if (known.get(file) !== mark) changed(file);
      for (const file of known.keys()) if (!present.has(file)) changed(file);
    }
    known = present ?? known;
    const size = known?.size ?? 0;
    const isAwaited = listen && watcher === null && size === 0;
    const wait = Math.max(isAwaited ? awaitMilliseconds : everyMilliseconds, size * pollMillisecondsPerFile);
    poll = setTimeout(() => void look(), wait).unref();
  };
  void look();

  return () => {
    ended = true;
    watcher?.close();
    clearTimeout(poll);
    for (const timer of waiting.values()) clearTimeout(timer);
  };
}

/** Returns a watcher; null if the system cannot report changes, so that polling must do. */
function listener(folder: string, changed: (file: string) => void): FSWatcher | null {
  try {
    const watcher = watch(folder, { persistent: false }, (_event, file) => {
      if (file !== null) changed(file);
    });
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return null;
  }
}

/**
 * Returns a mark per file that changes with its content, without reading it; null if the folder cannot be read. A missing folder is
 * empty.
 */
async function marksIn(folder: string): Promise<Map<string, string> | null> {
  try {
    const marks = new Map<string, string>();
    for (const file of await readdir(folder)) {
      const stats = await stat(join(folder, file), { bigint: true }).catch(() => null);
      if (stats?.isFile() === true) marks.set(file, `${stats.ino} ${stats.size} ${stats.mtimeNs}`);
    }
    return marks;
  } catch (error) {
    return isMissing(error) ? new Map() : null;
  }
}

/** File in the folder of the embedded zone files that identifies the folder. */
const idFile = ".zonewright-folder";
const page = "docs/operations/deployment.md#more-than-one-instance";

/**
 * Ensures that all instances on one database use the same folder for the embedded zone files. Otherwise each would read and write
 * files of its own. The first instance to start decides which folder it is.
 * @returns null, or why this folder must not be used although no domain needs it yet.
 * @throws InstallationError if domains have their files in another folder.
 */
export async function claimZonesFolder(em: EntityManager, folder: string): Promise<string | null> {
  const id = folderId(folder);
  const { numAffectedRows } = await sql`
    update installation set zones_folder_id = ${id}, zones_folder = ${`${folder} on ${hostname()}`}
    where zones_folder_id is null or zones_folder_id = ${id}
  `.execute(queries(em));
  if (numAffectedRows === 1n) return null;
  const { rows } = await sql<{ zones_folder: string; domains: string }>`
    select zones_folder, (
      select count(*) from domains
      join provider_configs on provider_configs.id = domains.provider_config_id
      where kind = 'zonefile' and coalesce(config ->> 'folder', '') not like '/%'
    ) as domains from installation
  `.execute(queries(em));
  const { zones_folder: other = "another folder", domains = "0" } = rows[0] ?? {};
  const sentence = `DATA_DIR: this instance keeps its zone files in ${folder}, but the database's are in ${other}`;
  if (Number(domains) === 0) {
    return `${sentence}. Give all instances the same folder, or set \`folder\` in a configuration (${page}).`;
  }
  throw new InstallationError(
    `${sentence}, where ${domains} ${domains === "1" ? "domain has its" : "domains have their"} records. Give all instances the same folder (${page}).`,
  );
}

/**
 * Returns the folder's id, creating it if needed. The file is linked into place with its content, because another instance may be
 * doing the same.
 */
function folderId(folder: string): string {
  const path = join(folder, idFile);
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, `${randomUUID()}\n`, { flag: "wx" });
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const id = readFileSync(path, "utf8").trim();
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) {
    throw new InstallationError(`DATA_DIR: ${path} is damaged; restore it, or remove it to create a new one.`);
  }
  return id;
}
