import type { Body } from "../../support/zones.ts";
import { RestClient } from "../../support/rest-client.ts";
import type { Zonewright } from "../../support/zonewright.ts";

/** The administrator by a personal token, which outlasts any jump of the clock. */
export async function lastingAdmin({ url, admin }: Zonewright, ...more: string[]): Promise<RestClient> {
  const permissions = ["domains:read", "domains:write", ...more];
  const { body } = await admin.post("/api/auth/me/tokens", { name: "Lasting", permissions });
  return new RestClient(url, body.token);
}

/** The log of a service, in which every notice leaves a line. */
export class NoticeLog {
  #lines: Body[] = [];

  write(line: string): void {
    this.#lines.push(JSON.parse(line));
  }

  /** The notices about a domain since the last call, oldest first: `domain.expiring 30`. */
  next(name: string): string[] {
    const about = this.#lines.filter(({ event, metadata }) => event !== undefined && metadata?.domainName === name);
    this.#lines = this.#lines.filter((line) => !about.includes(line));
    return about.map(({ event, metadata }) => (metadata.days === undefined ? event : `${event} ${metadata.days}`));
  }
}
