import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { RouterInputs, RouterOutputs } from "@zonewright/client";
import { useRef, useState } from "react";
import { client, issueOf, queries } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button } from "../ui/button.tsx";
import { CheckField, Form, TextArea, TextField } from "../ui/field.tsx";
import { forPeople } from "../ui/for-people.ts";
import { formatAgo, formatNumber } from "../ui/format.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { templatesWords } from "../words/templates.ts";
import { zoneWords } from "../words/zone.ts";
import { ApplyForm } from "../zone/apply-form.tsx";
import { emptyDraft } from "../zone/draft/draft.ts";
import { recordsAt } from "../zone/draft/present-records.ts";
import { draftKey, readDraft, writeDraft } from "../zone/draft/store.ts";
import { withPlan } from "../zone/draft/with-plan.ts";
import { planLines } from "../zone/patch.ts";
import { Patch } from "../zone/patch-view.tsx";
import { fewAtATime, reverseFailures, reverseWarnings, sayChanged } from "../zone/several-zones.ts";
import { mostZones, zoneName, zoneQuery } from "../zone/use-zone.ts";
import { ZoneField } from "../zone/zone-field.tsx";
import { appliedIn, forget, planTemplate, ZonesPlan, type TemplatePlan, type ZonesRequest } from "./apply-to-zones.tsx";
import { helpOf, neededVariables, readValues, titleOf, zonesOf, type Template } from "./values.ts";
import styles from "./templates.module.css";

const text = templatesWords;
/** From so many values on, those that are filled in can be hidden. */
const many = 10;

type Request = RouterInputs["templates"]["plan"];
interface Planned {
  request: Request;
  zone: string;
  plan: RouterOutputs["templates"]["plan"];
}

