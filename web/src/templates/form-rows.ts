/** A template's record in the form: its fields as texts, and what the form does not show. */
export interface Row {
  /** Identifies the row while the form is open. */
  key: number;
  type: string;
  values: Readonly<Record<string, string>>;
  /** Other fields, such as the group. They are stored as they were. */
  rest: Readonly<Record<string, unknown>>;
}

/** A template in the form. */
export interface TemplateForm {
  texts: Readonly<Record<TextKey, string>>;
  flags: Readonly<Record<FlagKey, boolean>>;
  rows: readonly Row[];
  rest: Readonly<Record<string, unknown>>;
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

const valueKeys = ["pointsTo", "target", "data", "rdata", "spfRules"] as const;

/** The fields of a type besides its name and TTL, in order. The last one is its value. */
export function dataKeys(type: string): readonly string[] {
  if (pointing.has(type)) return ["pointsTo"];
  if (type === "MX") return ["priority", "pointsTo"];
  if (type === "SRV") return ["service", "protocol", "priority", "weight", "port", "target"];
  if (type === "SPFM") return ["spfRules"];
  return type.startsWith("REDIR") ? ["target"] : ["data"];
}

/** The field that has the name of a type's records. */
export function nameKey(type: string): "host" | "name" {
  return type === "SRV" ? "name" : "host";
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const textOf = (value: unknown) => (typeof value === "string" ? value : typeof value === "number" ? String(value) : "");

/** An empty row. */
export function emptyRow(key: number): Row {
  return { key, type: "A", values: { host: "@", ttl: "3600" }, rest: {} };
}

/** Returns a template as the form shows it; null if its records are not a list of objects. */
export function formOf(template: Readonly<Record<string, unknown>>): TemplateForm | null {
  const { records = [], ...others } = template;
  if (!Array.isArray(records) || !records.every(isObject)) return null;
  const known = new Set<string>([...textKeys, ...flagKeys]);
  return {
    texts: Object.fromEntries(textKeys.map((key) => [key, textOf(others[key])])) as TemplateForm["texts"],
    flags: Object.fromEntries(flagKeys.map((key) => [key, others[key] === true])) as TemplateForm["flags"],
    rows: records.map((record, key) => rowOf(record, key)),
    rest: Object.fromEntries(Object.entries(others).filter(([key]) => !known.has(key))),
  };
}

function rowOf(record: Readonly<Record<string, unknown>>, key: number): Row {
  const { type, ...fields } = record;
  const entries = Object.entries(fields);
  const values = Object.fromEntries(
    entries.filter(([name]) => shownKeys.has(name)).map(([name, value]) => [name, textOf(value)]),
  );
  const known = textOf(type);
  const main = dataKeys(known).at(-1) ?? "data";
  // Published templates also have the value in the field of another type.
  const value = [main, ...valueKeys].map((name) => values[name] ?? "").find((text) => text !== "") ?? "";
  return {
    key,
    type: known,
    values: { ...values, [main]: value },
    rest: Object.fromEntries(entries.filter(([name]) => !shownKeys.has(name))),
  };
}

/** The row with another type. Its name and value move to the fields that these have there. */
export function withType(row: Row, type: string): Row {
  const value = row.values[dataKeys(row.type).at(-1) ?? ""] ?? "";
  const name = row.values[nameKey(row.type)] ?? "";
  return { ...row, type, values: { ...row.values, [nameKey(type)]: name, [dataKeys(type).at(-1) ?? ""]: value } };
}

/** Returns what the form says as a template. Fields of other types than a row's go. */
export function templateOf({ texts, flags, rows, rest }: TemplateForm): Record<string, unknown> {
  return {
    ...Object.fromEntries(textKeys.map((key) => [key, texts[key].trim()]).filter(([key, text]) => isSent(key, text))),
    ...Object.fromEntries(flagKeys.filter((key) => flags[key]).map((key) => [key, true])),
    ...rest,
    records: rows.map(({ type, values, rest: others }) => ({
      type: type.trim(),
      ...Object.fromEntries(
        [nameKey(type), ...dataKeys(type), "ttl"]
          .map((key) => [key, figureOf(key, (values[key] ?? "").trim())] as const)
          .filter(([, value]) => value !== ""),
      ),
      ...others,
    })),
  };
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
  const texts = rows.flatMap(({ type, values }) =>
    [nameKey(type), ...dataKeys(type), "ttl"].map((key) => values[key] ?? ""),
  );
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
