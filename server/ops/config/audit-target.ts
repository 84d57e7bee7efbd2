/** Where the audit trail is sent. */
export type AuditTarget =
  | { kind: "stdout" }
  /** Syslog (RFC 5424) over TCP, with TLS (RFC 5425) or without (RFC 6587). */
  | { kind: "syslog"; host: string; port: number; tls: boolean }
  /** The address without credentials, and the `Authorization` header made of them. */
  | { kind: "https"; url: string; authorization: string | null };

const ports = { "syslog:": 601, "syslogs:": 6514 } as const;

/** Reads AUDIT_STREAM. Returns null if it has none of its forms. */
export function parseAuditTarget(text: string): AuditTarget | null {
  if (text === "stdout") return { kind: "stdout" };
  const url = URL.parse(text);
  if (!url || url.hostname === "" || url.hash !== "") return null;
  if (url.protocol === "https:") {
    const [username, password] = [decoded(url.username), decoded(url.password)];
    if (username === null || password === null) return null;
    url.username = url.password = "";
    const credentials = Buffer.from(`${username}:${password}`).toString("base64");
    const authorization = username + password === "" ? null : `Basic ${credentials}`;
    return { kind: "https", url: url.href, authorization };
  }
  if (url.protocol !== "syslog:" && url.protocol !== "syslogs:") return null;
  if (!/^\/?$/.test(url.pathname) || url.search !== "" || url.username !== "" || url.password !== "") return null;
  if (url.port === "0") return null;
  return {
    kind: "syslog",
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? ports[url.protocol] : Number(url.port),
    tls: url.protocol === "syslogs:",
  };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
