import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { RouterInputs, RouterOutputs } from "@zonewright/client";
import { useRef, useState } from "react";
import { editableTypes } from "../../../server/dns/record.ts";
import { client, healing, issueOf, queries } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button } from "../ui/button.tsx";
import { Form, SelectField, TextField } from "../ui/field.tsx";
import { forPeople } from "../ui/for-people.ts";
import { formatAgo, formatNumber } from "../ui/format.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { Card, Page } from "../ui/page.tsx";
import { formatTtl, parseTtl } from "../ui/ttl.ts";
import { useAction } from "../ui/use-action.ts";
import { replaceWords } from "../words/replace.ts";
import { zoneWords } from "../words/zone.ts";
import { ApplyForm } from "../zone/apply-form.tsx";
import { labelsInUse } from "../zone/domain-queries.ts";
import { isAutomaticTtl } from "../zone/ttl.ts";
import { PlannedZones } from "../zone/planned-zones.tsx";
import { isEmptyPlan } from "../zone/several-zones.ts";
import styles from "./replace.module.css";

const text = replaceWords;
/** What addresses say for an automatic TTL, in any language. */
const automatic = "automatic";

type Request = RouterInputs["replacements"]["plan"];
type Plan = RouterOutputs["replacements"]["plan"];
export type Job = RouterOutputs["replacements"]["list"]["jobs"][number];

/** Asks what to replace, shows what that does in each zone, and starts it. Below are those of before. */
export function ReplacePage() {
  const given = useSearch({ from: "/inside/replace" });
  const navigate = useNavigate({ from: "/replace" });
  const isAuditor = useUser().role === "auditor";
  const { data: labels } = useQuery(labelsInUse);
  const [type, setType] = useState(given.type ?? "A");
  const [value, setValue] = useState(given.value ?? "");
  const [to, setTo] = useState(given.to ?? "");
  const [ttl, setTtl] = useState(given.ttl === automatic ? zoneWords.ttlAutomatic : (given.ttl ?? ""));
  const [tag, setTag] = useState(given.tag ?? "");
  const [missed, setMissed] = useState(false);
  const [made, setMade] = useState<{ request: Request; plan: Plan } | null>(null);
  const heading = useRef<HTMLDivElement>(null);
  const newTtl = ttl.trim() === "" ? undefined : isAutomaticTtl(ttl) ? automatic : parseTtl(ttl);
  const request: Request = {
    recordType: type,
    value: value.trim(),
    newValue: to.trim() || value.trim(),
    ...(typeof newTtl === "number" ? { newTtl } : {}),
    ...(newTtl === automatic ? { automaticTtl: true } : {}),
    ...(tag === "" ? {} : { tag }),
  };
  // What was planned is not what stands in the fields once they are edited, also while the plan is being made.
  const planned = newTtl !== null && JSON.stringify(made?.request) === JSON.stringify(request) ? made : null;
  const show = useAction(async () => {
    setMissed(true);
    if (value.trim() === "" || newTtl === null || (to.trim() === "" && newTtl === undefined)) return;
    await navigate({
      search: {
        type,
        value: value || undefined,
        to: to || undefined,
        ttl: newTtl === automatic ? automatic : ttl || undefined,
        tag: tag || undefined,
      },
      replace: true,
    });
    setMade({ request, plan: await client.replacements.plan.mutate(request) });
    requestAnimationFrame(() => heading.current?.focus());
  });
  const problems = {
    value: missed && value.trim() === "" ? text.missing : issueOf(show.error, "value"),
    to: missed && to.trim() === "" && ttl.trim() === "" ? text.nothingNew : issueOf(show.error, "newValue"),
    ttl: missed && newTtl === null ? text.ttlWrong : issueOf(show.error, "newTtl"),
  };
  const isSaid = ["value", "newValue", "newTtl"].some((name) => issueOf(show.error, name) !== null);
  const tags = labels?.tags.map(({ name }) => name) ?? [];
  return (
    <Page title={text.title}>
      <p className={styles["intro"]}>{text.intro}</p>
      {isAuditor ? (
        <Notice kind="info">{text.auditors}</Notice>
      ) : (
        <Form className={styles["form"] ?? ""} onSubmit={() => void show.run()}>
          {isSaid ? null : <Failure error={show.error} />}
          <div className={styles["fields"]}>
            <SelectField
              label={text.type}
              value={type}
              options={[...new Set([...editableTypes, type])].map((each) => ({ value: each, label: each }))}
              onValue={setType}
            />
            <TextField
              label={text.value}
              hint={text.valueHint}
              error={problems.value}
              mono
              maxLength={10_000}
              autoCapitalize="none"
              value={value}
              onValue={setValue}
            />
            <TextField
              label={text.to}
              hint={text.toHint}
              error={problems.to}
              mono
              maxLength={10_000}
              autoCapitalize="none"
              value={to}
              onValue={setTo}
            />
            <TextField
              label={text.ttl}
              hint={text.ttlHint}
              error={problems.ttl}
              maxLength={30}
              value={ttl}
              onValue={setTtl}
            />
            {tags.length > 0 || tag !== "" ? (
              <SelectField
                label={text.tag}
                value={tag}
                options={[
                  { value: "", label: text.anyTag },
                  ...[...new Set([...tags, ...(tag === "" ? [] : [tag])])].map((each) => ({
                    value: each,
                    label: each,
                  })),
                ]}
                onValue={setTag}
              />
            ) : null}
          </div>
          <div>
            <Button type="submit" kind={planned ? "plain" : "primary"} pending={show.pending}>
              {text.plan}
            </Button>
          </div>
        </Form>
      )}
      {planned ? (
        <div ref={heading} tabIndex={-1} className={styles["planned"]}>
          <PlanView {...planned} onPlan={(plan) => setMade({ ...planned, plan })} />
        </div>
      ) : null}
      <Recent />
    </Page>
  );
}

