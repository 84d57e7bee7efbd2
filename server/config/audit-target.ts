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
    const { username, password } = url;
    url.username = url.password = "";
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    const authorization = username === "" ? null : `Basic ${Buffer.from(credentials).toString("base64")}`;
    return { kind: "https", url: url.href, authorization };
  }
  if (url.protocol !== "syslog:" && url.protocol !== "syslogs:") return null;
  if (!/^\/?$/.test(url.pathname) || url.search !== "" || url.username !== "" || url.password !== "") return null;
  return {
    kind: "syslog",
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? ports[url.protocol] : Number(url.port),
    tls: url.protocol === "syslogs:",
  };
}
