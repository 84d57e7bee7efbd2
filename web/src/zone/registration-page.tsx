import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { RouterOutputs } from "@zonewright/client";
import { useState } from "react";
import { client, queries } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Form, SelectField } from "../ui/field.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { Card, useTitle } from "../ui/page.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { registrationWords } from "../words/registration.ts";
import { words } from "../words/words.ts";
import { ChangeRegistration, type Wanted } from "./registration-change.tsx";
import { DnssecCard, useDnssec } from "./registration-dnssec.tsx";
import { Certificates } from "./registration-certificates.tsx";
import { RegistrationFacts } from "./registration-facts.tsx";
import { worstFirst } from "./harms.ts";
import { useManages } from "./rights.ts";
import { refreshZone, storeZone, useZone, useZoneName, zoneName, type Zone } from "./use-zone.ts";
import styles from "./zone.module.css";

const text = registrationWords;

type Registration = RouterOutputs["registrations"]["get"];
type Dnssec = RouterOutputs["dnssec"]["get"];
type Delegation = RouterOutputs["delegation"]["get"];

/** What registrar, registry and the parent zone say of a domain, and what to do about it. */
export function RegistrationPage() {
  const zone = useZone();
  return <Registered key={zone.id} zone={zone} />;
}

function Registered({ zone }: { zone: Zone }) {
  const { id } = zone;
  const name = useZoneName();
  const navigate = useNavigate();
  const manages = useManages(zone);
  const isAdmin = useUser().role === "admin";
  useTitle(`${text.title} · ${zoneName({ ...zone, name: zone.nameUnicode })}`);
  const { data, error } = useQuery({
    queryKey: ["registration", id],
    queryFn: async ({ signal }) => await client.registrations.get.query({ id }, { signal }),
  });
  const dnssec = useDnssec(id);
  const delegation = useQuery({
    queryKey: ["delegation", id],
    queryFn: async ({ signal }) => await client.delegation.get.query({ id }, { signal }),
  });
  /** What the form of a change starts with; null while it is closed. */
  const [opened, setOpened] = useState<Wanted | null>(null);
  /** What takes the last change back. */
  const [undo, setUndo] = useState<Wanted | null>(null);
  /** Whether the registrar may have the change, but nobody answered. */
  const [isUnknown, setIsUnknown] = useState(false);
  const reread = async () => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: ["registration", id] }),
      queries.invalidateQueries({ queryKey: ["dnssec", id] }),
      queries.invalidateQueries({ queryKey: ["delegation", id] }),
      refreshZone(name),
    ]);
  };
  const check = useAction(async () => {
    const [expiry, delegation, signing] = await Promise.allSettled([
      client.domains.checkExpiry.mutate({ id }),
      client.delegation.check.mutate({ id }),
      client.dnssec.check.mutate({ id }),
    ]);
    await reread();
    if (expiry.status === "rejected") throw expiry.reason;
    if (!expiry.value.success) throw new Error(expiry.value.error ?? text.notFound);
    for (const seen of [delegation, signing]) if (seen.status === "rejected") throw seen.reason;
  });
  const account = data?.registrar ?? null;
  const isHere = data?.name === zone.name && zone.view === "";
  const changes = manages && isHere && account ? account.changes : [];
  return (
    <div className={styles["page"]}>
      <Failure error={error ?? delegation.error} />
      {data && !isHere ? <Elsewhere registered={data.name} zone={zone} /> : null}
      {undo ? (
        <Notice
          kind={isUnknown ? "warning" : "success"}
          action={
            Object.keys(undo).length > 0 ? <Button onClick={() => setOpened(undo)}>{text.undo}</Button> : undefined
          }
        >
          {isUnknown ? text.doneUnknown : text.done}
        </Notice>
      ) : null}
      {data ? (
        <Findings
          found={[
            ...data.findings,
            ...(dnssec.data?.findings ?? []),
            ...delegationFindings(delegation.data, dnssec.data),
          ]}
          none={
            delegation.data && dnssec.data
              ? whyNone(data, delegation.data, dnssec.data)
              : delegation.error || dnssec.error
                ? null
                : words.ui.loading
          }
          changes={changes}
          onChange={setOpened}
        />
      ) : null}
      <Card
        title={text.facts}
        hint={text.factsHint}
        flush
        action={
          manages ? (
            <div className={styles["actions"]}>
              <Button pending={check.pending} onClick={() => void check.run()}>
                {check.pending ? words.ui.loading : text.checkNow}
              </Button>
              {changes.length > 0 ? <Button onClick={() => setOpened({})}>{text.change}</Button> : null}
            </div>
          ) : null
        }
      >
        <Failure error={check.error} />
        {data ? (
          <RegistrationFacts registration={data} />
        ) : (
          <p className={styles["inset"]}>{error ? null : words.ui.loading}</p>
        )}
      </Card>
      <DnssecCard id={id} manages={manages} onRegistrar={setOpened} onChanged={reread} />
      <Certificates id={id} zone={zone.nameUnicode} manages={manages} />
      {isAdmin ? <Account zone={zone} onSaved={reread} /> : null}
      {opened && data && account ? (
        <ChangeRegistration
          id={id}
          name={data.name}
          account={account}
          wanted={opened}
          onDone={(before) => {
            setOpened(null);
            setIsUnknown(false);
            void reread().finally(() => setUndo(before));
          }}
          onRequested={({ id: requestId, number }) => {
            setOpened(null);
            void queries.invalidateQueries({ queryKey: ["requests"] });
            toast({
              title: text.requested(String(number)),
              action: {
                label: text.openRequest,
                run: () => void navigate({ to: "/requests/$id", params: { id: requestId } }),
              },
            });
          }}
          onClose={(tried) => {
            setOpened(null);
            if (tried === null) return;
            setUndo(tried);
            setIsUnknown(true);
          }}
        />
      ) : null}
    </div>
  );
}

