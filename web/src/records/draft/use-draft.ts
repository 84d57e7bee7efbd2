import { useQuery } from "@tanstack/react-query";
import { isZonewrightError, type RouterOutputs } from "@zonewright/client";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { client, isTemporary } from "../../api.ts";
import { forPeople } from "../../ui/for-people.ts";
import { useSettled } from "../../ui/use-settled.ts";
import {
  changesOf,
  emptyDraft,
  finished,
  isUnfinished,
  stepBetween,
  withoutSent,
  withStep,
  withStored,
  type Draft,
  type Edit,
} from "../../zone/draft/draft.ts";
import { draftKey, onDraft, readDraft, writeDraft } from "../../zone/draft/store.ts";

export type Plan = RouterOutputs["records"]["plan"];

/** What the service says about the draft. */
export type Check =
  | { state: "empty" | "unfinished" | "checking" | "offline" }
  | { state: "planned"; plan: Plan }
  /** It could not be checked, and is checked again by itself. */
  | { state: "waiting"; error: unknown }
  /** `faults`: by the key of the edit. `others`: what belongs to none. `suspects`: the keys of edits whose record may be gone. */
  | { state: "refused"; faults: ReadonlyMap<string, string[]>; others: string[]; suspects: ReadonlySet<string> };

/** How many steps back a person can go. */
const rememberedSteps = 100;

/** The drafts before each edit, and those that were taken back; the nearest last. */
interface Steps {
  back: readonly Draft[];
  forward: readonly Draft[];
}

const noSteps: Steps = { back: [], forward: [] };

export interface DraftState {
  draft: Draft;
  /** Whether the stored draft has been read. */
  ready: boolean;
  /** Edits the draft. Returns what it has become. */
  change: (next: (draft: Draft) => Draft) => Draft;
  /** Takes the last edit back. */
  stepBack: () => void;
  /** Makes again what was taken back last. */
  stepForward: () => void;
  /** Ends the edits that were sent: they are no longer there to take back. */
  endSent: (sent: readonly Edit[]) => void;
  check: Check;
  /** The addresses whose offered PTR changes are to be made, too. */
  reverse: readonly string[];
  setReverse: (addresses: readonly string[]) => void;
}

interface DraftOptions {
  userId: string;
  domainId: string;
  revision: number;
  /** Whether the draft is on its way: what it makes of the zone must not be checked against itself. */
  isSending: boolean;
}

/** The draft of a person in a zone: stored in this browser, and planned by the service 400 ms after the last edit. */
export function useDraft({ userId, domainId, revision, isSending }: DraftOptions): DraftState {
  const key = draftKey(userId, domainId);
  const [draft, setDraft] = useState<Draft>(emptyDraft);
  const [ready, setReady] = useState(false);
  /** The draft as it is: what an editor leaves while the page goes is no longer rendered, and stored nevertheless. */
  const latest = useRef<Draft>(emptyDraft);
  const isRead = useRef(false);
  const steps = useRef(noSteps);
  const show = useCallback((next: Draft) => {
    latest.current = next;
    setDraft(next);
  }, []);
  const put = useCallback(
    (next: Draft) => {
      const before = latest.current;
      show(next);
      // What is typed before the stored draft was read is stored with it.
      if (isRead.current) void writeDraft(key, before, next);
    },
    [key, show],
  );
  useEffect(() => {
    const merge = (other: Draft) => {
      const both = withStored(other, latest.current);
      isRead.current = true;
      show(both);
      setReady(true);
      if (both !== other) void writeDraft(key, other, both);
    };
    const read = async () => {
      const stored = (await readDraft(key)) ?? emptyDraft;
      // Another tab that wrote meanwhile knows the stored draft.
      if (!isRead.current) merge(stored);
    };
    void read();
    return onDraft(key, (other, step) => {
      steps.current = noSteps;
      if (isRead.current) show(withStep(latest.current, step));
      else merge(other);
    });
  }, [key, show]);

  const change = useCallback(
    (edit: (draft: Draft) => Draft) => {
      const before = latest.current;
      const next = edit(before);
      if (next === before) return before;
      const { set, gone } = stepBetween(before, next);
      if (set.length + gone.length > 0)
        steps.current = { back: [...steps.current.back.slice(-rememberedSteps), finished(before)], forward: [] };
      put(next);
      return next;
    },
    [put],
  );
  const step = useCallback(
    (from: keyof Steps, to: keyof Steps) => {
      const next = steps.current[from].at(-1);
      if (next === undefined) return;
      steps.current = {
        ...steps.current,
        [from]: steps.current[from].slice(0, -1),
        [to]: [...steps.current[to], finished(latest.current)],
      };
      // A new record that is being written stays in its form.
      put({ edits: [...next.edits, ...latest.current.edits.filter(isUnfinished)] });
    },
    [put],
  );

  const endSent = useCallback(
    (sent: readonly Edit[]) => {
      steps.current = noSteps;
      put(withoutSent(latest.current, sent));
    },
    [put],
  );

  const [reverse, setReverse] = useState<readonly string[]>([]);
  const check = useCheck({ domainId, revision, draft, reverse, isOff: isSending || !ready });
  return {
    draft,
    ready,
    change,
    stepBack: () => step("back", "forward"),
    stepForward: () => step("forward", "back"),
    endSent,
    check,
    reverse,
    setReverse,
  };
}

