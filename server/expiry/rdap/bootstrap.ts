import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import type { Logger } from "../../platform/log.ts";
import type { Egress } from "../../net/egress.ts";
import { readBootstrap, type ServersBySuffix } from "./bootstrap-file.ts";
import { bundledServers, unlistedServers } from "./bundled-servers.ts";

const ianaUrl = "https://data.iana.org/rdap/dns.json";
const hour = 3_600_000;
const freshMilliseconds = 24 * hour;
/** After a fetch that failed. */
const againMilliseconds = hour;
const maxBytes = 4 * 1024 * 1024;

/** The list as it is kept on disk, as it came. */
const keptFile = z.object({ url: z.string(), fetchedAt: z.iso.datetime(), text: z.string() });

interface Kept {
  servers: ServersBySuffix;
  fetchedAt: number;
}

/**
 * Which RDAP servers answer for which suffixes (RFC 9224). The list is fetched once a day, when it is needed, and kept on disk; while it cannot be
 * had the last one counts, and before there was one those that come with the service.
 */
export class RdapBootstrap {
  readonly #egress: Egress;
  readonly #log: Logger;
  readonly #now: () => Date;
  readonly #file: string;
  readonly #url: string;
  readonly #configured: boolean;
  #kept: Kept | null = null;
  #loading: Promise<void> | null = null;
  #triedAt: number | null = null;
  #refreshing: Promise<void> | null = null;

  /** @param file where the list is kept. @param url RDAP_BOOTSTRAP_URL */
  constructor(parts: { egress: Egress; log: Logger; now: () => Date; file: string; url: string | undefined }) {
    this.#egress = parts.egress;
    this.#log = parts.log;
    this.#now = parts.now;
    this.#file = parts.file;
    this.#url = parts.url ?? ianaUrl;
    this.#configured = parts.url !== undefined;
  }

  /** @param suffixes the longest first. @returns addresses of the registry's servers; none where it has no RDAP */
  async serversFor(suffixes: readonly string[]): Promise<readonly string[]> {
    await this.#refresh();
    for (const suffix of suffixes) {
      const servers = this.#kept ? this.#kept.servers.get(suffix) : bundledServers.get(suffix);
      // Who names a list of their own means it to be complete.
      const found = servers ?? (this.#configured && this.#kept ? undefined : unlistedServers.get(suffix));
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
    const now = this.#now().getTime();
    const fresh = this.#kept !== null && now - this.#kept.fetchedAt < freshMilliseconds;
    const tried = this.#triedAt !== null && now - this.#triedAt < againMilliseconds;
    if (!fresh && !tried) await this.#fetch();
  }

  async #fetch(): Promise<void> {
    this.#triedAt = this.#now().getTime();
    try {
      const reach = this.#configured ? "inside" : "public";
      const headers = { accept: "application/json" };
      const answer = await this.#egress.guardedFetch(this.#url, { reach, headers, maxBytes });
      const text = await answer.text();
      const servers = answer.status === 200 ? readBootstrap(text) : null;
      if (!servers) throw new Error(`The answer, with status ${answer.status}, is no list of RDAP servers.`);
      this.#kept = { servers, fetchedAt: this.#triedAt };
      await this.#write(text, new Date(this.#triedAt));
    } catch (error) {
      const stand = this.#kept ? "the last one counts on" : "those that come with the service count";
      this.#log.warn({ err: error, url: this.#url }, `the list of RDAP servers could not be fetched; ${stand}`);
    }
  }

  async #load(): Promise<void> {
    try {
      const kept = keptFile.parse(JSON.parse(await readFile(this.#file, "utf8")));
      const servers = kept.url === this.#url ? readBootstrap(kept.text) : null;
      this.#kept = servers && { servers, fetchedAt: Date.parse(kept.fetchedAt) };
    } catch {
      // Missing, or not what was written: it is fetched again.
      this.#kept = null;
    }
  }

  async #write(text: string, fetchedAt: Date): Promise<void> {
    const temporary = `${this.#file}.${randomUUID()}.tmp`;
    try {
      await mkdir(dirname(this.#file), { recursive: true });
      await writeFile(temporary, JSON.stringify({ url: this.#url, fetchedAt, text }), { mode: 0o600 });
      await rename(temporary, this.#file);
    } catch (error) {
      await rm(temporary, { force: true });
      this.#log.warn({ err: error, file: this.#file }, "the list of RDAP servers could not be kept on disk");
    }
  }
}
