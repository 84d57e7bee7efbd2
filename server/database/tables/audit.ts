import { defineEntity, p } from "@mikro-orm/core";

/** One audited action. The database refuses to change or delete it. */
export const AuditEntrySchema = defineEntity({
  name: "AuditEntry",
  tableName: "audit_entries",
  properties: {
    id: p.uuid().primary(),
    at: p.datetime(),
    actorId: p.uuid().nullable(),
    tokenId: p.uuid().nullable(),
    /** Name of the TSIG key that was used. */
    tsigKey: p.text().nullable(),
    action: p.text(),
    targetType: p.text(),
    targetId: p.uuid().nullable(),
    ip: p.text().nullable(),
    requestId: p.text().nullable(),
    before: p.json().nullable(),
    after: p.json().nullable(),
  },
});

class AuditEntry extends AuditEntrySchema.class {}
AuditEntrySchema.setClass(AuditEntry);
