import type { Reply } from "./dns-client.ts";
import type { ServerSeen } from "./observation.ts";
import { addressesOf, isAddress, isWithin, noError, noSuchName, type Resolver } from "./resolver.ts";

const mostAddresses = 4;
const rcodes: Readonly<Record<number, string>> = {
  1: "FORMERR",
  2: "SERVFAIL",
  3: "NXDOMAIN",
  4: "NOTIMP",
  5: "REFUSED",
  9: "NOTAUTH",
};

interface SeenServers {
  servers: ServerSeen[];
  /** The addresses that answered with authority. */
  authoritative: string[];
}

/**
 * Asks each name server for the SOA of the zone, at each of its addresses.
 * @param given addresses that need no lookup
 * @param options.only asks at the given addresses only
 */
export async function observeServers(
  resolver: Resolver,
  zone: string,
  names: readonly string[],
  given: ReadonlyMap<string, string[]>,
  { only = false } = {},
): Promise<SeenServers> {
  const seen = await Promise.all(
    names.map(async (name): Promise<ServerSeen[]> => {
      const known = given.get(name) ?? [];
      const lookedUp = known.length > 0 || only ? null : await addressesOf(resolver, name);
      const addresses = lookedUp?.addresses ?? known;
      if (addresses.length === 0) return only ? [] : [withoutAddress(name, lookedUp?.known === true)];
      return await Promise.all(
        addresses.slice(0, mostAddresses).map((address) => observeServer(resolver, zone, name, address)),
      );
    }),
  );
  const servers = seen.flat();
  const answering = servers.filter(({ state }) => state === "authoritative");
  return { servers, authoritative: answering.flatMap(({ address }) => (address === null ? [] : [address])) };
}

function withoutAddress(name: string, known: boolean): ServerSeen {
  const detail = known ? "It has no address." : "Its addresses could not be looked up.";
  return { name, address: null, state: known ? "no_address" : "not_checked", serial: null, detail };
}

async function observeServer(resolver: Resolver, zone: string, name: string, address: string): Promise<ServerSeen> {
  const { client, port } = resolver;
  const asked = await client.ask({ address, port, reach: "public" }, { name: zone, type: "SOA" });
  const seen = { name, address, serial: null };
  if (!("reply" in asked)) {
    const { failure, message: detail } = asked;
    if (failure === "silent") return { ...seen, state: "unreachable", detail };
    return { ...seen, state: "not_checked", detail, barred: failure === "barred" };
  }
  const serial = serialIn(asked.reply, zone);
  if (serial !== null) return { ...seen, state: "authoritative", serial, detail: null };
  return { ...seen, state: "lame", detail: lameness(asked.reply) };
}

function serialIn({ authoritative, rcode, answers }: Reply, zone: string): number | null {
  if (!authoritative || rcode !== noError) return null;
  const soa = answers.find(({ name, type }) => name === zone && type === "SOA");
  const [, serial] = /(\d+)(?: \d+){4}$/.exec(soa?.value ?? "") ?? [];
  return serial === undefined ? null : Number(serial);
}

/** Says why an answer does not count. */
export function lameness({ authoritative, rcode }: Reply): string {
  if (rcode !== noError) return `It answers ${rcodes[rcode] ?? `error ${rcode}`}.`;
  return authoritative ? "It has no SOA record for the zone." : "Its answer is not authoritative.";
}

/** Asks a server of the zone for the addresses of the name servers within the zone. */
export async function ownAddressesOf(
  { client, port }: Resolver,
  zone: string,
  address: string,
  names: readonly string[],
): Promise<Record<string, string[] | null>> {
  const found = await Promise.all(
    names
      .filter((name) => isWithin(name, zone))
      .map(async (name) => {
        const asked = await Promise.all(
          (["A", "AAAA"] as const).map((type) => client.ask({ address, port, reach: "public" }, { name, type })),
        );
        const sets = asked.map((answer) => ("reply" in answer ? addressesIn(answer.reply, name) : null));
        const known = sets.every((set) => set !== null);
        return [name, known ? sets.flat().toSorted() : null] as const;
      }),
  );
  return Object.fromEntries(found);
}

/** Returns the addresses of a name; null if the server does not answer for it, such as in a delegated part. */
function addressesIn({ authoritative, rcode, answers }: Reply, owner: string): string[] | null {
  if (!authoritative || (rcode !== noError && rcode !== noSuchName)) return null;
  if (answers.some(({ name, type }) => name === owner && type === "CNAME")) return null;
  return answers.filter((record) => record.name === owner && isAddress(record)).map(({ value }) => value);
}
