import { dnsimple } from "./dnsimple.ts";
import { bunny } from "./bunny.ts";
import { inwx } from "./inwx.ts";
import { linode } from "./linode.ts";
import { ovh } from "./ovh.ts";
import { porkbun } from "./porkbun.ts";
import type { RecordDialect } from "./server.ts";
import { vultr } from "./vultr.ts";

/** The vendors whose APIs write single records, on the base for these. */
export const recordDialects: readonly RecordDialect[] = [linode, vultr, porkbun, dnsimple, bunny, ovh, inwx];
