import { setImmediate } from "node:timers/promises";

const loaders = new Set<() => Promise<unknown>>();

/**
 * Returns a function that loads modules at its first call, and registers it with {@link loadLateModules}. Node looks for the file of each
 * `import()` anew unless the same module has asked for it, so each module that needs one registers its own.
 */
export function loadedLate<Modules>(load: () => Promise<Modules>): () => Promise<Modules> {
  let loading: Promise<Modules> | null = null;
  const loadOnce = async () => {
    loading ??= load();
    try {
      return await loading;
    } catch (error) {
      loading = null;
      throw error;
    }
  };
  loaders.add(loadOnce);
  return loadOnce;
}

/**
 * Loads what a start leaves for later, once requests are served. A process then runs to its end with the modules that its start found, even if
 * another version is installed over them.
 * @param onMissing called with the reason why one cannot be loaded
 */
export async function loadLateModules(onMissing: (error: unknown) => void): Promise<void> {
  for (const load of loaders) {
    await load().catch(onMissing);
    // Requests come between.
    await setImmediate();
  }
}
