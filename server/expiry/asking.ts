/** How a look-up is carried out. */
export interface Asking {
  /** How long it may wait for its turn at a server. */
  patienceMilliseconds: number;
  /** Aborted when nobody waits for it any more, or it has taken too long. */
  signal: AbortSignal;
}

/** Nothing came that could be read: no connection, no turn at the server, an address that may not be called. */
export interface Failure {
  kind: "failed";
  limited: boolean;
  /** One sentence. */
  message: string;
}

export function failure(message: string, limited = false): Failure {
  return { kind: "failed", limited, message };
}