interface CheckOptions {
  domainId: string;
  revision: number;
  draft: Draft;
  reverse: readonly string[];
  /** Whether not to ask now. */
  isOff: boolean;
}

/** What the service says about a draft. It is asked 400 ms after the last edit. */
export function useCheck({ domainId, revision, draft, reverse, isOff }: CheckOptions): Check {
  const settled = useSettled(draft, 400);
  const { data, error, isFetching } = useQuery({
    queryKey: ["plan", domainId, revision, numberOf(settled), reverse],
    // While a new record is being written, there is nothing to ask.
    enabled: !isOff && draft === settled && settled.edits.length > 0 && !settled.edits.some(isUnfinished),
    staleTime: Infinity,
    gcTime: 60_000,
    queryFn: async ({ signal }) => {
      const input = { id: domainId, changes: changesOf(settled), reverse: [...reverse] };
      const plan = await client.records.plan.mutate(input, { signal });
      return { ...plan, warnings: plan.warnings.map(forPeople) };
    },
  });
  return useMemo(() => checkOf(draft, settled, data, error, isFetching), [draft, settled, data, error, isFetching]);
}

const numbers = new WeakMap<Draft, number>();
let lastNumber = 0;

/** Names a draft in the key of a query: written out, 10,000 edits would be compared at each letter that somebody types. */
function numberOf(draft: Draft): number {
  const known = numbers.get(draft);
  if (known !== undefined) return known;
  lastNumber += 1;
  numbers.set(draft, lastNumber);
  return lastNumber;
}

function checkOf(draft: Draft, settled: Draft, plan: Plan | undefined, error: unknown, fetching: boolean): Check {
  if (draft.edits.length === 0) return { state: "empty" };
  if (draft.edits.some(isUnfinished)) return { state: "unfinished" };
  if (draft !== settled || fetching) return { state: "checking" };
  if (plan && !error) return { state: "planned", plan };
  if (!error) return { state: "checking" };
  if (!isZonewrightError(error) || error.status === null) return { state: "offline" };
  if (isTemporary(error) || error.code === "UNAUTHORIZED") return { state: "waiting", error };
  const faults = new Map<string, string[]>();
  const others: string[] = [];
  const suspects = new Set<string>();
  for (const { path, message: sent } of error.issues ?? []) {
    const message = forPeople(sent);
    const [list, index, field] = path;
    const key = list === "changes" && typeof index === "number" ? settled.edits[index]?.key : undefined;
    if (key !== undefined && field === "recordId") suspects.add(key);
    if (key === undefined) others.push(message);
    else faults.set(key, [...(faults.get(key) ?? []), message]);
  }
  if (!error.issues?.length) others.push(forPeople(error.message));
  return { state: "refused", faults, others, suspects };
}
