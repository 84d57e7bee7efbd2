import type { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { EgressError } from "../../platform/net/egress-error.ts";
import type { Egress } from "../../platform/net/egress.ts";
import { shownCertificate, type Shown } from "../../platform/net/tls.ts";

/** What is wrong with a host: first with its certificate, then with its connection. */
export const problems = ["expired", "not_yet_valid", "other_names", "untrusted", "no_tls", "unreachable"] as const;
export type Problem = (typeof problems)[number];
/** Those of certificates. */
export const invalid = ["expired", "not_yet_valid", "other_names", "untrusted"] as const satisfies readonly Problem[];

export interface Place {
  /** Its full name. */
  name: string;
  port: number;
  starttls: "smtp" | null;
  /** Whether it was found before, or somebody listed it. */
  known: boolean;
}

/** What a host showed. */
export interface Reading {
  notBefore: Date | null;
  notAfter: Date | null;
  issuer: string | null;
  fingerprint: string | null;
  problem: Problem | null;
  /** What is wrong and what to do; null if nothing is. */
  error: string | null;
}

/** Ports of public hosts on which TLS is common, so that watching hosts is no way to scan others' ports. */
const ports = [443, 25, 465, 587, 636, 853, 989, 990, 993, 995, 4443, 5061, 5223, 5671, 6697, 8443, 8883, 9443];
/** For hosts that may not exist. Others have the usual time. */
const briefly = { connectTimeoutMilliseconds: 2_500 };
/** For connection, dialog and handshake. Mail servers may wait before they greet. */
const longestMilliseconds = { plain: 8_000, smtp: 15_000 };
const longestDialog = 8_192;
const mostNames = 3;

/** Why a host shows no certificate. `message` is a sentence. */
class NoCertificate extends Error {}

/**
 * Reads the certificate of a host, whoever issued it, and judges its dates, names and chain. Sends nothing but the handshake.
 * @param greeting how to greet mail servers
 * @returns null if this service did not ask it, for reasons of its own
 * @throws the signal's reason
 */
export async function readCertificate(
  egress: Egress,
  { name, port, starttls, known }: Place,
  { greeting, now, stop }: { greeting: string; now: Date; stop: AbortSignal },
): Promise<Reading | null> {
  const milliseconds = starttls === null ? longestMilliseconds.plain : longestMilliseconds.smtp;
  const late = new NoCertificate(`${name}, port ${port}, did not answer within ${milliseconds / 1_000} s.`);
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(late), milliseconds);
  const signal = AbortSignal.any([stop, deadline.signal]);
  let socket: Socket | null = null;
  try {
    const rules = { reach: "public", ports, many: true, ...(known ? {} : briefly) } as const;
    socket = await egress.guardedConnect({ host: name, port, ...rules, signal });
    if (starttls === "smtp") await startSmtp(socket, { name, port, greeting, signal });
    const seen = await shown(socket, { name, port, signal });
    try {
      return judge(name, seen, now);
    } catch {
      throw new NoCertificate(`${name}, port ${port}, shows a certificate that cannot be read. Install another one.`);
    }
  } catch (error) {
    stop.throwIfAborted();
    if (!(error instanceof NoCertificate || error instanceof EgressError)) throw error;
    if (error instanceof EgressError && (error.failure === "busy" || error.failure === "breaker")) return null;
    const problem = socket === null || error === late ? "unreachable" : "no_tls";
    return { notBefore: null, notAfter: null, issuer: null, fingerprint: null, problem, error: error.message };
  } finally {
    clearTimeout(timer);
    socket?.destroy();
  }
}

async function shown(
  socket: Socket,
  { name, port, signal }: { name: string; port: number; signal: AbortSignal },
): Promise<Shown> {
  let seen: Shown | null;
  try {
    seen = await shownCertificate(socket, name, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    throw new NoCertificate(`${name}, port ${port}, ${reasonOf(error)}`);
  }
  if (!seen) throw new NoCertificate(`${name}, port ${port}, shows no certificate. Install one.`);
  return seen;
}

/** Asks a mail server for TLS (RFC 3207). Reads 8 KiB at most. */
async function startSmtp(
  socket: Socket,
  { name, port, greeting, signal }: { name: string; port: number; greeting: string; signal: AbortSignal },
): Promise<void> {
  const at = `${name}, port ${port},`;
  let text = "";
  let octets = 0;
  const reply = async (): Promise<string> => {
    const done = Promise.withResolvers<string>();
    const read = (chunk: Buffer) => {
      octets += chunk.length;
      if (octets > longestDialog)
        return done.reject(new NoCertificate(`${at} sends too much for a mail server. Check the port.`));
      text += chunk.toString("latin1");
      if (!text.endsWith("\n")) return;
      // Line by line: a pattern for all lines may take exponential time.
      const lines = text.slice(0, -1).split("\n");
      const isSmtp = lines.every((line) => /^\d{3}(?:[- ]|\r?$)/.test(line));
      if (!isSmtp) return done.reject(new NoCertificate(`${at} does not speak SMTP. Check the port.`));
      if (lines.some((line) => line.charAt(3) !== "-")) done.resolve(text);
    };
    const end = () => done.reject(signal.reason as Error);
    const closed = () => done.reject(new NoCertificate(`${at} closed the connection before TLS began.`));
    signal.addEventListener("abort", end, { once: true });
    socket.on("data", read).once("close", closed).once("error", closed).resume();
    try {
      signal.throwIfAborted();
      return await done.promise;
    } finally {
      text = "";
      signal.removeEventListener("abort", end);
      socket.off("data", read).off("close", closed).off("error", closed);
      socket.on("error", () => undefined).pause();
    }
  };
  const greeted = await reply();
  if (!greeted.startsWith("220")) throw new NoCertificate(`${at} refuses mail: ${quoted(greeted)}`);
  socket.write(`EHLO ${greeting}\r\n`);
  const offers = await reply();
  if (!/^250[- ]STARTTLS\s*$/im.test(offers))
    throw new NoCertificate(`${at} does not offer STARTTLS. Turn TLS on in the mail server.`);
  socket.write("STARTTLS\r\n");
  const begins = await reply();
  if (!begins.startsWith("220")) throw new NoCertificate(`${at} refuses STARTTLS: ${quoted(begins)}`);
}

function quoted(text: string): string {
  return `"${plain(text.trim(), 100)}"`;
}

/** Returns text of others as one line without characters that control how it is shown. */
function plain(text: string, most: number): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ").trim();
  return line.length > most ? `${line.slice(0, most).toWellFormed()}…` : line;
}

