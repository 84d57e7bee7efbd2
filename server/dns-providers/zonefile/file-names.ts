import { parseQualified, qualifiedName } from "../../dns/names/views.ts";
import { ok, refuse, type Result } from "../../platform/result.ts";

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
