import type { InferKyselyDB } from "@mikro-orm/postgresql";
import { AcmeChallengeSchema } from "./acme-challenges.ts";
import { PowerdnsCommentSchema, PowerdnsMetadataSchema, PowerdnsZoneSchema } from "./powerdns-zones.ts";
import { AssignmentRequestSchema, AssignmentSchema } from "./assignments.ts";
import { AuditEntrySchema } from "./audit.ts";
import { CliCodeSchema, DeviceSignInSchema } from "./command-line.ts";
import { BatchItemSchema, BatchSchema } from "./batches.ts";
import { DynamicUpdateSchema } from "./dynamic-updates.ts";
import { PasswordResetSchema } from "./password-resets.ts";
import { RefreshTokenSchema, SessionSchema } from "./sessions.ts";
import { CalendarFeedSchema } from "./calendar-feeds.ts";
import { PersonalTokenSchema } from "./personal-tokens.ts";
import { TsigKeySchema } from "./tsig-keys.ts";
import {
  EmailFactorSchema,
  PasskeyChallengeSchema,
  PasskeySchema,
  RecoveryCodeSchema,
  SignInChallengeSchema,
  TotpFactorSchema,
} from "./second-factors.ts";
import {
  PrimaryCatalogChangeSchema,
  PrimaryCatalogSchema,
  PrimarySecondarySchema,
  PrimaryZoneSchema,
  SecondaryRevisionSchema,
} from "./primary.ts";
import { ProviderConfigSchema } from "./provider-configs.ts";
import { RegistrarConfigSchema } from "./registrar-configs.ts";
import { DomainSchema } from "./domains.ts";
import { MirrorRevisionSchema, MirrorSchema } from "./mirrors.ts";
import { ZoneImportItemSchema, ZoneImportSchema } from "./zone-imports.ts";
import { CertificateNoticeSchema, TlsHostSchema, TlsWatchSchema } from "./certificates.ts";
import { ExpiryReminderSchema } from "./expiry.ts";
import { IdempotentCallSchema } from "./idempotent-calls.ts";
import {
  IdentityBindingSchema,
  GroupRoleSchema,
  IdentityConfigSchema,
  IdentityFlowSchema,
  IdentityCodeSchema,
  IdentityTicketSchema,
  PendingIdentitySchema,
} from "./identity.ts";
import { RecordVersionSchema, ServerManagedRecordSchema } from "./records.ts";
import { ChangeRequestCommentSchema, ChangeRequestReviewSchema, ChangeRequestSchema } from "./change-requests.ts";
import { ChangeReportSchema } from "./change-reports.ts";
import { ChangeSetCallSchema, ChangeSetSchema } from "./change-sets.ts";
import { DelegationFindingSchema, DelegationSchema } from "./delegations.ts";
import { ReverseFollowSchema } from "./reverse-follows.ts";
import { SnapshotSchema } from "./snapshots.ts";
import { DomainTemplateSchema, TemplateSchema } from "./templates.ts";
import { InstanceSchema } from "./instances.ts";
import { InvitationSchema } from "./invitations.ts";
import { DeliverySchema, NotificationChannelSchema } from "./channels.ts";
import { EmailVerificationSchema, MailAllowanceSchema } from "./email-verifications.ts";
import { UserPreferencesSchema, UserSchema } from "./users.ts";

/** Every table, listed explicitly rather than discovered by scanning. */
export const entities = [
  UserSchema,
  UserPreferencesSchema,
  SessionSchema,
  RefreshTokenSchema,
  PersonalTokenSchema,
  CalendarFeedSchema,
  CliCodeSchema,
  DeviceSignInSchema,
  TsigKeySchema,
  DynamicUpdateSchema,
  AcmeChallengeSchema,
  PowerdnsZoneSchema,
  PowerdnsMetadataSchema,
  PowerdnsCommentSchema,
  TotpFactorSchema,
  EmailFactorSchema,
  PasskeySchema,
  RecoveryCodeSchema,
  SignInChallengeSchema,
  PasskeyChallengeSchema,
  ProviderConfigSchema,
  RegistrarConfigSchema,
  DomainSchema,
  MirrorSchema,
  MirrorRevisionSchema,
  PrimaryZoneSchema,
  PrimaryCatalogSchema,
  PrimaryCatalogChangeSchema,
  PrimarySecondarySchema,
  SecondaryRevisionSchema,
  ZoneImportSchema,
  ZoneImportItemSchema,
  ExpiryReminderSchema,
  TlsWatchSchema,
  TlsHostSchema,
  CertificateNoticeSchema,
  RecordVersionSchema,
  ServerManagedRecordSchema,
  ChangeReportSchema,
  ChangeSetSchema,
  ChangeSetCallSchema,
  ChangeRequestSchema,
  ChangeRequestReviewSchema,
  ChangeRequestCommentSchema,
  BatchSchema,
  BatchItemSchema,
  ReverseFollowSchema,
  DelegationSchema,
  DelegationFindingSchema,
  SnapshotSchema,
  TemplateSchema,
  DomainTemplateSchema,
  AssignmentSchema,
  AssignmentRequestSchema,
  AuditEntrySchema,
  InvitationSchema,
  PasswordResetSchema,
  EmailVerificationSchema,
  MailAllowanceSchema,
  GroupRoleSchema,
  IdentityConfigSchema,
  IdentityBindingSchema,
  IdentityFlowSchema,
  IdentityCodeSchema,
  IdentityTicketSchema,
  PendingIdentitySchema,
  NotificationChannelSchema,
  DeliverySchema,
  IdempotentCallSchema,
  InstanceSchema,
] as const;

/** Tables for set-based queries: snake_case columns, typed from the entities. */
export type Tables = InferKyselyDB<(typeof entities)[number]>;
