import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { RouterOutputs } from "@zonewright/client";
import { useRef, useState } from "react";
import { client, issueOf, queries } from "../api.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { CheckField, Form, SelectField, TextArea, TextField } from "../ui/field.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { Card, Empty, Page } from "../ui/page.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { useEdits } from "../ui/use-edits.ts";
import { adminWords } from "../words/admin.ts";
import { words } from "../words/words.ts";
import { ZoneField } from "../zone/zone-field.tsx";
import { AdminOnly } from "./admin-only.tsx";
import {
  claimsOf,
  editedRules,
  newRule,
  storedRules,
  zoneNames,
  type EditedRule,
  type RuleFault,
} from "./group-rules.ts";
import type { IdentityConfig } from "./sign-in-form.tsx";
import styles from "./admin.module.css";

const text = adminWords.groups;
const faultTexts = { ...text.faults, ...adminWords.zoneFaults };
type Tested = RouterOutputs["identityConfigs"]["testGroups"];

const back = (
  <Link to="/admin/sign-in" className={buttonClass()}>
    {text.back}
  </Link>
);

/** Which groups of an identity provider give which role and access, tried before it is saved. */
export function GroupsPage() {
  return (
    <AdminOnly>
      <Groups />
    </AdminOnly>
  );
}

function Groups() {
  const { provider } = useParams({ from: "/inside/admin/sign-in/$provider" });
  const { data, error } = useQuery({
    queryKey: ["identity-configs", "groups", provider],
    // What is typed stays when the window is looked at again.
    staleTime: Infinity,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const { providers, availableProviders } = await client.identityConfigs.list.query(undefined, { signal });
      const config = providers.find(({ providerId }) => providerId === provider);
      const name = availableProviders.find(({ id }) => id === provider)?.name ?? provider;
      return { name, config, stored: await editedRules(config?.groupRules ?? [], signal) };
    },
  });
  return (
    <Page title={text.title(data?.name ?? provider)} actions={back}>
      <p className={styles["lead"]}>{text.hint}</p>
      <Failure error={error} />
      {data && !data.config ? <Empty title={text.missing} /> : null}
      {data?.config ? <Rules key={data.config.id} config={data.config} stored={data.stored} /> : null}
    </Page>
  );
}

interface RulesProps {
  config: IdentityConfig;
  stored: Awaited<ReturnType<typeof editedRules>>;
}

function Rules({ config, stored }: RulesProps) {
  const edits = useEdits({ claim: config.groupsClaim ?? "", deny: config.defaultDeny });
  const { claim, deny } = edits.fields;
  /** The rules once they are touched, and which stored ones they were made from. */
  const [edited, setEdited] = useState<{ rules: readonly EditedRule[]; from: string } | null>(null);
  const [faults, setFaults] = useState<ReadonlyMap<string, RuleFault> | null>(null);
  /** The keys of the rules that were saved last, so that the focus stays in its field. */
  const [saved, setSaved] = useState<{ keys: readonly string[]; version: string } | null>(null);
  /** That others stored rules meanwhile. */
  const [refusal, setRefusal] = useState<unknown>(null);
  const saveButton = useRef<HTMLButtonElement>(null);
  const savedKeys = saved?.version === config.groupRulesVersion ? saved.keys : [];
  const rules = edited?.rules ?? stored.rules.map((rule, index) => ({ ...rule, key: savedKeys[index] ?? rule.key }));
  const setRules = (next: readonly EditedRule[]) =>
    setEdited({ rules: next, from: edited?.from ?? config.groupRulesVersion });
  const change = (key: string, changes: Partial<EditedRule>) =>
    setRules(rules.map((rule) => (rule.key === key ? Object.assign({}, rule, changes) : rule)));
  const takeStored = () => {
    saveButton.current?.focus();
    setEdited(null);
    setFaults(null);
    setSaved(null);
  };
  /** What is typed, as the service takes it; null if something is wrong with it. */
  const typed = async () => {
    const read = await storedRules(rules);
    setFaults("faults" in read ? read.faults : new Map());
    return "faults" in read ? null : { groupsClaim: claim.trim() || null, groupRules: read.rules, defaultDeny: deny };
  };
  const save = useAction(async (from?: string) => {
    setRefusal(null);
    const fields = edited && (await typed());
    if (edited && !fields) return;
    try {
      const { groupRulesVersion } = await client.identityConfigs.update.mutate({
        id: config.id,
        ...(edits.changed.claim !== undefined && { groupsClaim: claim.trim() || null }),
        ...(edits.changed.deny !== undefined && { defaultDeny: deny }),
        ...(edited && fields && { groupRules: fields.groupRules, groupRulesVersion: from ?? edited.from }),
      });
      await queries.invalidateQueries({ queryKey: ["identity-configs"] });
      edits.done();
      if (edited) setSaved({ keys: edited.rules.map(({ key }) => key), version: groupRulesVersion });
      // What was typed since then stays, over what was stored.
      setEdited((latest) => (latest === edited || !latest ? null : { ...latest, from: groupRulesVersion }));
    } catch (error) {
      if (issueOf(error, "groupRulesVersion") === null) throw error;
      await queries.invalidateQueries({ queryKey: ["identity-configs"] });
      setRefusal(error);
      return;
    }
    toast({ title: text.saved });
  });
  const isOvertaken = edited !== null && edited.from !== config.groupRulesVersion && !save.pending;
  return (
    <>
      <Form onSubmit={() => void save.run()}>
        <Card title={text.settings}>
          <div className={styles["stack"]}>
            <TextField
              label={text.claim}
              hint={text.claimHint}
              mono
              maxLength={512}
              value={claim}
              onValue={(value) => edits.set({ claim: value })}
              error={issueOf(save.error, "groupsClaim")}
            />
            {rules.map((rule, index) => (
              <Rule
                key={rule.key}
                rule={rule}
                position={index + 1}
                fault={(faults ?? stored.faults).get(rule.key) ?? {}}
                onChange={(changes) => change(rule.key, changes)}
                onRemove={() => setRules(rules.filter(({ key }) => key !== rule.key))}
              />
            ))}
            <div>
              <Button onClick={() => setRules([...rules, newRule()])}>{text.add}</Button>
            </div>
            <CheckField label={text.deny} checked={deny} onValue={(value) => edits.set({ deny: value })} />
            <Failure error={save.error} />
            {isOvertaken ? (
              <Overtaken
                stored={stored.rules}
                onTakeStored={takeStored}
                onKeepMine={() => {
                  saveButton.current?.focus();
                  void save.run(config.groupRulesVersion);
                }}
                refusal={refusal}
              />
            ) : null}
            <div>
              <Button ref={saveButton} type="submit" kind="primary" pending={save.pending}>
                {words.ui.save}
              </Button>
            </div>
          </div>
        </Card>
      </Form>
      <DryRun
        id={config.id}
        claim={claim.trim()}
        state={JSON.stringify([claim, deny, rules], withoutKeys)}
        typed={typed}
      />
    </>
  );
}

