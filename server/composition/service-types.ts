import type { Logger } from "pino";
import type { AssignmentEnds } from "../accounts/assignments/end-job.ts";
import type { AssignmentRequests } from "../accounts/assignments/requests.ts";
import type { Assignments } from "../accounts/assignments/service.ts";
import type { Audit } from "../notifications/audit/audit.ts";
import type { AuditStream } from "../notifications/audit/stream/stream.ts";
import type { Authenticator } from "../access/authenticator.ts";
import type { TsigKeyCredentials } from "../access/tsig-keys.ts";
import type { AccountServices } from "../accounts/auth/compose.ts";
import type { Background } from "../platform/background.ts";
import type { ChannelServices } from "../notifications/channels/compose.ts";
import type { Config } from "../ops/config/config.ts";
import type { Database } from "../database/database.ts";
import type { DnsServices } from "../dns-service/compose.ts";
import type { MirrorReconciler } from "../zones/mirrors/reconciler.ts";
import type { Mirrors } from "../zones/mirrors/service.ts";
import type { ChangeReporter } from "../zones/change-reports/reporter.ts";
import type { ProviderConfigs } from "../dns-providers/provider-configs.ts";
import type { DriftJob } from "../zones/drift/drift-job.ts";
import type { Domains } from "../zones/domains/service.ts";
import type { ZoneImports } from "../zones/domains/zone-imports.ts";
import type { DelegationServices } from "../registry/delegation/compose.ts";
import type { ExpiryServices } from "../registry/expiry/compose.ts";
import type { Health } from "../database/health.ts";
import type { LargeBodies } from "../api/http/bodies/large-bodies.ts";
import type { Idempotency } from "../api/idempotency.ts";
import type { IdentityServices } from "../accounts/identity/compose.ts";
import type { JobServices } from "./jobs.ts";
import type { RequestLimits } from "../api/limits/requests.ts";
import type { NotificationServices } from "../notifications/compose.ts";
import type { ZoneWatchers } from "../zones/changes/zone-watchers.ts";
import type { BatchRunner } from "../bulk/batches/runner.ts";
import type { ChangeRequestApplier, ChangeRequestSchedule } from "../zones/change-requests/applier.ts";
import type { ChangeRequests, RequestComments } from "../zones/change-requests/service.ts";
import type { Replacements } from "../bulk/replacements/service.ts";
import type { ReviewReminders } from "../zones/records/review-reminders.ts";
import type { Records } from "../zones/records/service.ts";
import type { Revert } from "../zones/records/revert.ts";
import type { Sync } from "../zones/records/sync.ts";
import type { ReverseReport } from "../zones/reverse/report.ts";
import type { ReverseFollowJob } from "../zones/reverse/follow-up.ts";
import type { RepairJob } from "../zones/changes/repair.ts";
import type { ZoneFileTransfer } from "../zones/records/zone-file-transfer.ts";
import type { DomainTemplates } from "../bulk/templates/applied.ts";
import type { LinkedTemplates } from "../bulk/templates/linked.ts";
import type { TemplatePlans } from "../bulk/templates/service.ts";
import type { Templates } from "../bulk/templates/store.ts";
import type { AcmeChallenges } from "../dns-service/update-clients/acme-challenges.ts";
import type { DynamicAddresses } from "../dns-service/update-clients/dynamic-addresses.ts";
import type { NewZones } from "../dns-service/update-clients/powerdns-api/new-zones.ts";
import type { PowerdnsZones } from "../dns-service/update-clients/powerdns-api/zones.ts";
import type { Rollback } from "../zones/snapshots/rollback.ts";
import type { Snapshots } from "../zones/snapshots/service.ts";

/** Every service, built once. Procedures get them from their context. */
export interface Services
  extends
    AccountServices,
    IdentityServices,
    NotificationServices,
    ChannelServices,
    JobServices,
    ExpiryServices,
    DelegationServices,
    DnsServices {
  config: Config;
  database: Database;
  log: Logger;
  health: Health;
  /** Origins whose pages may use the refresh cookie. */
  trustedOrigins: readonly string[];
  authenticator: Authenticator;
  tsigKeyCredentials: TsigKeyCredentials;
  audit: Audit;
  auditStream: AuditStream;
  requestLimits: RequestLimits;
  largeBodies: LargeBodies;
  idempotency: Idempotency;
  background: Background;
  assignments: Assignments;
  assignmentEnds: AssignmentEnds;
  assignmentRequests: AssignmentRequests;
  domains: Domains;
  zoneImports: ZoneImports;
  records: Records;
  revert: Revert;
  replacements: Replacements;
  changeRequests: ChangeRequests;
  changeRequestApplier: ChangeRequestApplier;
  requestComments: RequestComments;
  requestSchedule: ChangeRequestSchedule;
  sync: Sync;
  zoneFiles: ZoneFileTransfer;
  snapshots: Snapshots;
  rollback: Rollback;
  templates: Templates;
  domainTemplates: DomainTemplates;
  templatePlans: TemplatePlans;
  linkedTemplates: LinkedTemplates;
  providerConfigs: ProviderConfigs;
  repair: RepairJob;
  batches: BatchRunner;
  reverseFollowJob: ReverseFollowJob;
  reverseReport: ReverseReport;
  drift: DriftJob;
  zoneWatchers: ZoneWatchers;
  changeReporter: ChangeReporter;
  mirrors: Mirrors;
  mirrorReconciler: MirrorReconciler;
  acmeChallenges: AcmeChallenges;
  dynamicAddresses: DynamicAddresses;
  powerdnsZones: PowerdnsZones;
  newPowerdnsZones: NewZones;
  reviewReminders: ReviewReminders;
  /** Prepares everything needed before the first request. */
  prepare(): Promise<void>;
  /** Releases the leases of dead processes and starts repairing their changes. Call before the first request. */
  startRepair(): Promise<void>;
  /** Starts the other background work, which requests need not wait for. */
  startJobs(): Promise<void>;
  /** Stops background work. */
  stop(): Promise<void>;
  /** Closes connections. Call after the last request has finished. */
  close(): Promise<void>;
}
