import type { RestClient } from "../../support/rest-client.ts";
import type { Zonewright } from "../../support/zonewright.ts";
import { Zone, manualZone, type Body } from "../../support/zones.ts";

export async function idOf(client: RestClient): Promise<string> {
  return (await client.get("/api/auth/me")).body.id;
}

/** Assigns hosts of a domain to a member. */
export async function assign(
  zw: Zonewright,
  member: RestClient,
  domainId: string,
  subdomainPattern: string,
  access: "read" | "propose" | "write" = "write",
  more: object = {},
): Promise<Body> {
  const userId = await idOf(member);
  const { status, body } = await zw.admin.post("/api/assignments", {
    userId,
    domainId,
    subdomainPattern,
    access,
    ...more,
  });
  if (status !== 201) throw new Error(`Nothing was assigned: ${JSON.stringify(body)}`);
  return body;
}

/** The hosts of the zone that members can read. */
export const hosts = ["@", "www", "api.dev", "*.dev", "a.b.dev", "dev", "a_b", "axb", "app-1"];

/** The administrator's zone, and the same zone as members see it: one reads `*.dev`, one reads everything, one has no assignment. */
export async function readZone(zw: Zonewright): Promise<Record<"zone" | "dev" | "everything" | "stranger", Zone>> {
  const zone = await manualZone(zw);
  for (const name of hosts) await zone.add("TXT", name, `of ${name}`);
  const member = async (name: string) => new Zone(zw, zone, await zw.member(`reads-${name}`));
  const [dev, everything, stranger] = await Promise.all([member("dev"), member("everything"), member("stranger")]);
  await assign(zw, dev.client, zone.id, "*.dev", "read");
  await assign(zw, everything.client, zone.id, "*", "read");
  return { zone, dev, everything, stranger };
}
