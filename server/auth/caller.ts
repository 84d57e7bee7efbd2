import type { Actor } from "../audit/actor.ts";
import type { Permission } from "../context.ts";

/** Who is calling, established from a credential. */
export interface Caller extends Actor {
  userId: string;
  username: string;
  role: "admin" | "member";
  /** The session behind an access token; null for a personal token. */
  sessionId: string | null;
  permissions: "all" | ReadonlySet<Permission>;
}
