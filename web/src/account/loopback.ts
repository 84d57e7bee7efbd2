import { allPermissions, type Permission } from "./permissions.ts";

/** What `zonewright login` asks for in the address of its page. */
export interface LoopbackRequest {
  /** Where it listens on 127.0.0.1. */
  port: number;
  /** By which it recognizes the answer. */
  state: string;
  codeChallenge: string;
  permissions: readonly Permission[];
}

/** What the commands of the command line need. */
const usual: readonly Permission[] = allPermissions.filter((permission) => !permission.startsWith("audit:"));

/** Reads the address of the page; null if something is missing or malformed. */
export function loopbackRequest(search: Readonly<Record<string, string | undefined>>): LoopbackRequest | null {
  const { client, port = "", state = "", code_challenge: codeChallenge = "", permissions } = search;
  if (client !== "cli" || !/^[1-9]\d{0,4}$/.test(port) || Number(port) > 65_535) return null;
  if (!/^[\w.~-]{1,200}$/.test(state) || !/^[\w-]{43}$/.test(codeChallenge)) return null;
  const asked = permissions?.split(",");
  const known = asked ? allPermissions.filter((permission) => asked.includes(permission)) : usual;
  return known.length === 0 ? null : { port: Number(port), state, codeChallenge, permissions: known };
}

/** Returns where the command line awaits the answer. Only ever this computer: a link cannot send a code elsewhere. */
export function callback({ port, state }: LoopbackRequest, answer: { code: string } | { error: string }): string {
  return `http://127.0.0.1:${port}/callback?${new URLSearchParams({ ...answer, state }).toString()}`;
}
