import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plug, Plus } from "lucide-react";
import { useState } from "react";
import { client, messageOf } from "../api.ts";
import { AskFirst } from "../ui/ask-first.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { formatAgo, formatNumber } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Empty, Page } from "../ui/page.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { useQueue } from "../ui/use-queue.ts";
import { adminWords } from "../words/admin.ts";
import { locale } from "../words/language.ts";
import { words } from "../words/words.ts";
import { AdminOnly } from "./admin-only.tsx";
import { KindMark } from "./kind-mark.tsx";
import type { ProviderConfig, ProviderKind } from "./provider-fields.ts";
import { ProviderForm } from "./provider-form.tsx";
import { configsChanged, providerConfigs, providerKinds, testConfig } from "./provider-queries.ts";
import { FaultRow, RowMenu, Table } from "./table.tsx";
import styles from "./admin.module.css";

const text = adminWords.providers;

/** The provider configurations. */
export function ProvidersPage() {
  return (
    <AdminOnly>
      <Providers />
    </AdminOnly>
  );
}

function Providers() {
  const { data: kinds } = useSuspenseQuery(providerKinds);
  const { data: configs } = useSuspenseQuery(providerConfigs);
  const [edited, setEdited] = useState<ProviderConfig | null>(null);
  const [leaving, setLeaving] = useState<ProviderConfig | null>(null);
  const kindOf = (kind: string) => kinds.find((each) => each.kind === kind);
  const remove = useQueue(async ({ id, name }: ProviderConfig) => {
    await client.providerConfigs.delete.mutate({ id });
    await configsChanged();
    toast({ title: text.deleted(name) });
  });
  const editedKind = edited && kindOf(edited.kind);
  return (
    <Page
      title={text.title}
      actions={
        <Link to="/admin/providers/new" className={buttonClass("primary")}>
          <Plus aria-hidden /> {text.add}
        </Link>
      }
    >
      <Failure error={remove.error} />
      {configs.length === 0 ? (
        <Empty icon={<Plug aria-hidden />} title={text.emptyTitle}>
          {text.empty}
        </Empty>
      ) : (
        <Table columns={[text.name, text.kind, { label: text.domains, isNumber: true }, text.connection]} hasActions>
          {configs.map((config) => (
            <Row
              key={config.id}
              config={config}
              kind={kindOf(config.kind)}
              onEdit={() => setEdited(config)}
              onDelete={() => setLeaving(config)}
            />
          ))}
        </Table>
      )}
      {edited && editedKind ? (
        <Dialog open title={text.editTitle(edited.name)} onClose={() => setEdited(null)}>
          <ProviderForm
            kind={editedKind}
            config={configs.find(({ id }) => id === edited.id) ?? edited}
            initialName={edited.name}
            onDone={({ name }) => {
              setEdited(null);
              toast({ title: words.ui.saved, description: name });
            }}
          />
        </Dialog>
      ) : null}
      {leaving ? (
        <Leave config={leaving} onClose={() => setLeaving(null)} onConfirm={() => void remove.run(leaving)} />
      ) : null}
    </Page>
  );
}

/** The number of domains that use a configuration; null until known. */
function useDomainCount(id: string): number | null {
  const { data } = useQuery({
    queryKey: ["domains", "count", id],
    queryFn: async ({ signal }) =>
      (await client.domains.list.query({ providerConfigId: id, limit: 1 }, { signal })).total,
  });
  return data ?? null;
}

interface RowProps {
  config: ProviderConfig;
  kind: ProviderKind | undefined;
  onEdit: () => void;
  onDelete: () => void;
}

