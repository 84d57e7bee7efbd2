import { rcodes } from "../../dns/wire/messages.ts";
import type { Asked, QueriedType, Question, Reply } from "./dns-client.ts";
import { lameness, type Delegation, type ServerSeen, type ServerState } from "./observe.ts";
import { type Resolver } from "./resolver.ts";

/** What name servers should answer about one RRset. */
export interface Wanted {
  /** Full, canonical name. */
  name: string;
  type: QueriedType;
  /** Canonical values; null: any. */
  values: readonly string[] | null;
  /** Whether the values, or the whole RRset, should be gone. */
  absent: boolean;
}

/** `current`: the server answers as wanted. `behind`: it does not yet. The other states are those of a check. */
export const servedStates = ["current", "behind", "lame", "unreachable", "no_address", "not_checked"] as const;

/** What each name server of a zone answers. */
export interface Served {
  /** Whether at least one server counts, and all that count are current. */
  served: boolean;
  /** Why the name servers are not known; null if they are. */
  error: string | null;
  servers: {
    name: string;
    address: string | null;
    state: (typeof servedStates)[number];
    detail: string | null;
    /** Whether it must be current. Not if it has no address, or none that this machine may and can reach. */
    counts: boolean;
  }[];
}

type ServedBy = Served["servers"][number];

const askedAtOnce = 16;

/** The name servers of a zone, and what each answered; `asked` is null if it was not asked for the records. */
export interface Replies {
  /** Why the name servers are not known; null if they are. */
  error: string | null;
  servers: { seen: ServerSeen; asked: Asked | null }[];
}

/** Asks each name server of a zone for an RRset. */
export async function askAll(
  resolver: Resolver,
  { parent, servers: seen }: Delegation,
  { name, type }: Pick<Wanted, "name" | "type">,
): Promise<Replies> {
  if (parent.kind === "unknown") return { error: parent.message, servers: [] };
  if (parent.kind === "not_delegated") {
    const above = parent.zone === "." ? "The root" : parent.zone;
    return { error: `${above} has no NS records for the domain.`, servers: [] };
  }
  const servers: Replies["servers"] = [];
  const waiting = [...seen.entries()];
  const work = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [index, server] = next;
      servers[index] = { seen: server, asked: await askOne(resolver, server, { name, type }) };
    }
  };
  await Promise.all(Array.from({ length: askedAtOnce }, work));
  return { error: null, servers };
}

async function askOne(
  { client, port }: Resolver,
  { state, address }: ServerSeen,
  question: Question,
): Promise<Asked | null> {
  if (state !== "authoritative" || address === null) return null;
  return await client.ask({ address, port, reach: "public" }, question);
}

/** Judges the replies of a zone's name servers. */
export function servedIn({ error, servers: replies }: Replies, wanted: Wanted): Served {
  const servers = replies.map(({ seen, asked }) => judgedServer(seen, asked, wanted));
  const counting = servers.filter(({ counts }) => counts);
  return { served: counting.length > 0 && counting.every(({ state }) => state === "current"), error, servers };
}

function judgedServer(
  { name, address, state, detail, barred = false }: ServerSeen,
  asked: Asked | null,
  wanted: Wanted,
): ServedBy {
  if (asked === null)
    return { name, address, state: stateOf(state), detail, counts: state !== "no_address" && !barred };
  const seen = { name, address, counts: true };
  if ("reply" in asked) return { ...seen, ...judged(asked.reply, wanted) };
  return { ...seen, state: asked.failure === "silent" ? "unreachable" : "not_checked", detail: asked.message };
}

/** A server with authority and without an address cannot be. */
function stateOf(state: ServerState): ServedBy["state"] {
  return state === "authoritative" ? "not_checked" : state;
}

/** Judges the answer of one server. Records count only at the name itself: a CNAME there is another record. */
function judged(reply: Reply, wanted: Wanted): Pick<ServedBy, "state" | "detail"> {
  const { authoritative, rcode, answers, authorities } = reply;
  // The NS records of a delegation come as a referral, without authority (RFC 1034 §4.3.2).
  const isReferral = !authoritative && rcode === rcodes.NOERROR && wanted.type === "NS" && answers.length === 0;
  if (!isReferral && (!authoritative || (rcode !== rcodes.NOERROR && rcode !== rcodes.NXDOMAIN)))
    return { state: "lame", detail: isDelegated(reply) ? "The name is delegated to other servers." : lameness(reply) };
  const values = new Set(
    (isReferral ? authorities : answers)
      .filter(({ name, type }) => name === wanted.name && type === wanted.type)
      .map(({ value }) => value),
  );
  const present = wanted.values?.filter((value) => values.has(value)).length ?? values.size;
  if (wanted.absent)
    return present === 0 ? { state: "current", detail: null } : { state: "behind", detail: "It still has them." };
  if (present >= (wanted.values?.length ?? 1)) return { state: "current", detail: null };
  if (values.size > 0) return { state: "behind", detail: `It has other ${wanted.type} records there.` };
  return { state: "behind", detail: `It has no ${wanted.type} records there.` };
}

/** Returns whether a reply refers to the servers of a lower zone, at the name or above it. */
function isDelegated({ authoritative, rcode, answers, authorities }: Reply): boolean {
  return (
    !authoritative && rcode === rcodes.NOERROR && answers.length === 0 && authorities.some(({ type }) => type === "NS")
  );
}
