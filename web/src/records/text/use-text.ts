import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { isZonewrightError, type DnsRecord } from "@zonewright/client";
import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { client } from "../../api.ts";
import type { OwnRights } from "../../zone/assigned-rights.ts";
import type { Zone } from "../../zone/use-zone.ts";
import { sameEdits, type Draft } from "../../zone/draft/draft.ts";
import { onZoneText, readZoneText, writeZoneText, type ZoneText } from "../../zone/draft/store.ts";
import { useProviderKind } from "../../zone/automatic-ttl.tsx";
import type { ProviderKind } from "../../zone/ttl.ts";
import { atProvider } from "../paste/read.ts";
import { compared, namingNew, textOf, type Comparison } from "./compare.ts";

/** Milliseconds after the last letter until the text is stored, and until it is read. */
const storeAfter = 300;
const readAfter = 150;
/** Reading takes longer, so it begins later. */
const longText = 100_000;
const readLongAfter = 400;

/** A text of a zone. */
interface Source extends ZoneText {
  /** Whether somebody typed what is not in the draft. Else it follows the zone and the draft. */
  isEdited: boolean;
  /** Whether it must be printed anew. */
  isOld: boolean;
}

/** All records of a zone at a revision. */
function recordsAt(id: string, revision: number) {
  return queryOptions({
    queryKey: ["zone-text", id, revision],
    staleTime: Infinity,
    // What is locked may change meanwhile.
    gcTime: 0,
    structuralSharing: false,
    queryFn: async ({ signal }) => {
      const all: DnsRecord[] = [];
      for await (const record of client.eachRecord({ id, at: revision }, { signal })) all.push(record);
      return { revision, records: all };
    },
  });
}

interface TextOptions {
  zone: Zone;
  /** The key of the draft. */
  draftKey: string;
  draft: Draft;
  /** Whether the stored draft has been read. */
  ready: boolean;
  rights: OwnRights;
}

