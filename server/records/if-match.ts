import type { HttpPort } from "../context.ts";
import { AppError } from "../errors.ts";

/** The version that `If-Match` names; null when it names none. @throws AppError BAD_REQUEST for anything but one version or `*` */
export function ifMatchVersion(http: HttpPort): number | null {
  const header = http.header("if-match")?.trim();
  if (header === undefined || header === "" || header === "*") return null;
  const [, version] = /^"(\d{1,9})"$/.exec(header) ?? [];
  if (version === undefined) throw new AppError("BAD_REQUEST", 'If-Match must be the ETag of the record, such as "3".');
  return Number(version);
}

export function setVersionTag(http: HttpPort, record: { version: number }): void {
  http.setHeader("ETag", `"${record.version}"`);
}
