import { canonicalType } from "../../../dns/zone-file/type-names.ts";

/** A number, or a text that holds one or a variable. Published templates use both. */
type Figure = string | number;

/**
 * A record of a template, in the JSON form of Domain Connect (draft-ietf-dconn-domainconnect). Every field but `type` may be absent, because
 * each type needs others. Fields that are unknown here are stored with the template.
 */
export interface TemplateRecord {
  type: string;
  groupId?: Figure | null | undefined;
  essential?: string | null | undefined;
  host?: string | null | undefined;
  /** SRV: what `host` is for the other types. */
  name?: string | null | undefined;
  pointsTo?: string | null | undefined;
  target?: string | null | undefined;
  data?: Figure | null | undefined;
  rdata?: Figure | null | undefined;
  ttl?: Figure | null | undefined;
  priority?: Figure | null | undefined;
  weight?: Figure | null | undefined;
  port?: Figure | null | undefined;
  protocol?: string | null | undefined;
  service?: string | null | undefined;
  spfRules?: string | null | undefined;
  txtConflictMatchingMode?: string | null | undefined;
  txtConflictMatchingPrefix?: string | null | undefined;
}

/** A template in the JSON form of Domain Connect. Fields without effect here, such as `logoUrl`, are stored and returned only. */
export interface Template {
  providerId: string;
  providerName: string;
  serviceId: string;
  serviceName: string;
  version?: Figure | null | undefined;
  description?: string | null | undefined;
  variableDescription?: string | null | undefined;
  hostRequired?: boolean | null | undefined;
  multiInstance?: boolean | null | undefined;
  warnPhishing?: boolean | null | undefined;
  records: TemplateRecord[];
}

/** What becomes of a record after it was applied: `OnApply` may be removed later without harm. */
export type Essential = "Always" | "OnApply";

/** Returns when a record must exist. Any value but `Always` that a template states means that the record may go. */
export function essentialOf({ essential }: TemplateRecord): Essential {
  return (essential ?? "") === "" || essential?.toLowerCase() === "always" ? "Always" : "OnApply";
}

/** Returns the group of a record; null if it is applied with every group. */
export function groupOf({ groupId }: TemplateRecord): string | null {
  const group = String(groupId ?? "");
  return group === "" ? null : group;
}

/** Returns the groups of a template, in order. */
export function groupsOf({ records }: Template): string[] {
  return [...new Set(records.flatMap((record) => groupOf(record) ?? []))];
}

/** Returns the type of a record in canonical form; in upper case if it is none of a record. */
export function typeOf({ type }: TemplateRecord): string {
  return canonicalType(type) ?? type.toUpperCase();
}

/** Which TXT records of a host a template's TXT replaces. */
export type TxtConflicts = { mode: "None" } | { mode: "All" } | { mode: "Prefix"; prefix: string };

/** Returns the conflict rule of a TXT record. Without its prefix, `Prefix` matches nothing. */
export function txtConflictsOf(record: TemplateRecord): TxtConflicts {
  const mode = record.txtConflictMatchingMode?.toLowerCase();
  const prefix = record.txtConflictMatchingPrefix ?? "";
  if (mode === "all") return { mode: "All" };
  return mode === "prefix" && prefix !== "" ? { mode: "Prefix", prefix } : { mode: "None" };
}
