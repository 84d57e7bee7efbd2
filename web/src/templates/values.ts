import type { RouterOutputs } from "@zonewright/client";
import { kindOf } from "./form-rows.ts";

export type Template = RouterOutputs["templates"]["get"];

/** What is called by whom. */
export function titleOf({ serviceName, serviceId }: Pick<Template, "serviceName" | "serviceId">): string {
  return serviceName || serviceId;
}

/** Reads values for a template's variables: a JSON object, or lines of `name=value` or `name: value`. Keeps those that the template has. */
export function readValues(pasted: string, variables: readonly string[]): Record<string, string> {
  const known = new Map(variables.map((name) => [name.toLowerCase(), name]));
  const found: Record<string, string> = {};
  for (const [given, value] of pairsOf(pasted)) {
    const name = known.get(given.trim().replaceAll("%", "").toLowerCase());
    if (name !== undefined && value.trim() !== "") found[name] = value.trim();
  }
  return found;
}

function pairsOf(pasted: string): (readonly [string, string])[] {
  const object = objectOf(pasted);
  if (object !== null)
    return Object.entries(object).flatMap(([name, value]) =>
      typeof value === "string" || typeof value === "number" ? [[name, String(value)] as const] : [],
    );
  return pasted.split(/\r?\n/).flatMap((line) => {
    const at = line.search(/[=:\t]/);
    return at <= 0 ? [] : [[line.slice(0, at), line.slice(at + 1)] as const];
  });
}

function objectOf(text: string): object | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

/**
 * Reads which part of a template's help belongs to which variable: published templates write `name: what it is; other: what that is`. Returns
 * what comes before the first name apart.
 */
export function helpOf(
  help: string,
  variables: readonly string[],
): { general: string; own: Readonly<Record<string, string>> } {
  const known = new Map(variables.map((name) => [name.toLowerCase(), name]));
  const found: { name: string; from: number; to: number }[] = [];
  for (const match of help.matchAll(/(?<=^|[;,.\n])[ \t]*[%'"`]?([\w-]+)[%'"`]?[ \t]*[:=](?=\s)/g)) {
    const name = known.get((match[1] ?? "").toLowerCase());
    if (name === undefined || found.some((one) => one.name === name)) continue;
    found.push({ name, from: match.index, to: match.index + match[0].length });
  }
  const part = (from: number, to?: number) => help.slice(from, to).trim().replace(/[;,]$/, "");
  const own = found.map(({ name, to }, at) => {
    const said = part(to, found[at + 1]?.from);
    return [name, said.includes(". ") ? said : said.replace(/\.$/, "")] as const;
  });
  return { general: part(0, found[0]?.from), own: Object.fromEntries(own.filter(([, said]) => said !== "")) };
}

/** The fields that have none, whatever they say. */
const withoutVariables: ReadonlySet<string> = new Set(["groupId", "txtConflictMatchingPrefix"]);

/** Returns the variables that a template needs for some of its groups. Records without a group always apply. */
export function neededVariables(
  { template, variables }: Pick<Template, "template" | "variables">,
  groups: readonly string[],
): string[] {
  const given = template["records"];
  const records = (Array.isArray(given) ? given : []) as Readonly<Record<string, unknown>>[];
  const texts = records.flatMap((record) => {
    const group = shownText(record["groupId"]);
    if (group !== "" && !groups.includes(group)) return [];
    return Object.entries(record).flatMap(([key, value]) => (withoutVariables.has(key) ? [] : [shownText(value)]));
  });
  return variables.filter((name) => texts.some((text) => text.includes(`%${name}%`)));
}

function shownText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** What a template's record says, for a person to read. Fields may be texts with variables, numbers, or absent. */
export function shownRecord(record: Readonly<Record<string, unknown>>): {
  type: string;
  name: string;
  value: string;
  ttl: string;
} {
  const say = (key: string) => shownText(record[key]);
  const type = say("type");
  const kind = kindOf(type);
  const service = [say("service"), say("protocol")].filter(Boolean);
  const name = kind === "SRV" ? [...service, say("name") || say("host")].filter(Boolean).join(".") : say("host");
  const target = say("pointsTo") || say("target") || say("data") || say("rdata") || say("spfRules");
  const numbers = kind === "MX" || kind === "SRV" ? [say("priority"), say("weight"), say("port")] : [];
  return { type, name: name || "@", value: [...numbers, target].filter(Boolean).join(" "), ttl: say("ttl") };
}

/** The zones that a text names: separated by commas, blanks or lines. */
export function zonesOf(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter(Boolean))];
}
