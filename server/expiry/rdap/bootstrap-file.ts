import { z } from "zod";

/** RDAP servers by suffix in A-labels; HTTPS servers first. */
export type ServersBySuffix = ReadonlyMap<string, readonly string[]>;

/** RFC 9224 §3. */
const bootstrapFile = z.object({
  services: z.array(z.tuple([z.array(z.string()), z.array(z.string())]).rest(z.unknown())).min(1),
});

/** Parses the list of RDAP servers (RFC 9224). @returns null if it is invalid or has no servers */
export function readBootstrap(text: string): ServersBySuffix | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  const parsed = bootstrapFile.safeParse(json);
  if (!parsed.success) return null;
  const servers = new Map<string, string[]>();
  for (const [suffixes, urls] of parsed.data.services) {
    const usable = urls.filter((url) => /^https?:$/.test(URL.parse(url)?.protocol ?? ""));
    const ordered = usable.toSorted((a, b) => Number(b.startsWith("https:")) - Number(a.startsWith("https:")));
    if (ordered.length > 0) for (const suffix of suffixes) servers.set(suffix.toLowerCase(), ordered);
  }
  return servers.size > 0 ? servers : null;
}
