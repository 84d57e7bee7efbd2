import { queries } from "../../../server/database/database.ts";
import { newId } from "../../../server/platform/ids.ts";
import type { Body } from "../../support/zones.ts";
import type { Zonewright } from "../../support/zonewright.ts";

/** What a change was to do, and whether all of it or nothing. */
interface Left {
  changes: unknown[];
  kind?: "edit" | "import" | "rollback";
  atomic?: boolean;
  message?: string;
}

/** Leaves a pending change as a process that died between committing its intent and writing the outcome. @returns the id of the change set */
export async function leavePending(zw: Zonewright, domainId: string, left: Left): Promise<string> {
  const { changes, kind = "edit", atomic = false, message = null } = left;
  const db = queries(zw.services.database.fork());
  const admin = await db.selectFrom("users").select("id").where("username", "=", "admin").executeTakeFirstOrThrow();
  const id = newId();
  await db
    .insertInto("change_sets")
    .values({
      id,
      domain_id: domainId,
      kind,
      state: "pending",
      actor_id: admin.id,
      message,
      creates: changes.length,
      updates: 0,
      deletes: 0,
      intent: JSON.stringify({ together: atomic, changes }),
      repaired: false,
      created_at: new Date(),
    })
    .execute();
  return id;
}

/** An A record that was to be made. */
export function createOf(name: string): Body {
  const after = {
    recordType: "A",
    name,
    value: "192.0.2.9",
    ttl: 60,
    strings: null,
    priority: null,
    proxied: false,
    comment: "mine",
  };
  return { action: "create", id: newId(), before: null, after };
}
