import type { DnsRecord } from "@zonewright/client";
import { openChannel } from "../../ui/channel.ts";
import { local } from "../../ui/storage.ts";
import { emptyDraft, finished, joinSteps, stepBetween, withStep, type Draft, type DraftStep } from "./draft.ts";
import type { Sent } from "./sent.ts";

/** Drafts survive a reload: IndexedDB, by user and zone. Where it is missing (private windows of some browsers), they live in memory. */
const databaseName = "zonewright";
const storeName = "drafts";

let database: Promise<IDBDatabase | null> | undefined;

function open(): Promise<IDBDatabase | null> {
  database ??= new Promise((resolve) => {
    try {
      const request = indexedDB.open(databaseName, 1);
      request.addEventListener("upgradeneeded", () => request.result.createObjectStore(storeName));
      request.addEventListener("success", () => {
        // The browser dropped what was stored, for a person or for room: the next use opens it again, empty.
        request.result.addEventListener("close", () => (database = undefined));
        resolve(request.result);
      });
      request.addEventListener("error", () => resolve(null));
      request.addEventListener("blocked", () => resolve(null));
    } catch {
      resolve(null);
    }
  });
  return database;
}

async function run<Result>(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result | undefined> {
  const drafts = await open();
  if (!drafts) return undefined;
  const transaction = drafts.transaction(storeName, mode);
  const request = act(transaction.objectStore(storeName));
  if (mode === "readwrite") return (await ended(transaction)) ? request.result : undefined;
  return await new Promise((resolve) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => resolve(undefined));
  });
}

/** Resolves once a transaction has ended, to whether what it wrote is stored. */
async function ended(transaction: IDBTransaction): Promise<boolean> {
  return await new Promise((resolve) => {
    transaction.addEventListener("complete", () => resolve(true));
    transaction.addEventListener("abort", () => resolve(false));
  });
}

/** The key of a person's draft in a zone. */
export function draftKey(userId: string, domainId: string): string {
  return `${userId}:${domainId}`;
}

const ownerOf = (key: string) => key.slice(0, key.indexOf(":"));

/** Whose drafts were deleted: what leaves a page late must not bring one back. A page that opens for them ends that. */
const deletedOf = new Set<string>();

/** Reads a draft for a page that opens; null if there is none. */
export async function readDraft(key: string): Promise<Draft | null> {
  deletedOf.delete(ownerOf(key));
  const left = takeLeft(key);
  if (left) await storeOrLeave(key, left, async () => await storeSteps(key, [left]));
  const stored = await run<Draft | undefined>("readonly", (store) => store.get(key));
  return stored ? { edits: stored.edits } : null;
}

/** The last steps of pages that went, by the key of the draft: the database stores nothing for a page that is going. */
const leftName = "zonewright.left";
const dates: ReadonlySet<string> = new Set(["createdAt", "updatedAt", "reviewAt"] satisfies (keyof DnsRecord)[]);
let isGoing = false;

/** What a page left: steps of drafts, texts of zones, and drafts that were sent. */
type Left = Partial<Record<string, DraftStep | ZoneText | Sent | "none">>;

interface OnItsWay {
  key: string;
  left: NonNullable<Left[string]>;
}

/** What the database is still storing: it ends that with the page. */
const onTheirWay = new Set<OnItsWay>();

// Before the editors hear of it.
addEventListener("pagehide", leaveAll, { capture: true });
addEventListener("pageshow", () => (isGoing = false), { capture: true });

function leaveAll(): void {
  isGoing = true;
  for (const { key, left } of onTheirWay) if (!deletedOf.has(ownerOf(key))) leave(key, left);
}

/** Leaves something for the next page. A step follows the one that was left before. */
function leave(key: string, left: OnItsWay["left"]): void {
  const all = readLeft();
  const before = all[key];
  writeLeft({ ...all, [key]: before && isStep(before) && isStep(left) ? joinSteps(before, left) : left });
}

const isStep = (left: OnItsWay["left"]): left is DraftStep => left !== "none" && "set" in left;

/** Stores something, which outlasts a page that goes meanwhile. */
async function storeOrLeave(key: string, left: OnItsWay["left"], store: () => Promise<void>): Promise<void> {
  const storing = { key, left };
  if (isGoing) leave(key, left);
  else onTheirWay.add(storing);
  try {
    await store();
  } finally {
    onTheirWay.delete(storing);
  }
}

