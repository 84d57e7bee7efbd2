import { sql } from "kysely";
import { queries, type EntityManager } from "../database/database.ts";
import { AppError } from "../platform/errors.ts";
import type { ConfigSecrets } from "./config-secrets.ts";
import { providerKinds } from "./kinds.ts";

export interface Resealing {
  resealed: number;
  /** Names of configurations with a secret that no key opens. */
  unreadable: string[];
}

/**
 * Seals with the newest key what an older one sealed, in one statement. The rows are locked meanwhile, as they are by every other change of a
 * configuration, so that nothing is lost to one that happens at the same time. Repeating it changes nothing.
 */
export async function resealSecrets(em: EntityManager, secrets: ConfigSecrets): Promise<Resealing> {
  const kinds = providerKinds.filter(({ configFields }) => configFields.some(({ secret }) => secret));
  if (kinds.length === 0) return { resealed: 0, unreadable: [] };
  return await em.transactional(async (tx) => {
    const rows = await queries(tx)
      .selectFrom("provider_configs")
      .select(["id", "kind", "name", "config"])
      .where(
        "kind",
        "in",
        kinds.map(({ kind }) => kind),
      )
      .orderBy("id")
      .forUpdate()
      .execute();
    const unreadable: string[] = [];
    const changed = rows.flatMap(({ name, id, kind, config }) => {
      try {
        const resealed = secrets.resealed({ id, kind, config });
        return resealed ? [{ id, config: resealed }] : [];
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        unreadable.push(name);
        return [];
      }
    });
    if (changed.length > 0) {
      await sql`update provider_configs set config = new.config
        from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as new(id uuid, config jsonb)
        where provider_configs.id = new.id`.execute(queries(tx));
    }
    return { resealed: changed.length, unreadable };
  });
}
