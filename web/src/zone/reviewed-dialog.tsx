import { useQuery } from "@tanstack/react-query";
import { isZonewrightError } from "@zonewright/client";
import { useState, type ReactNode } from "react";
import { issueOf, messageOf } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { CheckField, TextField } from "../ui/field.tsx";
import { forPeople } from "../ui/for-people.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { useAction } from "../ui/use-action.ts";
import { zoneWords } from "../words/zone.ts";
import { words } from "../words/words.ts";
import { Patch } from "./patch-view.tsx";
import type { Reviewed } from "./patch.ts";
import styles from "./zone.module.css";

const text = zoneWords;

/** What the reader confirmed. Sent with the action as it is. */
interface Confirmed {
  planHash?: string;
  force?: boolean;
  unlock?: boolean;
  override?: boolean;
  message?: string;
}

interface ReviewedDialogProps {
  title: string;
  description: string;
  /** Identifies what `plan` returns. */
  queryKey: readonly unknown[];
  /** Reads what would change. */
  plan: (signal: AbortSignal) => Promise<Reviewed>;
  /** What to say if nothing would. */
  nothing: string;
  label: string;
  /** The button where the service wants a second confirmation. */
  anyway: string;
  /** Makes the changes. */
  perform: (confirmed: Confirmed) => Promise<void>;
  onClose: () => void;
  children?: ReactNode;
}

const errorCode = (error: unknown) => (isZonewrightError(error) ? error.code : null);

/** What the service wants confirmed: the loss of much of a zone, a change of locked records. */
const nothingMore = { force: false, unlock: false };

/** Shows as a patch what an action would change, and makes exactly that. What the service wants confirmed is only sent after a second look. */
export function ReviewedDialog(props: ReviewedDialogProps) {
  const { title, description, queryKey, plan, nothing, label, anyway, perform, onClose, children } = props;
  const user = useUser();
  const planned = useQuery({
    queryKey,
    queryFn: async ({ signal }) => await plan(signal),
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const [wanted, setWanted] = useState(nothingMore);
  const [confirmed, setConfirmed] = useState(false);
  const [overtaken, setOvertaken] = useState(false);
  const [isRefused, setIsRefused] = useState(false);
  const [reason, setReason] = useState("");
  const reviewed = planned.data;
  const action = useAction(async (override: boolean) => {
    try {
      setOvertaken(false);
      await perform({
        ...(reviewed?.planHash ? { planHash: reviewed.planHash } : {}),
        ...(wanted.force ? { force: true } : {}),
        ...(wanted.unlock ? { unlock: true } : {}),
        ...(override ? { override: true, message: reason.trim() } : {}),
      });
    } catch (error) {
      if (!isZonewrightError(error)) throw error;
      if (error.code === "CONFIRMATION_REQUIRED") {
        const isLock = issueOf(error, "unlock") !== null;
        setWanted((before) => ({ force: before.force || !isLock, unlock: before.unlock || isLock }));
        setConfirmed(false);
      }
      if (error.code === "REVIEW_REQUIRED") setIsRefused(true);
      if (error.code !== "CONFLICT") throw error;
      // The zone or its provider moved on: what was read is not what would be done.
      const { data } = await planned.refetch();
      if (data === undefined || data.planHash === reviewed?.planHash) throw error;
      setWanted(nothingMore);
      setConfirmed(false);
      setOvertaken(true);
    }
  });
  const mustConfirm = wanted.force || wanted.unlock;
  const mayOverride = isRefused && user.role === "admin";
  const isMissing = isRefused && (!mayOverride || reason.trim() === "");
  const lines = reviewed?.lines;
  const warnings = (reviewed?.warnings ?? []).map(forPeople);
  const failure = action.error === null ? null : messageOf(action.error);
  const isSaid = failure !== null && (warnings.includes(failure) || errorCode(action.error) === "REVIEW_REQUIRED");
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={title}
      description={description}
      footer={
        <>
          <Button onClick={onClose}>{words.ui.cancel}</Button>
          <Button
            kind={mustConfirm || isRefused ? "danger" : "primary"}
            disabled={!lines || lines.length === 0 || (mustConfirm && !confirmed) || isMissing}
            pending={action.pending}
            onClick={() => void action.run(mayOverride)}
          >
            {mayOverride ? text.withoutReview : mustConfirm ? anyway : label}
          </Button>
        </>
      }
    >
      <div className={styles["stack"]}>
        <Failure error={planned.error} />
        {overtaken ? <Notice kind="warning">{text.overtaken}</Notice> : null}
        {lines ? (
          lines.length === 0 ? (
            <p>{nothing}</p>
          ) : (
            <Patch lines={lines} />
          )
        ) : planned.error ? null : (
          <p role="status">{words.ui.loading}</p>
        )}
        {warnings.map((warning) => (
          <Notice key={warning} kind="warning">
            {warning}
          </Notice>
        ))}
        {failure === null || isSaid ? null : <Notice kind={mustConfirm ? "warning" : "error"}>{failure}</Notice>}
        {isRefused ? <Notice kind="warning">{mayOverride ? text.needsReview : text.needsReviewByOthers}</Notice> : null}
        {mayOverride ? (
          <TextField label={text.overrideReason} maxLength={500} value={reason} onValue={setReason} />
        ) : null}
        {mustConfirm ? <CheckField label={text.confirmLoss} checked={confirmed} onValue={setConfirmed} /> : null}
        {children}
      </div>
    </Dialog>
  );
}
