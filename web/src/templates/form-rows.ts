type Fields = Readonly<Record<string, unknown>>;

/** A template's record in the form: its fields as texts. */
export interface Row {
  /** Identifies the row while the form is open. */
  key: number;
  /** As it was written. */
  type: string;
  values: Readonly<Record<string, string>>;
  /** The record that the row was made of. What was not edited is stored as it was, also fields that the form does not show. */
  original: Fields;
}

/** A template in the form. */
export interface TemplateForm {
  texts: Readonly<Record<TextKey, string>>;
  flags: Readonly<Record<FlagKey, boolean>>;
  rows: readonly Row[];
  /** The template that the form was made of, as a row's. */
  original: Fields;
}

const textKeys = [
  "serviceName",
  "serviceId",
  "providerName",
  "providerId",
  "description",
  "variableDescription",
] as const;
type TextKey = (typeof textKeys)[number];
export const flagKeys = ["hostRequired", "multiInstance", "warnPhishing"] as const;
type FlagKey = (typeof flagKeys)[number];

/** The types to choose from. `SPFM` merges rules into the SPF record of a host, `APEXCNAME` is an alias at the apex. */
export const commonTypes = "A AAAA ALIAS APEXCNAME CAA CNAME DS HTTPS MX NS PTR SPFM SRV SSHFP SVCB TLSA TXT URI".split(
  " ",
);

const pointing: ReadonlySet<string> = new Set(["A", "AAAA", "ALIAS", "APEXCNAME", "CNAME", "NS"]);
const figures: ReadonlySet<string> = new Set(["ttl", "priority", "weight", "port"]);
/** Every field that a row shows for one type or another. */
const shownKeys: ReadonlySet<string> = new Set(
  "host name ttl pointsTo target data rdata spfRules priority weight port service protocol".split(" "),
);

/** Types, by number, that have fields of their own in the form. All others have `data`. */
const numbered: Readonly<Record<number, string>> = { 1: "A", 2: "NS", 5: "CNAME", 15: "MX", 28: "AAAA", 33: "SRV" };

/** The type as the service reads it: published templates also write `mx`, and `TYPE15` is the same (RFC 3597 §5). */
export function kindOf(type: string): string {
  const name = type.toUpperCase();
  return numbered[/^TYPE\d{1,5}$/.test(name) ? Number(name.slice(4)) : 0] ?? name;
}

/** The fields of a type besides its name and TTL, in order. The last one is its value. */
export function dataKeys(type: string): readonly string[] {
  const kind = kindOf(type);
  if (pointing.has(kind)) return ["pointsTo"];
  if (kind === "MX") return ["priority", "pointsTo"];
  if (kind === "SRV") return ["service", "protocol", "priority", "weight", "port", "target"];
  if (kind === "SPFM") return ["spfRules"];
  return kind.startsWith("REDIR") ? ["target"] : ["data"];
}

/** The field that has the name of a type's records. */
export function nameKey(type: string): "host" | "name" {
  return kindOf(type) === "SRV" ? "name" : "host";
}

/** The other fields that the service reads for one of a type's fields if that is empty, in order. */
function standIns(type: string, key: string): readonly string[] {
  if (key === "name") return ["host"];
  if (key !== dataKeys(type).at(-1)) return [];
  if (key === "pointsTo") return ["data", "target"];
  if (key === "target") return ["pointsTo", "data"];
  return key === "data" ? ["rdata"] : ["data"];
}

/** The fields of a type that the form shows. */
const keysOf = (type: string) => [nameKey(type), ...dataKeys(type), "ttl"];

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const textOf = (value: unknown) => (typeof value === "string" ? value : typeof value === "number" ? String(value) : "");

/** An empty row. */
export function emptyRow(key: number): Row {
  return { key, type: "A", values: { host: "@", ttl: "3600" }, original: {} };
}

/** Returns a template as the form shows it; null if its records are not a list of objects. */
export function formOf(template: Fields): TemplateForm | null {
  const { records = [], ...original } = template;
  if (!Array.isArray(records) || !records.every(isObject)) return null;
  return {
    texts: Object.fromEntries(textKeys.map((key) => [key, textOf(original[key])])) as TemplateForm["texts"],
    flags: Object.fromEntries(flagKeys.map((key) => [key, original[key] === true])) as TemplateForm["flags"],
    rows: records.map((record, key) => rowOf(record, key)),
    original,
  };
}

