import type { RouterOutputs } from "@zonewright/client";

type Progress = RouterOutputs["providerConfigs"]["importProgress"];
type Result = RouterOutputs["providerConfigs"]["import"]["results"][number];

/** How an import stands. */
export interface ImportState {
  total: number;
  done: number;
  running: boolean;
  /** When the service began it; null for chosen zones. */
  startedAt: number | null;
  /** Zones that are managed now. */
  imported: readonly string[];
  failures: readonly { name: string; error: string }[];
  /** Zones that were asked for, but whose answer was lost, and that are not managed yet. */
  unknown: readonly string[];
}

/** Zones per call: few enough to show progress and to stop. */
const batchSize = 5;

/** An import about to start. */
export function begun(total: number): ImportState {
  return { total, done: 0, running: true, startedAt: null, imported: [], failures: [], unknown: [] };
}

/** The state after a batch of named zones. */
export function withResults(state: ImportState, results: readonly Result[]): ImportState {
  return {
    ...state,
    done: state.done + results.length,
    imported: [...state.imported, ...results.filter(({ success }) => success).map(({ name }) => name)],
    failures: [...state.failures, ...failuresOf(results)],
  };
}

/** The state after a batch whose answer was lost. @param managed the zones that are managed now */
export function withoutAnswer(state: ImportState, zones: readonly string[], managed: ReadonlySet<string>): ImportState {
  return {
    ...state,
    done: state.done + zones.length,
    imported: [...state.imported, ...zones.filter((name) => managed.has(name))],
    unknown: [...state.unknown, ...zones.filter((name) => !managed.has(name))],
  };
}

/** Whether an import that has ended was one of exactly these zones. */
export function isOf(ended: ImportState, zones: readonly string[]): boolean {
  const known = new Set([...ended.imported, ...ended.failures.map(({ name }) => name)]);
  return ended.total === zones.length && zones.every((name) => known.has(name));
}

/** The state after a batch whose outcome the service knows as that of its last import. */
export function withEnded(state: ImportState, ended: ImportState): ImportState {
  return {
    ...state,
    done: state.done + ended.total,
    imported: [...state.imported, ...ended.imported],
    failures: [...state.failures, ...ended.failures],
  };
}

/** The state of an import that the service runs in the background; null if there was none. */
export function stateOf(progress: Progress): ImportState | null {
  if (progress.startedAt === null) return null;
  return {
    total: progress.total,
    done: progress.done,
    running: progress.finishedAt === null,
    startedAt: progress.startedAt.getTime(),
    imported: progress.results.filter(({ state }) => state === "done").map(({ name }) => name),
    failures: failuresOf(progress.results),
    unknown: [],
  };
}

function failuresOf(results: readonly { name: string; error: string | null }[]) {
  return results.flatMap(({ name, error }) => (error === null ? [] : [{ name, error }]));
}

/** The names in lists of at most `size`. */
export function batches(names: readonly string[], size = batchSize): string[][] {
  return Array.from({ length: Math.ceil(names.length / size) }, (_, index) =>
    names.slice(index * size, (index + 1) * size),
  );
}