function readLeft(): Left {
  try {
    return JSON.parse(local.getItem(leftName) ?? "{}", (name, value: unknown) =>
      dates.has(name) && typeof value === "string" ? new Date(value) : value,
    ) as Left;
  } catch {
    return {};
  }
}

function writeLeft(all: Left): void {
  try {
    if (Object.keys(all).length === 0) local.removeItem(leftName);
    else local.setItem(leftName, JSON.stringify(all));
  } catch {
    // The browser has no room: then this is lost as it would have been.
  }
}

/** Takes what a page left when it went; null if nothing. */
function takeLeftOf(key: string): Left[string] | null {
  if (local.getItem(leftName) === null) return null;
  const { [key]: left = null, ...others } = readLeft();
  if (left) writeLeft(others);
  return left;
}

/** Takes the step that a page left of a draft. */
function takeLeft(key: string): DraftStep | null {
  const left = takeLeftOf(key);
  return left && isStep(left) ? left : null;
}

/** Other tabs of this browser edit the same draft. Null where the browser blocks storage: then no tab hears of another. */
const tabs = openChannel("zonewright.drafts");

type TabMessage = { key: string; draft: Draft; step: DraftStep } | { deletedOf: string } | { textOf: string };

tabs?.addEventListener("message", ({ data }: MessageEvent<TabMessage>) => {
  if ("deletedOf" in data) deletedOf.add(data.deletedOf);
});

// A channel has no target.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
const tellTabs = (message: TabMessage) => tabs?.postMessage(message);

/** Calls back whenever another tab edits the draft: with what that tab has now, and its last step. Returns the function that stops it. */
export function onDraft(key: string, callback: (draft: Draft, step: DraftStep) => void): () => void {
  const listener = ({ data }: MessageEvent<TabMessage>) => {
    if ("key" in data && data.key === key) callback(data.draft, data.step);
  };
  tabs?.addEventListener("message", listener);
  return () => tabs?.removeEventListener("message", listener);
}

/** Stores what an edit did to a draft, for this tab and the others. An empty draft is removed. */
export async function writeDraft(key: string, before: Draft, after: Draft): Promise<void> {
  if (deletedOf.has(ownerOf(key))) return;
  const step = stepBetween(before, after);
  const draft = finished(after);
  tellTabs({ key, draft, step });
  for (const counts of counting) counts(key, draft.edits.length);
  const left = isGoing ? null : takeLeft(key);
  const steps = left ? [left, step] : [step];
  await storeOrLeave(key, steps.reduce(joinSteps), async () => await storeSteps(key, steps));
}

/** What shows a number of edits on this page. */
const counting = new Set<(key: string, count: number) => void>();

/** Calls back with the number of a draft's edits, now and whenever any tab edits it. Returns the function that stops it. */
export function onEditCount(key: string, callback: (count: number) => void): () => void {
  let isNewer = false;
  const hear = (of: string, count: number) => {
    if (of !== key) return;
    isNewer = true;
    callback(count);
  };
  counting.add(hear);
  const stop = onDraft(key, ({ edits }) => hear(key, edits.length));
  const read = async () => {
    const stored = await run<Draft | undefined>("readonly", (store) => store.get(key));
    if (!isNewer && counting.has(hear)) callback(stored?.edits.length ?? 0);
  };
  void read();
  return () => {
    counting.delete(hear);
    stop();
  };
}

/** What another tab stored since this one last heard of it stays: transactions that write run one after the other. */
async function storeSteps(key: string, steps: readonly DraftStep[]): Promise<void> {
  const drafts = await open();
  if (!drafts) return;
  const transaction = drafts.transaction(storeName, "readwrite");
  const store = transaction.objectStore(storeName);
  const request: IDBRequest<Draft | undefined> = store.get(key);
  request.addEventListener("success", () => {
    const draft = steps.reduce(withStep, request.result ?? emptyDraft);
    if (draft.edits.length === 0) store.delete(key);
    else store.put(draft, key);
  });
  await ended(transaction);
}

/** A zone as somebody is writing it. */
export interface ZoneText {
  text: string;
  /** The revision of the zone that the text began with. */
  revision: number;
  /** The draft whose edits the text began with. */
  base: Draft;
  /** Whether what the text began with is no longer stored, and `revision` is a later one. */
  isGone: boolean;
}

