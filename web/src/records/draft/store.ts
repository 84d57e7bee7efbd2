import { isUnfinished, type Draft } from "./draft.ts";

/** Drafts survive a reload: IndexedDB, by user and zone. Where it is missing (private windows of some browsers), they live in memory. */
const databaseName = "zonewright";
const storeName = "drafts";

let opened: Promise<IDBDatabase | null> | undefined;

function open(): Promise<IDBDatabase | null> {
  opened ??= new Promise((resolve) => {
    try {
      const request = indexedDB.open(databaseName, 1);
      request.addEventListener("upgradeneeded", () => request.result.createObjectStore(storeName));
      request.addEventListener("success", () => resolve(request.result));
      request.addEventListener("error", () => resolve(null));
      request.addEventListener("blocked", () => resolve(null));
    } catch {
      resolve(null);
    }
  });
  return opened;
}

async function run<Result>(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result | undefined> {
  const database = await open();
  if (!database) return undefined;
  return await new Promise((resolve) => {
    const request = act(database.transaction(storeName, mode).objectStore(storeName));
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => resolve(undefined));
  });
}

/** The key of a person's draft in a zone. */
export function draftKey(userId: string, domainId: string): string {
  return `${userId}:${domainId}`;
}

/** Reads a draft; null if there is none. */
export async function readDraft(key: string): Promise<Draft | null> {
  const stored = await run<Draft | undefined>("readonly", (store) => store.get(key));
  return stored ? { edits: stored.edits } : null;
}

/** Other tabs of this browser edit the same draft. */
const tabs = new BroadcastChannel("zonewright.drafts");

interface Written {
  key: string;
  draft: Draft;
}

/** Calls back with the draft whenever another tab stores it. Returns the function that stops it. */
export function onDraft(key: string, callback: (draft: Draft) => void): () => void {
  const listener = ({ data }: MessageEvent<Written>) => {
    if (data.key === key) callback(data.draft);
  };
  tabs.addEventListener("message", listener);
  return () => tabs.removeEventListener("message", listener);
}

/** Stores a draft for this tab and the others; an empty one is removed. A new record that has no value yet belongs to its tab. */
export async function writeDraft(key: string, whole: Draft): Promise<void> {
  const draft = { ...whole, edits: whole.edits.filter((edit) => !isUnfinished(edit)) };
  // A channel has no target.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  tabs.postMessage({ key, draft } satisfies Written);
  if (draft.edits.length === 0) await run("readwrite", (store) => store.delete(key));
  else await run("readwrite", (store) => store.put(draft, key));
}

const draftsOf = (userId: string) => IDBKeyRange.bound(`${userId}:`, `${userId}:\uffff`);

/** The number of zones in which a person has a draft. */
export async function countDrafts(userId: string): Promise<number> {
  return (await run("readonly", (store) => store.count(draftsOf(userId)))) ?? 0;
}

/** Deletes the drafts of a person in every zone. */
export async function deleteDrafts(userId: string): Promise<void> {
  await run("readwrite", (store) => store.delete(draftsOf(userId)));
}
