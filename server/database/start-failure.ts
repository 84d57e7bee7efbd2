const tlsCode = /^(?:ERR_TLS|ERR_SSL|ERR_OSSL|EPROTO)|CERT|UNABLE_TO_/;

/** Returns why the PostgreSQL server made the start fail, as a sentence for the operator, or null for other causes. */
export function databaseStartFailure(error: Error): string | null {
  const { message, syscall, code = "" } = error as NodeJS.ErrnoException;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return `DATABASE_URL: the server's certificate is for another host (${message}). Correct the host, or use sslmode=verify-ca.`;
  }
  if (tlsCode.test(code)) {
    return `DATABASE_URL: the TLS connection or the server's certificate was rejected (${message}). Check sslrootcert, sslcert and sslmode.`;
  }
  if (/does not support SSL/.test(message)) {
    return "DATABASE_URL: the server does not support TLS. Enable it there, or set sslmode=disable.";
  }
  if (code === "28000" && message.includes("no encryption")) {
    return `DATABASE_URL: the server requires encryption (${message}). Add sslmode=verify-full.`;
  }
  if (syscall === "connect" || syscall === "getaddrinfo" || /^(?:08|53|57P)|^(?:ECONN|ETIMEDOUT)/.test(code)) {
    return `DATABASE_URL: the database server cannot be reached (${reasonOf(error) || code}). Check host and port, and that it is running.`;
  }
  if (code.startsWith("28"))
    return `DATABASE_URL: the server rejected the user name or password (${message}). Correct them.`;
  if (code === "3D000") return "DATABASE_URL: the database does not exist on that server. Create it first.";
  if (code === "42501")
    return `DATABASE_URL: this user may not create tables (${message}). Grant it CREATE on the database and its schema.`;
  if (code === "25006") return "DATABASE_URL: the database is read-only. Use the primary server.";
  return null;
}

/** A host with several addresses fails with an AggregateError that has no message of its own. */
function reasonOf(error: Error): string {
  if (error.message !== "" || !(error instanceof AggregateError)) return error.message;
  return error.errors.map((each: unknown) => (each instanceof Error ? each.message : "")).join(", ");
}