function Elsewhere({ registered, zone }: { registered: string; zone: Zone }) {
  return (
    <Notice
      kind="info"
      action={
        <Link to="/d/$name/registration" params={{ name: registered }} className={buttonClass()} preload={false}>
          {text.openOf(registered)}
        </Link>
      }
    >
      {registered === zone.name ? text.viewOf : text.of(registered)}
    </Notice>
  );
}

const dots = { error: "error", warning: "drift", info: "sync" } as const;

/** What changes the state that a finding is about. */
const remedies: Readonly<Record<string, Wanted | undefined>> = {
  unlocked: { locked: true },
  auto_renew_off: { autoRenew: true },
  expires_without_renewal: { autoRenew: true },
};

/** Returns the findings of a delegation that nobody snoozed, without those that the check of DNSSEC words better. */
function delegationFindings(delegation: Delegation | undefined, dnssec: Dnssec | undefined): Delegation["findings"] {
  const isWorded = (dnssec?.findings ?? []).some(({ code }) => code === "ds_mismatch" || code === "ds_missing");
  return (delegation?.findings ?? []).filter(
    ({ code, snoozedUntil }) =>
      !(isWorded && (code === "ds_without_dnskey" || code === "dnskey_without_ds")) &&
      (snoozedUntil === null || snoozedUntil.getTime() <= Date.now()),
  );
}

/** Returns what to say where nothing was found: that all is well, if somebody was asked. */
function whyNone({ registrar, registry }: Registration, delegation: Delegation, dnssec: Dnssec): string {
  const times = [registrar?.seenAt, registry?.checkedAt, delegation.checkedAt, dnssec.checkedAt];
  return times.some(Boolean) ? text.fine : (delegation.notCheckedBecause ?? text.nothing);
}

interface FindingsProps {
  found: readonly (Registration | Dnssec | Delegation)["findings"][number][];
  /** What to say instead of an empty list. */
  none: string | null;
  /** What the user can change here. */
  changes: readonly string[];
  onChange: (wanted: Wanted) => void;
}

function Findings({ found, none, changes, onChange }: FindingsProps) {
  return (
    <Card title={text.findings} flush>
      {found.length === 0 ? <p className={styles["inset"]}>{none}</p> : null}
      <ul className={styles["list"]} aria-label={text.findings}>
        {worstFirst(found).map(({ code, severity, message }) => {
          const remedy = remedies[code];
          const mayMend = remedy && Object.keys(remedy).every((field) => changes.includes(field));
          return (
            <li key={`${code} ${message}`} className={styles["item"]}>
              <span>
                <i className={styles["dot"]} data-state={dots[severity]} aria-hidden />
                <span className="sr">{text.severities[severity]}: </span>
                {message}
              </span>
              {mayMend ? (
                <Button onClick={() => onChange(remedy)}>{remedy.locked ? text.turnOnLock : text.turnOnRenewal}</Button>
              ) : null}
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

/** Which account the domain is registered with, for administrators. */
function Account({ zone, onSaved }: { zone: Zone; onSaved: () => Promise<void> }) {
  const name = useZoneName();
  const { data, error } = useQuery({
    queryKey: ["registrar-configs"],
    queryFn: async ({ signal }) => await client.registrarConfigs.list.query({}, { signal }),
  });
  const [chosen, setChosen] = useState<string | null>(null);
  const present = zone.registrarConfigId ?? "";
  const value = chosen ?? present;
  const save = useAction(async () => {
    storeZone(
      name,
      await client.domains.update.mutate({ id: zone.id, registrarConfigId: value === "" ? null : value }),
    );
    setChosen(null);
    await onSaved();
    toast({ title: value === "" ? words.ui.saved : text.accountSaved });
  });
  return (
    <Card title={text.account} hint={text.accountHint}>
      <Failure error={error} />
      {data?.configs.length === 0 ? (
        <p>
          {text.noAccounts}{" "}
          <Link to="/admin/registrars" preload={false}>
            {text.connectAccount}
          </Link>
        </p>
      ) : null}
      {data && data.configs.length > 0 ? (
        <Form onSubmit={() => void save.run()}>
          <div className={styles["pair"]}>
            <SelectField
              label={text.accountField}
              value={value}
              onValue={setChosen}
              options={[
                { value: "", label: text.noAccount },
                ...data.configs.map((config) => ({ value: config.id, label: config.name })),
              ]}
            />
          </div>
          <Failure error={save.error} />
          {value === present ? null : (
            <div className={styles["actions"]}>
              <Button type="submit" kind="primary" pending={save.pending}>
                {words.ui.save}
              </Button>
            </div>
          )}
        </Form>
      ) : null}
    </Card>
  );
}
