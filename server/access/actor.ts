/** Who did something, and in which call: what the audit trail tells of every entry. */
export interface Actor {
  /** Null for a visitor who has not signed in, and for the service itself. */
  userId: string | null;
  /** The personal token; null for a session. */
  tokenId: string | null;
  /** The client's address as far as TRUST_PROXY lets us believe it. */
  ip: string | null;
  requestId: string | null;
}

/** Somebody who has not signed in. */
export function visitor(ip: string | null, requestId: string): Actor {
  return { userId: null, tokenId: null, ip, requestId };
}

/** The service itself: jobs and repairs. */
export const theService: Actor = { userId: null, tokenId: null, ip: null, requestId: null };