/** Leaves out of JSON what tells rules apart in the form only. */
const withoutKeys = (name: string, value: unknown) => (name === "key" ? undefined : value);

interface OvertakenProps {
  stored: readonly EditedRule[];
  onTakeStored: () => void;
  onKeepMine: () => void;
  /** The last refused attempt to save. */
  refusal: unknown;
}

/** The rules that others stored meanwhile, beside those that are typed. */
function Overtaken({ stored, onTakeStored, onKeepMine, refusal }: OvertakenProps) {
  return (
    <Notice
      kind="error"
      focusFor={refusal}
      action={
        <>
          <Button onClick={onTakeStored}>{text.takeStored}</Button>
          <Button onClick={onKeepMine}>{text.keepMine}</Button>
        </>
      }
    >
      {text.changedMeanwhile}
      <ul>
        {stored.map((rule) => (
          <li key={rule.key}>{text.storedRule(rule.group, givenBy(rule))}</li>
        ))}
        {stored.length === 0 ? <li>{text.noneStored}</li> : null}
      </ul>
    </Notice>
  );
}

function givenBy({ role, target, name, access, hosts, types }: EditedRule): string {
  const place = target === "groupName" ? text.ofGroup(name) : target === "tag" ? text.ofTag(name) : name;
  return [
    ...(role === "" ? [] : [text.roles[role]]),
    ...(target === ""
      ? []
      : [
          text.grant(
            text.accesses[access],
            hosts === "*" ? text.allHosts : hosts,
            types === "" ? "" : text.onlyTypes(types),
            place || text.deletedZone,
          ),
        ]),
  ].join(", ");
}

interface RuleProps {
  rule: EditedRule;
  /** From 1. */
  position: number;
  fault: RuleFault;
  onChange: (changes: Partial<EditedRule>) => void;
  onRemove: () => void;
}

const optionsOf = <Value extends string>(labels: Readonly<Record<Value, string>>) =>
  Object.entries<string>(labels).map(([value, label]) => ({ value: value as Value, label }));

