import { isZonewrightError, type DnsRecord } from "@zonewright/client";
import { useEffect, useEffectEvent, useMemo, useState } from "react";
import { queries } from "../api.ts";
import { formatNumber } from "../ui/format.ts";
import { toast } from "../ui/toast.tsx";
import { recordsWords } from "../words/records.ts";
import type { Zone } from "../zone/use-zone.ts";
import type { OwnRights } from "../zone/assigned-rights.ts";
import { sameEdits, withoutSent, type Draft } from "../zone/draft/draft.ts";
import type { Sent } from "../zone/draft/sent.ts";
import { useClashes, type Clashes } from "./draft/use-clashes.ts";
import type { Check, DraftState, Plan } from "./draft/use-draft.ts";
import type { RequestText } from "../zone/request-fields.tsx";
import { needsReview } from "./needs-review.ts";
import { useApply, type ApplyChoices } from "./use-apply.ts";
import type { Made, SentDraft } from "./use-sent.ts";
import { useRequestReview } from "./use-request-review.ts";

const text = recordsWords;

interface ReviewOptions {
  zone: Zone;
  zoneName: string;
  drafting: DraftState;
  /** The loaded records by id. */
  records: ReadonlyMap<string, DnsRecord>;
  /** The edits whose records others deleted. */
  gone: ReadonlySet<string>;
  role: string;
  rights: OwnRights;
  isSending: boolean;
  sent: SentDraft;
  onSending: (isSending: boolean) => void;
  /** Runs once the draft was applied, with the zone's revision; then `onDone` follows. */
  onApplied: (revision: number) => void;
  /** Runs once the draft was applied or requested. */
  onDone: () => void;
}

interface Reviewed {
  plan: Plan;
  draft: Draft;
  /** The PTR changes that were ticked. */
  reverse: readonly string[];
  /** Whether it is to be read anew. */
  isAmended: boolean;
}

