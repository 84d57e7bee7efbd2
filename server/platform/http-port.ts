/** A procedure's view of the HTTP exchange. Depends on no library but tRPC, so that the SDK's types are self-contained. */
export interface HttpPort {
  /** Returns a request header. @param name in lower case */
  header(name: string): string | undefined;
  cookie(name: string): string | undefined;
  setHeader(name: string, value: string): void;
  setCookie(cookie: CookieToSet): void;
  /** Records the dotted name of the called procedure, for the metrics. */
  noteProcedure(name: string): void;
  /** The client's IP address, as determined by TRUST_PROXY. */
  readonly ip: string | null;
  /** The address that the caller claims by an `X-Forwarded-For` that TRUST_PROXY does not cover, if it may be a proxy's. For limits only. */
  readonly claimedIp: string | null;
  /** Closes the connection immediately, discarding any unsent part of the response. */
  cut(): void;
}

export interface CookieToSet {
  name: string;
  /** Empty: deletes the cookie. */
  value: string;
  path: string;
  /** Undefined: a session cookie. */
  maxAgeSeconds: number | undefined;
}
