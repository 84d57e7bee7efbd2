import { randomUUID } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ProviderError } from "../provider.ts";
import { fileError, isMissing } from "./file-errors.ts";

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