/** The review of a draft: what is shown, what has to be decided before, and how it is applied or requested. */
export function useReview(options: ReviewOptions) {
  const { zone, zoneName, drafting, role, rights, isSending, sent, onSending, onApplied, onDone } = options;
  const { draft, check } = drafting;
  const [isOpen, setIsOpen] = useState(false);
  /** The plan and draft as the review was opened: a change by somebody else must not alter them under the reader's eyes. */
  const [reviewed, setReviewed] = useState<Reviewed | null>(null);
  const done = () => {
    setIsOpen(false);
    onDone();
  };
  const sending = { domainId: zone.id, draft, endSent: drafting.endSent, reverse: drafting.reverse };
  const apply = useApply({
    ...sending,
    zoneName,
    sent,
    onOutdated: () => {
      void queries.resetQueries({ queryKey: ["plan", zone.id] });
      setReviewed((before) => before && { ...before, isAmended: true });
    },
    onApplied: (revision) => {
      onApplied(revision);
      done();
    },
  });
  const request = useRequestReview({ ...sending, onRequested: done });
  const send = async (run: () => Promise<unknown>) => {
    onSending(true);
    await run();
    onSending(false);
  };
  const close = () => {
    setIsOpen(false);
    apply.forget();
    request.reset();
  };

  const clashes = useClashes({
    domainId: zone.id,
    revision: zone.revision,
    drafting,
    records: options.records,
    gone: options.gone,
    reviewed: isOpen && reviewed !== null && !reviewed.isAmended ? reviewed.plan : null,
    isSending,
    // The reader follows what they decide: the review stays open.
    amend: (next) => {
      const amended = drafting.change(next);
      setReviewed((before) => before && { ...before, draft: amended, isAmended: true });
      if (isOpen && amended.edits.length === 0) close();
    },
  });

  const learn = useEffectEvent((made: Made | null) => {
    if (sent.sent === null || made === null) return sent.put(null);
    apply.forget();
    void apply.finish(sent.sent.edits, made);
  });
  const { made } = sent;
  useEffect(() => {
    if (made !== undefined) learn(made);
  }, [made]);

  // Another tab edits the same draft. What it adds must be read before it is sent.
  const [stops, setStops] = useState(0);
  if (isOpen && !isSending && reviewed !== null && !sameEdits(draft, reviewed.draft)) {
    close();
    setStops(stops + 1);
  }
  const sayStopped = useEffectEvent(() =>
    toast({ title: text.draft, description: text.changes(formatNumber(draft.edits.length)) }),
  );
  useEffect(() => {
    if (stops > 0) sayStopped();
  }, [stops]);

  const standing = useMemo(() => standingOf(draft, sent.sent), [draft, sent.sent]);
  const { obstacle } = apply;
  const show = (checked: Plan) => {
    setReviewed({ plan: checked, draft, reverse: drafting.reverse, isAmended: false });
    setIsOpen(true);
  };
  const current = check.state === "planned" ? check.plan : null;
  /** Whether the review was asked for by key while the draft was being checked. */
  const [isWanted, setIsWanted] = useState(false);
  if (isWanted && check.state !== "checking") {
    setIsWanted(false);
    if (current !== null && !isOpen) show(current);
  }
  const { overtakenBy } = obstacle;
  const isOvertaken = overtakenBy !== null && reviewed !== null && reviewed.plan.revision < overtakenBy;
  /** Whether there is another plan to read: the reader decided something, or others were first. */
  const isOver = isOvertaken || reviewed?.isAmended === true;
  /** Whether the plan follows what the reader ticked. Otherwise, PTR changes of others must not alter it under their eyes. */
  const isTicked =
    current !== null && current.revision === reviewed?.plan.revision && drafting.reverse !== reviewed.reverse;
  // It is then read like the first one.
  if (isTicked || (isOver && current !== null && current.revision >= (overtakenBy ?? 0)))
    setReviewed({ plan: current, draft, reverse: drafting.reverse, isAmended: false });
  const plan = isOver || reviewed === null ? null : reviewed.plan;
  const requestAnyway = isZonewrightError(request.error) && request.error.code === "CONFIRMATION_REQUIRED";
  return {
    isOpen,
    clashes,
    open: () => {
      if (current === null) setIsWanted(check.state === "checking");
      else if (!isOpen) show(current);
    },
    /** Opens the review of a draft that was just edited. */
    openOnceChecked: () => setIsWanted(true),
    /** Whether the draft as it is needs a review of somebody else. */
    mustRequest: needsReview(zone, { role, rights }, current),
    /** What the dialog shows and does. */
    dialog: {
      ...obstacle,
      clashes,
      plan,
      standing: apply.pending ? "unsent" : standing,
      outdated: isOvertaken && !reviewed.isAmended ? reviewed.plan : null,
      check,
      problems: problemsOf(draft, check, clashes),
      count: draft.edits.length,
      error: request.error ?? apply.error,
      pending: apply.pending || request.pending,
      mustRequest: needsReview(zone, { role, rights }, plan),
      mayOverride: role === "admin",
      requestAnyway,
      reverse: drafting.reverse,
      onReverse: drafting.setReverse,
      onRequest: (sent: RequestText) => void send(() => request.run(sent, requestAnyway)),
      onApply: (choices: ApplyChoices) => plan && void send(() => apply.run(plan, choices)),
      onClose: close,
    },
  };
}

/** What is known of a draft that may have been sent before. `unknown`: nobody said what became of it. */
export type Standing = "unsent" | "answered" | "unknown";

function standingOf(draft: Draft, sent: Sent | null): Standing {
  // What was sent may have been discarded since.
  if (sent === null || withoutSent(draft, sent.edits).edits.length === draft.edits.length) return "unsent";
  return sent.isAnswered === true ? "answered" : "unknown";
}

/** Why the service refuses a draft, with the record of each reason. What a clash says, a refusal only repeats. */
function problemsOf({ edits }: Draft, check: Check, { byKey }: Clashes): { owner: string | null; message: string }[] {
  if (check.state !== "refused") return [];
  const { faults, others } = check;
  const known = edits.flatMap((edit) => {
    const { name, recordType } = edit.kind === "delete" ? edit.before : edit.fields;
    const messages = byKey.has(edit.key) ? [] : (faults.get(edit.key) ?? []);
    return messages.map((message) => ({ owner: `${name} ${recordType}`, message }));
  });
  return [...known, ...others.map((message) => ({ owner: null, message }))];
}
