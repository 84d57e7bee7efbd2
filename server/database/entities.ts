import type { InferKyselyDB } from "@mikro-orm/postgresql";
import { AssignmentRequestSchema, AssignmentSchema } from "../assignments/entities.ts";
import { AuditEntrySchema } from "../audit/entities.ts";
import { PasswordResetSchema } from "../auth/password-reset/entities.ts";
import { RefreshTokenSchema, SessionSchema } from "../auth/entities.ts";
import { PersonalTokenSchema } from "../auth/personal-tokens/entities.ts";
import {
  EmailFactorSchema,
  PasskeyChallengeSchema,
  PasskeySchema,
  RecoveryCodeSchema,
  SignInChallengeSchema,
  TotpFactorSchema,
} from "../auth/second-factors/entities.ts";
import { ProviderConfigSchema } from "../dns-providers/entities.ts";
import { DomainSchema } from "../domains/entities.ts";
import { ZoneImportItemSchema, ZoneImportSchema } from "../domains/import-entities.ts";
import { ExpiryReminderSchema } from "../expiry/entities.ts";
import { IdempotentCallSchema } from "../idempotency/entities.ts";
import {
  IdentityBindingSchema,
  IdentityConfigSchema,
  IdentityFlowSchema,
  IdentityCodeSchema,
  IdentityTicketSchema,
  PendingIdentitySchema,
} from "../identity/entities.ts";
import { RecordVersionSchema, ServerManagedRecordSchema } from "../records/entities.ts";
import { ChangeSetCallSchema, ChangeSetSchema } from "../changes/entities.ts";
import { SnapshotSchema } from "../snapshots/entities.ts";
import { InvitationSchema } from "../users/invitations/entities.ts";
import { DeliverySchema, NotificationChannelSchema } from "../channels/entities.ts";
import { EmailVerificationSchema, MailAllowanceSchema } from "../users/email/entities.ts";
import { UserSchema } from "../users/entities.ts";

/** Every table, listed by hand: nothing is found by scanning folders. */
export const entities = [
  UserSchema,
  SessionSchema,
  RefreshTokenSchema,
  PersonalTokenSchema,
  TotpFactorSchema,
  EmailFactorSchema,
  PasskeySchema,
  RecoveryCodeSchema,
  SignInChallengeSchema,
  PasskeyChallengeSchema,
  ProviderConfigSchema,
  DomainSchema,
  ZoneImportSchema,
  ZoneImportItemSchema,
  ExpiryReminderSchema,
  RecordVersionSchema,
  ServerManagedRecordSchema,
  ChangeSetSchema,
  ChangeSetCallSchema,
  SnapshotSchema,
  AssignmentSchema,
  AssignmentRequestSchema,
  AuditEntrySchema,
  InvitationSchema,
  PasswordResetSchema,
  EmailVerificationSchema,
  MailAllowanceSchema,
  IdentityConfigSchema,
  IdentityBindingSchema,
  IdentityFlowSchema,
  IdentityCodeSchema,
  IdentityTicketSchema,
  PendingIdentitySchema,
  NotificationChannelSchema,
  DeliverySchema,
  IdempotentCallSchema,
] as const;

/** The tables as set-based queries see them: snake_case columns, typed from the entities. */
export type Tables = InferKyselyDB<(typeof entities)[number]>;
