import type { RestClient } from "../../support/rest-client.ts";

/** Creates a narrowed token that may write records. */
export async function narrowedToken(owner: RestClient, wish: object): Promise<string> {
  const fields = { name: "Update client", permissions: ["records:write"] };
  const { status, body } = await owner.post("/api/auth/me/tokens", { ...fields, ...wish });
  if (status !== 201) throw new Error(`No token: ${JSON.stringify(body)}`);
  return body.token;
}

/** What a client sends for Basic authentication. */
export function basic(password: string, username = "any"): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` };
}
