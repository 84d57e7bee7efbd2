import { useQuery } from "@tanstack/react-query";
import { isZonewrightError } from "@zonewright/client";
import { useState, type ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { CheckField } from "../ui/field.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { useAction } from "../ui/use-action.ts";
import { zoneWords } from "../words/zone.ts";
import { words } from "../words/words.ts";
import { Patch } from "./patch-view.tsx";
import type { PatchLine } from "./patch.ts";
import styles from "./zone.module.css";

const text = zoneWords;

interface ReviewedDialogProps {
  title: string;
  description: string;
  /** Identifies what `plan` returns. */
  queryKey: readonly unknown[];
  /** Reads what would change. */
  plan: (signal: AbortSignal) => Promise<PatchLine[]>;
  /** What to say if nothing would. */
  nothing: string;
  label: string;
  /** The button where the service wants a second confirmation. */
  anyway: string;
  /** Makes the changes. */
  perform: (force: boolean) => Promise<void>;
  onClose: () => void;
  children?: ReactNode;
}

/** Shows as a patch what an action would change, and performs it. `force` is only ever sent after a second confirmation. */
export function ReviewedDialog(props: ReviewedDialogProps) {
  const { title, description, queryKey, plan, nothing, label, anyway, perform, onClose, children } = props;
  const planned = useQuery({
    queryKey,
    queryFn: async ({ signal }) => await plan(signal),
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const [confirmed, setConfirmed] = useState(false);
  const action = useAction(perform);
  const mustConfirm = isZonewrightError(action.error) && action.error.code === "CONFIRMATION_REQUIRED";
  const lines = planned.data;
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
            kind="primary"
            disabled={!lines || lines.length === 0 || (mustConfirm && !confirmed)}
            pending={action.pending}
            onClick={() => void action.run(mustConfirm)}
          >
            {mustConfirm ? anyway : label}
          </Button>
        </>
      }
    >
      <div className={styles["stack"]}>
        <Failure error={planned.error} />
        {lines ? (
          lines.length === 0 ? (
            <p>{nothing}</p>
          ) : (
            <Patch lines={lines} />
          )
        ) : planned.error ? null : (
          <p role="status">{words.ui.loading}</p>
        )}
        {mustConfirm ? (
          <>
            <Notice kind="warning">{action.error instanceof Error ? action.error.message : ""}</Notice>
            <CheckField label={text.confirmLoss} checked={confirmed} onValue={setConfirmed} />
          </>
        ) : (
          <Failure error={action.error} />
        )}
        {children}
      </div>
    </Dialog>
  );
}
