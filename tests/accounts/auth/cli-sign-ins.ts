import { createHash, randomBytes } from "node:crypto";
import type { Answer, RestClient } from "../../support/rest-client.ts";

/** The two sides of PKCE, as the command line makes them. */
export function pkce(): { codeVerifier: string; codeChallenge: string } {
  const codeVerifier = randomBytes(32).toString("base64url");
  return { codeVerifier, codeChallenge: createHash("sha256").update(codeVerifier).digest("base64url") };
}

/** Approves a program on the user's computer. @returns what it exchanges for its token */
export async function authorized(client: RestClient, permissions: string[] = ["domains:read"]) {
  const { codeVerifier, codeChallenge } = pkce();
  const { status, body } = await client.post("/api/auth/cli/authorize", { permissions, codeChallenge });
  if (status !== 200) throw new Error(`The program was not approved: ${JSON.stringify(body)}`);
  return { code: body.code as string, codeVerifier };
}

/** A device that signs in. */
export interface Device {
  deviceCode: string;
  userCode: string;
  interval: number;
  /** Asks for the token. */
  poll(): Promise<Answer>;
}

export async function startedDevice(nobody: RestClient, permissions: string[] = ["domains:read"]): Promise<Device> {
  const { status, body } = await nobody.post("/api/auth/device", { permissions });
  if (status !== 200) throw new Error(`The device did not start: ${JSON.stringify(body)}`);
  const { deviceCode } = body;
  return { ...body, poll: () => nobody.post("/api/auth/device/token", { deviceCode }) };
}
