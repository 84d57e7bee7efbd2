import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { serialDistance } from "../../../../server/dns/wire/serials.ts";
import { client, healing, queries } from "../../api.ts";
import { AskFirst } from "../../ui/ask-first.tsx";
import { Button } from "../../ui/button.tsx";
import { formatAgo } from "../../ui/format.ts";
import { Failure, Notice } from "../../ui/notice.tsx";
import { Card } from "../../ui/page.tsx";
import { toast } from "../../ui/toast.tsx";
import { useAction } from "../../ui/use-action.ts";
import { zoneWords } from "../../words/zone.ts";
import type { Zone } from "../use-zone.ts";
import styles from "../zone.module.css";

const text = zoneWords.secondaries;

/** Milliseconds between two looks at secondaries that are not in sync. */
const lookAgain = 5_000;

/** The name servers that transfer a zone from this service, and how far they are. */
export function Secondaries({ zone: { id, revision } }: { zone: Zone }) {
  const queryKey = ["secondaries", id];
  const { data, error } = useQuery({
    queryKey: [...queryKey, revision],
    queryFn: async ({ signal }) => await client.secondaries.get.query({ id }, { signal }),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) =>
      healing(state.error) || (state.data?.secondaries.some(({ inSync }) => !inSync) ? lookAgain : false),
  });
  const [asking, setAsking] = useState(false);
  const raise = useAction(async () => {
    const { serial } = await client.secondaries.raiseSerial.mutate({ id });
    await queries.invalidateQueries({ queryKey });
    if (serial !== null) toast({ title: text.raised(serial) });
  });
  const serial = data?.serial ?? null;
  const isAhead = (theirs: number | null) => theirs !== null && serial !== null && serialDistance(serial, theirs) > 0;
  const anyAhead = data?.secondaries.some((one) => !one.signs && isAhead(one.serial)) ?? false;
  return (
    <Card
      title={text.title}
      hint={text.hint}
      flush
      action={
        anyAhead ? (
          <Button pending={raise.pending} onClick={() => setAsking(true)}>
            {text.raise}
          </Button>
        ) : null
      }
    >
      <Failure error={error ?? raise.error} />
      {anyAhead ? <Notice kind="warning">{text.raiseHint}</Notice> : null}
      {serial === null ? null : <p className={styles["inset"]}>{text.serial(serial)}</p>}
      {data?.secondaries.length === 0 ? <p className={styles["inset"]}>{text.none}</p> : null}
      <ul className={styles["list"]} aria-label={text.title}>
        {data?.secondaries.map((one) => {
          const facts = [
            one.inSync && one.inSyncSince ? text.inSync(formatAgo(one.inSyncSince)) : text.behind(one.serial),
            one.signs ? text.signs : "",
            one.lastTransferAt ? text.transfer(formatAgo(one.lastTransferAt)) : "",
          ];
          const ahead = !one.signs && !one.inSync && isAhead(one.serial) && one.serial !== null;
          if (ahead) facts[0] = text.ahead(one.serial ?? 0);
          return (
            <li key={one.address} className={styles["item"]}>
              <span>
                <span>
                  <i
                    className={styles["dot"]}
                    data-state={one.error === null ? (one.inSync ? "sync" : "drift") : "error"}
                    aria-hidden
                  />{" "}
                  {one.address}
                </span>
                <small>{facts.filter(Boolean).join(", ")}</small>
                {one.error === null ? null : <small>{one.error}</small>}
              </span>
            </li>
          );
        })}
      </ul>
      {asking ? (
        <AskFirst
          title={text.raiseTitle}
          action={text.raiseNow}
          onConfirm={() => void raise.run()}
          onClose={() => setAsking(false)}
        >
          <p>{text.raiseText}</p>
        </AskFirst>
      ) : null}
    </Card>
  );
}
