import type { Caller } from "../../access/caller.ts";
import { outsideRights, type Rights } from "../../access/zone-access.ts";
import type { Chosen } from "../../zones/changes/follows.ts";
import type { ChangePipeline } from "../../zones/changes/pipeline.ts";
import type { Explained } from "../../zones/changes/locks-and-reviews.ts";
import type { ZoneContext } from "../../zones/changes/zone-context.ts";
import type { EntityManager } from "../../database/database.ts";
import { parseOwner } from "../../dns/names/names.ts";
import { AppError, badField, type Issue } from "../../platform/errors.ts";
import { kindOfZone } from "../../zones/records/provider-limits.ts";
import type { Records } from "../../zones/records/service.ts";
import { appliedTo, instanceOf, type AppliedTemplate, type DomainTemplates } from "./applied.ts";
import { expandTemplate, type Expanded } from "./applying/expand.ts";
import { resolve, type Resolution, stillWritten, touchedNames } from "./applying/resolve.ts";
import { apexAliasAt, earlierAt, replaces, situationAt, type Place, liveRecordsOf } from "./linked-changes.ts";
import type { Templates } from "./store.ts";
import type { StoredTemplate } from "./form/template.ts";

/** More changes than a plan takes are refused. */
const mostChanges = 1_000;

/** A caller's choice of template, host and values. */
export interface TemplateChoice {
  id: string;
  templateId: string;
  host: string;
  variables: Record<string, string>;
  groups: string[] | null;
  /** The offered PTR changes to include. */
  reverse?: Chosen | undefined;
}

interface Prepared {
  stored: StoredTemplate;
  zone: ZoneContext;
  place: Place;
  earlier: AppliedTemplate | null;
  resolution: Resolution;
}

interface Parts {
  templates: Templates;
  domainTemplates: DomainTemplates;
  records: Records;
  pipeline: ChangePipeline;
}

/** Applies templates: turns them into changes, which go the way of every other plan. */
export class TemplatePlans {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns what a template would do, without doing it. @throws AppError as `Records.plan`, and BAD_REQUEST with issues under `variables` or `records` */
  async plan(em: EntityManager, caller: Caller, choice: TemplateChoice) {
    const prepared = await this.#prepare(em, caller, choice);
    const { changes, warnings } = prepared.resolution;
    const plan = await atTemplate(
      prepared,
      this.#parts.records.plan(em, caller, { id: choice.id, changes, reverse: choice.reverse }),
    );
    const conflicts = prepared.resolution.conflicts.map(({ record, index }) => {
      const { id, recordType, name, value } = record;
      return { id, recordType, name, value, record: index };
    });
    const linked = prepared.earlier?.linked ?? false;
    return { ...plan, warnings: [...warnings, ...plan.warnings], conflicts, linked };
  }

  /**
   * Applies a template as it was planned, and remembers it in the transaction that writes the records.
   * @throws AppError as `Records.apply`
   */
  async apply(
    em: EntityManager,
    caller: Caller,
    input: TemplateChoice & Explained & { linked: boolean; planHash: string; force: boolean },
  ) {
    const { id, planHash, force, linked, reverse, message, override, unlock } = input;
    const prepared = await this.#prepare(em, caller, input);
    const { stored, zone, place, earlier, resolution } = prepared;
    const isRemembered = zone.rights.changes.includesAllAt(place.host);
    if (linked && !isRemembered)
      throw new AppError(
        "FORBIDDEN",
        `Your assignments do not let you change the records of ${place.host}, so leave \`linked\` out.`,
      );
    const { changes } = resolution;
    const { domainTemplates, records, templates } = this.#parts;
    const remembered: { applied: Awaited<ReturnType<DomainTemplates["remember"]>> | null } = { applied: null };
    const remember = async (tx: EntityManager, revision: number) => {
      // Deleted meanwhile: there is nothing to follow.
      if (!(await templates.hold(tx, stored.id))) return;
      const what = { ...withEarlier(place, earlier, resolution), linked, revision, sees: zone.rights.sees };
      remembered.applied = await domainTemplates.remember(tx, caller, stored, what);
    };
    const alongside = isRemembered ? remember : undefined;
    const result = await atTemplate(
      prepared,
      records.apply(em, caller, { id, changes, reverse, planHash, force, message, override, unlock, alongside }),
    );
    return { ...result, ...remembered };
  }