function Rule({ rule, position, fault, onChange, onRemove }: RuleProps) {
  const { group, role, target, name, access, hosts, types } = rule;
  const errorOf = (field: keyof RuleFault) => (fault[field] ? faultTexts[fault[field]] : null);
  return (
    <fieldset className={styles["rule"]}>
      <legend>{text.rule(position)}</legend>
      <TextField
        label={text.group}
        hint={text.groupHint}
        maxLength={256}
        value={group}
        onValue={(value) => onChange({ group: value })}
        error={errorOf("group")}
      />
      <SelectField
        label={text.role}
        value={role}
        options={[{ value: "", label: text.noRole }, ...optionsOf(text.roles)]}
        onValue={(value) => onChange({ role: value })}
        error={errorOf("role")}
      />
      <SelectField
        label={text.gives}
        value={target}
        options={optionsOf(text.targets)}
        onValue={(value) => onChange({ target: value, name: "" })}
      />
      {target === "domain" ? (
        <ZoneField
          label={text.names.domain}
          hint={null}
          value={name}
          onValue={(value) => onChange({ name: value })}
          error={errorOf("name")}
        />
      ) : target === "" ? null : (
        <TextField
          label={text.names[target]}
          maxLength={100}
          value={name}
          onValue={(value) => onChange({ name: value })}
          error={errorOf("name")}
        />
      )}
      {target === "" ? null : (
        <>
          <SelectField
            label={text.access}
            value={access}
            options={optionsOf(text.accesses)}
            onValue={(value) => onChange({ access: value })}
          />
          <TextField
            label={text.hosts}
            hint={text.hostsHint}
            mono
            maxLength={512}
            value={hosts}
            onValue={(value) => onChange({ hosts: value })}
          />
          <TextField
            label={text.types}
            hint={text.typesHint}
            mono
            value={types}
            onValue={(value) => onChange({ types: value })}
          />
        </>
      )}
      <div>
        <Button aria-label={text.removeOf(position)} onClick={onRemove}>
          {text.remove}
        </Button>
      </div>
    </fieldset>
  );
}

interface DryRunProps {
  id: string;
  claim: string;
  /** What is typed above: a result of something else is outdated. */
  state: string;
  typed: () => Promise<object | null>;
}

/** What somebody with some groups would get by the rules as they are typed. */
function DryRun({ id, claim, state, typed }: DryRunProps) {
  const [groups, setGroups] = useState("");
  const [json, setJson] = useState("");
  const [isWrong, setIsWrong] = useState(false);
  const [tested, setTested] = useState<{ result: Tested; of: string } | null>(null);
  const now = `${state} ${groups} ${json}`;
  const run = useAction(async () => {
    const claims = json.trim() === "" ? claimsOf(claim, linesOf(groups)) : objectIn(json);
    setIsWrong(claims === null);
    const fields = await typed();
    if (claims === null || fields === null) return;
    setTested({ result: await client.identityConfigs.testGroups.mutate({ id, claims, ...fields }), of: now });
  });
  return (
    <Card title={text.tryTitle} hint={text.tryHint}>
      <Form onSubmit={() => void run.run()}>
        <TextArea label={text.person} hint={text.personHint} mono rows={3} value={groups} onValue={setGroups} />
        <details className={styles["details"]}>
          <summary>{text.claims}</summary>
          <div>
            <TextArea
              label={text.claims}
              hint={text.claimsHint}
              mono
              rows={5}
              value={json}
              onValue={setJson}
              error={isWrong ? text.claimsWrong : issueOf(run.error, "claims")}
            />
          </div>
        </details>
        <Failure error={run.error} />
        <div>
          <Button type="submit" pending={run.pending}>
            {text.try}
          </Button>
        </div>
      </Form>
      {tested ? <Result result={tested.result} isOutdated={tested.of !== now} /> : null}
    </Card>
  );
}

const linesOf = (typed: string) =>
  typed
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

function objectIn(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function Result({ result, isOutdated }: { result: Tested; isOutdated: boolean }) {
  const { groups, matchedRules, role, assignments, allowed, withheld } = result;
  const zones = useQuery({
    queryKey: ["zone-names-by-id", assignments.flatMap(({ domainId }) => domainId ?? [])],
    queryFn: async ({ signal }) => await zoneNames(assignments, signal),
  }).data;
  const placeOf = ({ domainId, groupName, tag }: Tested["assignments"][number]) =>
    domainId !== null
      ? ((zones ? zones.get(domainId) : "…") ?? text.deletedZone)
      : groupName !== null
        ? text.ofGroup(groupName)
        : text.ofTag(tag ?? "");
  return (
    <section aria-label={text.result} className={styles["result"]}>
      {isOutdated ? <p>{text.outdated}</p> : null}
      <Notice kind={withheld || !allowed ? "error" : "success"}>
        {withheld ? text.withheld : allowed ? text.allowed : text.refused}
      </Notice>
      <p>{groups.length === 0 ? text.noneFound : text.found(groups.join(", "))}</p>
      <p>
        {matchedRules.length === 0
          ? text.noRule
          : text.applies(matchedRules.map((position) => String(position + 1)).join(", "))}
      </p>
      <p>{role === null ? text.keepsRole : text.getsRole(text.roles[role])}</p>
      {assignments.length === 0 ? (
        <p>{text.getsNothing}</p>
      ) : (
        <>
          <p>{text.gets}</p>
          <ul>
            {assignments.map((each) => (
              <li key={JSON.stringify(each)}>
                {text.grant(
                  text.accesses[each.access],
                  each.subdomainPattern === "*" ? text.allHosts : each.subdomainPattern,
                  each.recordTypes.length === 0 ? "" : text.onlyTypes(each.recordTypes.join(", ")),
                  placeOf(each),
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
