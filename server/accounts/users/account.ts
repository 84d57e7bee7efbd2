import { queries, type EntityManager, jsonTexts } from "../../database/database.ts";
import { AppError } from "../../platform/errors.ts";
import { type Caller, onlyAdministrators } from "../../access/caller.ts";
import { User, type Role } from "../../database/tables/users.ts";
import { type RawBuilder, sql } from "kysely";

/** Returns the address for mail about the account; null if there is none or it is unverified. */
export function verifiedAddress({ email, emailVerifiedBy }: Pick<User, "email" | "emailVerifiedBy">): string | null {
  return typeof emailVerifiedBy === "string" ? (email ?? null) : null;
}

/**
 * Marks an address that the user verified by a link as unverified: an intruder may have set it. Addresses vouched for by administrators and
 * identity providers stay verified.
 * @returns whether there was such an address
 */
export async function distrustOwnLink(tx: EntityManager, userId: string): Promise<boolean> {
  const { numUpdatedRows } = await queries(tx)
    .updateTable("users")
    .set({ email_verified_by: null })
    .where("id", "=", userId)
    .where("email_verified_by", "=", "link")
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/**
 * Returns the account of a user who has just been authenticated. It may be gone: an instance can take a second to notice that another one
 * deleted it.
 * @throws AppError UNAUTHORIZED if the account no longer exists
 */
export async function ownAccount(em: EntityManager, userId: string): Promise<User> {
  const user = await em.findOne(User, { id: userId });
  if (user) return user;
  throw new AppError("UNAUTHORIZED", "This account no longer exists.");
}

/**
 * Locks a user's row, to serialize sign-ins with changes to the account. Call it first in a transaction: a single lock order prevents
 * deadlocks.
 */
export async function lockAccount(tx: EntityManager, userId: string): Promise<void> {
  await queries(tx).selectFrom("users").select("id").where("id", "=", userId).forUpdate().execute();
}

/**
 * Locks the account of a user who adds or changes their own ways to sign in, as `lockAccount`. Also checks the session, so that a call
 * admitted just before all sessions ended cannot leave a new way behind.
 * @throws AppError UNAUTHORIZED if the caller's session has ended in the meantime
 */
export async function lockOwnAccount(
  tx: EntityManager,
  { userId, sessionId }: Pick<Caller, "userId" | "sessionId">,
): Promise<void> {
  await lockAccount(tx, userId);
  await requireOpenSession(tx, { userId, sessionId });
}

/**
 * Locks the administrators, as `lockAdministrators`, for a call by one of them. Also checks their session and that they are still an
 * administrator, so that a call admitted just before they were demoted, disabled or rescued can neither undo that nor leave a way in behind.
 * Call it before any other user is locked. A sign-in provider's configuration is locked before, as sign-ins do.
 * @throws AppError UNAUTHORIZED if the caller's session has ended in the meantime, FORBIDDEN if they are no longer an administrator
 */
export async function lockAsAdministrator(
  tx: EntityManager,
  caller: Pick<Caller, "userId" | "sessionId">,
): Promise<void> {
  const administrators = await lockAdministrators(tx);
  await requireOpenSession(tx, caller);
  if (administrators.includes(caller.userId)) return;
  throw onlyAdministrators(caller.userId, "a call was in progress when its caller stopped being an administrator");
}

/** A personal token has no session. @throws AppError UNAUTHORIZED if the caller's session has ended */
async function requireOpenSession(
  tx: EntityManager,
  { userId, sessionId }: Pick<Caller, "userId" | "sessionId">,
): Promise<void> {
  if (sessionId === null) return;
  const live = await queries(tx)
    .selectFrom("sessions")
    .select("id")
    .where("id", "=", sessionId)
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  if (!live) throw new AppError("UNAUTHORIZED", "The session has ended. Sign in again.");
}

const tables = [
  "password_resets",
  "email_verifications",
  "sign_in_challenges",
  "passkey_challenges",
  "identity_tickets",
  "identity_flows",
  "cli_codes",
  "device_sign_ins",
] as const;

/**
 * Ends what was issued for an account: mailed links, tickets, pending sign-ins and bindings, challenges. Call it after `lockAccount`, within
 * the transaction of every change of credentials, address or state. An exchange for a session that is already in flight fails because the
 * epoch has advanced.
 */
export async function endOutstanding(tx: EntityManager, userId: string): Promise<void> {
  await queries(tx)
    .updateTable("users")
    .set((eb) => ({ access_epoch: eb("access_epoch", "+", 1) }))
    .where("id", "=", userId)
    .execute();
  for (const table of tables) await sql`delete from ${sql.table(table)} where user_id = ${userId}`.execute(queries(tx));
}

/**
 * Returns the condition of SQL that a user can sign in: with a password, a passkey or an identity at an enabled provider.
 * @param id the user's id, as an expression of SQL
 */
export function hasWayIn(id: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(
    exists (select from users owner where owner.id = ${id} and owner.password_hash is not null)
    or exists (select from passkeys where passkeys.user_id = ${id})
    or exists (
      select from identity_bindings join identity_configs using (provider_id)
      where identity_bindings.user_id = ${id} and identity_configs.enabled
    )
  )`;
}

/**
 * Locks the row of a user who is to lose their account or role, as `lockWithAdministrators`. Keeps an installation from locking itself out.
 * @throws AppError CONFLICT if the user is the only administrator who can sign in
 */
export async function lockLosing(
  tx: EntityManager,
  userId: string,
  what: "deleted" | "demoted" | "disabled",
): Promise<void> {
  if (!(await lockWithAdministrators(tx, userId)) || !(await isLastAdministrator(tx, userId))) return;
  throw new AppError(
    "CONFLICT",
    `The last administrator who can sign in cannot be ${what}. Make another user an administrator first.`,
  );
}

/**
 * Locks the row of a user who may lose a role or a way in, after those of all administrators if they are one: two administrators cannot
 * remove each other, or themselves, at the same time. Other users are locked alone. Whoever has locked the administrators may go on to lock
 * one of them, so nobody who holds such a row waits for the administrators.
 * @returns whether the user is an administrator
 */
export async function lockWithAdministrators(tx: EntityManager, userId: string): Promise<boolean> {
  const was = await isAdministrator(tx, userId);
  if (was) await lockAdministrators(tx);
  else await sql`savepoint before_user`.execute(queries(tx));
  await lockAccount(tx, userId);
  const is = await isAdministrator(tx, userId);
  if (was || !is) return is;
  // Promoted in between: gives the row back, and starts again.
  await sql`rollback to savepoint before_user`.execute(queries(tx));
  return await lockWithAdministrators(tx, userId);
}

/** Returns whether a user is an administrator now. Their role stays only while their row is locked. */
async function isAdministrator(tx: EntityManager, userId: string): Promise<boolean> {
  const user = await queries(tx).selectFrom("users").select("role").where("id", "=", userId).executeTakeFirst();
  return user?.role === "admin";
}

/**
 * Locks the rows of all administrators until the transaction ends, in one order. Call it before any of them is locked alone. Whoever only
 * refers to an administrator, such as a notification or a change, does not wait for it.
 * @returns their ids
 */
export async function lockAdministrators(tx: EntityManager): Promise<string[]> {
  const rows = await queries(tx)
    .selectFrom("users")
    .select("id")
    .where("role", "=", "admin")
    .where("disabled_at", "is", null)
    .orderBy("id")
    .forNoKeyUpdate()
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Returns whether a user is the only administrator who can sign in, or the only one at all. One who cannot sign in either, such as while
 * their provider is disabled, is needed by nobody. Call it after `lockWithAdministrators`.
 */
export async function isLastAdministrator(tx: EntityManager, userId: string): Promise<boolean> {
  const administrators = await enabledAdministrators(tx);
  const user = administrators.find(({ id }) => id === userId);
  if (!user) return false;
  const others = administrators.filter(({ id }) => id !== userId);
  return others.length === 0 || (user.canSignIn && !others.some(({ canSignIn }) => canSignIn));
}

/** Returns whether any administrator can sign in. */
export async function canAdministratorSignIn(tx: EntityManager): Promise<boolean> {
  return (await enabledAdministrators(tx)).some(({ canSignIn }) => canSignIn);
}

async function enabledAdministrators(tx: EntityManager): Promise<{ id: string; canSignIn: boolean }[]> {
  return await queries(tx)
    .selectFrom("users")
    .select(["id", hasWayIn(sql.ref("users.id")).as("canSignIn")])
    .where("role", "=", "admin")
    .where("disabled_at", "is", null)
    .execute();
}

const ranked = sql`array['admin', 'auditor', 'member']`;

/** A user whose role changed. */
export interface ChangedRole {
  id: string;
  username: string;
  before: Role;
  role: Role;
}

/**
 * Gives users the highest of the role given to them by hand and those that their groups give. Call it after a change of either, with
 * `lockWithAdministrators` or `lockAdministrators` first.
 * @param couldSignIn whether an administrator could sign in before, as `canAdministratorSignIn`
 * @returns those whose role changed
 * @throws AppError CONFLICT if no administrator could sign in any more
 */
export async function recomputeRoles(
  tx: EntityManager,
  userIds: readonly string[],
  couldSignIn = true,
): Promise<ChangedRole[]> {
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
  if (rows.some(({ before }) => before === "admin"))
    await refuseNoAdministrator(
      tx,
      "All administrators who can sign in have their role from these groups, so none would remain. Make a user an administrator by hand first.",
      couldSignIn,
    );
  return rows;
}

/**
 * @param couldSignIn whether an administrator could sign in before: if not, one who cannot either is enough
 * @throws AppError CONFLICT if no administrator can sign in
 */
export async function refuseNoAdministrator(tx: EntityManager, message: string, couldSignIn: boolean): Promise<void> {
  const left = await enabledAdministrators(tx);
  if (left.length === 0 || (couldSignIn && !left.some(({ canSignIn }) => canSignIn)))
    throw new AppError("CONFLICT", message);
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
