import { join } from "node:path";
import type { Config } from "../../ops/config/config.ts";
import type { Database } from "../../database/database.ts";
import type { Logger } from "../../platform/log.ts";
import type { Egress } from "../../platform/net/egress.ts";
import type { Notifications } from "../../notifications/notify.ts";
import { RdapBootstrap } from "./rdap/bootstrap.ts";
import { ExpiryCheckJob } from "./check-job.ts";
import { ExpiryLookup } from "./lookup.ts";
import { RdapClient } from "./rdap/client.ts";
import { ExpiryReminderJob } from "./remind-job.ts";
import { ServerPace } from "./server-pace.ts";
import { Expiry } from "./service.ts";
import type { RegistrarConfigs } from "../registrars/configs.ts";
import { WhoisClient } from "./whois/client.ts";

export type ExpiryServices = ReturnType<typeof composeExpiry>;

/** Builds the expiry lookup service and its jobs. */
export function composeExpiry(parts: {
  config: Config;
  database: Database;
  notifications: Notifications;
  registrarConfigs: RegistrarConfigs;
  egress: Egress;
  log: Logger;
  now: () => Date;
}) {
  const { config, database, notifications, registrarConfigs, egress, log, now } = parts;
  const pace = new ServerPace(now);
  const lookUp = new ExpiryLookup({
    bootstrap: new RdapBootstrap({
      egress,
      log,
      now,
      file: join(config.dataDir, "rdap-servers.json"),
      url: config.rdapBootstrapUrl,
    }),
    rdap: new RdapClient(egress, pace, now),
    whois: new WhoisClient({ egress, pace, now, configured: config.whoisServer }),
    isPublic: config.rdapBootstrapUrl === undefined && config.whoisServer === undefined,
  });
  return {
    expiry: new Expiry({ lookUp, registrarConfigs, notifications, now }),
    expiryCheck: new ExpiryCheckJob({ database, lookUp, registrarConfigs, notifications, log, now }),
    expiryReminders: new ExpiryReminderJob({ database, notifications, log, now }),
  };
}
