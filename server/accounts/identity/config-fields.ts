import { AppError } from "../../platform/errors.ts";
import { maskedClientId } from "./client-secrets.ts";
import type { AssignmentAccess } from "../../database/tables/assignments.ts";
import type { GroupRule, IdentityConfig } from "../../database/tables/identity.ts";
import type { Role } from "../../database/tables/users.ts";
import type { ProviderId } from "../../database/tables/identity.ts";

/** A rule as a client sends it. */
export interface GroupRuleInput {
  group: string;
  role?: Role | undefined;
  assignment?: GivenAssignment | undefined;
}

interface GivenAssignment {
  domainId?: string | undefined;
  groupName?: string | undefined;
  tag?: string | undefined;
  subdomainPattern: string;
  access: AssignmentAccess;
  recordTypes: string[];
}

export interface IdentityConfigPatch {
  clientId?: string | undefined;
  /** Empty: keeps the stored secret. */
  clientSecret?: string | undefined;
  scope?: string | undefined;
  enabled?: boolean | undefined;
  wellKnownUrl?: string | null | undefined;
  authorizeUrl?: string | null | undefined;
  tokenUrl?: string | null | undefined;
  userInfoUrl?: string | null | undefined;
  groupsClaim?: string | null | undefined;
  groupRules?: GroupRuleInput[] | undefined;
  defaultDeny?: boolean | undefined;
}

export interface NewIdentityConfig extends IdentityConfigPatch {
  providerId: ProviderId;
  clientId: string;
  enabled: boolean;
}

export const urlFields = ["wellKnownUrl", "authorizeUrl", "tokenUrl", "userInfoUrl"] as const;

/** The fields of a configuration without rules for groups. */
export const noGroups = { groupsClaim: null, groupRules: [], defaultDeny: false };

/** Returns a configuration's fields after a change, without the secret. */
export function fieldsAfter(config: IdentityConfig, patch: IdentityConfigPatch, defaultScope: string) {
  const url = (field: (typeof urlFields)[number]) =>
    patch[field] === undefined ? (config[field] ?? null) : patch[field];
  return {
    clientId: patch.clientId ?? config.clientId,
    scope: patch.scope === undefined ? config.scope : patch.scope || defaultScope,
    enabled: patch.enabled ?? config.enabled,
    wellKnownUrl: url("wellKnownUrl"),
    authorizeUrl: url("authorizeUrl"),
    tokenUrl: url("tokenUrl"),
    userInfoUrl: url("userInfoUrl"),
  };
}

/** Returns a configuration's fields for responses and the audit trail. */
export function publicFields(config: IdentityConfig) {
  const { providerId, enabled, clientId, scope } = config;
  return {
    providerId,
    enabled,
    clientIdMasked: maskedClientId(clientId),
    scope,
    wellKnownUrl: config.wellKnownUrl ?? null,
    authorizeUrl: config.authorizeUrl ?? null,
    tokenUrl: config.tokenUrl ?? null,
    userInfoUrl: config.userInfoUrl ?? null,
    groupsClaim: config.groupsClaim ?? null,
    groupRules: config.groupRules.map(shownRule),
    defaultDeny: config.defaultDeny,
  };
}

function shownRule({ group, role, assignment }: GroupRule) {
  return { group, role: role ?? null, assignment: assignment ? shownAssignment(assignment) : null };
}

/** Returns a rule's assignment as answers show it. */
export function shownAssignment(assignment: NonNullable<GroupRule["assignment"]>) {
  const { domainId = null, groupName = null, tag = null, subdomainPattern, access, recordTypes } = assignment;
  return { domainId, groupName, tag, subdomainPattern, access, recordTypes };
}

export function configuredAlready(provider: string, cause: Error): AppError {
  const message = `${provider} is already configured. Change its configuration instead.`;
  return new AppError("CONFLICT", message, { issues: [{ path: ["providerId"], message }], cause });
}
