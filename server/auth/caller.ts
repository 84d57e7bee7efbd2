import type { Permission } from "../context.ts";

/** Who is calling, established from a credential. */
export interface Caller {
  userId: string;
  username: string;
  role: "admin" | "member";
  /** The session behind an access token; null for a personal token. */
  sessionId: string | null;
  /** The personal token; null for an access token. */
  tokenId: string | null;
  permissions: "all" | ReadonlySet<Permission>;
}