function judge(name: string, { certificate, chainError }: Shown, now: Date): Reading {
  const { fingerprint256: fingerprint } = certificate;
  const from = readDate(certificate.validFromDate, certificate.validFrom);
  const to = readDate(certificate.validToDate, certificate.validTo);
  const [notBefore = null, notAfter = null] = [from, to].map((date) => (isStorable(date) ? date : null));
  const read = { notBefore, notAfter, issuer: issuerOf(certificate), fingerprint };
  const wrong = (problem: Problem, error: string): Reading => ({ ...read, problem, error });
  if (to <= now)
    return wrong(
      "expired",
      `The certificate of ${name} expired on ${dateOf(to)}. Renew it, and let the server load the new one.`,
    );
  if (from > now)
    return wrong(
      "not_yet_valid",
      `The certificate of ${name} is valid only from ${dateOf(from)}. Use the one before it until then.`,
    );
  if (certificate.checkHost(name, { subject: "never" }) === undefined)
    return wrong(
      "other_names",
      `The certificate that ${name} shows is for other names: ${namesOf(certificate)}. Install one for ${name}.`,
    );
  if (chainError !== null) return wrong("untrusted", chainMessage(name, chainError));
  return { ...read, problem: null, error: null };
}

function chainMessage(name: string, code: string): string {
  switch (code) {
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
    case "SELF_SIGNED_CERT_IN_CHAIN":
      return `The chain of ${name} leads to no known authority. Install a certificate of a public authority, or have yours added to NODE_EXTRA_CA_CERTS.`;
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
    case "UNABLE_TO_GET_ISSUER_CERT":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
      return `The chain of ${name} leads to no known authority. If a public authority issued it, an intermediate certificate is missing: install the full chain.`;
    case "CERT_HAS_EXPIRED":
      return `A certificate in the chain of ${name} has expired. Install the chain that its authority offers now.`;
    default:
      return `The chain of ${name} is not valid (${plain(code, 100)}). Install the chain that its authority offers.`;
  }
}

function dateOf(date: Date): string {
  return Number.isNaN(date.getTime()) ? "an unknown day" : date.toISOString().slice(0, 10);
}

/** Where a certificate states no date, Node's `Date` may be any, and only its text tells. */
function readDate(date: Date, text: string): Date {
  return text === "Bad time value" ? new Date(Number.NaN) : date;
}

/** Returns whether it is in the years 1 to 9999. Certificates can state year 0, which PostgreSQL does not have. */
function isStorable(date: Date): boolean {
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999;
}

function namesOf({ subjectAltName = "" }: X509Certificate): string {
  const names = [...subjectAltName.matchAll(/(?:^|, )(?:DNS|IP Address):([^,"]{1,253})/g)].map(([, name = ""]) =>
    plain(name, 100),
  );
  if (names.length === 0) return "none that browsers accept";
  const others = names.length - mostNames;
  return `${names.slice(0, mostNames).join(", ")}${others > 0 ? ` and ${others} more` : ""}`;
}

/** Despite its type, the issuer is undefined if the certificate's is empty. */
function issuerOf({ issuer = "" }: { issuer: string | undefined }): string | null {
  const fields = new Map(issuer.split("\n").map((line) => [line.split("=", 1)[0], line.replace(/^[^=]*=/, "")]));
  const parts = [fields.get("O"), fields.get("CN")].filter((part) => part !== undefined);
  const text = plain(parts.join(", "), 200);
  return text === "" ? null : text;
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/.test(code))
    return "speaks no TLS newer than 1.1. Turn TLS 1.2 or 1.3 on.";
  if (/UNRECOGNIZED_NAME|HANDSHAKE_FAILURE/.test(code))
    return "refuses the TLS handshake. Install a certificate for this name.";
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH|HTTP_REQUEST|UNEXPECTED_MESSAGE|BAD_RECORD/.test(code))
    return "does not speak TLS. Check the port.";
  if (code === "" || code === "ECONNRESET" || code === "EPIPE")
    return "closes the connection before it shows a certificate.";
  return "fails in the TLS handshake. Check its TLS settings.";
}
