import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import { AssignmentRequests } from "./assignments/requests.ts";
import { Assignments } from "./assignments/service.ts";
import { Audit } from "./audit/audit.ts";
import { AccessTokens } from "./auth/access-tokens.ts";
import { Authenticator } from "./auth/authenticator.ts";
import { CurrentPassword } from "./auth/current-password.ts";
import { OwnSessions } from "./auth/own-sessions/service.ts";
import { PersonalTokenCredentials } from "./auth/personal-tokens/credentials.ts";
import { LastUse } from "./auth/personal-tokens/last-use.ts";
import { PersonalTokens } from "./auth/personal-tokens/service.ts";
import { PasswordResets } from "./auth/password-reset/service.ts";
import { PasswordHasher } from "./auth/passwords.ts";
import { Registration } from "./auth/registration.ts";
import { Confirmation } from "./auth/confirmation.ts";
import { SecondFactorSignIn } from "./auth/second-factor-sign-in.ts";
import type { SecondFactorChecks } from "./auth/second-factors/checks.ts";
import { createSecondFactors } from "./auth/second-factors/compose.ts";
import type { SecondFactors } from "./auth/second-factors/service.ts";
import { Sessions } from "./auth/sessions.ts";
import { SignIn } from "./auth/sign-in.ts";
import { Background } from "./background.ts";
import { composeChannels, type ChannelServices } from "./channels/compose.ts";
import { ConfigBox } from "./channels/config-box.ts";
import { Outbox } from "./channels/outbox.ts";
import type { Config } from "./config.ts";
import type { Database } from "./database/database.ts";
import { ConfigSecrets } from "./dns-providers/config-secrets.ts";
import { ProviderConnections } from "./dns-providers/connections.ts";
import { VendorAccounts } from "./dns-providers/vendor-api/accounts.ts";
import { ProviderConfigs } from "./dns-providers/provider-configs.ts";
import { DriftJob, type OnDrift } from "./drift/drift-job.ts";
import { tellDrift } from "./drift/drift-notice.ts";
import { Domains } from "./domains/service.ts";
import { ZoneImports } from "./domains/zone-imports.ts";
import { composeExpiry, type ExpiryServices } from "./expiry/compose.ts";
import { Health } from "./health.ts";
import { composeIdentity, type IdentityServices } from "./identity/compose.ts";
import { composeJobs, type JobServices } from "./jobs/compose.ts";
import { createKeyring } from "./keyring.ts";
import { countersIn } from "./limits/counters.ts";
import { Guesses } from "./limits/guesses.ts";
import { RequestLimits } from "./limits/requests.ts";
import { Mailer } from "./mail/mailer.ts";
import { composeNotifications, type NotificationServices } from "./notifications/compose.ts";
import { realPause, type Pause } from "./pause.ts";
import { Redis } from "./redis.ts";
import { createEgress } from "./net/egress.ts";
import { ChangePipeline } from "./changes/pipeline.ts";
import { ProviderComparison } from "./records/compare-with-provider.ts";
import { Records } from "./records/service.ts";
import { Sync } from "./records/sync.ts";
import { RepairJob } from "./changes/repair-job.ts";
import { ZoneFileTransfer } from "./records/zone-file-transfer.ts";
import { SecretBox } from "./secret-box.ts";
import { Rollback } from "./snapshots/rollback.ts";
import { Snapshots } from "./snapshots/service.ts";
import { UserAdministration } from "./users/administration.ts";
import { Invitations } from "./users/invitations/service.ts";
import { Profile } from "./users/profile/service.ts";
import { Users } from "./users/service.ts";

