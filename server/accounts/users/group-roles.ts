import { sql } from "kysely";
import { jsonTexts, queries, type EntityManager } from "../../database/database.ts";
import type { Role } from "../../database/tables/users.ts";
import { AppError } from "../../platform/errors.ts";

const ranked = sql`array['admin', 'auditor', 'member']`;

/** A user whose role changed. */
export interface ChangedRole {
  id: string;
  username: string;
  before: Role;
  role: Role;
}

/**
 * Gives users the highest of the role given to them by hand and those that their groups give. Call it after a change of either.
 * @returns those whose role changed
 * @throws AppError CONFLICT if no administrator could sign in any more
 */
export async function recomputeRoles(tx: EntityManager, userIds: readonly string[]): Promise<ChangedRole[]> {
  if (userIds.length === 0) return [];
  const { rows } = await sql<ChangedRole>`
    with present as (
      select x.id, x.role as before, coalesce(x.own_role, x.role) as own, min(array_position(${ranked}, g.role)) as given
      from users x left join group_roles g on g.user_id = x.id
      where x.id in (select value::uuid from ${jsonTexts(userIds)}) and (x.own_role is not null or g.role is not null)
      group by x.id
    ), changed as (
      update users set
        role = (${ranked})[least(array_position(${ranked}, e.own), e.given)],
        own_role = case when e.given is null then null else e.own end
      from present e where users.id = e.id
      returning users.id, users.username, users.role, e.before
    )
    select * from changed where role <> before`.execute(queries(tx));
  if (rows.some(({ before }) => before === "admin")) await refuseNoAdministrator(tx);
  return rows;
}

async function refuseNoAdministrator(tx: EntityManager): Promise<void> {
  const left = await queries(tx)
    .selectFrom("users")
    .select("id")
    .where("role", "=", "admin")
    .where("disabled_at", "is", null)
    .limit(1)
    .executeTakeFirst();
  if (left) return;
  throw new AppError(
    "CONFLICT",
    "All administrators have their role from these groups, so none would remain. Make a user an administrator by hand first.",
  );
}

/**
 * Returns the role given by hand to store for a user whose groups give a role, too; null where they give none.
 * @throws AppError CONFLICT if the groups give a higher role than is asked for
 */
export async function ownRoleFor(tx: EntityManager, userId: string, role: Role): Promise<Role | null> {
  const given = await queries(tx).selectFrom("group_roles").select("role").where("user_id", "=", userId).execute();
  if (given.length === 0) return null;
  const ranks: readonly Role[] = ["admin", "auditor", "member"];
  const higher = given.find((one) => ranks.indexOf(one.role) < ranks.indexOf(role));
  if (!higher) return role;
  const message = `This user has the role ${higher.role} from a group of a sign-in provider. Change the group or its rule.`;
  throw new AppError("CONFLICT", message, { issues: [{ path: ["role"], message }] });
}