function Row({ config, kind, onEdit, onDelete }: RowProps) {
  const count = useDomainCount(config.id);
  const test = useAction(async () => await testConfig(config.id));
  const fault = test.error === null ? config.lastTest?.error : messageOf(test.error);
  return (
    <>
      <tr>
        <td className={styles["main"]}>
          {config.name} {config.membersMayUse ? <span className={styles["chip"]}>{text.forMembers}</span> : null}
        </td>
        <td>
          <span className={styles["marked"]}>
            <KindMark kind={config.kind} name={kind?.name ?? config.kind} />
            {kind?.name ?? config.kind}
          </span>
        </td>
        <td className={styles["number"]} data-unit={adminWords.users.owned(count ?? 0)}>
          {count === null ? null : count === 0 ? (
            "0"
          ) : (
            <Link to="/" search={{ provider: config.id }}>
              {formatNumber(count)}
            </Link>
          )}
        </td>
        <td className={styles["nowrap"]}>
          <span role="status">
            {config.kind === "manual" ? "–" : <Connection tested={config.lastTest} running={test.pending} />}
          </span>
          {config.calls ? <small className={styles["calls"]}>{inWords(config.calls)}</small> : null}
        </td>
        <td className={styles["actions"]}>
          <div>
            {kind && kind.kind !== "manual" ? (
              <>
                <Button aria-label={text.testOf(config.name)} pending={test.pending} onClick={() => void test.run()}>
                  {text.test}
                </Button>
                <Link
                  to="/admin/providers/$id/zones"
                  params={{ id: config.id }}
                  className={buttonClass()}
                  aria-label={text.zonesOf(config.name)}
                  preload={false}
                >
                  {text.zones}
                </Link>
              </>
            ) : null}
            <RowMenu
              label={text.more(config.name)}
              groups={[
                [{ id: "edit", label: words.ui.edit, run: onEdit }],
                [{ id: "delete", label: words.ui.delete, run: onDelete, danger: true }],
              ]}
            />
          </div>
        </td>
      </tr>
      {fault ? <FaultRow columns={5}>{fault}</FaultRow> : null}
    </>
  );
}

/** The calls that the account's rate limit leaves, in words. */
function inWords({ left, limit, seconds, resetsAt }: NonNullable<ProviderConfig["calls"]>): string {
  if (left === 0 && resetsAt !== null) return text.noCallsLeft(formatAgo(resetsAt));
  if (limit === null) return text.callsLeft(formatNumber(left));
  if (seconds === null) return text.callsLeftOf(formatNumber(left), formatNumber(limit));
  return text.callsLeftWithin(formatNumber(left), formatNumber(limit), period(seconds));
}

/** “5 minutes”, “1 hour”. */
function period(seconds: number): string {
  const [unit, size] = (
    [
      ["hour", 3_600],
      ["minute", 60],
    ] as const
  ).find(([, each]) => seconds % each === 0) ?? ["second", 1];
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(seconds / size);
}

function Connection({ tested, running }: { tested: ProviderConfig["lastTest"]; running: boolean }) {
  if (running) return text.testing;
  if (!tested) return text.notTested;
  const { success: good, zones } = tested;
  const outcome = good ? text.works(zones ?? 0) : text.fails;
  return (
    <>
      <i className={styles["dot"]} data-state={good ? "good" : "bad"} aria-hidden />
      {text.testedAt(outcome, formatAgo(tested.testedAt))}
    </>
  );
}

/** Asks before a configuration is deleted, or says what prevents it. */
function Leave({ config, onClose, onConfirm }: { config: ProviderConfig; onClose: () => void; onConfirm: () => void }) {
  const count = useDomainCount(config.id) ?? 0;
  if (count === 0) {
    return (
      <AskFirst title={text.deleteTitle(config.name)} action={words.ui.delete} onConfirm={onConfirm} onClose={onClose}>
        {text.deleteHint}
      </AskFirst>
    );
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={text.deleteTitle(config.name)}
      footer={
        <>
          <Button onClick={onClose}>{words.ui.close}</Button>
          <Link to="/" search={{ provider: config.id }} className={buttonClass("primary")}>
            {text.showDomains}
          </Link>
        </>
      }
    >
      {text.inUse(count)}
    </Dialog>
  );
}
