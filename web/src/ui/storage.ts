type Kind = "localStorage" | "sessionStorage";

/** The browser's storage. Where it is blocked, touching it throws, or it is null: then what is stored lasts as long as the page. */
function storage(kind: Kind): Pick<Storage, "getItem" | "setItem" | "removeItem"> {
  try {
    // The types promise what some browsers can be set not to have.
    const found: Storage | null = globalThis[kind];
    if (found) {
      // Where the store is damaged, only reading throws.
      found.getItem("");
      return found;
    }
  } catch {}
  const memory = new Map<string, string>();
  return {
    getItem: (key) => memory.get(key) ?? null,
    setItem: (key, value) => void memory.set(key, value),
    removeItem: (key) => void memory.delete(key),
  };
}

export const local = storage("localStorage");
export const perTab = storage("sessionStorage");
