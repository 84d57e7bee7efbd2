import { defineEntity, p } from "@mikro-orm/core";

/** The fields of a configuration, by its kind's `configFields`. */
export type ConfigValues = Record<string, string | number | boolean | null>;

/** One set of credentials for a provider kind. */
export const ProviderConfigSchema = defineEntity({
  name: "ProviderConfig",
  tableName: "provider_configs",
  properties: {
    id: p.uuid().primary(),
    kind: p.text(),
    name: p.text(),
    config: p.json().$type<ConfigValues>(),
    membersMayUse: p.boolean(),
    /** The embedded zone-file configuration, used where a new domain names none. */
    embedded: p.boolean(),
    createdAt: p.datetime(),
  },
});

export class ProviderConfig extends ProviderConfigSchema.class {}
ProviderConfigSchema.setClass(ProviderConfig);
