import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { RouterOutputs } from "@zonewright/client";
import { ArrowLeftRight } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { client, queries } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { forPeople } from "../ui/for-people.ts";
import { formatNumber } from "../ui/format.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { Card, Empty, Page } from "../ui/page.tsx";
import { toast } from "../ui/toast.tsx";
import { reverseWords } from "../words/reverse.ts";
import { ApplyForm } from "../zone/apply-form.tsx";
import { planLines } from "../zone/patch.ts";
import { Patch } from "../zone/patch-view.tsx";
import { changesOf, zonesOf, type Change, type ZoneReport } from "./zones.ts";
import styles from "./reverse.module.css";

const text = reverseWords;
const pageSize = 100;
/** Pages that are looked at without being asked to. */
const pagesAtOnce = 10;
/** Findings of one zone that are listed; all of them are mended. */
const shownFindings = 200;

type Finding = RouterOutputs["reverse"]["report"]["findings"][number];
interface Mending {
  domainId: string;
  domainName: string;
  changes: Change[];
}

/** PTR records that are missing or wrong, by reverse zone, and what mends them. */
export function ReversePage() {
  const report = useInfiniteQuery({
    queryKey: ["reverse"],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) =>
      await client.reverse.report.query({ after: pageParam, limit: pageSize }, { signal }),
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  const { data, error, hasNextPage, isFetching, fetchNextPage } = report;
  const [wanted, setWanted] = useState(pagesAtOnce);
  const pages = data?.pages;
  const goesOn = hasNextPage && error === null && (pages?.length ?? 0) < wanted;
  useEffect(() => {
    if (goesOn && !isFetching) void fetchNextPage();
  }, [goesOn, isFetching, fetchNextPage]);
  const zones = useMemo(() => zonesOf(pages ?? []), [pages]);
  const [mending, setMending] = useState<Mending | null>(null);
  const count = zones.reduce((sum, { findings }) => sum + findings.length, 0);
  const isLooking = goesOn || isFetching;
  return (
    <Page
      title={text.title}
      subtitle={
        <span role="status">
          {isLooking ? text.looking : count === 0 ? null : text.count(count, formatNumber(count))}
        </span>
      }
    >
      <p className={styles["intro"]}>{text.intro}</p>
      <Failure error={error} />
      {data && count === 0 && !isLooking && !hasNextPage ? (
        <Empty icon={<ArrowLeftRight aria-hidden />} title={text.emptyTitle}>
          {text.empty}
        </Empty>
      ) : null}
      {zones.map((zone) => (
        <ZoneCard key={zone.domainId} zone={zone} onMend={setMending} />
      ))}
      {hasNextPage && !isLooking ? (
        <Notice kind="info" action={<Button onClick={() => setWanted(wanted + pagesAtOnce)}>{text.further}</Button>}>
          {text.furtherHint}
        </Notice>
      ) : null}
      {mending ? <Mend mending={mending} onClose={() => setMending(null)} /> : null}
    </Page>
  );
}

interface ZoneCardProps {
  zone: ZoneReport;
  onMend: (mending: Mending) => void;
}

function ZoneCard({ zone: { domainId, domainName, findings, changes }, onMend }: ZoneCardProps) {
  const user = useUser();
  const mayMend = user.role !== "auditor";
  const mend = (some: Change[]) => onMend({ domainId, domainName, changes: some });
  return (
    <Card
      title={domainName}
      hint={
        mayMend && changes.length === 0 && findings.length > 0 ? (
          text.notYours
        ) : (
          <Link to="/d/$name/records" params={{ name: domainName }} preload={false}>
            {text.count(findings.length, formatNumber(findings.length))}
          </Link>
        )
      }
      action={
        mayMend && changes.length > 0 ? (
          <Button onClick={() => mend(changes)}>{text.mendAll(changes.length, formatNumber(changes.length))}</Button>
        ) : null
      }
      flush
    >
      <ul className={styles["findings"]} aria-label={domainName}>
        {findings.slice(0, shownFindings).map((finding) => {
          const own = mayMend ? changesOf(finding, changes) : [];
          return (
            <li key={`${finding.problem} ${finding.name} ${finding.recordId} ${finding.expected}`}>
              <span className={styles["problem"]} data-problem={finding.problem}>
                {text.problems[finding.problem]}
              </span>
              <span className={styles["says"]}>{sentenceOf(finding)}</span>
              {own.length > 0 ? (
                <Button kind="quiet" aria-label={text.mendOne(finding.address)} onClick={() => mend(own)}>
                  {text.mend}
                </Button>
              ) : null}
            </li>
          );
        })}
        {findings.length > shownFindings ? <li>{text.more(formatNumber(findings.length - shownFindings))}</li> : null}
      </ul>
    </Card>
  );
}

function sentenceOf({ problem, address, value, expected }: Finding): string {
  return text.says[problem](address, (problem === "missing" ? expected : value) ?? "", expected ?? "");
}

/** Shows the plan of some changes and applies it. */
function Mend({ mending: { domainId, domainName, changes }, onClose }: { mending: Mending; onClose: () => void }) {
  const {
    data: plan,
    error,
    refetch,
  } = useQuery({
    queryKey: ["reverse-plan", domainId, changes],
    queryFn: async ({ signal }) => await client.records.plan.mutate({ id: domainId, changes }, { signal }),
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const lines = plan ? planLines(plan) : [];
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={text.planTitle(domainName)}
      alert={<Failure error={error} />}
      footer={
        <Button kind="quiet" onClick={onClose}>
          {text.cancel}
        </Button>
      }
    >
      {plan ? (
        <>
          <Patch lines={lines} place={{ domainId }} />
          {plan.warnings.map((warning) => (
            <Notice key={warning} kind="warning">
              {forPeople(warning)}
            </Notice>
          ))}
          <ApplyForm
            planHash={plan.planHash}
            label={text.apply(lines.length, formatNumber(lines.length))}
            disabled={lines.length === 0}
            onApply={async (said) => {
              await client.records.applyPlan.mutate({ id: domainId, changes, ...said, planHash: plan.planHash });
              await queries.invalidateQueries({ queryKey: ["reverse"] });
              await queries.invalidateQueries({ queryKey: ["records", domainId] });
              toast({ title: text.done(domainName) });
              onClose();
            }}
            onOutdated={refetch}
          />
        </>
      ) : error === null ? (
        <p role="status">{text.planning}</p>
      ) : null}
    </Dialog>
  );
}
