import type { Audit } from "../audit/audit.ts";
import type { Database } from "../../database/database.ts";
import type { MakeCounter } from "../../api/limits/counters.ts";
import type { Logger } from "../../platform/log.ts";
import type { Pause } from "../../platform/pause.ts";
import type { Notifications } from "../notify.ts";
import { Deliverer } from "./deliverer.ts";
import type { Ports, ConfigCipher } from "./kind.ts";
import { Channels } from "./service.ts";

export type ChannelServices = ReturnType<typeof composeChannels>;

/** Builds the channel service and one deliverer per transport. */
export function composeChannels(parts: {
  box: ConfigCipher;
  ports: Ports;
  notifications: Notifications;
  database: Database;
  makeCounter: MakeCounter;
  audit: Audit;
  /** How to wait for the next attempt. */
  pause: Pause;
  log: Logger;
}) {
  const { box, ports, audit } = parts;
  return {
    channels: new Channels({ box, ports, audit }),
    deliverer: new Deliverer({ ...parts, way: "call" }),
    mailDeliverer: new Deliverer({ ...parts, way: "mail" }),
  };
}
