import { queries } from "../../../server/database/database.ts";
import type { Zonewright } from "../../support/zonewright.ts";

/** Stores a finding of a domain, as if a check had seen it. Does nothing if there is no such domain. */
export async function storeFinding(zw: Zonewright, domainId: string): Promise<{ code: "lame"; name: "@" }> {
  const now = new Date();
  const finding = { code: "lame", name: "@" } as const;
  const database = queries(zw.services.database.fork());
  const domain = await database.selectFrom("domains").select("id").where("id", "=", domainId).executeTakeFirst();
  if (!domain) return finding;
  await database
    .insertInto("delegation_findings")
    .values({
      ...finding,
      domain_id: domainId,
      record_type: "",
      subject: "ns1.hosting.example",
      severity: "error",
      message: "For a test.",
      present: true,
      notified: false,
      first_seen_at: now,
      last_seen_at: now,
      snoozed_until: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return finding;
}
