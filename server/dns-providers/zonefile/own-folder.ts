import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { queries, type EntityManager } from "../../database/database.ts";
import { InstallationError } from "../../database/installation.ts";

/** In the folder of the embedded zone files; what it holds tells the folder from any other. */
const idFile = ".zonewright-folder";
const page = "docs/operations/deployment.md#more-than-one-instance";

/**
 * Makes sure that all instances on one database keep the embedded zone files in the same folder: else each would answer from, and
 * write to, files of its own. The first one that starts decides which folder it is.
 * @returns null, or why this folder is another one and cannot be used; no domain needs it then.
 * @throws InstallationError while domains have their files in the other one.
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
  const sentence = `DATA_DIR: this instance has its zone files in ${folder}, and the database's are in ${other}`;
  if (Number(domains) === 0) {
    return `${sentence}. Give all instances the same folder, or set \`folder\` in a configuration (${page}).`;
  }
  throw new InstallationError(
    `${sentence}, where ${domains} ${domains === "1" ? "domain has its" : "domains have their"} records. Give all instances the same folder (${page}).`,
  );
}

/** Reads the folder's id, or gives it one. In place with its content at once: another instance may be doing the same. */
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
    throw new InstallationError(`DATA_DIR: ${path} is damaged; restore it, or remove it to have a new one made.`);
  }
  return id;
}
