import { RestClient, type Answer } from "../../../support/rest-client.ts";

const base = "/pdns/api/v1/servers/localhost";

const allPermissions = ["records:read", "records:write", "domains:write"];

/** Contents in the only form in which PowerDNS takes and shows them: type, content. A test sends them to PowerDNS. */
export const powerdnsForms: readonly (readonly [type: string, content: string])[] = [
  ["AFSDB", "1 cell.example."],
  ["APL", "1:198.51.100.0/24 !2:2001:db8::/48"],
  ["CAA", '0 issue "ca.example; account=17"'],
  ["CDS", "0 0 0 00"],
  ["CERT", "1 77 13 AQID"],
  ["CSYNC", "42 3 A NS AAAA"],
  ["EUI48", "00-00-5e-00-53-af"],
  ["HINFO", '"RISC-V" "Debian 14"'],
  ["HTTPS", '1 edge.example. alpn=h2,h3 ipv4hint=192.0.2.7 ech="AQID" ipv6hint=2001:db8::7'],
  ["HTTPS", '1 . alpn=h2 key65400="raw"'],
  ["L32", "20 198.51.100.0"],
  ["L64", "20 2001:0DB8:00AA:0001"],
  ["LOC", "60 0 0.000 N 24 56 0.000 E 20.00m 1.00m 10000.00m 10.00m"],
  ["LOC", "33 51 31.500 S 151 12 30.000 E -3.25m 0.50m 20.00m 5.00m"],
  ["MX", "25 Mail.Example."],
  ["NAPTR", '10 20 "s" "SIP+D2T" "" _sip._tcp.example.'],
  ["NID", "20 0014:4FFF:FF20:0001"],
  ["OPENPGPKEY", "mQENBFoO"],
  ["RP", "noc.example. ."],
  ["SPF", '"v=spf1" " -all"'],
  ["SRV", "0 0 0 ."],
  ["SSHFP", "4 2 aabbccddeeff00112233445566778899aabbccddeeff00112233445566778899"],
  ["SVCB", '2 svc.example. port=853 ech="MjIyLi4uCg=="'],
  ["TLSA", "3 1 1 aabbccddeeff00112233445566778899aabbccddeeff00112233445566778899"],
  ["TYPE65280", "\\# 3 0a0b0c"],
  ["URI", '7 1 "sips:a@b.example"'],
];

/** A PowerDNS client: what any program is that knows an address and an API key. */
export class PowerdnsClient {
  readonly #rest: RestClient;
  readonly #key: string;
  readonly #base: string;

  constructor(url: string, key: string, below = base) {
    this.#rest = new RestClient(url);
    this.#key = key;
    this.#base = below;
  }

  send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#rest.send(method, `${this.#base}${path}`, body, { "x-api-key": this.#key, ...headers });
  }

  get(path: string, headers?: Record<string, string>): Promise<Answer> {
    return this.send("GET", path, undefined, headers);
  }

  patch(zone: string, rrsets: unknown): Promise<Answer> {
    return this.send("PATCH", `/zones/${zone}.`, { rrsets });
  }

  /** Replaces one RRset. @param name relative; empty: the apex */
  replace(zone: string, name: string, type: string, contents: readonly string[], ttl = 300): Promise<Answer> {
    const records = contents.map((content) => ({ content, disabled: false }));
    return this.patch(zone, [{ name: fullName(name, zone), type, ttl, changetype: "REPLACE", records }]);
  }

  /** The contents of a zone as `name type content`, sorted, without the SOA. */
  async contents(zone: string): Promise<string[]> {
    const { body } = await this.get(`/zones/${zone}.`);
    const rrsets: { name: string; type: string; records: { content: string }[] }[] = body.rrsets;
    return rrsets
      .filter(({ type }) => type !== "SOA")
      .flatMap(({ name, type, records }) => records.map(({ content }) => `${name} ${type} ${content}`))
      .toSorted();
  }
}

export function fullName(name: string, zone: string): string {
  return name === "" ? `${zone}.` : `${name}.${zone}.`;
}

/** A client with a personal token of a user. */
export async function powerdnsClient(owner: RestClient, wish: object = {}): Promise<PowerdnsClient> {
  return new PowerdnsClient(owner.url, await powerdnsKey(owner, wish));
}

export async function powerdnsKey(owner: RestClient, wish: object = {}): Promise<string> {
  const fields = { name: "PowerDNS client", permissions: allPermissions };
  const { status, body } = await owner.post("/api/auth/me/tokens", { ...fields, ...wish });
  if (status !== 201) throw new Error(`No token: ${JSON.stringify(body)}`);
  return body.token;
}
