import { useState } from "react";
import { messageOf } from "../../api.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { formatNumber } from "../../ui/format.ts";
import { recordsWords } from "../../words/records.ts";
import { words } from "../../words/words.ts";
import { countEdits, type Draft } from "../../zone/draft/draft.ts";
import type { Check } from "./use-draft.ts";
import styles from "./draft.module.css";

const text = recordsWords;

interface DraftBarProps {
  draft: Draft;
  check: Check;
  /** How many edits others have overtaken. */
  clashes: number;
  onDiscard: () => void;
  onReview: () => void;
  keys: string;
  /** Whether the changes need a review by somebody else. */
  mustRequest: boolean;
}

/** What the draft holds, whether it would be accepted, and the way to review it. */
export function DraftBar({ draft, check, clashes, onDiscard, onReview, keys, mustRequest }: DraftBarProps) {
  const [asking, setAsking] = useState(false);
  const { creates, updates, deletes } = countEdits(draft);
  const count = formatNumber(draft.edits.length);
  if (draft.edits.length === 0) return null;
  return (
    <section className={styles["bar"]} aria-label={text.draft}>
      <span className={styles["counts"]}>
        <b>{text.changes(count)}</b>
        {creates > 0 ? <span className={styles["add"]}>+{formatNumber(creates)}</span> : null}
        {updates > 0 ? <span className={styles["chg"]}>~{formatNumber(updates)}</span> : null}
        {deletes > 0 ? <span className={styles["del"]}>−{formatNumber(deletes)}</span> : null}
      </span>
      <span role="status">
        {clashes > 0 ? (
          <span className={styles["chg"]}>{text.clashes(formatNumber(clashes))}</span>
        ) : (
          <CheckText check={check} />
        )}
      </span>
      <Button kind="quiet" className={styles["push"]} onClick={() => setAsking(true)}>
        {text.discard}
      </Button>
      <Button kind="primary" disabled={!["planned", "checking"].includes(check.state)} onClick={onReview}>
        {mustRequest ? text.requestReview : text.review} <kbd>{keys}</kbd>
      </Button>
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        title={text.discardTitle}
        description={text.discardHint(count)}
        footer={
          <>
            <Button onClick={() => setAsking(false)}>{words.ui.cancel}</Button>
            <Button
              kind="danger"
              onClick={() => {
                setAsking(false);
                onDiscard();
              }}
            >
              {text.discard}
            </Button>
          </>
        }
      />
    </section>
  );
}

/** What the service says of a draft, in a few words. */
export function CheckText({ check }: { check: Check }) {
  switch (check.state) {
    case "unfinished":
      return <span className={styles["muted"]}>{text.unfinished}</span>;
    case "checking":
      return <span className={styles["muted"]}>{text.checking}</span>;
    case "offline":
      return <span className={styles["chg"]}>{text.unchecked}</span>;
    case "waiting":
      return <span className={styles["chg"]}>{text.waiting(messageOf(check.error))}</span>;
    case "refused": {
      const problems = [...check.faults.values()].flat().length + check.others.length;
      const [first = ""] = check.others;
      return (
        <span className={styles["del"]}>
          {text.faults(formatNumber(problems))} {first}
        </span>
      );
    }
    case "planned": {
      const { warnings, revision } = check.plan;
      return (
        <>
          {warnings.length > 0 ? (
            <span className={styles["chg"]}>{text.warnings(formatNumber(warnings.length))} · </span>
          ) : null}
          <span className={styles["muted"]}>{text.checkedAgainst(formatNumber(revision))}</span>
        </>
      );
    }
    default:
      return null;
  }
}
