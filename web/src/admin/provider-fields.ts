import type { RouterInputs, RouterOutputs } from "@zonewright/client";

export type ProviderKind = RouterOutputs["providers"]["list"]["providers"][number];
export type ProviderConfig = RouterOutputs["providerConfigs"]["list"]["configs"][number];
type CatalogueField = ProviderKind["configFields"][number];
type ConfigValue = string | number | boolean | null;
/** The settings of any kind, by the names of its fields. */
export type StoredSettings = Readonly<Record<string, ConfigValue | undefined>>;

/** What the form holds: the text of each field. */
export type FieldTexts = Readonly<Record<string, string>>;

/** Fields with a fixed choice, by kind and name: first the one that counts where none is set. */
const choices: Readonly<Record<string, readonly string[]>> = {
  "zonefile.checkNames": ["bind", "off"],
  "rfc2136.tsigAlgorithm": ["hmac-sha256", "hmac-sha512", "hmac-sha1"],
};

/** What counts where a field is empty, by kind and name. Forms show it as the field's value and do not send it. */
const usual: Readonly<Record<string, string>> = {
  "zonefile.maxRecordsPerType": "100",
  "zonefile.maxTypesPerName": "100",
  "rfc2136.port": "53",
  "rfc2136.timeoutSeconds": "30",
  "powerdns.serverId": "localhost",
  "powerdns.timeoutSeconds": "30",
  "webhook.timeoutSeconds": "30",
  "primary.refreshSeconds": "3600",
  "primary.retrySeconds": "900",
  "primary.expireSeconds": "1209600",
  "primary.negativeTtlSeconds": "300",
  "primary.defaultTtl": "3600",
};

/** Fields that the service takes as numbers. */
const numbers = /^(?:port|defaultTtl|max\w+|\w+Seconds)$/;

/** Settings that few need. Their forms fold them away as long as they are as usual. */
const seldom =
  /^(?:allowTransfer|catalogZone|checkNames|defaultTtl|delegationSetId|endpoint|hostmaster|max\w+|port|primaryName|serverId|signingSecondaries|tsigAlgorithm|url|\w+Seconds)$/;

export function isSeldom({ name, required }: CatalogueField): boolean {
  return !required && seldom.test(name);
}

/** The values that a field offers, or null if it takes any text. */
export function choicesOf(kind: string, field: string): readonly string[] | null {
  return choices[`${kind}.${field}`] ?? null;
}

export function isNumber(field: string): boolean {
  return numbers.test(field);
}

/** What counts where a field is empty; null if nothing does. */
export function usualOf(kind: string, field: string): string | null {
  return usual[`${kind}.${field}`] ?? null;
}

/** Whether a stored configuration sets a field to something that its kind does not do anyway. */
export function isSetApart(kind: string, field: string, value: ConfigValue | undefined): boolean {
  return value !== undefined && String(value) !== usualOf(kind, field);
}

/** A kind as far as its form needs it. */
type KindOfForm = Pick<ProviderKind, "kind" | "configFields">;

/** The texts of a form for a stored configuration. Secrets start empty, other fields with what counts if nothing is stored. */
export function textsOf({ kind, configFields }: KindOfForm, config: StoredSettings): FieldTexts {
  return Object.fromEntries(
    configFields.map(({ name, secret }) => [name, secret ? "" : String(config[name] ?? usualOf(kind, name) ?? "")]),
  );
}

/** The settings to send. Empty fields and defaults are left out: the service takes its default, or the stored secret. */
export function configOf({ kind, configFields }: KindOfForm, texts: FieldTexts): Record<string, string | number> {
  return Object.fromEntries(
    configFields.flatMap(({ name }) => {
      const value = (texts[name] ?? "").trim();
      if (value === "" || value === usualOf(kind, name)) return [];
      return [[name, isNumber(name) && /^\d{1,9}$/.test(value) ? Number(value) : value] as const];
    }),
  );
}

/** Moves the port of `host:port` to its own field, if there is one. Returns the same texts if there is nothing to move. */
export function withPortApart(fields: readonly Pick<CatalogueField, "name">[], texts: FieldTexts): FieldTexts {
  if (!fields.some(({ name }) => name === "port")) return texts;
  const [, bracketed, plain, port] =
    /^(?:\[([\da-f:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/i.exec((texts["server"] ?? "").trim()) ?? [];
  return port === undefined ? texts : { ...texts, server: bracketed ?? plain ?? "", port };
}

/** A new configuration as the client types it: the kind determines the settings, which the service checks. */
export function newConfig(config: {
  kind: string;
  name: string;
  membersMayUse: boolean;
  config: Record<string, string | number>;
}): RouterInputs["providerConfigs"]["create"] {
  return config as RouterInputs["providerConfigs"]["create"];
}

/** A name that no other configuration has: the kind's, with a number if needed. */
export function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  let number = 2;
  while (taken.includes(`${name} ${number}`)) number += 1;
  return `${name} ${number}`;
}
