/** What a procedure may see of the HTTP exchange. Nothing here depends on a library but tRPC, so that the SDK's types stand alone. */
export interface HttpPort {
  /** A request header, lower-case name. */
  header(name: string): string | undefined;
  cookie(name: string): string | undefined;
  /** Sets a response header. */
  setHeader(name: string, value: string): void;
  setCookie(cookie: CookieToSet): void;
  /** For the metrics: the dotted name of what is called. */
  noteProcedure(name: string): void;
  /** The client's address as far as TRUST_PROXY lets us believe it. */
  readonly ip: string | null;
  /** Ends the connection at once, whatever of the answer was not sent yet. */
  cut(): void;
}

export interface CookieToSet {
  name: string;
  /** Empty: the cookie is removed. */
  value: string;
  path: string;
  /** Undefined: until the browser closes. */
  maxAgeSeconds: number | undefined;
}
