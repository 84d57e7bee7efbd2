import { useNavigate } from "@tanstack/react-router";
import { isZonewrightError, type RouterOutputs } from "@zonewright/client";
import { useState } from "react";
import { client, isTemporary, issueOf, messageOf, queries } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { formatNumber } from "../ui/format.ts";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { recordsWords } from "../words/records.ts";
import { storeZone } from "../zone/use-zone.ts";
import { changesOf, type Draft, type Edit } from "../zone/draft/draft.ts";
import type { Sent } from "../zone/draft/sent.ts";
import type { Plan } from "./draft/use-draft.ts";
import { whatBecameOf, type SentDraft } from "./use-sent.ts";
import { firstPage } from "./use-zone-rows.ts";

const text = recordsWords;

/** What a draft met when it was applied: a change of somebody else, or a loss to confirm. */
export interface Obstacle {
  overtakenBy: number | null;
  mustForce: boolean;
  /** Whether the service wants the change of locked records confirmed. */
  mustUnlock: boolean;
}

/** How long an applied draft waits for the records that it made. */
const longestReadAhead = 3_000;

const none: Obstacle = { overtakenBy: null, mustForce: false, mustUnlock: false };

type Applied = Pick<RouterOutputs["records"]["applyPlan"], "revision" | "changeSetId">;

interface ApplyOptions {
  domainId: string;
  zoneName: string;
  draft: Draft;
  /** Ends the edits that were sent. */
  endSent: (sent: readonly Edit[]) => void;
  reverse: readonly string[];
  sent: SentDraft;
  /** Runs if the plan no longer holds although the zone is as it was: PTR records of another zone changed. */
  onOutdated: () => void;
  /** @param revision the zone's revision afterwards */
  onApplied: (revision: number) => void;
}

/** What the reader of a plan decided. */
export interface ApplyChoices {
  /** Whether they confirmed what the service asked. */
  force: boolean;
  message: string;
  /** Whether to apply it without the review that the zone requires. */
  override: boolean;
}

/** Applies a reviewed plan. If the zone has moved on, it is read again: what others did to the draft's records is then to be decided. */
export function useApply({ domainId, zoneName, draft, endSent, reverse, sent, onOutdated, onApplied }: ApplyOptions) {
  const user = useUser();
  const navigate = useNavigate();
  const openHistory = () => void navigate({ to: "/d/$name/timeline", params: { name: zoneName } });
  const [obstacle, setObstacle] = useState<Obstacle>(none);
  const refresh = async () => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: ["zone", zoneName] }),
      queries.invalidateQueries({ queryKey: ["domains"] }),
    ]);
  };
  /** Ends what was applied. */
  const finish = async (edits: readonly Edit[], { revision, changeSetId }: Applied) => {
    endSent(edits);
    sent.put(null);
    setObstacle(none);
    onApplied(revision);
    if (changeSetId === null) toast({ title: text.alreadyThere });
    else
      toast({
        title: text.applied(formatNumber(revision)),
        action: { label: text.undo, run: () => void undo(domainId, changeSetId, { refresh, openHistory }) },
      });
    await refresh();
  };
  const action = useAction(async (plan: Plan, { force, message, override }: ApplyChoices) => {
    const { creates, updates, deletes, revision: plannedFor } = plan;
    const earlier = sent.sent;
    const now = { edits: draft.edits, plan: { creates, updates, deletes, revision: plannedFor } };
    sent.put(now);
    try {
      const applied = await client.records.applyPlan.mutate({
        id: domainId,
        changes: changesOf(draft),
        planHash: plan.planHash,
        reverse: [...reverse],
        force: force && obstacle.mustForce,
        ...(force && obstacle.mustUnlock && { unlock: true }),
        ...(override && { override }),
        ...(message.trim() !== "" && { message: message.trim() }),
      });
      await Promise.race([
        readAhead(domainId, zoneName),
        new Promise((resolve) => setTimeout(resolve, longestReadAhead)),
      ]);
      await finish(draft.edits, applied);
    } catch (error) {
      if (isAnswerLost(error)) {
        if (tellsOutcome(error, earlier)) sent.put({ ...now, isAnswered: true });
        throw error;
      }
      sent.put(earlier);
      if (isZonewrightError(error) && error.code === "CONFIRMATION_REQUIRED") {
        const isLocked = issueOf(error, "unlock") !== null;
        setObstacle((before) => ({
          ...none,
          mustForce: before.mustForce || !isLocked,
          mustUnlock: before.mustUnlock || isLocked,
        }));
      }
      if (!isZonewrightError(error) || error.code !== "CONFLICT") throw error;
      const { revision } = await client.domains.get.query({ id: domainId });
      if (revision === plan.revision) {
        onOutdated();
        throw error;
      }
      // Of a repeated call whose answer is too large to be sent again, the history has the outcome.
      const lost = issueOf(error, "Idempotency-Key") === null ? earlier : now;
      const made = lost && (await whatBecameOf(lost, { domainId, userId: user.id }));
      if (lost && made) return await finish(lost.edits, made);
      sent.put(null);
      setObstacle({ ...none, overtakenBy: revision });
      await refresh();
    }
  });
  return {
    ...action,
    obstacle,
    finish,
    forget: () => {
      setObstacle(none);
      action.reset();
    },
  };
}

/** Whether what was sent may have been made although there is an error: at the second try of a call, only the first one may have come through. */
function isAnswerLost(error: unknown): boolean {
  return isTemporary(error) || (isZonewrightError(error) && ["UNEXPECTED_ANSWER", "UNAUTHORIZED"].includes(error.code));
}

/** Whether the service said that it failed, and not only of a further try: a provider is asked only if nothing was made before. */
function tellsOutcome(error: unknown, earlier: Sent | null): boolean {
  if (!isZonewrightError(error) || error.status === null || error.code === "UNEXPECTED_ANSWER") return false;
  return error.code === "PROVIDER_ERROR" || earlier === null || earlier.isAnswered === true;
}

/** Reads what the zone has become, so that the page does not show the old records for a moment once the draft is gone. */
async function readAhead(domainId: string, zoneName: string): Promise<void> {
  try {
    const zone = await client.domains.get.query({ id: domainId });
    await queries.prefetchQuery(firstPage(domainId, zone.revision));
    storeZone(zoneName, zone);
  } catch {
    // The page reads both again in any case, and shows why it cannot.
  }
}

interface UndoOptions {
  refresh: () => Promise<void>;
  openHistory: () => void;
}

/** Takes a change back: a new change that inverts exactly that one. */
async function undo(domainId: string, changeSetId: string, { refresh, openHistory }: UndoOptions): Promise<void> {
  try {
    const { revision } = await client.records.revert.mutate({ id: domainId, changeSetId });
    toast({ title: text.undone(formatNumber(revision)) });
  } catch (error) {
    // What loses much of a zone is confirmed where its records are shown.
    const isAsked = isZonewrightError(error) && error.code === "CONFIRMATION_REQUIRED";
    toast({
      title: text.undoFailed,
      description: isAsked ? `${messageOf(error)} ${text.undoInHistory}` : messageOf(error),
      ...(isAsked && { action: { label: text.openHistory, run: openHistory } }),
    });
  } finally {
    await refresh();
  }
}
