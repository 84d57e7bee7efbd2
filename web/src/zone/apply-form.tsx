import { isZonewrightError } from "@zonewright/client";
import { useState, type ReactNode } from "react";
import { issueOf, messageOf } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button } from "../ui/button.tsx";
import { CheckField, Form, TextField } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { useAction } from "../ui/use-action.ts";
import { zoneWords } from "../words/zone.ts";
import styles from "./planned.module.css";

const text = zoneWords.applying;

/** What a person says with a plan. */
interface Said {
  message?: string;
  override?: true;
  force?: true;
  unlock?: true;
}

interface ApplyFormProps {
  planHash: string;
  /** What the button says. */
  label: string;
  /** Whether the plan has nothing to apply. */
  disabled?: boolean;
  onApply: (said: Said) => Promise<unknown>;
  /** Plans again, because zones have changed. */
  onOutdated: () => Promise<unknown>;
  /** What else can be done with the plan: buttons beside the main one. */
  children?: ReactNode;
}

/** Applies a reviewed plan: with a reason, and with a confirmation where the service wants one. */
export function ApplyForm({ planHash, label, disabled = false, onApply, onOutdated, children }: ApplyFormProps) {
  const user = useUser();
  const [message, setMessage] = useState("");
  const [override, setOverride] = useState(false);
  /** What the service wants confirmed: first the loss of much of a zone, then the change of locked records. */
  const [asked, setAsked] = useState({ of: planHash, wanted: 0, given: 0 });
  // What was confirmed of one plan says nothing of another.
  const confirmation = asked.of === planHash ? asked : { of: planHash, wanted: 0, given: 0 };
  const [isMissing, setIsMissing] = useState(false);
  const mustConfirm = confirmation.wanted > confirmation.given;
  const apply = useAction(async () => {
    const isReasonMissing = override && message.trim() === "";
    setIsMissing(isReasonMissing);
    if (isReasonMissing) return;
    try {
      await onApply({
        ...(message.trim() === "" ? {} : { message: message.trim() }),
        ...(override ? { override: true } : {}),
        ...(confirmation.given > 0 ? { force: true } : {}),
        ...(confirmation.given > 1 ? { unlock: true } : {}),
      });
    } catch (error) {
      if (!isZonewrightError(error)) throw error;
      if (error.code === "CONFIRMATION_REQUIRED") setAsked({ ...confirmation, wanted: confirmation.given + 1 });
      if (error.code !== "CONFLICT") throw error;
      await onOutdated();
      throw new Error(text.outdated, { cause: error });
    }
  });
  return (
    <Form className={`${styles["apply"]} ${styles["inset"]}`} onSubmit={() => void apply.run()}>
      <TextField
        label={text.reason}
        hint={text.reasonHint}
        maxLength={500}
        value={message}
        onValue={setMessage}
        error={isMissing && message.trim() === "" ? text.overrideMissing : issueOf(apply.error, "message")}
      />
      {user.role === "admin" ? <CheckField label={text.override} checked={override} onValue={setOverride} /> : null}
      {apply.error === null ? null : (
        <Notice kind={mustConfirm ? "warning" : "error"} focusFor={apply.error}>
          {messageOf(apply.error)}
        </Notice>
      )}
      {confirmation.wanted > 0 ? (
        <CheckField
          label={text.confirm}
          checked={!mustConfirm}
          onValue={(on) => setAsked({ ...confirmation, given: confirmation.wanted - (on ? 0 : 1) })}
        />
      ) : null}
      <div className={styles["buttons"]}>
        <Button
          type="submit"
          kind={confirmation.wanted > 0 ? "danger" : "primary"}
          disabled={mustConfirm || disabled}
          pending={apply.pending}
        >
          {confirmation.wanted > 0 ? text.anyway : label}
        </Button>
        {children}
      </div>
    </Form>
  );
}
