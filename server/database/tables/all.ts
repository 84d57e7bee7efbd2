import type { InferKyselyDB } from "@mikro-orm/postgresql";
import { AssignmentRequestSchema, AssignmentSchema } from "./assignments.ts";
import {
  RefreshTokenSchema,
  SessionSchema,
  PersonalTokenSchema,
  CalendarFeedSchema,
  TsigKeySchema,
  CliCodeSchema,
  DeviceSignInSchema,
  EmailFactorSchema,
  PasskeyChallengeSchema,
  PasskeySchema,
  RecoveryCodeSchema,
  SignInChallengeSchema,
  TotpFactorSchema,
} from "./credentials.ts";
import {
  PrimaryCatalogChangeSchema,
  PrimaryCatalogSchema,
  PrimaryLastSerialSchema,
  PrimarySecondarySchema,
  PrimaryZoneSchema,
  SecondaryRevisionSchema,
  DynamicUpdateSchema,
  AcmeChallengeSchema,
  PowerdnsCommentSchema,
  PowerdnsMetadataSchema,
  PowerdnsZoneSchema,
} from "./dns-service.ts";
import { ProviderConfigSchema, RegistrarConfigSchema } from "./provider-configs.ts";
import { DomainSchema, ZoneImportItemSchema, ZoneImportSchema, MirrorRevisionSchema, MirrorSchema } from "./domains.ts";
import {
  IdentityBindingSchema,
  GroupRoleSchema,
  IdentityConfigSchema,
  IdentityFlowSchema,
  IdentityCodeSchema,
  IdentityTicketSchema,
  PendingIdentitySchema,
} from "./identity.ts";
import { RecordVersionSchema, ServerManagedRecordSchema, SnapshotSchema } from "./records.ts";
import {
  ChangeRequestCommentSchema,
  ChangeRequestReviewSchema,
  ChangeRequestSchema,
  ChangeSetCallSchema,
  ChangeSetSchema,
  ChangeReportSchema,
  ReverseFollowSchema,
} from "./changes.ts";
import {
  DelegationFindingSchema,
  DelegationSchema,
  ExpiryReminderSchema,
  CertificateNoticeSchema,
  TlsHostSchema,
  TlsWatchSchema,
} from "./registrations.ts";
import { DomainTemplateSchema, TemplateSchema, BatchItemSchema, BatchSchema } from "./bulk.ts";
import { DeliverySchema, NotificationChannelSchema, AuditEntrySchema } from "./notifications.ts";
import {
  UserPreferencesSchema,
  UserSchema,
  InvitationSchema,
  PasswordResetSchema,
  EmailVerificationSchema,
  MailAllowanceSchema,
} from "./users.ts";
import { defineEntity, p } from "@mikro-orm/core";

/** A call with an `Idempotency-Key`, and its response once completed. */
const IdempotentCallSchema = defineEntity({
  name: "IdempotentCall",
  tableName: "idempotent_calls",
  properties: {
    /** SHA-256 of the credential and its key, so that keys of different credentials never collide. */
    id: p.text().primary(),
    /** SHA-256 of the procedure, its input and its precondition. */
    requestHash: p.text(),
    /** Until when the call counts as running; null once it has a response. */
    runsUntil: p.datetime().nullable(),
    /** The response as superjson, compressed if it is long; null while running, or if too large to store. */
    answer: p.text().nullable(),
    /** The record version in the response's ETag; null if it has none. While the call runs, a token of its own, without which it does not hold the key. */
    etag: p.text().nullable(),
    createdAt: p.datetime(),
  },
});

/** A process of the service that uses this database. */
const InstanceSchema = defineEntity({
  name: "Instance",
  tableName: "instances",
  properties: {
    id: p.uuid().primary(),
    host: p.text(),
    version: p.text(),
    /** The version of Node.js. */
    node: p.text(),
    runsJobs: p.boolean(),
    startedAt: p.datetime(),
    /** Updated twice a minute. */
    seenAt: p.datetime(),
  },
});

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
  PrimaryLastSerialSchema,
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
