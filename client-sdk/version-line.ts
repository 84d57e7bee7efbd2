/** Returns the part of a version that changes only with breaking changes: the major number, or `0.minor` before 1.0.0. */
export function versionLine(version: string): string {
  const [major = "", minor = ""] = version.split(".");
  return major === "0" ? `${major}.${minor}` : major;
}