function rowOf(original: Fields, key: number): Row {
  const type = textOf(original["type"]);
  const fields = Object.entries(original).filter(([name]) => shownKeys.has(name));
  const values = Object.fromEntries(fields.map(([name, value]) => [name, textOf(value)]));
  const shown = keysOf(type).map((name) => {
    const texts = [name, ...standIns(type, name)].map((each) => values[each] ?? "");
    return [name, texts.find((text) => text !== "") ?? ""] as const;
  });
  return { key, type, values: { ...values, ...Object.fromEntries(shown) }, original };
}

/** The row with another type. Its name and value move to the fields that these have there. */
export function withType(row: Row, type: string): Row {
  const value = row.values[dataKeys(row.type).at(-1) ?? ""] ?? "";
  const name = row.values[nameKey(row.type)] ?? "";
  return { ...row, type, values: { ...row.values, [nameKey(type)]: name, [dataKeys(type).at(-1) ?? ""]: value } };
}

/** Returns what the form says as a template. Fields of other types than a row's go if its type was changed. */
export function templateOf({ texts, flags, rows, original }: TemplateForm): Record<string, unknown> {
  const template: Record<string, unknown> = { ...original };
  const put = (key: string, value: unknown, isSame: boolean, isLeftOut: boolean) => {
    if (isSame && Object.hasOwn(original, key)) return;
    if (isLeftOut) Reflect.deleteProperty(template, key);
    else template[key] = value;
  };
  for (const key of textKeys) {
    const text = texts[key].trim();
    put(key, text, texts[key] === textOf(original[key]), !isSent(key, text));
  }
  for (const key of flagKeys) put(key, true, flags[key] === (original[key] === true), !flags[key]);
  return { ...template, records: rows.map(recordOf) };
}

function recordOf({ type, values, original }: Row): Record<string, unknown> {
  const before = rowOf(original, 0);
  const isSameType = kindOf(type) === kindOf(before.type);
  const kept = Object.entries(original).filter(([key]) => isSameType || !shownKeys.has(key));
  const record: Record<string, unknown> = Object.fromEntries(kept);
  if (type !== before.type) record["type"] = type;
  for (const key of keysOf(type)) {
    const text = values[key] ?? "";
    if (isSameType && text === before.values[key]) continue;
    for (const each of [key, ...standIns(type, key)]) Reflect.deleteProperty(record, each);
    if (text.trim() !== "") record[key] = figureOf(key, text.trim());
  }
  return record;
}

/** Descriptions may be left out; the service names the other fields that are missing. */
const isSent = (key: string | undefined, text: string | undefined) =>
  text !== "" || (key !== "description" && key !== "variableDescription");

function figureOf(key: string, text: string): string | number {
  return figures.has(key) && /^\d{1,10}$/.test(text) ? Number(text) : text;
}

/** The variables of all rows that whoever applies the template gives, in order. */
export function variablesOf(rows: readonly Row[]): string[] {
  const given = new Set(["domain", "host", "fqdn"]);
  const texts = rows.flatMap((row) => {
    const record = recordOf(row);
    return [...new Set([...keysOf(row.type), ...shownKeys])].map((key) => textOf(record[key]));
  });
  const names = texts.flatMap((text) =>
    [...text.matchAll(/%(_?[A-Za-z0-9][A-Za-z0-9_-]*)%/g)].map(([, name = ""]) => name),
  );
  return [...new Set(names)].filter((name) => !given.has(name));
}

/** What is wrong with a field that the service would store, but could not apply. */
export function faultOf(key: string, text: string): "missing" | "figure" | null {
  const typed = text.trim();
  if (key === "ttl" && typed === "") return null;
  if (figures.has(key)) return /^(?:\d{1,10}|%[\w-]+%)$/.test(typed) ? null : "figure";
  return typed === "" && key !== "host" && key !== "name" ? "missing" : null;
}