  async #prepare(em: EntityManager, caller: Caller, choice: TemplateChoice): Promise<Prepared> {
    const zone = await this.#parts.pipeline.zone(em, caller, choice.id, "write");
    const stored = await this.#parts.templates.load(em, choice.templateId);
    const host = parseOwner(choice.host, zone.name);
    if (!host.ok) throw badField(["host"], host.message);
    if (host.value.startsWith("*"))
      throw badField(["host"], 'A template cannot be applied at a wildcard. Choose a host without "*".');
    const { variables, groups } = choice;
    const place: Place = { domainId: zone.id, host: host.value, variables, groups };
    const expanded = expandTemplate(stored.template, { ...place, zone: zone.name, apexAlias: apexAliasAt(zone.kind) });
    refuseOutside(expanded, zone.rights);
    const kind = await kindOfZone(
      zone,
      [...expanded.records, ...expanded.spf].map(({ ttl }) => ttl),
    );
    const touched = touchedNames([...expanded.records, ...expanded.spf]);
    const isRemembered = zone.rights.changes.includesAllAt(place.host);
    const among = earlierAt(await appliedTo(em, [zone.id]), {
      ...place,
      templateId: stored.id,
      instance: instanceOf(stored, place),
    });
    const earlier = isRemembered ? among.earlier : null;
    const names = [...touched.names, ...(earlier?.written ?? []).map(({ name }) => name)];
    const live = (
      await liveRecordsOf(em, [{ domainId: zone.id, names: [...new Set(names)], trees: touched.trees }])
    ).get(zone.id);
    const situation = situationAt({ kind, rights: zone.rights }, live ?? [], { ...among, earlier }, groups);
    const resolution = resolve(expanded, situation);
    if (stored.template.warnPhishing === true && Object.keys(variables).length > 0)
      resolution.warnings.push(
        "The template's author warns that its variables can be abused. Check that each value is yours.",
      );
    refuseTooMany(resolution);
    return { stored, zone, place, earlier, resolution };
  }
}

/** Refuses records at hosts that the caller may not change, before anything there is read. @throws AppError FORBIDDEN */
function refuseOutside({ records, spf }: Expanded, rights: Rights): void {
  const written = [...records, ...spf.map(({ name, index }) => ({ name, index, recordType: "TXT" }))];
  const issues = written.flatMap((record): Issue[] => {
    const message = outsideRights(record, rights);
    return message === null ? [] : [{ path: ["records", record.index, "name"], message }];
  });
  const [first] = issues;
  if (first) throw new AppError("FORBIDDEN", first.message, { issues });
}

function refuseTooMany({ changes }: Resolution): void {
  if (changes.length <= mostChanges) return;
  throw new AppError(
    "CONFLICT",
    `The template would change ${changes.length} records; at most ${mostChanges} are possible. Delete some of those that it conflicts with first.`,
  );
}

/** Returns what to remember when only some groups were applied: the others stay as they were. */
function withEarlier(place: Place, earlier: AppliedTemplate | null, resolution: Resolution) {
  const ofOthers = earlier?.written.filter((record) => !replaces(place.groups, record)) ?? [];
  const stays = stillWritten(ofOthers, resolution);
  // A group that gave way entirely is no longer applied.
  const left = new Set([...stays.map(({ group }) => group), ...(place.groups ?? [])]);
  const groups =
    place.groups === null || (earlier && earlier.groups === null)
      ? null
      : [...new Set([...(earlier?.groups ?? []).filter((group) => left.has(group)), ...place.groups])];
  return {
    ...place,
    groups,
    variables: { ...(stays.length > 0 ? earlier?.variables : {}), ...place.variables },
    written: [...resolution.written, ...stays],
  };
}

/** Renames the issues of a refused plan from its changes to the template's records. @throws AppError */
async function atTemplate<T>({ resolution }: Pick<Prepared, "resolution">, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AppError) || error.issues === null) throw error;
    const issues = error.issues.map((issue) => ({ ...issue, path: pathIn(resolution, issue.path) }));
    throw new AppError(error.code, error.message.replace(/(?<=: )changes\.\d+: /, ""), { issues, cause: error });
  }
}

function pathIn({ origins }: Resolution, path: Issue["path"]): Issue["path"] {
  const [field, index, ...rest] = path;
  if (field !== "changes" || typeof index !== "number") return path;
  const record = origins[index] ?? null;
  return record === null ? [] : ["records", record, ...rest.filter((part) => part !== "record" && part !== "recordId")];
}
