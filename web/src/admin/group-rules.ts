import { isZonewrightError, type RouterInputs, type RouterOutputs } from "@zonewright/client";
import { client, queries } from "../api.ts";
import { uniqueText } from "../ui/unique-text.ts";
import { typeList } from "../zone/lists.ts";
import { zoneName, zoneQuery } from "../zone/use-zone.ts";
import type { ZoneFault } from "./typed-zone.ts";

type Config = RouterOutputs["identityConfigs"]["list"]["providers"][number];
type GroupRule = NonNullable<RouterInputs["identityConfigs"]["update"]["groupRules"]>[number];

/** A rule as the form has it. */
export interface EditedRule {
  key: string;
  group: string;
  role: "" | "admin" | "auditor" | "member";
  target: "" | "domain" | "groupName" | "tag";
  /** Name of the zone, of the group of zones or of the tag. */
  name: string;
  access: "read" | "propose" | "write";
  hosts: string;
  types: string;
}

/** What is wrong with a rule, by field. */
export type RuleFault = Partial<
  Record<"group" | "role" | "name", "groupMissing" | "nothingGiven" | "nameMissing" | "zoneDeleted" | ZoneFault>
>;

export const newRule = (): EditedRule => ({
  key: uniqueText(),
  group: "",
  role: "",
  target: "",
  name: "",
  access: "read",
  hosts: "*",
  types: "",
});

/** The names of the zones of some assignments, by id; null for a deleted zone. */
export async function zoneNames(
  assignments: readonly ({ domainId: string | null } | null)[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string | null>> {
  const ids = new Set(assignments.flatMap((assignment) => assignment?.domainId ?? []));
  return new Map(await Promise.all([...ids].map(async (id) => [id, await nameOf(id, signal)] as const)));
}

async function nameOf(id: string, signal: AbortSignal): Promise<string | null> {
  try {
    return zoneName(await client.domains.get.query({ id }, { signal }));
  } catch (error) {
    if (isZonewrightError(error) && error.code === "NOT_FOUND") return null;
    throw error;
  }
}

/** The stored rules as the form shows them, with the names of zones. A rule of a deleted zone has a fault. */
export async function editedRules(
  stored: Config["groupRules"],
  signal: AbortSignal,
): Promise<{ rules: EditedRule[]; faults: ReadonlyMap<string, RuleFault> }> {
  const names = await zoneNames(
    stored.map(({ assignment }) => assignment),
    signal,
  );
  const faults = new Map<string, RuleFault>();
  const rules = stored.map(({ group, role, assignment }, index) => {
    // The same key at each reading keeps the focus in its field.
    const rule = { ...newRule(), key: `stored-${index}`, group, role: role ?? "" } as const;
    if (assignment === null) return rule;
    const { domainId, groupName, tag, subdomainPattern, access, recordTypes } = assignment;
    const limits = { access, hosts: subdomainPattern, types: recordTypes.join(", ") };
    if (domainId === null) {
      const target = groupName === null ? ("tag" as const) : ("groupName" as const);
      return Object.assign(rule, limits, { target, name: groupName ?? tag ?? "" });
    }
    const name = names.get(domainId) ?? "";
    if (name === "") faults.set(rule.key, { name: "zoneDeleted" });
    return Object.assign(rule, limits, { target: "domain" as const, name });
  });
  return { rules, faults };
}

/** The rules as the service takes them, or what is wrong with them, by their keys. */
export async function storedRules(
  rules: readonly EditedRule[],
): Promise<{ rules: GroupRule[] } | { faults: ReadonlyMap<string, RuleFault> }> {
  const faults = new Map<string, RuleFault>();
  const stored: GroupRule[] = [];
  for (const { key, group, role, target, name, access, hosts, types } of rules) {
    const fault: RuleFault = {
      ...(group.trim() === "" && { group: "groupMissing" }),
      ...(role === "" && target === "" && { role: "nothingGiven" }),
      ...(target !== "" && name.trim() === "" && { name: "nameMissing" }),
    };
    const zone = target === "domain" && name.trim() !== "" ? await queries.fetchQuery(zoneQuery(name.trim())) : null;
    if (zone !== null && zone.kind !== "found") fault.name = zone.kind;
    if (Object.keys(fault).length > 0) {
      faults.set(key, fault);
      continue;
    }
    const place =
      target === ""
        ? null
        : target === "domain"
          ? zone?.kind === "found"
            ? { domainId: zone.zone.id }
            : null
          : { [target]: name.trim() };
    stored.push({
      group: group.trim(),
      ...(role === "" ? {} : { role }),
      ...(place && {
        assignment: { ...place, access, subdomainPattern: hosts.trim() || "*", recordTypes: typeList(types) },
      }),
    });
  }
  return faults.size > 0 ? { faults } : { rules: stored };
}

/** Claims that have these groups where the path says. */
export function claimsOf(path: string, groups: readonly string[]): Record<string, unknown> {
  const names = (path.match(/(?:\\.|[^.\\])+/g) ?? []).map((name) => name.replaceAll(/\\(.)/g, "$1"));
  const claims = names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), groups);
  return names.length === 0 ? {} : (claims as Record<string, unknown>);
}
