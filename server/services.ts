import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import { Audit } from "./audit/audit.ts";
import { AccessTokens } from "./auth/access-tokens.ts";
import { Authenticator } from "./auth/authenticator.ts";
import { deleteEndedSessions } from "./auth/housekeeping.ts";
import { Confirmation } from "./auth/confirmation.ts";
import { PasswordHasher } from "./auth/passwords.ts";
import { SecondFactorSignIn } from "./auth/second-factor-sign-in.ts";
import type { SecondFactorChecks } from "./auth/second-factors/checks.ts";
import { createSecondFactors } from "./auth/second-factors/compose.ts";
import { deleteExpiredChallenges } from "./auth/second-factors/housekeeping.ts";
import type { SecondFactors } from "./auth/second-factors/service.ts";
import { Sessions } from "./auth/sessions.ts";
import { SignIn } from "./auth/sign-in.ts";
import type { Config } from "./config.ts";
import type { Database } from "./database/database.ts";
import { ConfigSecrets } from "./dns-providers/config-secrets.ts";
import { ProviderConnections } from "./dns-providers/connections.ts";
import { ProviderConfigs } from "./dns-providers/provider-configs.ts";
import { Domains } from "./domains/service.ts";
import { Health } from "./health.ts";
import { createKeyring } from "./keyring.ts";
import { Guesses } from "./limits/guesses.ts";
import { Mailer } from "./mail/mailer.ts";
import { Periodic } from "./periodic.ts";
import { createEgress } from "./net/egress.ts";
import { ChangePipeline } from "./changes/pipeline.ts";
import { Records } from "./records/service.ts";
import { Sync } from "./records/sync.ts";
import { RepairJob } from "./changes/repair-job.ts";
import { ZoneFileTransfer } from "./records/zone-file-transfer.ts";
import { SecretBox } from "./secret-box.ts";
import { Rollback } from "./snapshots/rollback.ts";
import { Snapshots } from "./snapshots/service.ts";
import { Users } from "./users/service.ts";

export interface Services {
  config: Config;
  database: Database;
  log: Logger;
  health: Health;
  /** Origins whose pages may use the refresh cookie. */
  trustedOrigins: readonly string[];
  authenticator: Authenticator;
  audit: Audit;
  guesses: Guesses;
  mailer: Mailer;
  signIn: SignIn;
  secondFactors: SecondFactors;
  secondFactorChecks: SecondFactorChecks;
  secondFactorSignIn: SecondFactorSignIn;
  users: Users;
  domains: Domains;
  records: Records;
  sync: Sync;
  zoneFiles: ZoneFileTransfer;
  snapshots: Snapshots;
  rollback: Rollback;
  providerConfigs: ProviderConfigs;
  repair: RepairJob;
  /** What must be there before the first request. */
  prepare(): Promise<void>;
  /** What goes on beside requests: repairs and housekeeping. */
  startJobs(): Promise<void>;
  /** Ends what runs beside requests. */
  stop(): Promise<void>;
  /** Closes what open requests still need while they finish. */
  close(): Promise<void>;
}

const housekeepingPause = 6 * 3_600_000;

/** Builds every service once. */
export function createServices(parts: { config: Config; database: Database; log: Logger; now?: () => Date }): Services {
  const { config, database, log, now = () => new Date() } = parts;
  const keyring = createKeyring(config.secretKeys);
  const passwords = new PasswordHasher();
  const accessTokens = new AccessTokens(keyring, now);
  const authenticator = new Authenticator(accessTokens, now);
  const zonesFolder = join(config.dataDir, "zones");
  const egress = createEgress({ allow: config.egressAllow, now });
  const secrets = new ConfigSecrets(new SecretBox(keyring, "provider-secret"));
  const connections = new ProviderConnections({ zonesFolder, now, egress }, secrets);
  const providerConfigs = new ProviderConfigs(connections, secrets, now);
  const audit = new Audit(now);
  const guesses = new Guesses();
  const mailer = new Mailer({ smtpUrl: config.smtpUrl, from: config.mailFrom, log });
  const pipeline = new ChangePipeline(database, connections, now);
  const snapshots = new Snapshots(now);
  const housekeeping = new Periodic(housekeepingPause, async () => {
    try {
      await deleteEndedSessions(database.fork(), now());
      await deleteExpiredChallenges(database.fork(), now());
    } catch (error) {
      log.error({ err: error }, "ended sessions could not be deleted");
    }
  });
  const repair = new RepairJob({ database, connections, log, now });
  const sessions = new Sessions(keyring, now, (sessionId) => authenticator.end(sessionId));
  const confirmation = new Confirmation(passwords, guesses, now);
  const factors = createSecondFactors({ siteUrl: config.siteUrl, keyring, mailer, confirmation, guesses, audit, now });
  const signIn = new SignIn(passwords, accessTokens, sessions, factors.checks, now);
  return {
    config,
    database,
    log,
    health: new Health(database),
    trustedOrigins: [new URL(config.siteUrl).origin, ...config.corsOrigins],
    authenticator,
    audit,
    guesses,
    mailer,
    signIn,
    secondFactors: factors.management,
    secondFactorChecks: factors.checks,
    secondFactorSignIn: new SecondFactorSignIn({ signIn, checks: factors.checks, guesses, audit }),
    users: new Users(passwords, now),
    domains: new Domains(database, providerConfigs, now),
    records: new Records(pipeline),
    sync: new Sync(pipeline),
    zoneFiles: new ZoneFileTransfer(pipeline, now),
    snapshots,
    rollback: new Rollback(pipeline, snapshots),
    providerConfigs,
    repair,
    async prepare() {
      await mkdir(zonesFolder, { recursive: true });
      await providerConfigs.ensureEmbedded(database.fork());
      await providerConfigs.ensureSealed(database.fork(), log);
      await factors.totpSecrets.ensureSealed(database.fork(), log);
    },
    async startJobs() {
      if (!config.jobs) return;
      await repair.start();
      await housekeeping.start(0);
    },
    async stop() {
      await Promise.all([repair.stop(), housekeeping.stop()]);
    },
    async close() {
      mailer.close();
      await egress.close();
    },
  };
}
