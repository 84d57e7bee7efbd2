import { defineEntity, p } from "@mikro-orm/core";

/** A configuration's values, keyed as in its kind's `configFields`. */
export type ConfigValues = Record<string, string | number | boolean | null>;

/** What the last call that reached for a provider's zones found. Contains no secrets. */
export interface LastTest {
  /** When, in ISO 8601. */
  at: string;
  /** Null if the provider did not answer. */
  zones: number | null;
  /** The provider's message; null on success. */
  error: string | null;
}

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
    /** Whether this is the embedded zone-file configuration, the default for new domains. */
    embedded: p.boolean(),
    /** Null: not tested since the settings changed. */
    lastTest: p.json().$type<LastTest>().nullable(),
    createdAt: p.datetime(),
  },
});

export class ProviderConfig extends ProviderConfigSchema.class {}
ProviderConfigSchema.setClass(ProviderConfig);

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
