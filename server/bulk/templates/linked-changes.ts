import { ownersRights } from "../../access/zone-access.ts";
import type { ProviderKind } from "../../dns-providers/provider.ts";
import { textKey, type LiveRecord, type PlannedChange, type RecordData } from "../../dns/record.ts";
import { inSlices, inTurns } from "../../platform/slices.ts";
import type { ChangeInput } from "../../zones/records/change-schemas.ts";
import { applyAtomic, prepareEdit, type PreparedEdit } from "../../zones/records/editing/edits.ts";
import { editsOf } from "../../zones/records/editing/reviewed-plan.ts";
import { ZoneView } from "../../zones/records/editing/zone-view.ts";
import type { AppliedTemplate, NextState } from "./applied.ts";
import { touchedNames, type Touched } from "./applying/conflicts.ts";
import { expandTemplate, type Expanded } from "./applying/expand.ts";
import { resolve } from "./applying/resolve.ts";
import { groupsOf } from "./form/template.ts";
import { variablesOf } from "./form/variables.ts";
import { apexAliasAt, earlierAt, situationAt } from "./situation.ts";
import type { StoredTemplate } from "./template-view.ts";

/** A linked domain, without its records. */
export interface LinkedZone {
  id: string;
  name: string;
  kind: ProviderKind;
  /** Everything that was applied to it. */
  applied: readonly AppliedTemplate[];
}

interface Expansion {
  one: AppliedTemplate;
  expanded: Expanded;
  variables: Record<string, string>;
  groups: string[] | null;
}

/** Returns what a template now asks for at each place where it is linked. @throws AppError BAD_REQUEST if it needs more than was given */
export function expandLinked(zone: LinkedZone, stored: StoredTemplate): Expansion[] {
  const { template } = stored;
  const [names, groupNames] = [variablesOf(template), groupsOf(template)];
  return zone.applied
    .filter((one) => one.templateId === stored.id && one.linked)
    .map((one) => {
      // A changed template may have dropped variables and groups.
      const variables = Object.fromEntries(Object.entries(one.variables).filter(([name]) => names.includes(name)));
      const groups = one.groups?.filter((group) => groupNames.includes(group)) ?? null;
      const place = { zone: zone.name, host: one.host, variables, groups };
      return {
        one,
        expanded: expandTemplate(template, { ...place, apexAlias: apexAliasAt(zone.kind) }),
        variables,
        groups,
      };
    });
}

/** Returns the names to load for `linkedChanges`. */
export function namesOf(expansions: readonly Expansion[]): Touched {
  const touched = expansions.map(({ expanded }) => touchedNames([...expanded.records, ...expanded.spf]));
  const before = expansions.flatMap(({ one }) => one.written.map(({ name }) => name));
  return {
    names: [...new Set([...touched.flatMap(({ names }) => names), ...before])],
    trees: [...new Set(touched.flatMap(({ trees }) => trees))],
  };
}

/** Returns the changes that bring a domain up to date, with warnings. What may go and has gone stays away. */
export function linkedChanges(
  zone: LinkedZone,
  { revision }: StoredTemplate,
  expansions: readonly Expansion[],
  live: readonly LiveRecord[],
): { changes: ChangeInput[]; warnings: string[]; following: NextState[] } {
  const changes = new Map<string, ChangeInput>();
  const warnings: string[] = [];
  const following: NextState[] = [];
  for (const { one, expanded, variables, groups } of expansions) {
    const among = earlierAt(zone.applied, one);
    const situation = situationAt({ kind: zone.kind, rights: ownersRights }, live, among, null);
    const resolution = resolve(expanded, { ...situation, leavesGone: true });
    for (const change of resolution.changes) {
      const key =
        change.action === "create" ? textKey({ ...change.record, value: change.record.value ?? "" }) : change.recordId;
      if (changes.get(key)?.action !== "delete") changes.set(key, change);
    }
    warnings.push(...resolution.warnings);
    const { written } = resolution;
    following.push({ appliedId: one.id, templateRevision: revision, variables, groups, written, since: one.revision });
  }
  return { changes: [...changes.values()], warnings, following };
}

/** Judges changes of a zone by the rules that need nothing but the names they touch. @returns the planned changes, or why they are refused */
export async function judged(
  zone: LinkedZone,
  changes: readonly ChangeInput[],
  live: readonly LiveRecord[],
): Promise<{ planned: PlannedChange[]; warnings: string[]; error: string | null }> {
  const named = { present: new Map(live.map((record) => [record.id, record])), managed: new Map<string, RecordData>() };
  const prepared: PreparedEdit[] = [];
  for await (const edit of inTurns(editsOf(changes))) prepared.push(prepareEdit(edit, named, zone.name, zone.kind));
  const view = new ZoneView(live, zone.kind.serverRules ?? null, zone.kind.apexCname);
  const { outcomes, warnings } = await inSlices(applyAtomic(view, prepared, zone.name, zone.kind));
  const refusal = outcomes.find((outcome) => !outcome.ok);
  if (refusal) return { planned: [], warnings: [], error: refusal.issues[0]?.message ?? "refused" };
  return { planned: inFixedOrder(view.changes()), warnings, error: null };
}

/** Orders changes so that two plans of one state are equal, whatever the order of the records. */
export function inFixedOrder(changes: readonly PlannedChange[]): PlannedChange[] {
  const ranks = { delete: 0, update: 1, create: 2 };
  return changes.toSorted((one, other) => {
    const rank = ranks[one.action] - ranks[other.action];
    if (rank !== 0 || one.action === "create") return rank;
    return one.id < other.id ? -1 : 1;
  });
}
