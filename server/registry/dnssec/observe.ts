import {
  checkApex,
  mostRecords,
  validateZone,
  type ApexSignatures,
  type Chain,
  type Fetch,
} from "../../dns/dnssec/chain.ts";
import { readDs, type Ds } from "../../dns/dnssec/keys.ts";
import { readSignature } from "../../dns/dnssec/signatures.ts";
import { rcodes } from "../../dns/wire/messages.ts";
import type { Reply } from "../delegation/dns-client.ts";
import type { Resolver } from "../delegation/resolver.ts";

/** What a look at the DNSSEC of a zone saw. Null: no server answered. */
export interface DnssecSeen {
  zone: string;
  apex: ApexSignatures;
  parentDs: Ds[] | null;
  /** The TTL of these DS records in seconds, by their signature; null: not known. */
  dsTtl: number | null;
  /** What the zone asks the parent zone to publish (RFC 7344). */
  cds: Ds[] | null;
  /** The data of CDNSKEY records, as DNSKEY records have it. */
  cdnskeys: Buffer[] | null;
  chain: Chain;
}

/** Asks the zone, and those above it, for signatures, and judges them. */
export async function observeDnssec(
  resolver: Resolver,
  zone: string,
  { anchors, now }: { anchors: readonly Ds[]; now: Date },
): Promise<DnssecSeen> {
  const asked = new Map<string, Promise<Reply | null>>();
  const ask = (name: string, type: Parameters<Resolver["signed"]>[1]) => {
    const key = `${type} ${name}`;
    const answer = asked.get(key) ?? resolver.signed(name, type);
    asked.set(key, answer);
    return answer;
  };
  const ttlOfDs = async () => {
    const answers = (await ask(zone, "DS"))?.answers ?? [];
    const signatures = answers.flatMap(({ name, type, rdata }) =>
      name === zone && type === "RRSIG" ? (readSignature(rdata, now) ?? []) : [],
    );
    const ttls = signatures.filter(({ covers }) => covers === "DS").map(({ ttl }) => ttl);
    return ttls.length === 0 ? null : Math.max(...ttls);
  };
  const own = async (type: "DS" | "CDS" | "CDNSKEY") => {
    const reply = await ask(zone, type);
    if (!reply || (reply.rcode !== rcodes.NOERROR && reply.rcode !== rcodes.NXDOMAIN)) return null;
    return reply.answers
      .filter((record) => record.name === zone && record.type === type)
      .slice(0, mostRecords)
      .map(({ rdata }) => rdata);
  };
  const fetch: Fetch = ask;
  const chain = await validateZone(zone, { anchors, now, fetch });
  const apex = await checkApex(zone, { now, fetch });
  const isSigned = (apex.keys ?? []).length > 0;
  const unasked = apex.keys === null ? null : [];
  const ds = async (type: "DS" | "CDS") => (await own(type))?.flatMap((rdata) => readDs(rdata) ?? []) ?? null;
  return {
    zone,
    apex,
    parentDs: await ds("DS"),
    dsTtl: await ttlOfDs(),
    // An unsigned zone cannot ask for DS records (RFC 7344 §4.1).
    cds: isSigned ? await ds("CDS") : unasked,
    cdnskeys: isSigned ? await own("CDNSKEY") : unasked,
    chain,
  };
}
