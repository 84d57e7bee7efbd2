import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import type { Logger } from "../../../platform/log.ts";
import type { Egress } from "../../../platform/net/egress.ts";

const ianaUrl = "https://data.iana.org/rdap/dns.json";
const hour = 3_600_000;
const freshMilliseconds = 24 * hour;
/** Retry delay after a failed fetch. */
const againMilliseconds = hour;
const maxBytes = 4 * 1024 * 1024;

/** RFC 9224 §3. */
const bootstrapFile = z.object({
  services: z.array(z.tuple([z.array(z.string()), z.array(z.string())]).rest(z.unknown())).min(1),
});

/** The list as cached on disk, unmodified. */
const storedFile = z.object({ url: z.string(), fetchedAt: z.iso.datetime(), text: z.string() });

/** RDAP servers by suffix in A-labels; HTTPS servers first. */
type ServersBySuffix = ReadonlyMap<string, readonly string[]>;

interface Bootstrap {
  servers: ServersBySuffix;
  fetchedAt: number;
}

interface Parts {
  egress: Egress;
  log: Logger;
  now: () => Date;
  file: string;
  url: string | undefined;
}

/**
 * Finds the RDAP servers for a suffix (RFC 9224). The list is fetched on demand, at most once a day, and cached on disk. If a fetch
 * fails, the last list applies; without one, the bundled servers do.
 */
export class RdapBootstrap {
  readonly #parts: Parts;
  readonly #url: string;
  readonly #configured: boolean;
  #stored: Bootstrap | null = null;
  #loading: Promise<void> | null = null;
  #triedAt: number | null = null;
  #refreshing: Promise<void> | null = null;

  /** @param parts.file path of the cached list. @param parts.url RDAP_BOOTSTRAP_URL */
  constructor(parts: Parts) {
    this.#parts = parts;
    this.#url = parts.url ?? ianaUrl;
    this.#configured = parts.url !== undefined;
  }

  /** Returns the URLs of the registry's servers; empty if it has no RDAP. @param suffixes longest first. */
  async serversFor(suffixes: readonly string[]): Promise<readonly string[]> {
    await this.#refresh();
    for (const suffix of suffixes) {
      const servers = this.#stored ? this.#stored.servers.get(suffix) : bundledServers.get(suffix);
      // A configured list is assumed to be complete.
      const found = servers ?? (this.#configured && this.#stored ? undefined : unlistedServers.get(suffix));
      if (found) return found;
    }
    return [];
  }

  async #refresh(): Promise<void> {
    this.#loading ??= this.#load();
    await this.#loading;
    await (this.#refreshing ??= this.#fetchIfDue().finally(() => {
      this.#refreshing = null;
    }));
  }

  async #fetchIfDue(): Promise<void> {
    const now = this.#parts.now().getTime();
    const fresh = this.#stored !== null && now - this.#stored.fetchedAt < freshMilliseconds;
    const tried = this.#triedAt !== null && now - this.#triedAt < againMilliseconds;
    if (!fresh && !tried) await this.#fetch();
  }

  async #fetch(): Promise<void> {
    this.#triedAt = this.#parts.now().getTime();
    try {
      const reach = this.#configured ? "inside" : "public";
      const headers = { accept: "application/json" };
      const answer = await this.#parts.egress.guardedFetch(this.#url, { reach, headers, maxBytes });
      const text = await answer.text();
      const servers = answer.status === 200 ? readBootstrap(text) : null;
      if (!servers) throw new Error(`The response, with status ${answer.status}, is not a list of RDAP servers.`);
      this.#stored = { servers, fetchedAt: this.#triedAt };
      await this.#write(text, new Date(this.#triedAt));
    } catch (error) {
      const stand = this.#stored ? "the previous list remains in use" : "the bundled servers are used";
      this.#parts.log.warn({ err: error, url: this.#url }, `the list of RDAP servers could not be fetched; ${stand}`);
    }
  }

  async #load(): Promise<void> {
    try {
      const stored = storedFile.parse(JSON.parse(await readFile(this.#parts.file, "utf8")));
      const servers = stored.url === this.#url ? readBootstrap(stored.text) : null;
      this.#stored = servers && { servers, fetchedAt: Date.parse(stored.fetchedAt) };
    } catch {
      // The file is missing or corrupt: fetch the list again.
      this.#stored = null;
    }
  }

  async #write(text: string, fetchedAt: Date): Promise<void> {
    const temporary = `${this.#parts.file}.${randomUUID()}.tmp`;
    try {
      await mkdir(dirname(this.#parts.file), { recursive: true });
      await writeFile(temporary, JSON.stringify({ url: this.#url, fetchedAt, text }), { mode: 0o600 });
      await rename(temporary, this.#parts.file);
    } catch (error) {
      await rm(temporary, { force: true });
      this.#parts.log.warn(
        { err: error, file: this.#parts.file },
        "the list of RDAP servers could not be stored on disk",
      );
    }
  }
}

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

/**
 * Bundled RDAP servers by suffix. They apply until IANA's list has been fetched once; other suffixes then use WHOIS.
 */
const bundledServers: ReadonlyMap<string, readonly string[]> = table([
  ["com", "https://rdap.verisign.com/com/v1/"],
  ["net", "https://rdap.verisign.com/net/v1/"],
  ["name", "https://tld-rdap.verisign.com/name/v1/"],
  ["cc", "https://tld-rdap.verisign.com/cc/v1/"],
  ["org", "https://rdap.publicinterestregistry.org/rdap/"],
  ["info mobi pro asia", "https://rdap.identitydigital.services/rdap/"],
  ["biz", "https://rdap.nic.biz/"],
  ["app dev page", "https://pubapi.registry.google/rdap/"],
  ["xyz", "https://rdap.centralnic.com/xyz/"],
  ["online site store tech", "https://rdap.radix.host/rdap/"],
  ["ar", "https://rdap.nic.ar/"],
  ["au", "https://rdap.cctld.au/rdap/"],
  ["br", "https://rdap.registro.br/"],
  ["ca", "https://rdap.ca.fury.ca/rdap/"],
  ["cz", "https://rdap.nic.cz/"],
  ["fi", "https://rdap.fi/rdap/rdap/"],
  ["fr", "https://rdap.nic.fr/"],
  ["is", "https://rdap.isnic.is/rdap/"],
  ["nl", "https://rdap.sidn.nl/"],
  ["no", "https://rdap.norid.no/"],
  ["pl", "https://rdap.dns.pl/"],
  ["sg", "https://rdap.sgnic.sg/rdap/"],
  ["si", "https://rdap.register.si/"],
  ["tw", "https://ccrdap.twnic.tw/tw/"],
  ["uk", "https://rdap.nominet.uk/uk/"],
]);

/** Registries' servers that are missing from IANA's list. */
const unlistedServers: ReadonlyMap<string, readonly string[]> = table([
  ["ch", "https://rdap.nic.ch/"],
  ["co", "https://rdap.nic.co/"],
  ["de", "https://rdap.denic.de/"],
  ["ac io me sh", "https://rdap.identitydigital.services/rdap/"],
  ["li", "https://rdap.nic.li/"],
  ["us", "https://rdap.nic.us/"],
]);

function table(rows: readonly (readonly [suffixes: string, url: string])[]): Map<string, string[]> {
  return new Map(rows.flatMap(([suffixes, url]) => suffixes.split(" ").map((suffix) => [suffix, [url]])));
}
