import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import { AssignmentRequests } from "../accounts/assignments/requests.ts";
import { Assignments, AssignmentEnds } from "../accounts/assignments/service.ts";
import { Audit } from "../notifications/audit/audit.ts";
import { AuditStream, sinkFor } from "../notifications/audit/stream.ts";
import { AccessTokens, Authenticator, PersonalTokenCredentials, LastUse } from "../access/authenticator.ts";
import { composeAccounts } from "../accounts/auth/compose.ts";
import type { PasswordCost } from "../accounts/auth/passwords.ts";
import { TsigKeyCredentials, TsigSecrets, TsigKeyUse, TsigKeyNames } from "../access/tsig-keys.ts";
import { Background } from "../platform/background.ts";
import { composeChannels } from "../notifications/channels/deliverer.ts";
import { ConfigCipher } from "../notifications/channels/kind.ts";
import { Outbox } from "../notifications/channels/outbox.ts";
import type { Config } from "../ops/config/config.ts";
import type { Database } from "../database/database.ts";
import { composeDnsService } from "../dns-service/compose.ts";
import { ConfigSecrets, ProviderConnections } from "../dns-providers/connections.ts";
import { VendorAccounts } from "../dns-providers/vendor-api/accounts.ts";
import { claimZonesFolder } from "../dns-providers/zonefile/folder.ts";
import { ProviderConfigs } from "../dns-providers/provider-configs.ts";
import { DriftJob, type OnDrift, driftNotifier } from "../zones/drift/drift-job.ts";
import { ZoneWatch } from "../zones/drift/zone-watch.ts";
import { Domains } from "../zones/domains/service.ts";
import { ZoneImports } from "../zones/domains/zone-imports.ts";
import { CertificateCheckJob } from "../registry/certificates/check-job.ts";
import { TlsHosts } from "../registry/certificates/service.ts";
import { composeDelegation } from "../registry/delegation/check-job.ts";
import { Registrations } from "../registry/registrars/registrations.ts";
import { RegistrarTasks } from "../registry/registrars/tasks.ts";
import { RegistrarConfigs } from "../registry/registrars/configs.ts";
import { composeExpiry } from "../registry/expiry/service.ts";
import { Health } from "../database/health.ts";
import { withdrawForUser } from "../zones/change-requests/request.ts";
import { LargeBodies } from "../api/http/bodies/large-bodies.ts";
import { Idempotency } from "../api/idempotency.ts";
import { setSchemaMessages } from "../api/input-error.ts";
import { composeIdentity } from "../accounts/identity/compose.ts";
import { composeJobs } from "./job-list.ts";
import { System } from "./system.ts";
import type { Timing } from "../ops/jobs/runner.ts";
import { Guesses } from "../api/limits/guesses.ts";
import { RequestLimits, countersIn } from "../api/limits/requests.ts";
import { Mailer } from "../notifications/mail/outbox.ts";
import { composeNotifications } from "../notifications/compose.ts";
import { atMost, realPause, type Pause } from "../platform/pause.ts";
import { Redis } from "../platform/redis.ts";
import { createEgress, type Egress } from "../platform/net/egress.ts";
import { ChangePipeline } from "../zones/changes/pipeline.ts";
import { withZone } from "../zones/changes/zone-context.ts";
import { composeZoneWatchers, hearZoneChanges } from "../zones/changes/zone-watchers.ts";
import { ReviewPolicy } from "../zones/changes/locks-and-reviews.ts";
import { ProviderComparison } from "../zones/changes/state/compare-with-provider.ts";
import { BatchRunner } from "../bulk/batches/runner.ts";
import { CalendarFeeds } from "../zones/calendar/feeds.ts";
import { calendarPage } from "../zones/calendar/router.ts";
import { ChangeRequestApplier, ChangeRequestSchedule } from "../zones/change-requests/applier.ts";
import { ChangeRequests, RequestComments } from "../zones/change-requests/service.ts";
import { AcmeChallenges } from "../dns-service/update-clients/acme-challenges.ts";
import { DynamicAddresses } from "../dns-service/update-clients/dynamic-addresses.ts";
import { NewZones } from "../dns-service/update-clients/powerdns-api/new-zones.ts";
import { PowerdnsZones } from "../dns-service/update-clients/powerdns-api/zones.ts";
import { MirrorReconciler } from "../zones/mirrors/reconciler.ts";
import { Mirrors } from "../zones/mirrors/service.ts";
import { ChangeReporter } from "../zones/change-reports/reporter.ts";
import { PortfolioImports, portfolioPurpose } from "../bulk/portfolio-imports.ts";
import { Replacements, replacementPurposes } from "../bulk/replacements/service.ts";
import { ReviewReminders } from "../zones/records/review-reminders.ts";
import { Records } from "../zones/records/service.ts";
import { Revert } from "../zones/records/revert.ts";
import { Sync } from "../zones/records/sync.ts";
import { ZoneHealth } from "../zones/health/zone-health.ts";
import { ReverseReport } from "../zones/reverse/report.ts";
import { ReverseFollowJob, ReverseFollows } from "../zones/reverse/follow-up.ts";
import { RepairJob } from "../zones/changes/repair.ts";
import { ZoneFileTransfer } from "../zones/records/zone-file-transfer.ts";
import { SecretCipher, createKeyring } from "../platform/secret-cipher.ts";
import { DomainTemplates } from "../bulk/templates/applied.ts";
import { LinkedTemplates, linkedPurpose, takingBack } from "../bulk/templates/linked-plan.ts";
import { TemplatePlans } from "../bulk/templates/service.ts";
import { Templates } from "../bulk/templates/store.ts";
import { Signing } from "../zones/signing/service.ts";
import { Rollback } from "../zones/snapshots/rollback.ts";
import { Snapshots } from "../zones/snapshots/service.ts";