/** Asks where to apply a template and with which values, shows what that changes, and applies it. */
export function ApplyTemplate({ template }: { template: Template }) {
  const given = useSearch({ from: "/inside/templates/$id" });
  const navigate = useNavigate({ from: "/templates/$id" });
  const [zone, setZone] = useState(() => zonesOf(given.zone ?? "").join("\n"));
  const [host, setHost] = useState(given.host ?? "");
  /** The groups that are left out: a new version of the template may have others. */
  const [leftOut, setLeftOut] = useState<readonly string[]>([]);
  const groups = template.groups.filter((group) => !leftOut.includes(group));
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [missed, setMissed] = useState(false);
  /** The name that no zone has, of what was typed. */
  const [unknown, setUnknown] = useState<{ zone: string; name: string } | null>(null);
  const [linked, setLinked] = useState(false);
  const [planned, setPlanned] = useState<Planned | null>(null);
  /** Whether the template is applied to several zones. */
  const [isMany, setIsMany] = useState(zonesOf(zone).length > 1);
  const [plannedZones, setPlannedZones] = useState<{ request: ZonesRequest; plans: readonly TemplatePlan[] } | null>(
    null,
  );
  /** How often the fields were edited. A plan that was asked for before an edit is not shown after it. */
  const edits = useRef(0);
  /** Whether a plan is being applied. An edit would take its outcome off the page. */
  const [isApplying, setIsApplying] = useState(false);
  const whileApplying = async (work: () => Promise<void>) => {
    setIsApplying(true);
    try {
      await work();
    } finally {
      setIsApplying(false);
    }
  };
  const heading = useRef<HTMLDivElement>(null);
  const variables = neededVariables(template, groups);
  const isMissing = (name: string) => (values[name] ?? "").trim() === "";
  const isTooMany = isMany && zonesOf(zone).length > mostZones;
  const isHostMissing = template.hostRequired && ["", "@"].includes(host.trim());
  const show = useAction(async () => {
    setMissed(true);
    const asked = edits.current;
    if (zone.trim() === "" || isTooMany || isHostMissing || variables.some(isMissing)) return;
    const said = {
      templateId: template.id,
      host: host.trim() || "@",
      variables: Object.fromEntries(variables.map((name) => [name, (values[name] ?? "").trim()])),
      groups: groups.length === template.groups.length ? null : [...groups],
    };
    const names = isMany ? zonesOf(zone) : [zone.trim()];
    const found = await fewAtATime(
      names,
      async (name) => await queries.fetchQuery({ ...zoneQuery(name), staleTime: 0 }),
    );
    const missing = names.find((_, index) => found[index]?.kind !== "found");
    setUnknown(missing === undefined ? null : { zone, name: missing });
    // Several notations lead to one zone.
    const byId = new Map(found.flatMap((one) => (one.kind === "found" ? [[one.zone.id, one.zone] as const] : [])));
    const zones = [...byId.values()];
    const [first] = zones;
    if (!first || missing !== undefined || edits.current !== asked) return;
    await navigate({ search: { zone: names.join(","), host: host || undefined }, replace: true });
    if (isMany) {
      const plans = await fewAtATime(zones, (one) =>
        planTemplate({ domainId: one.id, domainName: zoneName(one), providerId: one.providerId }, said),
      );
      if (edits.current !== asked) return;
      setPlannedZones({ request: said, plans });
      requestAnimationFrame(() => heading.current?.focus());
      return;
    }
    const request: Request = { ...said, id: first.id };
    const plan = await client.templates.plan.mutate(request);
    if (edits.current !== asked) return;
    setPlanned({ request, zone: zoneName(first), plan });
    requestAnimationFrame(() => heading.current?.focus());
  });
  /** What was planned is not what stands in the fields. */
  const typed =
    <Value,>(set: (value: Value) => void) =>
    (next: Value) => {
      set(next);
      edits.current += 1;
      setPlanned(null);
      setPlannedZones(null);
    };
  const unknownName = unknown?.zone === zone ? unknown.name : null;
  const zoneFault = missed && zone.trim() === "" ? text.zoneMissing : missed && isTooMany ? text.tooManyZones : null;
  const zoneProblem =
    zoneFault ?? (unknownName === null ? null : isMany ? text.zoneUnknownOf(unknownName) : text.zoneUnknown);
  const hostProblem = missed && isHostMissing ? text.hostMissing : issueOf(show.error, "host");
  return (
    <>
      <Card title={text.apply}>
        <Form onSubmit={() => void show.run()}>
          <fieldset className={`${styles["values"]} ${styles["fields"]}`} disabled={isApplying}>
            {issueOf(show.error, "host") === null ? <Failure error={show.error} /> : null}
            <div className={styles["two"]}>
              <div>
                {isMany ? (
                  <TextArea
                    label={text.zones}
                    hint={text.zonesHint}
                    mono
                    rows={4}
                    value={zone}
                    onValue={typed(setZone)}
                    error={zoneProblem}
                  />
                ) : (
                  <ZoneField label={text.zone} value={zone} onValue={typed(setZone)} error={zoneProblem} />
                )}
                <Button
                  kind="quiet"
                  className={styles["shift"] ?? ""}
                  onClick={() => {
                    const names = zonesOf(zone);
                    typed(setZone)(isMany ? (names[0] ?? "") : names.join("\n"));
                    setIsMany(!isMany);
                  }}
                >
                  {isMany ? text.oneZone : text.severalZones}
                </Button>
              </div>
              <TextField
                label={text.host}
                hint={text.hostHint}
                error={hostProblem}
                mono
                placeholder="@"
                maxLength={1_024}
                autoCapitalize="none"
                value={host}
                onValue={typed(setHost)}
              />
            </div>
            {template.groups.length > 0 ? (
              <fieldset className={styles["values"]}>
                <legend>{text.groups}</legend>
                {template.groups.map((group) => (
                  <CheckField
                    key={group}
                    label={group}
                    checked={groups.includes(group)}
                    onValue={(on) =>
                      typed(setLeftOut)(on ? leftOut.filter((each) => each !== group) : [...leftOut, group])
                    }
                  />
                ))}
              </fieldset>
            ) : null}
            {variables.length > 0 ? (
              <Values
                template={template}
                variables={variables}
                values={values}
                onValues={typed(setValues)}
                missed={missed}
              />
            ) : null}
            <CheckField label={text.linked} checked={linked} onValue={setLinked} />
            <div>
              <Button type="submit" kind={planned || plannedZones ? "plain" : "primary"} pending={show.pending}>
                {text.plan}
              </Button>
            </div>
          </fieldset>
        </Form>
      </Card>
      {plannedZones ? (
        <div ref={heading} tabIndex={-1} className={styles["planned"]}>
          <ZonesPlan
            key={plannedZones.plans.map(({ planHash }) => planHash).join(" ")}
            {...plannedZones}
            linked={linked}
            whileApplying={whileApplying}
          />
        </div>
      ) : null}
      {planned ? (
        <div ref={heading} tabIndex={-1} className={styles["planned"]}>
          <PlanCard
            template={template}
            planned={planned}
            linked={linked}
            onPlan={(plan) => setPlanned((now) => (now === planned ? { ...planned, plan } : now))}
            whileApplying={whileApplying}
          />
        </div>
      ) : null}
    </>
  );
}

