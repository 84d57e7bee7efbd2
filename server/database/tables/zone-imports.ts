import { defineEntity, p } from "@mikro-orm/core";

export type ImportState = "waiting" | "running" | "done" | "failed";

/** An import of zones. Only the latest of each provider configuration is stored. */
export const ZoneImportSchema = defineEntity({
  name: "ZoneImport",
  tableName: "zone_imports",
  properties: {
    id: p.uuid().primary(),
    providerConfigId: p.uuid(),
    startedAt: p.datetime(),
    finishedAt: p.datetime().nullable(),
    /** Renewed while the process running it is alive. */
    leaseUntil: p.datetime().nullable(),
  },
});

/** A zone in an import. */
export const ZoneImportItemSchema = defineEntity({
  name: "ZoneImportItem",
  tableName: "zone_import_items",
  properties: {
    importId: p.uuid().primary(),
    position: p.integer().primary(),
    name: p.text(),
    state: p.text().$type<ImportState>(),
    domainId: p.uuid().nullable(),
    records: p.integer().nullable(),
    error: p.text().nullable(),
  },
});