/** How long a shutdown waits for background work: of a slow provider, too. What is cut off, the next process goes on with. */
const stopMilliseconds = 5_000;
/** How long the closing waits for mails and such of the last requests, and then for those mails to be left to a job. */
const closeMilliseconds = 1_000;

/** Every service. */
export type Services = Awaited<ReturnType<typeof createServices>>;

/** Builds every service once. */
export async function createServices(parts: {
  config: Config;
  database: Database;
  log: Logger;
  now?: () => Date;
  /** How to wait for providers and for the next attempt of a delivery. Default: in real time. */
  pause?: Pause;
  /** Makes the outgoing calls. Default: guarded by EGRESS_ALLOW. */
  egress?: Egress;
  /** Cost of a password hash. Default: OWASP's recommendation. */
  passwordCost?: PasswordCost;
  /** Whether jobs also run by their schedules. Default: JOBS. */
  schedules?: boolean;
  /** How often the job queue looks for work. Default: every few seconds. */
  jobTiming?: Timing;
  /** Called for each zone newly found to differ from its provider, instead of notifying its owner and administrators. */
  onDrift?: OnDrift;
}) {
  const { config, database, log, now = () => new Date(), pause = realPause } = parts;
  const { egress = createEgress({ allow: config.egressAllow, now }) } = parts;
  setSchemaMessages();
  database.logTo(log);
  const keyring = createKeyring(config.secretKeys);
  const accessTokens = new AccessTokens(keyring, now);
  const background = new Background(log);
  const lastUse = new LastUse(database, background, now);
  const authenticator = new Authenticator(accessTokens, new PersonalTokenCredentials(config.tokenPrefix, lastUse), now);
  const tsigSecrets = new TsigSecrets(new SecretCipher(keyring, "tsig-key"));
  const tsigKeyUse = new TsigKeyUse(database, background, now);
  const tsigKeyNames = new TsigKeyNames({ database });
  const tsigKeyCredentials = new TsigKeyCredentials({
    database,
    names: tsigKeyNames,
    secrets: tsigSecrets,
    use: tsigKeyUse,
    now,
  });
  const zonesFolder = join(config.dataDir, "zones");
  const accounts = new VendorAccounts({ now, pause });
  const secrets = new ConfigSecrets(new SecretCipher(keyring, "provider-secret"));
  let zonesFolderFault: string | null = null;
  const environment = { zonesFolder, zonesFolderFault: () => zonesFolderFault, now, egress, pause, accounts };
  const connections = new ProviderConnections(environment, secrets);
  const providerConfigs = new ProviderConfigs(connections, secrets, now, (kind) => {
    configChanged(kind);
    void zoneWatch.refresh();
  });
  const redis = config.redisUrl === undefined ? null : await Redis.at(config.redisUrl, log);
  const audit = new Audit(now);
  const send = config.auditStream === null ? null : sinkFor(config.auditStream, egress);
  const auditStream = new AuditStream({ database, send, log, now });
  const mailer = new Mailer({ smtpUrl: config.smtpUrl, from: config.mailFrom, log });
  const channelCipher = new ConfigCipher(new SecretCipher(keyring, "notification-channel"));
  const outbox = new Outbox({ box: channelCipher, enqueue: (...run) => jobs.enqueue(...run) });
  const notificationServices = composeNotifications({
    redis,
    outbox,
    mails: mailer.configured,
    authenticator,
    database,
    log,
    now,
  });
  const { notifications, streams } = notificationServices;
  const zoneWatchers = composeZoneWatchers({ database, streams, redis, log, now });
  const changeReporter = new ChangeReporter({ database, outbox, siteUrl: config.siteUrl, log, now });
  const mirrorReconciler = new MirrorReconciler({
    database,
    connections,
    notifications,
    log,
    now,
    every: config.driftCheck,
    works: config.jobs,
  });
  hearZoneChanges(database.fork(), ({ mirrored = true, reported = true }) => {
    if (config.jobs && reported) changeReporter.soon();
    if (mirrored) mirrorReconciler.afterChange();
  });
  const registrarConfigs = new RegistrarConfigs({
    box: new SecretCipher(keyring, "registrar-secret"),
    environment: { egress, accounts },
    now,
  });
  const registrarTasks = new RegistrarTasks({ database, registrarConfigs, notifications, now });
  const expiry = composeExpiry({ config, database, notifications, registrarConfigs, registrarTasks, egress, log, now });
  const delegation = composeDelegation({ config, database, notifications, egress, log, now });
  const certificateCheck = new CertificateCheckJob({
    database,
    egress,
    notifications,
    greeting: new URL(config.siteUrl).hostname,
    log,
    now,
  });
  const tlsHosts = new TlsHosts({ enqueue: (...run) => jobs.enqueue(...run), now });
  const review = new ReviewPolicy(config.reviewRequired);
  const registrations = new Registrations({
    registrarConfigs,
    tasks: registrarTasks,
    probe: (zone, names) => delegation.delegations.probe(zone, names),
    alone: (id, work) => withZone(database, id, work),
    noteDs: (tx, id) => delegation.dnssec.noteDs(tx, id),
    review,
    now,
  });
  const domains = new Domains(
    database,
    providerConfigs,
    now,
    notifications,
    review,
    registrarConfigs,
    log,
    mirrorReconciler,
  );
  const zoneImports = new ZoneImports({ database, providerConfigs, domains, log, now });
  const assignments = new Assignments({ audit, notifications, now });
  const reviewReminders = new ReviewReminders({ database, notifications, now });
  const assignmentEnds = new AssignmentEnds({ database, audit, notifications, now });
  const makeCounter = countersIn(redis);
  const largeBodies = new LargeBodies(new URL("large-worker.ts", import.meta.url));
  const channelServices = composeChannels({
    box: channelCipher,
    ports: { egress, mailer, siteUrl: config.siteUrl, now },
    notifications,
    database,
    makeCounter,
    audit,
    pause,
    log,
  });
  const reverseFollows = new ReverseFollows({ database, connections, review, notifications, log, now });
  const pipeline = new ChangePipeline({ database, connections, notifications, review, followers: reverseFollows, now });
  const reverseFollowJob = new ReverseFollowJob({ database, pipeline, follows: reverseFollows, log, now });
  const comparison = new ProviderComparison(now, pause);
  const templates = new Templates(audit, now);
  const domainTemplates = new DomainTemplates(audit, now);
  const snapshots = new Snapshots(audit, now);
  const repair = new RepairJob({ database, connections, notifications, log, now });
  const records = new Records(pipeline, comparison, reverseFollows, { now, pause });
  const requestLimits = new RequestLimits(makeCounter, config.requestLimits);
  const dnsServices = composeDnsService({
    config,
    database,
    secrets,
    egress,
    credentials: tsigKeyCredentials,
    requestLimits,
    records,
    audit,
    notifications,
    log,
    background,
    now,
    metrics: () => jobServices.metrics,
  });
  const { dnsService, configChanged } = dnsServices;
  const powerdnsZones = new PowerdnsZones({
    records,
    servedSoa: async (em, domainId) => (await dnsService.zones(em, domainId))[0]?.soa ?? null,
    now,
  });
  const acmeChallenges = new AcmeChallenges({ database, records, log, now });
  const drift = new DriftJob({
    database,
    connections,
    comparison,
    log,
    now,
    every: config.driftCheck,
    onDrift: parts.onDrift ?? driftNotifier(notifications),
  });
  const zoneWatch = new ZoneWatch({ database, connections, drift, log, now });
  const batches = new BatchRunner({
    database,
    pipeline,
    repair,
    followers: reverseFollows,
    purposes: {
      ...replacementPurposes,
      template: linkedPurpose(domainTemplates),
      revert: takingBack(replacementPurposes.revert, domainTemplates),
      portfolio: portfolioPurpose(now),
    },
    notifications,
    log,
    now,
  });
  const changeRequestApplier = new ChangeRequestApplier({
    database,
    pipeline,
    records,
    registrations,
    review,
    audit,
    notifications,
    now,
  });
  const requestSchedule = new ChangeRequestSchedule({ database, applier: changeRequestApplier, review, log, now });
  const signing = new Signing({
    database,
    connections,
    dnssec: delegation.dnssec,
    registrations,
    records,
    drift,
    review,
    pause,
    now,
  });
  const health = new Health(database);
  const jobServices = composeJobs({
    config,
    database,
    log,
    now,
    keyring,
    mailer,
    background,
    streams,
    workers: {
      repair,
      ...dnsServices,
      changeReporter,
      mirrorReconciler,
      acmeChallenges,
      batches,
      requestSchedule,
      assignmentEnds,
      reviewReminders,
      reverseFollowJob,
      drift,
      ...channelServices,
      ...expiry,
      registrarTasks,
      ...delegation,
      certificateCheck,
    },
    schedules: parts.schedules,
    onError: (error) => health.note(error),
    ...(parts.jobTiming && { timing: parts.jobTiming }),
  });
  const { jobs, mail } = jobServices;
  const system = new System({ database, health, background, jobs, runsJobs: config.jobs });
  const accountServices = composeAccounts({
    config,
    keyring,
    accessTokens,
    authenticator,
    tsigSecrets,
    tsigKeyNames,
    guesses: new Guesses(makeCounter),
    mailer,
    mail,
    notifications,
    onNotificationsOff: (userId) => notificationServices.turnedOff(userId),
    background,
    database,
    audit,
    withdrawRequests: withdrawForUser,
    now,
    passwordCost: parts.passwordCost,
  });
  const identity = composeIdentity({
    ...accountServices,
    authenticator,
    siteUrl: config.siteUrl,
    keyring,
    egress,
    audit,
    now,
  });
  const calendarFeeds = new CalendarFeeds({
    audit,
    waysIn: accountServices.waysIn,
    siteUrl: config.siteUrl,
    console: config.console,
    now,
  });
  return {
    ...accountServices,
    ...identity,
    ...notificationServices,
    ...channelServices,
    ...jobServices,
    config,
    database,
    log,
    health,
    /** Origins whose pages may use the refresh cookie. */
    trustedOrigins: [new URL(config.siteUrl).origin, ...config.corsOrigins],
    authenticator,
    tsigKeyCredentials,
    audit,
    auditStream,
    idempotency: new Idempotency(database, now, log),
    requestLimits,
    largeBodies,
    background,
    assignments,
    assignmentEnds,
    reviewReminders,
    assignmentRequests: new AssignmentRequests({ assignments, audit, notifications, now }),
    domains,
    zoneImports,
    registrarConfigs,
    registrations,
    signing,
    ...expiry,
    registrarTasks,
    ...delegation,
    certificateCheck,
    tlsHosts,
    records,
    reverseFollowJob,
    zoneHealth: new ZoneHealth(connections),
    reverseReport: new ReverseReport(connections, review),
    revert: new Revert(pipeline, comparison, reverseFollows, now),
    replacements: new Replacements({ connections, audit, enqueue: jobs.enqueue, now }),
    portfolioImports: new PortfolioImports({ enqueue: jobs.enqueue, now }),
    changeRequests: new ChangeRequests({ records, registrations, audit, notifications, enqueue: jobs.enqueue, now }),
    calendarFeeds,
    calendarPage: calendarPage(calendarFeeds),
    changeRequestApplier,
    requestSchedule,
    requestComments: new RequestComments(audit, now),
    sync: new Sync(pipeline, comparison),
    zoneFiles: new ZoneFileTransfer(pipeline, reverseFollows, review, now),
    snapshots,
    rollback: new Rollback(pipeline, snapshots),
    templates,
    domainTemplates,
    templatePlans: new TemplatePlans({ templates, domainTemplates, records, pipeline }),
    linkedTemplates: new LinkedTemplates({
      templates,
      domainTemplates,
      connections,
      audit,
      enqueue: jobs.enqueue,
      now,
    }),
    providerConfigs,
    repair,
    batches,
    drift,
    zoneWatchers,
    ...dnsServices,
    changeReporter,
    mirrors: new Mirrors({ providerConfigs, reconciler: mirrorReconciler, audit, now }),
    mirrorReconciler,
    acmeChallenges,
    dynamicAddresses: new DynamicAddresses(records),
    powerdnsZones,
    system,
    newPowerdnsZones: new NewZones({ database, domains, zones: powerdnsZones }),
    /** Prepares everything needed before the first request. */
    async prepare() {
      await redis?.connect();
      await mkdir(zonesFolder, { recursive: true });
      await providerConfigs.ensureEmbedded(database.fork());
      // An embedded database is in the same directory, so they always belong together.
      if (!database.embedded) zonesFolderFault = await claimZonesFolder(database.fork(), zonesFolder);
      if (zonesFolderFault !== null) log.warn(zonesFolderFault);
      await providerConfigs.ensureSealed(database.fork(), log);
      await registrarConfigs.ensureSealed(database.fork(), log);
      await identity.identityConfigs.ensureSealed(database.fork(), log);
      await zoneImports.prepare();
      await accountServices.totpSecrets.ensureSealed(database.fork(), log);
      await channelServices.channels.ensureSealed(database.fork(), log);
      await tsigKeyCredentials.ensureSealed(database.fork(), log);
      await jobs.prepare();
      await auditStream.prepare();
    },
    /** Releases the leases of dead processes and starts repairing their changes. Call before the first request. */
    async startRepair() {
      if (!config.jobs) return;
      await repair.start();
      await reverseFollowJob.start();
    },
    /** Starts the other background work, which requests need not wait for. */
    async startJobs() {
      system.start();
      if (!config.jobs) return;
      await jobs.start();
      batches.start();
      auditStream.start();
      if (config.driftCheck !== "off") await zoneWatch.start();
    },
    /** Stops background work. */
    async stop() {
      zoneWatch.stop();
      accounts.stop();
      const stopped = Promise.all([
        dnsService.stop(),
        changeReporter.stop(),
        mirrorReconciler.stop(),
        repair.stop(),
        auditStream.stop(),
        batches.stop(),
        reverseFollowJob.stop(),
        jobs.rest(),
        system.stop(),
        zoneImports.stop(),
        background.settled(),
      ]);
      await atMost(stopMilliseconds, stopped);
    },
    /** Closes connections. Call after the last request has finished. */
    async close() {
      await atMost(closeMilliseconds, background.settled());
      mail.leaveToJob();
      await atMost(closeMilliseconds, background.settled());
      await jobs.close();
      mailer.close();
      await largeBodies.stop();
      redis?.close();
      await egress.close();
    },
  };
}
