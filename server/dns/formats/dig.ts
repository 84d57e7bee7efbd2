import type { Steps } from "../../platform/slices.ts";
import type { ZoneFileMessage } from "../zone-file/contents.ts";
import type { FormatOptions, FormatReading } from "./format.ts";
import { readDialect } from "./zone-file.ts";

/** The sections of a response whose records are not what was asked for. */
const otherSections = new Set(["AUTHORITY", "ADDITIONAL"]);

/** What dig adds to a message that a key signed (RFC 8945, RFC 2931). TSIG is in no zone, and a SIG of one is not of class ANY. */
const signature = /^\S+\s+(?:\d[\dsmhdw]*\s+)?(?:TSIG|ANY\s+(?:TSIG|SIG))\s/;

/** Reads what dig or drill printed: the answers, or a zone transfer. Several outputs may follow one another. */
export function* readDig(text: string, options: FormatOptions): Steps<FormatReading> {
  const kept: string[] = [];
  const errors: ZoneFileMessage[] = [];
  const notes = new Map<string, ZoneFileMessage>();
  const note = (line: number, message: string) => {
    if (!notes.has(message)) notes.set(message, { line, message });
  };
  let section = "";
  /** Whether a signature goes on in the next line. */
  let isSigning = false;
  let number = 0;
  let transfer: Transfer | null = null;
  const fail = (line: number, message: string) => {
    if (errors.length < mostErrors) errors.push({ line, message });
  };
  for (const line of linesOf(text)) {
    number++;
    yield;
    if (line.startsWith("; <<>> ")) {
      if (isCut(transfer) && errors.length === 0) fail(transfer.lastLine, cutOff);
      // With +onesoa, dig leaves out the SOA at the end.
      const isWhole = /\saxfr(?:\s|$)/i.test(line) && !line.includes(" +onesoa");
      transfer = isWhole ? { soas: 0, lastLine: number } : null;
      if (/\sixfr=/i.test(line)) fail(number, incremental);
    }
    if (transfer && line.trim() !== "" && !line.startsWith(";")) {
      transfer.lastLine = number;
      if (soa.test(line)) transfer.soas++;
    }
    if (isSigning || signature.test(line)) {
      isSigning = (isSigning || line.includes("(")) && !line.includes(")");
      kept.push("");
    } else if (line.startsWith(";")) {
      section = sectionOf(line) ?? section;
      const fault = faultOf(line);
      if (fault !== null) fail(number, fault);
      if (line.startsWith(";; flags:") && !/^;; flags:[^;]* aa[ ;]/.test(line)) {
        note(
          number,
          "The answer is not the zone's own server's, so TTLs are what a cache had left of them. Ask that server, as in dig @ns1.example.com.",
        );
      }
      kept.push("");
    } else if (otherSections.has(section) && line.trim() !== "") {
      note(number, `The records of the ${section.toLowerCase()} section are left out: they were not asked for.`);
      kept.push("");
    } else {
      // eslint-disable-next-line no-control-regex -- Names are printed in ASCII unless dig converts them.
      if (/^[^;\s]*[^\x00-\x7f]/.test(line)) fail(number, "dig converted this name to Unicode. Run it with +noidnout.");
      kept.push(line);
    }
  }
  if (isCut(transfer) && errors.length === 0) fail(transfer.lastLine, cutOff);
  if (errors.length > 0) return { ok: false, errors };
  // A chain of aliases may lead out of the zone.
  const reading = yield* readDialect(kept.join("\n"), { ...options, ignoreOutOfZone: true });
  return reading.ok ? { ...reading, warnings: [...notes.values(), ...reading.warnings] } : reading;
}

const mostErrors = 20;

/** A zone transfer that is read. */
interface Transfer {
  soas: number;
  /** The line of its last record. */
  lastLine: number;
}

const soa = /^\S+\s+(?:\d[\dsmhdw]*\s+)?(?:IN\s+)?SOA\s/i;
const cutOff = "The transfer is cut off: its last record must be the SOA again (RFC 5936 §2.2). Copy all of it.";
const incremental = "An incremental transfer (IXFR) has only what changed. Transfer the zone with AXFR.";

/** The SOA begins a transfer and ends it. */
function isCut(transfer: Transfer | null): transfer is Transfer {
  return transfer !== null && transfer.soas < 2;
}

function* linesOf(text: string): Generator<string, void> {
  for (let start = 0; start <= text.length;) {
    const feed = text.indexOf("\n", start);
    const end = feed === -1 ? text.length : feed;
    yield text.slice(start, end);
    start = end + 1;
  }
}

/** Returns the section that begins with a line; an empty one for a new response. */
function sectionOf(line: string): string | null {
  if (line.startsWith("; <<>> ") || line.startsWith(";; ->>HEADER<<-")) return "";
  return /^;; (QUESTION|ANSWER|AUTHORITY|ADDITIONAL|OPT PSEUDO)\w* ?SECTION:/.exec(line)?.[1] ?? null;
}

/** Returns why an output has no answer, or null. */
function faultOf(line: string): string | null {
  const [, status] = /^;; ->>HEADER<<-.*?(?:status|rcode): ([A-Z]+)/.exec(line) ?? [];
  if (status !== undefined && status !== "NOERROR") return `The server answered ${status}, not records.`;
  if (/^;; flags:[^;]* tc[ ;]/.test(line)) return "The answer is truncated. Ask again over TCP, with dig +tcp.";
  if (line.startsWith("; Transfer failed"))
    return "The transfer failed. Allow it at the server, or add the key with dig -y.";
  return /^;; (?:connection timed out|communications error|no servers could be reached)/i.test(line)
    ? "No server answered."
    : null;
}

/** Returns whether dig or drill printed a text. */
export function looksLikeDig(head: string): boolean {
  return /^(?:; <<>> DiG |;; ->>HEADER<<- |;; ANSWER SECTION:)/m.test(head);
}
