import { queryOptions, useQuery } from "@tanstack/react-query";
import { isZonewrightError, type RouterOutputs } from "@zonewright/client";
import { BadgeCheck, Plus } from "lucide-react";
import { useState } from "react";
import { client, messageOf, queries } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { AskFirst } from "../ui/ask-first.tsx";
import { Button } from "../ui/button.tsx";
import { forPeople } from "../ui/for-people.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { Empty, Page } from "../ui/page.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { useQueue } from "../ui/use-queue.ts";
import { adminWords } from "../words/admin.ts";
import { words } from "../words/words.ts";
import { AdminOnly } from "./admin-only.tsx";
import { RegistrarForm, type RegistrarConfig } from "./registrar-form.tsx";
import { RegistrarNames } from "./registrar-names.tsx";
import { FaultRow, RowMenu, Table } from "./table.tsx";
import styles from "./admin.module.css";

const text = adminWords.registrars;

/** The registrar configurations, by name, and the kinds. */
const registrarList = queryOptions({
  queryKey: ["registrar-configs"],
  queryFn: async ({ signal }) => await client.registrarConfigs.list.query({}, { signal }),
});

async function registrarsChanged(): Promise<void> {
  await queries.invalidateQueries({ queryKey: registrarList.queryKey });
}

/** The accounts at registrars. */
export function RegistrarsPage() {
  return (
    <AdminOnly auditors>
      <Registrars />
    </AdminOnly>
  );
}

function Registrars() {
  const isAdmin = useUser().role === "admin";
  const { data, error } = useQuery(registrarList);
  /** What a form is open for: a configuration, or a new one. */
  const [edited, setEdited] = useState<RegistrarConfig | "new" | null>(null);
  const [leaving, setLeaving] = useState<RegistrarConfig | null>(null);
  const [read, setRead] = useState<RegistrarConfig | null>(null);
  const remove = useQueue(async ({ id, name }: RegistrarConfig) => {
    await client.registrarConfigs.delete.mutate({ id });
    await registrarsChanged();
    toast({ title: text.deleted(name) });
  });
  return (
    <Page
      title={text.title}
      actions={
        isAdmin && data ? (
          <Button kind="primary" onClick={() => setEdited("new")}>
            <Plus aria-hidden /> {text.add}
          </Button>
        ) : null
      }
    >
      <p className={styles["lead"]}>{text.hint}</p>
      <Failure error={error} />
      {remove.error === null ? null : (
        <Notice kind="error" focusFor={remove.error}>
          {forPeople(messageOf(remove.error))}{" "}
          {isZonewrightError(remove.error) && remove.error.code === "CONFLICT" ? text.inUse : null}
        </Notice>
      )}
      {data?.configs.length === 0 ? (
        <Empty icon={<BadgeCheck aria-hidden />} title={text.emptyTitle}>
          {text.empty}
        </Empty>
      ) : null}
      {data && data.configs.length > 0 ? (
        <Table columns={[text.name, text.changes, ...(isAdmin ? [text.connection] : [])]} hasActions>
          {data.configs.map((config) => (
            <Row
              key={config.id}
              config={config}
              kindName={data.kinds.find(({ kind }) => kind === config.kind)?.name ?? config.kind}
              isAdmin={isAdmin}
              onNames={() => setRead(config)}
              onEdit={() => setEdited(config)}
              onDelete={() => setLeaving(config)}
            />
          ))}
        </Table>
      ) : null}
      {edited !== null && data ? (
        <RegistrarForm
          kinds={data.kinds}
          taken={data.configs.map(({ name }) => name)}
          config={edited === "new" ? null : (data.configs.find(({ id }) => id === edited.id) ?? edited)}
          onSaved={registrarsChanged}
          onClose={() => setEdited(null)}
        />
      ) : null}
      {read ? <RegistrarNames config={read} mayConnect={isAdmin} onClose={() => setRead(null)} /> : null}
      {leaving ? (
        <AskFirst
          title={text.deleteTitle(leaving.name)}
          action={words.ui.delete}
          onConfirm={() => void remove.run(leaving)}
          onClose={() => setLeaving(null)}
        >
          {text.deleteHint}
        </AskFirst>
      ) : null}
    </Page>
  );
}

interface RowProps {
  config: RegistrarConfig;
  kindName: string;
  isAdmin: boolean;
  onNames: () => void;
  onEdit: () => void;
  onDelete: () => void;
}

function Row({ config: { id, name, changes }, kindName, isAdmin, onNames, onEdit, onDelete }: RowProps) {
  const [tested, setTested] = useState<RouterOutputs["registrarConfigs"]["test"] | null>(null);
  const test = useAction(async () => {
    setTested(null);
    setTested(await client.registrarConfigs.test.mutate({ id }));
  });
  const fault = test.error === null ? tested?.error : messageOf(test.error);
  return (
    <>
      <tr>
        <td className={styles["main"]}>
          {name}
          <small>{kindName}</small>
        </td>
        <td data-label={text.changes}>{changes.map((field) => text.fields[field]).join(", ")}</td>
        {isAdmin ? (
          <td className={styles["nowrap"]}>
            <span role="status">
              {test.pending ? text.testing : tested ? <Outcome tested={tested} /> : text.notTested}
            </span>
          </td>
        ) : null}
        <td className={styles["actions"]}>
          <div>
            {isAdmin ? (
              <Button aria-label={text.testOf(name)} pending={test.pending} onClick={() => void test.run()}>
                {text.test}
              </Button>
            ) : null}
            <Button aria-label={text.namesOf(name)} onClick={onNames}>
              {text.names}
            </Button>
            {isAdmin ? (
              <RowMenu
                label={text.more(name)}
                groups={[
                  [{ id: "edit", label: words.ui.edit, run: onEdit }],
                  [{ id: "delete", label: words.ui.delete, run: onDelete, danger: true }],
                ]}
              />
            ) : null}
          </div>
        </td>
      </tr>
      {fault ? <FaultRow columns={4}>{fault}</FaultRow> : null}
    </>
  );
}

function Outcome({ tested: { success: good, domains } }: { tested: RouterOutputs["registrarConfigs"]["test"] }) {
  return (
    <>
      <i className={styles["dot"]} data-state={good ? "good" : "bad"} aria-hidden />
      {good ? text.works(domains ?? 0) : text.fails}
    </>
  );
}
