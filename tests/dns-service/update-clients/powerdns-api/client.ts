import { RestClient, type Answer } from "../../../support/rest-client.ts";

const base = "/pdns/api/v1/servers/localhost";

const allPermissions = ["records:read", "records:write", "domains:write"];

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
