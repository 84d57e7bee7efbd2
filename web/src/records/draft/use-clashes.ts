import { useQuery } from "@tanstack/react-query";
import type { DnsRecord } from "@zonewright/client";
import { useEffect, useEffectEvent, useMemo, useState } from "react";
import { client } from "../../api.ts";
import { useUser } from "../../session/current-user.ts";
import { locale } from "../../words/language.ts";
import { recordsWords } from "../../words/records.ts";
import { presentRecords } from "../../zone/draft/present-records.ts";
import { toast } from "../../ui/toast.tsx";
import { formatTtl } from "../../ui/ttl.ts";
import { changedParts, clashesOf, keepMine, takeTheirs, withoutSettled, type Clash, type Present } from "./clashes.ts";
import { fieldsOf, type Draft } from "../../zone/draft/draft.ts";
import type { DraftState, Plan } from "./use-draft.ts";

const text = recordsWords;
const list = new Intl.ListFormat(locale);
const noKeys: ReadonlySet<string> = new Set();

/** A clash in words, with what may be decided. */
export interface ShownClash extends Clash {
  message: string;
  keepLabel: string;
  takeLabel: string;
}

export interface Clashes {
  all: readonly ShownClash[];
  byKey: ReadonlyMap<string, ShownClash>;
  keepMine: (clashes: readonly Clash[]) => void;
  takeTheirs: (clashes: readonly Clash[]) => void;
}

/** The edits whose records the service does not know any more: others deleted these while the draft was open. */
export function useGone(domainId: string, { draft, check }: DraftState): ReadonlySet<string> {
  const suspects = check.state === "refused" && check.suspects.size > 0 ? check.suspects : null;
  const [gone, setGone] = useState(noKeys);
  const find = useEffectEvent(async (keys: ReadonlySet<string>, signal: AbortSignal) => {
    const edits = draft.edits.filter(({ key }) => keys.has(key));
    const present = await presentRecords(domainId, edits, signal);
    return new Set([...keys].filter((key) => !present.has(key)));
  });
  useEffect(() => {
    if (suspects === null) return undefined;
    const asking = new AbortController();
    const look = async () => {
      const found = await find(suspects, asking.signal);
      if (!asking.signal.aborted) setGone(found);
    };
    // Without an answer, the row says that there is no such record.
    void look().catch(() => undefined);
    return () => asking.abort();
  }, [suspects]);
  // What is planned is there.
  return check.state === "planned" ? noKeys : gone;
}

interface ClashesOptions {
  domainId: string;
  revision: number;
  drafting: DraftState;
  /** The loaded records by id. */
  records: ReadonlyMap<string, DnsRecord>;
  gone: ReadonlySet<string>;
  /** The plan that is being read; null if there is none. */
  reviewed: Plan | null;
  /** Whether the draft is on its way: the zone becomes what it says. */
  isSending: boolean;
  /** Edits the draft without ending its review. */
  amend: (next: (draft: Draft) => Draft) => void;
}

/** Compares the draft with what it was made from: by the loaded records, and by the plan, which knows those that are not loaded. */
export function useClashes(options: ClashesOptions): Clashes {
  const { domainId, revision, drafting, records, gone, reviewed, isSending, amend } = options;
  const { draft, check } = drafting;
  const user = useUser();
  const isChecked = check.state === "planned";
  // While the draft is checked again, what its reader was shown still holds: the records may be out of view.
  const plan = isChecked ? check.plan : reviewed;
  const present = useMemo<Present>(() => {
    const planned = new Map([
      ...(plan?.updates ?? []).map(({ id, before }) => [id, before] as const),
      ...(plan?.deletes ?? []).map((record) => [record.id, record] as const),
    ]);
    return (edit) => {
      const data = planned.get(edit.key);
      const loaded = records.get(edit.key);
      if (gone.has(edit.key)) return null;
      // A new plan is never older than the records, but knows no notes.
      return data && (isChecked || !loaded) ? { ...(loaded ?? edit.before), ...data } : loaded;
    };
  }, [plan, isChecked, records, gone]);
  const found = useMemo(() => (isSending ? [] : clashesOf(draft, present)), [draft, present, isSending]);
  const { data: authors } = useQuery({
    queryKey: ["clash-authors", domainId, revision],
    enabled: found.length > 0,
    queryFn: async ({ signal }) =>
      authorsOf(await client.records.history.query({ id: domainId, limit: 100 }, { signal })),
  });
  const settle = useEffectEvent(() => {
    // As after a change whose answer was lost: the draft goes away, and its review with it.
    if (withoutSettled(draft, present).edits.length === 0) toast({ title: text.alreadyThere });
    amend((before) => withoutSettled(before, present));
  });
  useEffect(() => {
    if (!isSending && withoutSettled(draft, present) !== draft) settle();
  }, [draft, present, isSending]);

  const all = useMemo(
    () =>
      found.map((clash) => {
        const author = authors?.get(clash.key);
        return inWords(clash, author === undefined ? text.somebody : author === user.username ? text.yourself : author);
      }),
    [found, authors, user.username],
  );
  return {
    all,
    byKey: useMemo(() => new Map(all.map((clash) => [clash.key, clash])), [all]),
    keepMine: (clashes) => amend((before) => keepMine(before, clashes)),
    takeTheirs: (clashes) => amend((before) => takeTheirs(before, clashes)),
  };
}

/** Who changed each record last, as far as the newest changes say. */
function authorsOf({ entries }: Awaited<ReturnType<typeof client.records.history.query>>): ReadonlyMap<string, string> {
  const authors = new Map<string, string>();
  for (const { actor, tsigKey, changes } of entries) {
    const author = tsigKey === null ? actor : text.key(tsigKey);
    for (const { recordId } of changes) if (author !== null && !authors.has(recordId)) authors.set(recordId, author);
  }
  return authors;
}

function inWords(clash: Clash, who: string): ShownClash {
  const { edit, now } = clash;
  if (now === null) {
    return { ...clash, message: text.clashDeleted(who), keepLabel: text.createAgain, takeLabel: text.dropMine };
  }
  const { value, name, ttl, recordType } = now;
  const parts = changedParts(fieldsOf(edit.before), fieldsOf(now)).map((part) => {
    if (part === "value")
      return text.clashParts.value(recordType === edit.before.recordType ? value : `${recordType} ${value}`);
    if (part === "name") return text.clashParts.name(name);
    return part === "ttl" ? text.clashParts.ttl(formatTtl(ttl)) : text.clashParts[part];
  });
  const message = text.clashChanged(who, list.format(parts));
  const labels =
    edit.kind === "delete"
      ? { keepLabel: text.deleteAnyway, takeLabel: text.keepRecord }
      : { keepLabel: text.keepMine, takeLabel: text.takeTheirs };
  return { ...clash, message, ...labels };
}
