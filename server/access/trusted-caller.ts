import type { Actor } from "./actor.ts";
import type { Caller } from "./caller.ts";

/** Returns a caller with every right, for work whose rights were checked when it was asked for. */
export function trustedCaller(actor: Actor & { userId: string; at: Date }): Caller {
  return { ...actor, username: "", role: "admin", sessionId: null, permissions: "all", narrowing: null };
}
