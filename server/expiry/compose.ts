import { join } from "node:path";
import type { Config } from "../config.ts";
import type { Logger } from "../log.ts";
import type { Egress } from "../net/egress.ts";
import { RdapBootstrap } from "./bootstrap.ts";
import { ExpiryLookUp } from "./look-up.ts";
import { RdapClient } from "./rdap.ts";
import { ServerPace } from "./server-pace.ts";
import { Expiry } from "./service.ts";
import { WhoisClient } from "./whois.ts";

export interface ExpiryServices {
  expiry: Expiry;
}

/** Builds what looks expiry dates up. */
export function composeExpiry(parts: { config: Config; egress: Egress; log: Logger; now: () => Date }): ExpiryServices {
  const { config, egress, log, now } = parts;
  const pace = new ServerPace(now);
  const lookUp = new ExpiryLookUp({
    bootstrap: new RdapBootstrap({
      egress,
      log,
      now,
      file: join(config.dataDir, "rdap-servers.json"),
      url: config.rdapBootstrapUrl,
    }),
    rdap: new RdapClient(egress, pace, now),
    whois: new WhoisClient({ egress, pace, now, configured: config.whoisServer }),
  });
  return { expiry: new Expiry(lookUp, now) };
}
