import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { isZonewrightError, type RouterOutputs } from "@zonewright/client";
import { useState } from "react";
import { client, queries } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { forPeople } from "../ui/for-people.ts";
import { formatNumber } from "../ui/format.ts";
import { NotFound } from "../ui/not-found.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { Card, Page } from "../ui/page.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { templatesWords } from "../words/templates.ts";
import { zoneWords } from "../words/zone.ts";
import { ApplyForm } from "../zone/apply-form.tsx";
import { PlannedZones } from "../zone/planned-zones.tsx";
import { ApplyTemplate } from "./apply-template.tsx";
import { TemplateEditor } from "./template-editor.tsx";
import { shownRecord, titleOf, type Template } from "./values.ts";
import styles from "./templates.module.css";

const text = templatesWords;
const shownRecords = 100;

type LinkedPlan = RouterOutputs["templates"]["linkedPlan"];

/** A template: what it writes, how to apply it, and the zones that follow it. */
export function TemplatePage() {
  const { id } = useParams({ from: "/inside/templates/$id" });
  const user = useUser();
  const { data: template, error } = useQuery({
    queryKey: ["templates", "one", id],
    queryFn: async ({ signal }) => await client.templates.get.query({ id }, { signal }),
  });
  const [open, setOpen] = useState<"update" | "delete" | null>(null);
  if (!template) {
    if (isZonewrightError(error) && ["NOT_FOUND", "BAD_REQUEST"].includes(error.code)) return <NotFound />;
    return <Page title={text.title}>{error ? <Failure error={error} /> : null}</Page>;
  }
  const isAdmin = user.role === "admin";
  return (
    <Page
      title={titleOf(template)}
      subtitle={template.builtIn ? text.builtIn : template.providerName}
      actions={
        isAdmin && !template.builtIn ? (
          <>
            <Button onClick={() => setOpen("update")}>{text.update}</Button>
            <Button kind="danger" onClick={() => setOpen("delete")}>
              {text.delete}
            </Button>
          </>
        ) : null
      }
    >
      {template.description ? <p className={styles["intro"]}>{template.description}</p> : null}
      {template.template["warnPhishing"] === true ? <Notice kind="warning">{text.phishing}</Notice> : null}
      {template.unsupported.length > 0 ? (
        <Notice kind="warning">
          {text.unsupported}
          {template.unsupported.map(({ index, type, reason }) => (
            <div key={index}>{text.unsupportedHint(type, forPeople(reason))}</div>
          ))}
        </Notice>
      ) : null}
      {user.role === "auditor" ? null : <ApplyTemplate key={template.id} template={template} />}
      {isAdmin ? <Linked template={template} /> : null}
      <Records template={template} />
      {open === "update" ? <TemplateEditor template={template} onClose={() => setOpen(null)} /> : null}
      {open === "delete" ? <Delete template={template} onClose={() => setOpen(null)} /> : null}
    </Page>
  );
}

function Records({ template: { template } }: { template: Template }) {
  const given = template["records"];
  const records = (Array.isArray(given) ? given : []).map((record) => shownRecord(record as Record<string, unknown>));
  return (
    <Card title={text.records} flush>
      {/* It may scroll, so the keyboard must reach it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={styles["records"]} tabIndex={0} role="group" aria-label={text.records}>
        <table>
          <thead>
            <tr>
              {[text.name, text.type, text.value, text.ttl].map((label) => (
                <th key={label} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {records.slice(0, shownRecords).map(({ name, type, value, ttl }, index) => (
              // They have no id, and their order is fixed.
              // oxlint-disable-next-line react/no-array-index-key
              <tr key={index}>
                <td>{name}</td>
                <td>{type}</td>
                <td>{value}</td>
                <td>{ttl}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {records.length > shownRecords ? <p>{text.more(formatNumber(records.length - shownRecords))}</p> : null}
    </Card>
  );
}

/** Applies the present version to all zones that follow the template. */
function Linked({ template }: { template: Template }) {
  const navigate = useNavigate();
  const [plan, setPlan] = useState<LinkedPlan | null>(null);
  const planAnew = async () => setPlan(await client.templates.linkedPlan.mutate({ id: template.id }));
  const make = useAction(planAnew);
  const store = useAction(async () => {
    if (!plan) return;
    try {
      await client.templates.applyLinked.mutate({ id: template.id, planHash: plan.planHash });
    } catch (error) {
      if (!isZonewrightError(error) || error.code !== "CONFLICT") throw error;
      await planAnew();
      throw new Error(zoneWords.applying.outdated, { cause: error });
    }
    toast({ title: text.stored });
    await queries.invalidateQueries({ queryKey: ["replacements"] });
    await planAnew();
  });
  const able = plan?.domains.filter(({ error }) => error === null) ?? [];
  return (
    <Card
      title={text.linkedTitle}
      hint={text.linkedHint}
      action={
        <Button
          pending={make.pending}
          onClick={() => {
            store.reset();
            void make.run();
          }}
        >
          {text.linkedPlan}
        </Button>
      }
      flush
    >
      {make.error === null && plan === null ? null : (
        <>
          <Failure error={make.error} />
          {plan?.warnings.map((warning) => (
            <Notice key={warning} kind="warning">
              {forPeople(warning)}
            </Notice>
          ))}
          <Failure error={store.error} />
          {plan && plan.domains.length === 0 ? (
            <div className={styles["store"]}>
              <Notice kind="info">
                {text.linkedNothing(plan.unchanged, formatNumber(plan.unchanged))}
                {plan.behind > 0 ? ` ${text.linkedBehind(plan.behind, formatNumber(plan.behind))}` : null}
              </Notice>
              {plan.behind > 0 ? (
                <div>
                  <Button kind="primary" pending={store.pending} onClick={() => void store.run()}>
                    {text.storeNew}
                  </Button>
                </div>
              ) : null}
            </div>
          ) : null}
          {plan && plan.domains.length > 0 ? (
            <>
              <PlannedZones key={plan.planHash} zones={plan.domains} />
              <ApplyForm
                planHash={plan.planHash}
                label={text.linkedApply(able.length, formatNumber(able.length))}
                disabled={able.length === 0}
                onApply={async (said) => {
                  const { jobId } = await client.templates.applyLinked.mutate({
                    id: template.id,
                    planHash: plan.planHash,
                    ...said,
                  });
                  await queries.invalidateQueries({ queryKey: ["replacements"] });
                  await navigate({ to: "/replace/$id", params: { id: jobId } });
                }}
                onOutdated={planAnew}
              />
            </>
          ) : null}
        </>
      )}
    </Card>
  );
}

function Delete({ template, onClose }: { template: Template; onClose: () => void }) {
  const navigate = useNavigate();
  const remove = useAction(async () => {
    await client.templates.delete.mutate({ id: template.id });
    await queries.invalidateQueries({ queryKey: ["templates", "list"] });
    await navigate({ to: "/templates" });
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={text.deleteTitle(titleOf(template))}
      description={text.deleteHint}
      alert={<Failure error={remove.error} />}
      footer={
        <>
          <Button kind="quiet" onClick={onClose}>
            {text.cancel}
          </Button>
          <Button kind="danger" pending={remove.pending} onClick={() => void remove.run()}>
            {text.deleteNow}
          </Button>
        </>
      }
    />
  );
}
