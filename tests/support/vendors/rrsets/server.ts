import { startLoopbackVendor, type LoopbackVendor, type VendorCall, type VendorReply } from "../loopback-vendor.ts";
import type { TargetName } from "../../../services/conformance/group.ts";
import { RrsetStore, type StoreRules } from "./store.ts";

/** A vendor's API as it describes itself: how its calls and answers look. */
export interface RrsetDialect {
  kind: string;
  name: TargetName;
  rules: StoreRules;
  /** A configuration of ours for the API at this address, and the field with the credentials. */
  config(url: string): Record<string, string>;
  secret: string;
  /** Answers a call to the account. */
  answer(call: VendorCall, store: RrsetStore): VendorReply;
  /** Whether zones come with domains, so that no call creates one. */
  zonesComeWithDomains?: true;
  /** The answers to credentials that are wrong, and to those that may not write. */
  unauthorized: VendorReply;
  forbidden: VendorReply;
  /** The refusal of a zone or an RRset beyond what the account may have, where its status is that of missing rights. */
  full?: VendorReply;
  /** A rate limit that ends in so many seconds. */
  throttled(seconds: number): VendorReply;
  /** A refusal of a change, without effect. */
  refusal(message: string): VendorReply;
  /** Whether a call changes RRsets. */
  isWrite: (call: VendorCall) => boolean;
}

export interface RrsetServer extends LoopbackVendor {
  dialect: RrsetDialect;
  store: RrsetStore;
  config: Record<string, string>;
}

/** A simulated vendor whose API writes RRsets, with faults on demand. */
export async function startRrsetVendor(dialect: RrsetDialect): Promise<RrsetServer> {
  const store = new RrsetStore(dialect.rules);
  const vendor = await startLoopbackVendor((call) => dialect.answer(call, store));
  return { ...vendor, dialect, store, config: dialect.config(vendor.url) };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): VendorReply {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: body === undefined ? "" : JSON.stringify(body),
  };
}

/** The size of pages that splits every list of more than two entries, and a long one into at most ten: hundreds of calls would prove no more. */
export function smallPage(list: readonly unknown[]): number {
  return Math.max(2, Math.ceil(list.length / 10));
}

/** The page of a list that starts at a position, and where the next one starts. */
export function pageOf<T>(list: readonly T[], start: number, size: number): { entries: T[]; next: number | null } {
  const end = start + size;
  return { entries: list.slice(start, end), next: end < list.length ? end : null };
}

/** The parts of a path after a prefix, decoded; null if the path does not start with it. */
export function partsAfter(prefix: string, { url }: VendorCall): string[] | null {
  if (!url.pathname.startsWith(prefix)) return null;
  return url.pathname
    .slice(prefix.length)
    .split("/")
    .filter((part) => part !== "")
    .map(decodeURIComponent);
}
