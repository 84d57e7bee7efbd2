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

/** What a template's record says, for a person to read. Fields may be texts with variables, numbers, or absent. */
export function shownRecord(record: Readonly<Record<string, unknown>>): {
  type: string;
  name: string;
  value: string;
  ttl: string;
} {
  const say = (key: string) => {
    const value = record[key];
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  };
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
