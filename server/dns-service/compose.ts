import type { TsigKeyCredentials } from "../access/tsig-keys.ts";
import type { Audit } from "../notifications/audit/audit.ts";
import type { Config } from "../ops/config/config.ts";
import type { Database } from "../database/database.ts";
import type { ConfigSecrets } from "../dns-providers/connections.ts";
import { primary } from "../dns-providers/primary.ts";
import type { Egress } from "../platform/net/egress.ts";
import type { Notifications } from "../notifications/notify.ts";
import type { RequestLimits } from "../api/limits/requests.ts";
import type { Records } from "../zones/records/service.ts";
import type { Background } from "../platform/background.ts";
import type { Logger } from "../platform/log.ts";
import { Propagation } from "./propagation.ts";
import { SecondaryCheck } from "./secondary-check.ts";
import { DnsService } from "./service.ts";

/** Builds the DNS service, which hears of every change that this process commits. */
export function composeDnsService(parts: {
  config: Config;
  database: Database;
  secrets: ConfigSecrets;
  egress: Egress;
  credentials: TsigKeyCredentials;
  requestLimits: RequestLimits;
  records: Records;
  audit: Audit;
  notifications: Notifications;
  log: Logger;
  background: Background;
  now: () => Date;
  metrics: () => {
    transfer: (kind: "axfr" | "ixfr" | "current") => void;
    notified: (outcome: "acknowledged" | "failed") => void;
  };
}) {
  const { now } = parts;
  const dnsService = new DnsService({
    ...parts,
    onTransfer: (kind) => parts.metrics().transfer(kind),
    onNotify: (outcome) => parts.metrics().notified(outcome),
  });
  const secondaryCheck = new SecondaryCheck({ ...parts, service: dnsService });
  return {
    dnsService,
    propagation: new Propagation(dnsService, now),
    secondaryCheck,
    /** Handles a change of a provider configuration by this process. */
    configChanged: (kind: string) => {
      if (kind !== primary.kind) return;
      dnsService.refresh();
      parts.background.run("asking new secondaries", () => secondaryCheck.lookAtNew());
    },
  };
}
