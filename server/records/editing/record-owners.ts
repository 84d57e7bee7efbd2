import { usersWhoSee } from "../../access/who-sees.ts";
import type { ZoneContext } from "../../changes/zone-context.ts";
import type { EntityManager } from "../../database/database.ts";
import type { PreparedEdit } from "./edits.ts";

/** Refuses edits that name an owner of a record who cannot see the domain. An owner who stays is not judged. */
export async function withKnownOwners(
  em: EntityManager,
  { id, at }: Pick<ZoneContext, "id" | "at">,
  prepared: readonly PreparedEdit[],
): Promise<PreparedEdit[]> {
  const named = new Set(prepared.flatMap((edit) => newOwner(edit) ?? []));
  const known = await usersWhoSee(em, id, [...named], at);
  return prepared.map((edit) => {
    const owner = newOwner(edit);
    if (owner === null || known.has(owner)) return edit;
    const message = "No user with this id can see the domain. Name one who can, or null.";
    return { ok: false, code: "BAD_REQUEST", issues: [{ path: ["ownerId"], message }] };
  });
}

/** Returns the owner that an edit gives a record; null if it names none, or the one it has. */
function newOwner(edit: PreparedEdit): string | null {
  if (!edit.ok || !edit.draft) return null;
  const { ownerId } = edit.draft;
  return ownerId === edit.before?.ownerId ? null : ownerId;
}