export interface Services extends IdentityServices, NotificationServices, ChannelServices, JobServices {
  config: Config;
  database: Database;
  log: Logger;
  health: Health;
  /** Origins whose pages may use the refresh cookie. */
  trustedOrigins: readonly string[];
  authenticator: Authenticator;
  audit: Audit;
  guesses: Guesses;
  requestLimits: RequestLimits;
  signIn: SignIn;
  personalTokens: PersonalTokens;
  ownSessions: OwnSessions;
  currentPassword: CurrentPassword;
  profile: Profile;
  secondFactors: SecondFactors;
  secondFactorChecks: SecondFactorChecks;
  secondFactorSignIn: SecondFactorSignIn;
  users: Users;
  userAdministration: UserAdministration;
  invitations: Invitations;
  registration: Registration;
  passwordResets: PasswordResets;
  background: Background;
  assignments: Assignments;
  assignmentRequests: AssignmentRequests;
  domains: Domains;
  zoneImports: ZoneImports;
  expiry: ExpiryServices["expiry"];
  expiryCheck: ExpiryServices["expiryCheck"];
  expiryReminders: ExpiryServices["expiryReminders"];
  records: Records;
  sync: Sync;
  zoneFiles: ZoneFileTransfer;
  snapshots: Snapshots;
  rollback: Rollback;
  providerConfigs: ProviderConfigs;
  repair: RepairJob;
  drift: DriftJob;
  /** What must be there before the first request. */
  prepare(): Promise<void>;
  /** What goes on beside requests: repairs and housekeeping. */
  startJobs(): Promise<void>;
  /** Ends what runs beside requests. */
  stop(): Promise<void>;
  /** Closes what open requests still need while they finish. */
  close(): Promise<void>;
}

