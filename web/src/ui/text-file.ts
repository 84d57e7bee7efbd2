import { decoded, mostBytes, type Opened } from "../../../server/dns/formats/decoded.ts";

/** Reads a chosen file as text, or says why it cannot be. A file that is too large is not read at all. */
export async function textOfFile(file: File): Promise<Opened | { ok: false; why: "unreadable" }> {
  if (file.size > mostBytes) return { ok: false, why: "tooLarge" };
  const octets = await file.arrayBuffer().catch(() => null);
  return octets === null ? { ok: false, why: "unreadable" } : decoded(new Uint8Array(octets));
}
