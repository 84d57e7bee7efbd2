import type { Config } from "../../ops/config/config.ts";
import type { Database } from "../../database/database.ts";
import type { Egress } from "../../platform/net/egress.ts";
import type { Notifications } from "../../notifications/notify.ts";
import type { Logger } from "../../platform/log.ts";
import { DelegationCheck } from "./check.ts";
import { DelegationCheckJob } from "./check-job.ts";
import { Delegations } from "./service.ts";
import { Dnssec } from "../dnssec/service.ts";

export type DelegationServices = ReturnType<typeof composeDelegation>;

/** Builds the checks of delegation and DNSSEC, and their job. */
export function composeDelegation(parts: {
  config: Config;
  database: Database;
  notifications: Notifications;
  egress: Egress;
  log: Logger;
  now: () => Date;
}) {
  const { config, database, notifications, egress, log, now } = parts;
  const roots = config.resolverRoots;
  const check = roots.kind === "off" ? null : new DelegationCheck(egress, roots, now);
  const delegations = new Delegations({ check, notifications, now });
  const dnssec = new Dnssec({ check, delegations, notifications, anchors: config.resolverTrustAnchor, now });
  const delegationCheck = new DelegationCheckJob({ database, delegations, dnssec, log, now });
  return { delegations, dnssec, delegationCheck };
}
