import { useQuery } from "@tanstack/react-query";
import { client, queries } from "../../api.ts";
import { Button } from "../../ui/button.tsx";
import { formatAgo, formatDay } from "../../ui/format.ts";
import { Failure } from "../../ui/notice.tsx";
import { Card } from "../../ui/page.tsx";
import { useAction } from "../../ui/use-action.ts";
import { zoneWords } from "../../words/zone.ts";
import { words } from "../../words/words.ts";
import type { Zone } from "../use-zone.ts";
import styles from "../zone.module.css";

const text = zoneWords;
const dots = { error: "error", warning: "drift", info: "sync" } as const;

/** What the world sees of a domain, as the last check found it. */
export function Delegation({ zone: { id } }: { zone: Zone }) {
  const queryKey = ["delegation", id];
  const { data, error } = useQuery({
    queryKey,
    queryFn: async ({ signal }) => await client.delegation.get.query({ id }, { signal }),
  });
  const check = useAction(async () => {
    queries.setQueryData(queryKey, await client.delegation.check.mutate({ id }));
  });
  const isChecked = data?.notCheckedBecause === null;
  return (
    <Card
      title={text.delegation}
      hint={text.delegationHint}
      flush
      action={
        isChecked ? (
          <Button pending={check.pending} onClick={() => void check.run()}>
            {check.pending ? words.ui.loading : text.delegationCheck}
          </Button>
        ) : null
      }
    >
      <Failure error={error ?? check.error} />
      {data ? <p className={styles["inset"]}>{stateOf(data)}</p> : null}
      {data && data.findings.length > 0 ? (
        <ul className={styles["list"]} aria-label={text.delegationFindings}>
          {data.findings.map(({ code, severity, name, server, target, message, firstSeenAt, snoozedUntil }) => (
            <li key={[code, name, server, target].join(" ")} className={styles["item"]}>
              <span>
                <span>
                  <i className={styles["dot"]} data-state={dots[severity]} aria-hidden />
                  <span className="sr">{text.severities[severity]}: </span>
                  {message}
                </span>
                <small>
                  {text.since(formatAgo(firstSeenAt))}
                  {snoozedUntil === null ? "" : `, ${text.snoozed(formatDay(snoozedUntil))}`}
                </small>
              </span>
            </li>
          ))}
        </ul>
      ) : null}
    </Card>
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
