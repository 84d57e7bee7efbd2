import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import { AccessTokens } from "./auth/access-tokens.ts";
import { Authenticator } from "./auth/authenticator.ts";
import { deleteEndedSessions } from "./auth/housekeeping.ts";
import { PasswordHasher } from "./auth/passwords.ts";
import { Sessions } from "./auth/sessions.ts";
import { SignIn } from "./auth/sign-in.ts";
import type { Config } from "./config.ts";
import type { Database } from "./database/database.ts";
import { ConfigSecrets } from "./dns-providers/config-secrets.ts";
import { ProviderConnections } from "./dns-providers/connections.ts";
import { ProviderConfigs } from "./dns-providers/provider-configs.ts";
import { DriftJob, type OnDrift } from "./drift/drift-job.ts";
import { Domains } from "./domains/service.ts";
import { ZoneImports } from "./domains/zone-imports.ts";
import { Health } from "./health.ts";
import { createKeyring } from "./keyring.ts";
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
  signIn: SignIn;
  users: Users;
  domains: Domains;
  zoneImports: ZoneImports;
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

const housekeepingPause = 6 * 3_600_000;

/** Builds every service once. */
export function createServices(parts: {
  config: Config;
  database: Database;
  log: Logger;
  now?: () => Date;
  /** Told of each zone that is newly found to differ from what its provider serves; the log when left out. */
  onDrift?: OnDrift;
}): Services {
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
  const domains = new Domains(database, providerConfigs, now);
  const zoneImports = new ZoneImports({ database, providerConfigs, domains, log, now });
  const pipeline = new ChangePipeline(database, connections, now);
  const snapshots = new Snapshots(now);
  const housekeeping = new Periodic(housekeepingPause, async () => {
    try {
      await deleteEndedSessions(database.fork(), now());
    } catch (error) {
      log.error({ err: error }, "ended sessions could not be deleted");
    }
  });
  const repair = new RepairJob({ database, connections, log, now });
  const drift = new DriftJob({
    database,
    connections,
    log,
    now,
    every: config.driftCheck,
    onDrift: parts.onDrift,
  });
  const sessions = new Sessions(keyring, now, (sessionId) => authenticator.end(sessionId));
  return {
    config,
    database,
    log,
    health: new Health(database),
    trustedOrigins: [new URL(config.siteUrl).origin, ...config.corsOrigins],
    authenticator,
    signIn: new SignIn(passwords, accessTokens, sessions, now),
    users: new Users(passwords, now),
    domains,
    zoneImports,
    records: new Records(pipeline),
    sync: new Sync(pipeline),
    zoneFiles: new ZoneFileTransfer(pipeline, now),
    snapshots,
    rollback: new Rollback(pipeline, snapshots),
    providerConfigs,
    repair,
    drift,
    async prepare() {
      await mkdir(zonesFolder, { recursive: true });
      await providerConfigs.ensureEmbedded(database.fork());
      await providerConfigs.ensureSealed(database.fork(), log);
      await zoneImports.prepare();
    },
    async startJobs() {
      if (!config.jobs) return;
      await repair.start();
      await housekeeping.start(0);
      await drift.start();
    },
    async stop() {
      await Promise.all([repair.stop(), housekeeping.stop(), drift.stop(), zoneImports.stop()]);
    },
    close: () => egress.close(),
  };
}
