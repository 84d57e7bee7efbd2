import { defineEntity, p } from "@mikro-orm/core";

/** A signed dynamic update that was received in the last minutes. */
export const DynamicUpdateSchema = defineEntity({
  name: "DynamicUpdate",
  tableName: "dynamic_updates",
  properties: {
    /** Hash of its signature. */
    id: p.text().primary(),
    /** Null: not yet known. */
    rcode: p.integer().nullable(),
    createdAt: p.datetime(),
  },
});
