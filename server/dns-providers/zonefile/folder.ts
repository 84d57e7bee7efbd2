import { readFileSync, realpathSync, statSync, type BigIntStats } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { ok, refuse, type Result } from "../../platform/result.ts";
import { ProviderError } from "../provider.ts";
import { fileError, fileFailure, isMissing } from "./file-errors.ts";
import { fileNamesOf } from "./file-names.ts";

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