interface ValuesProps {
  template: Template;
  /** Those that the chosen groups need. */
  variables: readonly string[];
  values: Readonly<Record<string, string>>;
  onValues: (values: Readonly<Record<string, string>>) => void;
  /** Whether the plan was asked for without all of them. */
  missed: boolean;
}

/** The values of a template's variables: typed one by one, or pasted at once. */
function Values({ template, variables, values, onValues, missed }: ValuesProps) {
  const { general, own } = helpOf(template.variableDescription ?? "", template.variables);
  const [pasted, setPasted] = useState("");
  const [said, setSaid] = useState<string | null>(null);
  /** The fields that were empty when only these were asked for: one that is being filled stays. */
  const [shown, setShown] = useState<readonly string[] | null>(null);
  const isEmpty = (name: string) => (values[name] ?? "").trim() === "";
  const filled = variables.filter((name) => !isEmpty(name)).length;
  const fill = () => {
    const read = readValues(pasted, variables);
    const count = Object.keys(read).length;
    setSaid(count === 0 ? text.pastedNone : text.pasted(formatNumber(count)));
    if (count > 0) onValues({ ...values, ...read });
  };
  return (
    <fieldset className={styles["values"]} aria-label={text.values}>
      <header>
        {text.values} <span>{text.filled(formatNumber(filled), formatNumber(variables.length))}</span>
        {variables.length >= many ? (
          <CheckField
            label={text.onlyEmpty}
            checked={shown !== null}
            onValue={(on) => setShown(on ? variables.filter(isEmpty) : null)}
          />
        ) : null}
      </header>
      {general === "" ? null : <p className={styles["facts"]}>{general}</p>}
      {variables.length > 1 ? (
        <details>
          <summary>{text.paste}</summary>
          <div className={styles["pasting"]}>
            <TextArea label={text.paste} hint={text.pasteHint} mono rows={5} value={pasted} onValue={setPasted} />
            <div>
              <Button onClick={fill}>{text.pasteNow}</Button> <span role="status">{said}</span>
            </div>
          </div>
        </details>
      ) : null}
      <div className={styles["two"]}>
        {(shown?.filter((name) => variables.includes(name)) ?? variables).map((name) => (
          <TextField
            key={name}
            label={name}
            hint={own[name]}
            mono
            maxLength={4_096}
            autoCapitalize="none"
            value={values[name] ?? ""}
            error={missed && isEmpty(name) ? text.missing : null}
            onValue={(value) => onValues({ ...values, [name]: value })}
          />
        ))}
      </div>
      {shown?.length === 0 ? <p className={styles["facts"]}>{text.allFilled}</p> : null}
    </fieldset>
  );
}

interface PlanCardProps {
  template: Template;
  planned: Planned;
  linked: boolean;
  /** Shows another plan of the same request, unless the request has changed. */
  onPlan: (plan: Planned["plan"]) => void;
  /** Keeps the plan on the page while it is applied. */
  whileApplying: (work: () => Promise<void>) => Promise<void>;
}

