/** What must stay the same for nothing to break: before 1.0.0 the middle number counts as the first one. */
export function versionLine(version: string): string {
  const [major = "", minor = ""] = version.split(".");
  return major === "0" ? `${major}.${minor}` : major;
}
