/** Who performed an action and in which call, as recorded in the audit trail. */
export interface Actor {
  /** Null for an anonymous caller and for the service itself. */
  userId: string | null;
  /** The personal token used; null for a session. */
  tokenId: string | null;
  /** The name of the TSIG key used; absent for calls over HTTP and for the service itself. */
  tsigKey?: string | undefined;
  /** The client's IP address, as determined by TRUST_PROXY. */
  ip: string | null;
  /** The address for which a proxy that TRUST_PROXY does not name seems to call. Unproven: it only tells anonymous callers apart in limits. */
  claimedIp?: string | null;
  requestId: string | null;
}

/** Returns the actor for an anonymous caller. */
export function visitor(
  { ip, claimedIp = null }: { ip: string | null; claimedIp?: string | null },
  requestId: string,
): Actor {
  return { userId: null, tokenId: null, ip, claimedIp, requestId };
}

/** The service itself, for jobs and repairs. */
export const theService: Actor = { userId: null, tokenId: null, ip: null, requestId: null };
