import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { queries, type EntityManager } from "../../database/database.ts";
import { InstallationError } from "../../database/installation.ts";

/** File in the folder of the embedded zone files that identifies the folder. */
const idFile = ".zonewright-folder";
const page = "docs/operations/deployment.md#more-than-one-instance";

/**
 * Ensures that all instances on one database use the same folder for the embedded zone files. Otherwise each would read and write
 * files of its own. The first instance to start decides which folder it is.
 * @returns null, or why this folder must not be used although no domain needs it yet.
 * @throws InstallationError if domains have their files in another folder.
 */
export async function claimZonesFolder(em: EntityManager, folder: string): Promise<string | null> {
  const id = folderId(folder);
  const { numAffectedRows } = await sql`
    update installation set zones_folder_id = ${id}, zones_folder = ${`${folder} on ${hostname()}`}
    where zones_folder_id is null or zones_folder_id = ${id}
  `.execute(queries(em));
  if (numAffectedRows === 1n) return null;
  const { rows } = await sql<{ zones_folder: string; domains: string }>`
    select zones_folder, (
      select count(*) from domains
      join provider_configs on provider_configs.id = domains.provider_config_id
      where kind = 'zonefile' and coalesce(config ->> 'folder', '') not like '/%'
    ) as domains from installation
  `.execute(queries(em));
  const { zones_folder: other = "another folder", domains = "0" } = rows[0] ?? {};
  const sentence = `DATA_DIR: this instance keeps its zone files in ${folder}, but the database's are in ${other}`;
  if (Number(domains) === 0) {
    return `${sentence}. Give all instances the same folder, or set \`folder\` in a configuration (${page}).`;
  }
  throw new InstallationError(
    `${sentence}, where ${domains} ${domains === "1" ? "domain has its" : "domains have their"} records. Give all instances the same folder (${page}).`,
  );
}

/**
 * Returns the folder's id, creating it if needed. The file is linked into place with its content, because another instance may be
 * doing the same.
 */
function folderId(folder: string): string {
  const path = join(folder, idFile);
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, `${randomUUID()}\n`, { flag: "wx" });
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const id = readFileSync(path, "utf8").trim();
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) {
    throw new InstallationError(`DATA_DIR: ${path} is damaged; restore it, or remove it to create a new one.`);
  }
  return id;
}