/** Beside the draft, so that both end together. */
const textKey = (key: string) => `${key}:text`;

/** Reads the text that somebody is writing of a zone; null if there is none. @param key that of the draft */
export async function readZoneText(key: string): Promise<ZoneText | null> {
  deletedOf.delete(ownerOf(key));
  const left = takeLeftOf(textKey(key));
  if (left && (left === "none" || "text" in left))
    await storeOrLeave(textKey(key), left, async () => await storeZoneText(key, left === "none" ? null : left));
  return (await run<ZoneText | undefined>("readonly", (store) => store.get(textKey(key)))) ?? null;
}

/** Stores the text that somebody is writing of a zone, for this tab and the others; null removes it. @param key that of the draft */
export async function writeZoneText(key: string, text: ZoneText | null): Promise<void> {
  if (deletedOf.has(ownerOf(key))) return;
  if (!isGoing) takeLeftOf(textKey(key));
  await storeOrLeave(textKey(key), text ?? "none", async () => await storeZoneText(key, text));
  tellTabs({ textOf: key });
}

async function storeZoneText(key: string, text: ZoneText | null): Promise<void> {
  if (text) await run("readwrite", (store) => store.put(text, textKey(key)));
  else await run("readwrite", (store) => store.delete(textKey(key)));
}

/** Calls back whenever another tab stores a text of the zone. Returns the function that stops it. */
export function onZoneText(key: string, callback: () => void): () => void {
  const listener = ({ data }: MessageEvent<TabMessage>) => {
    if ("textOf" in data && data.textOf === key) callback();
  };
  tabs?.addEventListener("message", listener);
  return () => tabs?.removeEventListener("message", listener);
}

const sentKey = (key: string) => `${key}:sent`;

/** Reads the draft that was sent and whose answer is not there; null if there is none. @param key that of the draft */
export async function readSent(key: string): Promise<Sent | null> {
  const left = takeLeftOf(sentKey(key));
  if (left && (left === "none" || "plan" in left))
    await storeOrLeave(sentKey(key), left, async () => await storeSent(key, left === "none" ? null : left));
  return (await run<Sent | undefined>("readonly", (store) => store.get(sentKey(key)))) ?? null;
}

/** Stores a draft that is sent, before it is; null once its answer is there. @param key that of the draft */
export async function writeSent(key: string, sent: Sent | null): Promise<void> {
  if (deletedOf.has(ownerOf(key))) return;
  if (!isGoing) takeLeftOf(sentKey(key));
  await storeOrLeave(sentKey(key), sent ?? "none", async () => await storeSent(key, sent));
}

async function storeSent(key: string, sent: Sent | null): Promise<void> {
  if (sent) await run("readwrite", (store) => store.put(sent, sentKey(key)));
  else await run("readwrite", (store) => store.delete(sentKey(key)));
}

const draftsOf = (userId: string) => IDBKeyRange.bound(`${userId}:`, `${userId}:\uffff`);

/** The drafts with an editor open on this page: what is typed there is not stored yet. */
const opened = new Set<string>();

/** Counts a draft although nothing of it may be stored. Returns the function that ends it. */
export function holdDraft(key: string): () => void {
  opened.add(key);
  return () => void opened.delete(key);
}

/** The number of zones in which a person has a draft, or is writing one here. */
export async function countDrafts(userId: string): Promise<number> {
  const stored = (await run("readonly", (store) => store.getAllKeys(draftsOf(userId)))) ?? [];
  const open = [...opened].filter((key) => ownerOf(key) === userId);
  const keys = [...stored.map(String).filter((key) => !key.endsWith(sentKey(""))), ...open];
  return new Set(keys.map((key) => key.replace(/:text$/, ""))).size;
}

/** Deletes the drafts of a person in every zone, and takes none from the pages that are still open. */
export async function deleteDrafts(userId: string): Promise<void> {
  deletedOf.add(userId);
  tellTabs({ deletedOf: userId });
  writeLeft(Object.fromEntries(Object.entries(readLeft()).filter(([key]) => ownerOf(key) !== userId)));
  await run("readwrite", (store) => store.delete(draftsOf(userId)));
}
