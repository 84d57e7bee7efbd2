import { useQuery } from "@tanstack/react-query";
import { isZonewrightError } from "@zonewright/client";
import { useState, type ReactNode } from "react";
import { issueOf, messageOf } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { CheckField, TextField } from "../ui/field.tsx";
import { forPeople } from "../ui/for-people.ts";
import { formatNumber } from "../ui/format.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { useAction } from "../ui/use-action.ts";
import { recordsWords } from "../words/records.ts";
import { zoneWords } from "../words/zone.ts";
import { words } from "../words/words.ts";
import { Patch } from "./patch-view.tsx";
import type { Reviewed } from "./patch.ts";
import type { TtlPlace } from "./automatic-ttl.tsx";
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

/** A change that was not made. */
export interface Unmade {
  recordType: string;
  name: string;
  value: string;
  error: string;
}

/** As many records that cannot be changed are named before the others are. */
const mostNamed = 20;

/** As many warnings fit beside the changes; more of them scroll by themselves. */
const fewWarnings = 3;

/** Adds to what is reviewed which records will stay as they are. */
export function withUnmade(reviewed: Reviewed, failed: readonly Unmade[], say: typeof text.notRestored): Reviewed {
  const warnings = failed
    .slice(0, mostNamed)
    .map(({ recordType, name, value, error }) => say(`${name} ${recordType} ${value}`, error));
  return { ...reviewed, warnings: [...reviewed.warnings, ...warnings] };
}

/** Says which records stayed as they were. */
export function UnmadeNotice({ failed, say }: { failed: readonly Unmade[]; say: typeof text.restoredPartly }) {
  return failed.length === 0 ? null : (
    <Notice kind="warning">
      {say(failed.length)}
      <ul className={styles["steps"]}>
        {failed.slice(0, 50).map(({ recordType, name, value, error }) => (
          <li key={`${name} ${recordType} ${value}`}>
            <code>{`${name} ${recordType} ${value}`}</code> {error}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

interface ReviewedDialogProps {
  /** The domain that changes. */
  place: TtlPlace;
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
  /** Another way to end the differences, beside the button that ends them. */
  other?: ReactNode;
  /** Makes the changes. */
  perform: (confirmed: Confirmed) => Promise<void>;
  onClose: () => void;
  children?: ReactNode;
}

const errorCode = (error: unknown) => (isZonewrightError(error) ? error.code : null);

/** What the service wants confirmed: the loss of much of a zone, a change of locked records. */
const nothingMore = { force: false, unlock: false };

const isSame = (a: Reviewed, b: Reviewed) => JSON.stringify(a) === JSON.stringify(b);

/** Shows as a patch what an action would change, and makes exactly that. What the service wants confirmed is only sent after a second look. */
export function ReviewedDialog(props: ReviewedDialogProps) {
  const { place, title, description, queryKey, plan, nothing, label, anyway, other, perform, onClose, children } =
    props;
  const user = useUser();
  const [isMaking, setIsMaking] = useState(false);
  const planned = useQuery({
    queryKey,
    // The page may hear of the change before its answer, and what is done already cannot be planned again.
    enabled: !isMaking,
    queryFn: async ({ signal }) => await plan(signal),
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  /** What the reader sees. Another plan is read anew: nothing that was confirmed before is about it. */
  const [reviewed, setReviewed] = useState<Reviewed | null>(null);
  const [wanted, setWanted] = useState(nothingMore);
  const [confirmed, setConfirmed] = useState(false);
  const [overtaken, setOvertaken] = useState(false);
  const [isRefused, setIsRefused] = useState(false);
  const [reason, setReason] = useState("");
  const readAnew = (next: Reviewed | null) => {
    setReviewed(next);
    setWanted(nothingMore);
    setConfirmed(false);
    setIsRefused(false);
    setOvertaken(next !== null && reviewed !== null);
  };
  const action = useAction(async (override: boolean) => {
    try {
      setOvertaken(false);
      setIsMaking(true);
      await perform({
        ...(reviewed?.planHash ? { planHash: reviewed.planHash } : {}),
        ...(wanted.force ? { force: true } : {}),
        ...(wanted.unlock ? { unlock: true } : {}),
        ...(override ? { override: true } : {}),
        ...(reason.trim() === "" ? {} : { message: reason.trim() }),
      });
      // What is left to do is not somebody else's change.
      readAnew(null);
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
      readAnew(data);
    } finally {
      setIsMaking(false);
    }
  });
  if (planned.data && !action.pending && (reviewed === null || !isSame(planned.data, reviewed))) {
    readAnew(planned.data);
    if (reviewed !== null) action.reset();
  }
  const mustConfirm = wanted.force || wanted.unlock;
  const mayOverride = isRefused && user.role === "admin";
  const isMissing = isRefused && (!mayOverride || reason.trim() === "");
  // While the plan is read again, what is shown may no longer be what would be done.
  const lines = planned.data && reviewed?.lines;
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
      alert={
        <>
          {overtaken ? (
            <Notice kind="warning" focusFor={reviewed}>
              {text.overtaken}
            </Notice>
          ) : null}
          {failure === null || isSaid ? null : (
            <Notice kind={mustConfirm ? "warning" : "error"} focusFor={action.error}>
              {failure}
            </Notice>
          )}
          {isRefused ? (
            <Notice kind="warning" focusFor={action.error}>
              {mayOverride ? text.needsReview : text.needsReviewByOthers}
            </Notice>
          ) : null}
        </>
      }
      pinned={
        reviewed !== null && reviewed.lines.length > 0 ? (
          <>
            <TextField
              label={mayOverride ? text.overrideReason : recordsWords.reason}
              maxLength={500}
              value={reason}
              onValue={setReason}
              error={issueOf(action.error, "message")}
            />
            {mustConfirm ? <CheckField label={text.confirmLoss} checked={confirmed} onValue={setConfirmed} /> : null}
          </>
        ) : null
      }
      footer={
        <>
          <Button onClick={onClose}>{words.ui.cancel}</Button>
          {lines && lines.length > 0 ? other : null}
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
      <div className={styles["stack"]} data-fits>
        <Failure error={planned.error} />
        {lines ? (
          lines.length === 0 ? (
            <p>{nothing}</p>
          ) : (
            <Patch lines={lines} place={place} />
          )
        ) : planned.error ? null : (
          <p role="status">{words.ui.loading}</p>
        )}
        {warnings.length === 0 ? null : (
          <div
            className={styles["warnings"]}
            {...(warnings.length > fewWarnings && {
              tabIndex: 0,
              role: "group",
              "aria-label": recordsWords.warnings(formatNumber(warnings.length)),
            })}
          >
            {warnings.map((warning) => (
              <Notice key={warning} kind="warning">
                {warning}
              </Notice>
            ))}
          </div>
        )}
        {children}
      </div>
    </Dialog>
  );
}