function PlanCard({ template, planned: { request, zone, plan }, linked, onPlan, whileApplying }: PlanCardProps) {
  const navigate = useNavigate();
  const user = useUser();
  const lines = planLines(plan);
  const planAnew = async () => onPlan(await client.templates.plan.mutate(request));
  const toDraft = useAction(async () => {
    const names = [...plan.updates.map(({ before }) => before.name), ...plan.deletes.map((record) => record.name)];
    const present = await recordsAt(request.id, names);
    const key = draftKey(user.id, request.id);
    const draft = (await readDraft(key)) ?? emptyDraft;
    const drafted = withPlan(draft, plan, present);
    if (drafted === "edited") throw new Error(text.inOtherDraft);
    if (drafted === "outdated") {
      await planAnew();
      throw new Error(zoneWords.applying.outdated);
    }
    await writeDraft(key, draft, drafted);
    await navigate({ to: "/d/$name/records", params: { name: zone } });
    toast({ title: text.drafted(titleOf(template)) });
  });
  const before = <Before template={template} zone={request.id} />;
  if (lines.length === 0 && !linked)
    return (
      <>
        <Notice kind="info">{text.nothing}</Notice>
        {before}
      </>
    );
  return (
    <Card title={text.planTitle(zone)} flush>
      <div className={styles["plan"]}>
        <Patch lines={lines} place={{ domainId: request.id }} />
        {before}
        {plan.conflicts.length > 0 ? (
          <Notice kind="warning">{text.conflicts(plan.conflicts.length, formatNumber(plan.conflicts.length))}</Notice>
        ) : null}
        {plan.linked && !linked ? <Notice kind="warning">{text.endsLink}</Notice> : null}
        {[...plan.warnings, ...reverseWarnings(plan)].map((warning) => (
          <Notice key={warning} kind="warning">
            {forPeople(warning)}
          </Notice>
        ))}
        <Failure error={toDraft.error} />
      </div>
      <ApplyForm
        planHash={plan.planHash}
        label={text.applyNow(zone)}
        onApply={(said) =>
          whileApplying(async () => {
            const earlier = await appliedIn(request.id);
            const answer = await client.templates.applyPlan.mutate({
              ...request,
              ...said,
              linked,
              planHash: plan.planHash,
            });
            await queries.invalidateQueries({ queryKey: ["zone"] });
            await queries.invalidateQueries({ queryKey: ["records", request.id] });
            await navigate({ to: "/d/$name/records", params: { name: zone } });
            const { applied, changeSetId } = answer;
            const alsoUndo = applied ? () => forget(request.id, applied.id, earlier) : undefined;
            sayChanged(
              { domainId: request.id, domainName: zone, changeSetId, alsoUndo },
              text.applied(titleOf(template), zone),
              reverseFailures(answer),
            );
          })
        }
        onOutdated={planAnew}
      >
        {linked ? null : (
          <Button pending={toDraft.pending} onClick={() => void toDraft.run()}>
            {text.toDraft}
          </Button>
        )}
      </ApplyForm>
    </Card>
  );
}

/** Where the zone has the template already. Forgetting it keeps the records, and ends the link. */
function Before({ template, zone }: { template: Template; zone: string }) {
  const key = ["templates", "applied", zone];
  const { data } = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => await client.templates.listApplied.query({ id: zone, limit: 100 }, { signal }),
  });
  const forget = useAction(async (appliedId: string) => {
    await client.templates.unlink.mutate({ id: zone, appliedId });
    await queries.invalidateQueries({ queryKey: key });
    toast({ title: text.forgotten });
  });
  const applied = (data?.templates ?? []).filter(({ templateId }) => templateId === template.id);
  if (applied.length === 0) return null;
  return (
    <>
      <Failure error={forget.error} />
      <ul className={styles["before"]} aria-label={text.before}>
        {applied.map(({ id, host, linked, appliedAt }) => (
          <li key={id}>
            {text.appliedAt(host, formatAgo(appliedAt), linked)} {template.multiInstance ? null : text.replacesOwn}{" "}
            <Button
              kind="quiet"
              aria-label={text.forgetAt(host)}
              pending={forget.pending}
              onClick={() => void forget.run(id)}
            >
              {text.forget}
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}