/** Builds every service once. */
export function createServices(parts: {
  config: Config;
  database: Database;
  log: Logger;
  now?: () => Date;
  /** How to wait for providers; in real time when left out. */
  pause?: Pause;
  /** Told of each zone that is newly found to differ from what its provider serves, in place of its owner and administrators. */
  onDrift?: OnDrift;
}): Services {
  const { config, database, log, now = () => new Date(), pause = realPause } = parts;
  const keyring = createKeyring(config.secretKeys);
  const passwords = new PasswordHasher();
  const accessTokens = new AccessTokens(keyring, now);
  const background = new Background(log);
  const lastUse = new LastUse(database, background, now);
  const authenticator = new Authenticator(accessTokens, new PersonalTokenCredentials(config.tokenPrefix, lastUse), now);
  const zonesFolder = join(config.dataDir, "zones");
  const egress = createEgress({ allow: config.egressAllow, now });
  const accounts = new VendorAccounts({ now, pause });
  const secrets = new ConfigSecrets(new SecretBox(keyring, "provider-secret"));
  const connections = new ProviderConnections({ zonesFolder, now, egress, pause, accounts }, secrets);
  const providerConfigs = new ProviderConfigs(connections, secrets, now);
  const redis = config.redisUrl === undefined ? null : new Redis(config.redisUrl, log);
  const audit = new Audit(now);
  const mailer = new Mailer({ smtpUrl: config.smtpUrl, from: config.mailFrom, log });
  const channelBox = new ConfigBox(new SecretBox(keyring, "notification-channel"));
  const outbox = new Outbox({ box: channelBox, enqueue: (...run) => jobs.enqueue(...run) });
  const told = composeNotifications({ redis, outbox, mails: mailer.configured, authenticator, database, log, now });
  const { notifications } = told;
  const expiry = composeExpiry({ config, database, notifications, egress, log, now });
  const domains = new Domains(database, providerConfigs, now, notifications);
  const zoneImports = new ZoneImports({ database, providerConfigs, domains, log, now });
  const assignments = new Assignments({ audit, notifications, now });
  const makeCounter = countersIn(redis);
  const channelServices = composeChannels({
    box: channelBox,
    ports: { egress, mailer, siteUrl: config.siteUrl, now },
    notifications,
    database,
    makeCounter,
    audit,
    log,
  });
  const guesses = new Guesses(makeCounter);
  const pipeline = new ChangePipeline(database, connections, now, notifications);
  const comparison = new ProviderComparison(now, pause);
  const snapshots = new Snapshots(audit, now);
  const repair = new RepairJob({ database, connections, notifications, log, now });
  const drift = new DriftJob({
    database,
    connections,
    comparison,
    log,
    now,
    every: config.driftCheck,
    onDrift: parts.onDrift ?? tellDrift(database, notifications),
  });
  const sessions = new Sessions(keyring, audit, now, (sessionId) => authenticator.end(sessionId));
  const users = new Users(passwords, audit, now);
  const currentPassword = new CurrentPassword(passwords, guesses, audit);
  const confirmation = new Confirmation(currentPassword, now);
  const factors = createSecondFactors({ siteUrl: config.siteUrl, keyring, mailer, confirmation, guesses, audit, now });
  const secondFactors = factors.checks;
  const signIn = new SignIn({ passwords, accessTokens, sessions, guesses, secondFactors, audit, notifications, now });
  const invitations = new Invitations(audit, now);
  const jobServices = composeJobs({
    config,
    database,
    log,
    now,
    keyring,
    mailer,
    background,
    streams: told.streams,
    workers: { repair, drift, deliverer: channelServices.deliverer, ...expiry },
  });
  const { jobs, mail } = jobServices;
  const identity = composeIdentity({
    siteUrl: config.siteUrl,
    keyring,
    egress,
    signIn,
    users,
    invitations,
    audit,
    now,
  });
  return {
    ...identity,
    ...told,
    ...channelServices,
    ...jobServices,
    config,
    database,
    log,
    health: new Health(database),
    trustedOrigins: [new URL(config.siteUrl).origin, ...config.corsOrigins],
    authenticator,
    audit,
    guesses,
    requestLimits: new RequestLimits(makeCounter, config.requestLimits),
    personalTokens: new PersonalTokens({
      prefix: config.tokenPrefix,
      audit,
      now,
      onEnd: (tokenHash) => authenticator.endToken(tokenHash),
    }),
    ownSessions: new OwnSessions(sessions, audit, now),
    currentPassword,
    profile: new Profile({
      users,
      passwords,
      currentPassword,
      sessions,
      mail,
      audit,
      onNotificationsOff: (userId) => told.turnedOff(userId),
    }),
    signIn,
    users,
    userAdministration: new UserAdministration({ users, passwords, sessions, authenticator, audit, now }),
    invitations,
    registration: new Registration(users, invitations, signIn),
    passwordResets: new PasswordResets({
      database,
      passwords,
      sessions,
      mail,
      background,
      audit,
      now,
      siteUrl: config.siteUrl,
    }),
    background,
    assignments,
    assignmentRequests: new AssignmentRequests({ assignments, audit, notifications, now }),
    domains,
    zoneImports,
    ...expiry,
    secondFactors: factors.management,
    secondFactorChecks: secondFactors,
    secondFactorSignIn: new SecondFactorSignIn({ signIn, checks: secondFactors, guesses, audit }),
    records: new Records(pipeline),
    sync: new Sync(pipeline, comparison),
    zoneFiles: new ZoneFileTransfer(pipeline, now),
    snapshots,
    rollback: new Rollback(pipeline, snapshots),
    providerConfigs,
    repair,
    drift,
    async prepare() {
      await redis?.connect();
      await mkdir(zonesFolder, { recursive: true });
      await providerConfigs.ensureEmbedded(database.fork());
      await providerConfigs.ensureSealed(database.fork(), log);
      await identity.identityConfigs.ensureSealed(database.fork(), log);
      await zoneImports.prepare();
      await factors.totpSecrets.ensureSealed(database.fork(), log);
      await channelServices.channels.ensureSealed(database.fork(), log);
      await jobs.prepare();
    },
    async startJobs() {
      if (!config.jobs) return;
      await repair.start();
      await jobs.start();
    },
    async stop() {
      await Promise.all([repair.stop(), jobs.rest(), zoneImports.stop(), background.settled()]);
    },
    async close() {
      await background.settled();
      await jobs.close();
      mailer.close();
      redis?.close();
      await egress.close();
    },
  };
}