interface PlanViewProps {
  request: Request;
  plan: Plan;
  /** Shows another plan of the same, because zones changed. */
  onPlan: (plan: Plan) => void;
}

function PlanView({ request, plan, onPlan }: PlanViewProps) {
  const navigate = useNavigate();
  // Some zones only have a warning: of records that stay.
  const able = plan.domains.filter((domain) => domain.error === null && !isEmptyPlan(domain));
  if (plan.domains.length === 0) return <Notice kind="info">{text.nothing}</Notice>;
  return (
    <Card title={text.planTitle(plan.domains.length, formatNumber(plan.domains.length))} flush>
      {plan.warnings.map((warning) => (
        <div key={warning} className={styles["inset"]}>
          <Notice kind="warning">{forPeople(warning)}</Notice>
        </div>
      ))}
      <PlannedZones key={plan.planHash} zones={plan.domains} />
      <ApplyForm
        planHash={plan.planHash}
        label={text.apply(able.length, formatNumber(able.length))}
        disabled={able.length === 0}
        onApply={async (said) => {
          const { jobId } = await client.replacements.applyPlan.mutate({
            ...request,
            planHash: plan.planHash,
            ...said,
          });
          await queries.invalidateQueries({ queryKey: ["replacements"] });
          await navigate({ to: "/replace/$id", params: { id: jobId } });
        }}
        onOutdated={async () => onPlan(await client.replacements.plan.mutate(request))}
      />
    </Card>
  );
}

/** Milliseconds between looks at jobs that run. */
export const lookAgain = 1_000;

function Recent() {
  const { data, error } = useQuery({
    queryKey: ["replacements", "list"],
    queryFn: async ({ signal }) => await client.replacements.list.query({ limit: 20 }, { signal }),
    refetchInterval: ({ state }) =>
      healing(state.error) || (state.data?.jobs.some(({ finishedAt }) => !finishedAt) ? lookAgain : false),
  });
  return (
    <Card title={text.recent} flush>
      <Failure error={error} />
      {data?.jobs.length === 0 ? <p className={styles["inset"]}>{text.recentEmpty}</p> : null}
      <ul className={styles["jobs"]} aria-label={text.recent}>
        {(data?.jobs ?? []).map((job) => (
          <li key={job.jobId}>
            <Link to="/replace/$id" params={{ id: job.jobId }}>
              {titleOf(job)}
              <small>{[formatAgo(job.createdAt), job.message].filter(Boolean).join(" · ")}</small>
            </Link>
            <span className={styles["counts"]}>
              {job.finishedAt === null
                ? text.progress(formatNumber(job.progress.done), formatNumber(job.progress.domains))
                : text.changed(job.progress.done, formatNumber(job.progress.done))}
              {job.progress.failed > 0 ? (
                <span className={styles["bad"]}> {text.failed(formatNumber(job.progress.failed))}</span>
              ) : null}
            </span>
            <JobState state={job.state} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** How far a job is. */
export function JobState({ state }: Pick<Job, "state">) {
  return (
    <span className={styles["state"]} data-state={state}>
      {text.states[state]}
    </span>
  );
}

/** What a job does, in one line. */
export function titleOf({ kind, recordType, value, newValue, newTtl, automaticTtl, revertsId }: Job): string {
  if (kind === "portfolio") return revertsId === null ? text.kinds.portfolio : text.kinds.revert(text.kinds.portfolio);
  const what =
    recordType === null || value === null
      ? text.kinds.template
      : value === newValue
        ? text.kinds.ttl(recordType, value, automaticTtl ? zoneWords.ttlAutomatic : formatTtl(newTtl ?? 0))
        : text.kinds.replace(recordType, value, newValue ?? "");
  return kind === "revert" ? text.kinds.revert(what) : what;
}
