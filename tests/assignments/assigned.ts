import type { RestClient } from "../support/rest-client.ts";
import type { Zonewright } from "../support/zonewright.ts";
import type { Body } from "../support/zones.ts";

export async function idOf(client: RestClient): Promise<string> {
  return (await client.get("/api/auth/me")).body.id;
}

/** Assigns hosts of a domain to a member. */
export async function assign(
  zw: Zonewright,
  member: RestClient,
  domainId: string,
  subdomainPattern: string,
  access: "read" | "write" = "write",
): Promise<Body> {
  const userId = await idOf(member);
  const { status, body } = await zw.admin.post("/api/assignments", { userId, domainId, subdomainPattern, access });
  if (status !== 201) throw new Error(`Nothing was assigned: ${JSON.stringify(body)}`);
  return body;
}
