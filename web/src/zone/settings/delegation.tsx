import { useQuery } from "@tanstack/react-query";
import type { RouterOutputs } from "@zonewright/client";
import { client, queries } from "../../api.ts";
import { Button } from "../../ui/button.tsx";
import { formatAgo, formatDay } from "../../ui/format.ts";
import { Menu } from "../../ui/menu.tsx";
import { Failure } from "../../ui/notice.tsx";
import { Card } from "../../ui/page.tsx";
import { useAction } from "../../ui/use-action.ts";
import { useQueue } from "../../ui/use-queue.ts";
import { zoneWords } from "../../words/zone.ts";
import { words } from "../../words/words.ts";
import type { Zone } from "../use-zone.ts";
import styles from "../zone.module.css";

const text = zoneWords;
type Finding = RouterOutputs["delegation"]["get"]["findings"][number];

/** Days. */
const snoozes = [1, 7, 30, 180];
const dots = { error: "error", warning: "drift", info: "sync" } as const;

/** What the world sees of a domain, as the last check found it. */
export function Delegation({ zone: { id }, manages }: { zone: Zone; manages: boolean }) {
  const queryKey = ["delegation", id];
  const { data, error } = useQuery({
    queryKey,
    queryFn: async ({ signal }) => await client.delegation.get.query({ id }, { signal }),
  });
  const check = useAction(async () => {
    queries.setQueryData(queryKey, await client.delegation.check.mutate({ id }));
  });
  const snooze = useQueue(async ({ code, name }: Finding, days: number | null) => {
    const until = days === null ? null : new Date(Date.now() + days * 86_400_000);
    queries.setQueryData(queryKey, await client.delegation.snooze.mutate({ id, code, name, until }));
  });
  const isChecked = data?.notCheckedBecause === null;
  return (
    <Card
      title={text.delegation}
      hint={text.delegationHint}
      flush
      action={
        isChecked && manages ? (
          <Button pending={check.pending} onClick={() => void check.run()}>
            {check.pending ? words.ui.loading : text.delegationCheck}
          </Button>
        ) : null
      }
    >
      <Failure error={error ?? check.error ?? snooze.error} />
      {data ? <p className={styles["inset"]}>{stateOf(data)}</p> : null}
      {data && data.findings.length > 0 ? (
        <ul className={styles["list"]} aria-label={text.delegationFindings}>
          {data.findings.map((finding) => (
            <FindingItem
              key={[finding.code, finding.name, finding.server, finding.target].join(" ")}
              finding={finding}
              onSnooze={manages ? (days) => void snooze.run(finding, days) : null}
            />
          ))}
        </ul>
      ) : null}
    </Card>
  );
}

const isAhead = (date: Date) => date.getTime() > Date.now();

interface FindingItemProps {
  finding: Finding;
  /** Null for those who may not. */
  onSnooze: ((days: number | null) => void) | null;
}

/** One thing that is wrong, and how long it may stay so without a notification. */
function FindingItem({ finding, onSnooze }: FindingItemProps) {
  const { severity, message, firstSeenAt, snoozedUntil } = finding;
  const isSnoozed = snoozedUntil !== null && isAhead(snoozedUntil);
  return (
    <li className={styles["item"]}>
      <span>
        <span>
          <i className={styles["dot"]} data-state={dots[severity]} aria-hidden />
          <span className="sr">{text.severities[severity]}: </span>
          {message}
        </span>
        <small>
          {text.since(formatAgo(firstSeenAt))}
          {isSnoozed ? `, ${text.snoozed(formatDay(snoozedUntil))}` : ""}
        </small>
      </span>
      {onSnooze === null ? null : (
        <Menu
          trigger={
            <Button kind="quiet" aria-label={text.snoozeOf(message)}>
              {text.snooze}
            </Button>
          }
          groups={[
            snoozes.map((days) => ({ id: String(days), label: text.snoozeDays(days), run: () => onSnooze(days) })),
            isSnoozed ? [{ id: "wake", label: text.wake, run: () => onSnooze(null) }] : [],
          ].filter((group) => group.length > 0)}
        />
      )}
    </li>
  );
}

interface Checked {
  notCheckedBecause: string | null;
  checkedAt: Date | null;
  parentError: string | null;
  findings: readonly unknown[];
}

function stateOf({ notCheckedBecause, checkedAt, parentError, findings }: Checked): string {
  if (notCheckedBecause !== null) return text.delegationNot(notCheckedBecause);
  if (checkedAt === null) return text.delegationNever;
  return [
    text.delegationChecked(formatAgo(checkedAt)),
    parentError ?? (findings.length === 0 ? text.delegationFine : ""),
  ]
    .filter(Boolean)
    .join(" ");
}
