import type { Audit } from "../audit/audit.ts";
import type { Database } from "../database/database.ts";
import type { JobRunner } from "../jobs/runner.ts";
import type { Keyring } from "../keyring.ts";
import type { MakeCounter } from "../limits/counters.ts";
import type { Logger } from "../log.ts";
import type { Inbox } from "../notifications/inbox.ts";
import { Notifications } from "../notifications/notify.ts";
import { SecretBox } from "../secret-box.ts";
import { ConfigBox } from "./config-box.ts";
import { Deliverer } from "./deliverer.ts";
import type { Ports } from "./kind.ts";
import { Outbox } from "./outbox.ts";
import { Channels } from "./service.ts";

export interface ChannelServices {
  notifications: Notifications;
  channels: Channels;
  deliverer: Deliverer;
}

/** Builds what tells people of events, within the application and outside of it. */
export function composeChannels(parts: {
  keyring: Keyring;
  database: Database;
  ports: Ports;
  inbox: Inbox;
  makeCounter: MakeCounter;
  ask: JobRunner["ask"];
  audit: Audit;
  log: Logger;
}): ChannelServices {
  const { database, ports, audit, log, inbox, makeCounter, ask } = parts;
  const box = new ConfigBox(new SecretBox(parts.keyring, "notification-channel"));
  const outbox = new Outbox({ box, ask });
  const notifications = new Notifications({ inbox, outbox, mails: ports.mailer.configured, log, now: ports.now });
  return {
    notifications,
    channels: new Channels({ box, ports, audit }),
    deliverer: new Deliverer({ database, box, ports, makeCounter, notifications, audit, log }),
  };
}
