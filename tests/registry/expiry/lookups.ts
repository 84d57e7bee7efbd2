import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { RdapBootstrap } from "../../../server/registry/expiry/rdap/bootstrap.ts";
import { ExpiryLookup } from "../../../server/registry/expiry/lookup.ts";
import { RdapClient } from "../../../server/registry/expiry/rdap/client.ts";
import type { Finding } from "../../../server/registry/expiry/registration.ts";
import { ServerPace } from "../../../server/registry/expiry/server-pace.ts";
import { WhoisClient } from "../../../server/registry/expiry/whois/client.ts";
import { createLog } from "../../../server/platform/log.ts";
import { createEgress } from "../../../server/platform/net/egress.ts";
import { Clock } from "../../support/clock.ts";
import { bootstrapFile, duringTest, startRdapServer, startWhoisServer } from "./registries.ts";

export interface LookUpOptions {
  /** RDAP servers by suffix. */
  rdap?: Readonly<Record<string, string>>;
  /** Address of the WHOIS server that is asked first; none when left out. */
  whois?: string;
  /** Address of the server that stands for IANA's, if none is asked first; by default it knows no registry. */
  iana?: string;
  clock?: Clock;
  /** Networks that may be reached. */
  allow?: string[];
  /** Whether these stand for the registries of the public DNS. */
  isPublic?: boolean;
}

/** Looks dates up, with registries on loopback; stopped after the test. */
export async function openLookUp(
  options: LookUpOptions,
): Promise<{ find: (name: string) => Promise<Finding>; dir: string }> {
  const { rdap = {}, clock = new Clock() } = options;
  const list = await duringTest(
    startRdapServer(() => bootstrapFile({ "suffix-of-nobody": "https://127.0.0.1/", ...rdap })),
  );
  const iana = options.iana ?? (await duringTest(startWhoisServer(() => "% This query returned 0 objects.\n"))).address;
  const { now } = clock;
  const egress = createEgress({ allow: options.allow ?? ["127.0.0.1"], now });
  const dir = await mkdtemp(join(tmpdir(), "zonewright-rdap-"));
  onTestFinished(async () => {
    await egress.close();
    await rm(dir, { recursive: true });
  });
  const pace = new ServerPace(now);
  const log = createLog("silent");
  const lookUp = new ExpiryLookup({
    bootstrap: new RdapBootstrap({ egress, log, now, file: join(dir, "servers.json"), url: `${list.url}/dns.json` }),
    rdap: new RdapClient(egress, pace, now),
    whois: new WhoisClient({ egress, pace, now, configured: options.whois, iana }),
    isPublic: options.isPublic ?? false,
  });
  const patience = { turnMilliseconds: 0, signal: new AbortController().signal };
  return { dir, find: (name) => lookUp.find(name, patience) };
}
