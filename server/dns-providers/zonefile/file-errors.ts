import { basename } from "node:path";
import { ProviderError } from "../provider.ts";

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
export function fileFailure(error: unknown): string {
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
