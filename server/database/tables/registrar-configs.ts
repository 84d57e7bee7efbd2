import { defineEntity, p } from "@mikro-orm/core";
import type { ConfigValues } from "./provider-configs.ts";

/** One set of credentials for a registrar. */
export const RegistrarConfigSchema = defineEntity({
  name: "RegistrarConfig",
  tableName: "registrar_configs",
  properties: {
    id: p.uuid().primary(),
    kind: p.text(),
    name: p.text(),
    config: p.json().$type<ConfigValues>(),
    createdAt: p.datetime(),
  },
});

export class RegistrarConfig extends RegistrarConfigSchema.class {}
RegistrarConfigSchema.setClass(RegistrarConfig);
