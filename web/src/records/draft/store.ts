import type { Draft } from "./draft.ts";

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
  const stored: unknown = await run<unknown>("readonly", (store) => store.get(key));
  return (stored as Draft | undefined) ?? null;
}

/** Stores a draft; an empty one is removed. */
export async function writeDraft(key: string, draft: Draft): Promise<void> {
  if (draft.edits.length === 0) await run("readwrite", (store) => store.delete(key));
  else await run("readwrite", (store) => store.put(draft, key));
}

/** Deletes the drafts of a person in every zone. */
export async function deleteDrafts(userId: string): Promise<void> {
  const range = IDBKeyRange.bound(`${userId}:`, `${userId}:\uffff`);
  await run("readwrite", (store) => store.delete(range));
}