/** A zone as text: stored in this browser while somebody types, and compared with the records that it began with. */
export function useText({ zone, draftKey, draft, ready, rights }: TextOptions) {
  const [source, setSource] = useState<Source | null>(null);
  /** Whether the stored text has been read. */
  const [isRead, setIsRead] = useState(false);
  const [isElsewhere, setIsElsewhere] = useState(false);
  const isEdited = source?.isEdited === true;
  /** The revision that is being read. A newer one waits for its end: else changes that come faster than that would end it each time. */
  const [at, setAt] = useState(zone.revision);
  const reading = useQuery({ ...recordsAt(zone.id, at), placeholderData: keepPreviousData });
  if (at !== zone.revision && !reading.isFetching) setAt(zone.revision);
  const latest = reading.data;
  const isLatest = source !== null && source.revision === latest?.revision;
  const began = useQuery({
    ...recordsAt(zone.id, source?.revision ?? at),
    enabled: isEdited && !isLatest,
  });
  const isMoved = isEdited && source.revision !== zone.revision;
  const isHistoryGone = isEdited && isZonewrightError(began.error) && began.error.code === "HISTORY_GONE";

  /** What is to be stored, and whether somebody typed in this tab since it was stored last. */
  const unstored = useRef<Source | null>(null);
  const isTyping = useRef(false);
  /** The text as it was printed last: whoever takes back what they typed has it again. */
  const printed = useRef<Source | null>(null);
  const store = useCallback(() => {
    const { current } = unstored;
    unstored.current = null;
    if (!current) return;
    const { text, revision, base, isGone } = current;
    void writeZoneText(draftKey, current.isEdited ? { text, revision, base, isGone } : null);
  }, [draftKey]);

  useEffect(() => {
    const read = async () => {
      const stored = await readZoneText(draftKey);
      setIsRead(true);
      if (stored && !isTyping.current) setSource({ ...stored, isEdited: true, isOld: false });
      else if (!stored && !isTyping.current)
        setSource((before) => before && { ...before, isEdited: false, isOld: true });
    };
    void read();
    return onZoneText(draftKey, () => {
      if (isTyping.current) setIsElsewhere(true);
      else void read();
    });
  }, [draftKey]);
  useEffect(() => {
    addEventListener("pagehide", store);
    return () => {
      removeEventListener("pagehide", store);
      store();
    };
  }, [store]);
  useEffect(() => {
    if (source === null || unstored.current !== source) return undefined;
    const wait = setTimeout(store, storeAfter);
    return () => clearTimeout(wait);
  }, [source, store]);

  const compareWith = useEffectEvent((revision: number) => {
    if (source === null) return;
    unstored.current = { ...source, revision, isGone: true };
    setSource(unstored.current);
  });
  useEffect(() => {
    // Once more when the page hears of a newer revision than it knew.
    if (isHistoryGone) compareWith(zone.revision);
  }, [isHistoryGone, zone.revision]);

  // A text without anybody's edits follows the zone and the draft.
  const isStale = source === null || source.isOld || source.base !== draft || !isLatest;
  // What was applied is no longer in the draft, and not yet in the state before.
  const isNewer = source === null || (latest !== undefined && latest.revision > source.revision);
  const isReady = latest !== undefined && (latest.revision === zone.revision || isNewer);
  const mustPrint = isRead && ready && !isEdited && isStale && isReady;
  useEffect(() => {
    if (!mustPrint) return undefined;
    const ended = new AbortController();
    const print = async () => {
      const text = await textOf(zone.name, latest.records, draft, ended.signal);
      if (ended.signal.aborted) return;
      const { revision } = latest;
      printed.current = { text, revision, base: draft, isGone: false, isEdited: false, isOld: false };
      setSource(printed.current);
    };
    print().catch((thrown: unknown) => {
      if (!ended.signal.aborted) throw thrown;
    });
    return () => ended.abort();
  }, [mustPrint, latest, draft, zone.name]);

  const type = (text: string) => {
    const { current } = printed;
    const isBack = current?.text === text && current.base === draft && current.revision === latest?.revision;
    const next = isBack
      ? current
      : { revision: at, base: draft, isGone: false, ...source, text, isEdited: true, isOld: false };
    isTyping.current = !isBack;
    unstored.current = next;
    setSource(next);
  };
  /** Whether the draft was edited elsewhere since the text began. */
  const base = source?.base;
  const isDraftMoved = useMemo(
    () => isEdited && ready && base !== undefined && !sameEdits(base, draft),
    [isEdited, ready, base, draft],
  );
  /** Ends the text as somebody's own: what it says is in the draft, or is not wanted. */
  const settle = (inDraft: Draft | null) => {
    if (source === null) return;
    isTyping.current = false;
    setIsElsewhere(false);
    const isWhole = inDraft !== null && !isDraftMoved;
    unstored.current = {
      ...source,
      base: isWhole ? inDraft : source.base,
      isGone: false,
      isEdited: false,
      isOld: !isWhole,
    };
    setSource(unstored.current);
  };
  const comparing = useComparison({
    source,
    // Without the present records, what others made already would look like a change.
    records: isMoved && (latest === undefined || isLatest) ? undefined : (isLatest ? latest : began.data)?.records,
    present: isMoved ? (latest?.records ?? null) : null,
    draft,
    zone: zone.name,
    rights,
    kind: useProviderKind(zone),
  });
  const error = (isHistoryGone ? null : began.error) ?? reading.error;
  const isGone = isEdited && source.isGone;
  return { source, isEdited, error, isGone, isElsewhere, isDraftMoved, ...comparing, type, settle };
}

interface ComparisonOptions {
  source: Source | null;
  records: readonly DnsRecord[] | undefined;
  present: readonly DnsRecord[] | null;
  draft: Draft;
  zone: string;
  rights: OwnRights;
  /** Undefined until it is known. */
  kind: ProviderKind | null | undefined;
}

/** What the text changes: the last answer, and whether it is about the text as it is. */
function useComparison({ source, records, present, draft, zone, rights, kind }: ComparisonOptions) {
  const [naming] = useState(namingNew);
  const text = source?.text;
  const base = source?.base;
  const parts = JSON.stringify([rights.locked, rights.unlocks, rights.parts]);
  const wanted = useMemo(
    () =>
      text === undefined || base === undefined || records === undefined || kind === undefined
        ? null
        : { text, records, present, base, draft, parts, provider: atProvider(kind) },
    [text, records, present, base, draft, parts, kind],
  );
  const [done, setDone] = useState<{ of: typeof wanted; found: Comparison } | null>(null);
  const compare = useEffectEvent(async (of: NonNullable<typeof wanted>, signal: AbortSignal) => {
    const { edits, unlocks } = rights;
    return await compared(of.text, { ...of, zone, naming, edits, unlocks }, signal);
  });
  useEffect(() => {
    if (wanted === null) return undefined;
    const ended = new AbortController();
    const run = async () => {
      try {
        const found = await compare(wanted, ended.signal);
        if (!ended.signal.aborted) setDone({ of: wanted, found });
      } catch (error) {
        if (!ended.signal.aborted) throw error;
      }
    };
    const wait = setTimeout(() => void run(), wanted.text.length > longText ? readLongAfter : readAfter);
    return () => {
      clearTimeout(wait);
      ended.abort();
    };
  }, [wanted]);
  return { comparison: done?.found ?? null, isCurrent: wanted !== null && done?.of === wanted };
}
