const tlsCode = /^(?:ERR_TLS|ERR_SSL|ERR_OSSL|EPROTO)|CERT|UNABLE_TO_/;

/** Why a start failed at the PostgreSQL server, as a sentence for the operator; null when the server is not to blame. */
export function databaseStartFailure(error: Error): string | null {
  const { message, syscall, code = "" } = error as NodeJS.ErrnoException;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return `DATABASE_URL: the server's certificate is for another host (${message}); correct the host, or use sslmode=verify-ca.`;
  }
  if (tlsCode.test(code)) {
    return `DATABASE_URL: the server's certificate or the TLS connection is refused (${message}); check sslrootcert, sslcert and sslmode.`;
  }
  if (/does not support SSL/.test(message)) {
    return "DATABASE_URL: the server does not offer TLS; configure it there, or set sslmode=disable.";
  }
  if (code === "28000" && message.includes("no encryption")) {
    return `DATABASE_URL: the server accepts no unencrypted connection (${message}); add sslmode=verify-full.`;
  }
  if (syscall === "connect" || syscall === "getaddrinfo" || /^(?:08|53|57P)|^(?:ECONN|ETIMEDOUT)/.test(code)) {
    return `DATABASE_URL: the database cannot be reached (${reasonOf(error) || code}).`;
  }
  if (code.startsWith("28")) return `DATABASE_URL: the database refuses this user or password (${message}).`;
  if (code === "3D000") return "DATABASE_URL: there is no such database on that server; create it first.";
  if (code === "42501") return `DATABASE_URL: this user may not set the database up (${message}).`;
  if (code === "25006") return "DATABASE_URL: the database is read-only; name the primary server.";
  return null;
}

/** A name with several addresses fails with an error for each and no message of its own. */
function reasonOf(error: Error): string {
  if (error.message !== "" || !(error instanceof AggregateError)) return error.message;
  return error.errors.map((each: unknown) => (each instanceof Error ? each.message : "")).join(", ");
}
