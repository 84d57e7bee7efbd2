import { useQuery } from "@tanstack/react-query";
import { isZonewrightError, type RouterOutputs } from "@zonewright/client";
import { useState } from "react";
import { client, healing, queries } from "../../api.ts";
import { useUser } from "../../session/current-user.ts";
import { AskFirst } from "../../ui/ask-first.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckField } from "../../ui/field.tsx";
import { forPeople } from "../../ui/for-people.ts";
import { formatNumber } from "../../ui/format.ts";
import { Failure } from "../../ui/notice.tsx";
import { Card } from "../../ui/page.tsx";
import { toast } from "../../ui/toast.tsx";
import { useAction } from "../../ui/use-action.ts";
import { zoneWords } from "../../words/zone.ts";
import { words } from "../../words/words.ts";
import { useProviderConfigs } from "../use-provider-configs.ts";
import type { Zone } from "../use-zone.ts";
import styles from "../zone.module.css";
import { AddMirror } from "./add-mirror.tsx";

const text = zoneWords.mirrors;

type Mirror = RouterOutputs["mirrors"]["list"]["mirrors"][number];

/** Milliseconds between two looks at mirrors that are not in sync. */
const lookAgain = 2_000;

/** The provider configurations that follow a zone. */
export function Mirrors({ zone }: { zone: Zone }) {
  const { id } = zone;
  const user = useUser();
  const configs = useProviderConfigs();
  const list = useQuery({
    queryKey: ["mirrors", id, zone.revision],
    queryFn: async ({ signal }) => await client.mirrors.list.query({ id }, { signal }),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) =>
      healing(state.error) ||
      (state.data?.mirrors.some((mirror) => mirror.state === "behind" || mirror.state === "failing")
        ? lookAgain
        : false),
  });
  const mirrors = list.data?.mirrors ?? [];
  const taken = new Set([zone.providerConfigId, ...mirrors.map(({ providerConfigId }) => providerConfigId)]);
  const free = configs.filter(
    ({ id: config, kind, membersMayUse }) =>
      !taken.has(config) && kind !== "manual" && (user.role === "admin" || membersMayUse),
  );
  const [adding, setAdding] = useState(false);
  return (
    <Card
      title={text.title}
      hint={text.hint}
      flush
      action={free.length === 0 ? null : <Button onClick={() => setAdding(true)}>{text.add}</Button>}
    >
      <Failure error={list.error} />
      {list.isSuccess && mirrors.length === 0 ? (
        <p className={styles["inset"]}>{free.length === 0 ? text.noConfig : text.none}</p>
      ) : null}
      <ul className={styles["list"]} aria-label={text.title}>
        {mirrors.map((mirror) => (
          <MirrorRow
            key={mirror.id}
            zoneId={id}
            mirror={mirror}
            name={configs.find((config) => config.id === mirror.providerConfigId)?.name ?? mirror.kind}
          />
        ))}
      </ul>
      {adding ? <AddMirror zone={zone} configs={free} onClose={() => setAdding(false)} /> : null}
    </Card>
  );
}

function MirrorRow({ zoneId, mirror, name }: { zoneId: string; mirror: Mirror; name: string }) {
  const { state, onDrift, revision, foreign, unsupported, error } = mirror;
  const [removing, setRemoving] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const [drops, setDrops] = useState(false);
  const reload = () => queries.invalidateQueries({ queryKey: ["mirrors", zoneId] });
  const reconcile = useAction(async (force: boolean) => {
    await client.mirrors.reconcile.mutate({ id: zoneId, mirrorId: mirror.id, ...(force ? { force } : {}) });
    await reload();
  });
  const remove = useAction(async () => {
    await client.mirrors.delete.mutate({ id: zoneId, mirrorId: mirror.id, ...(drops ? { force: "true" } : {}) });
    await reload();
    toast({ title: text.removed(name) });
  });
  const endRemoving = () => {
    setRemoving(false);
    setDrops(false);
    remove.reset();
  };
  const mustConfirm = isZonewrightError(remove.error) && remove.error.code === "CONFIRMATION_REQUIRED";
  // Records of others that are too many to be deleted without asking.
  const hasForeign = state === "failing" && onDrift === "restore" && foreign > 0;
  const facts = [
    text.states[state],
    revision === null ? "" : text.revision(formatNumber(revision)),
    foreign === 0 ? "" : text.foreign(foreign),
    unsupported === 0 ? "" : text.unsupported(unsupported),
  ];
  return (
    <li className={styles["item"]}>
      <span>
        <span>
          <i className={styles["dot"]} data-state={dots[state]} aria-hidden /> {name}
        </span>
        <small>{facts.filter(Boolean).join(", ")}</small>
        {error === null ? null : <small>{forPeople(error)}</small>}
        <Failure error={reconcile.error} />
      </span>
      <span className={styles["actions"]}>
        {hasForeign ? <Button onClick={() => setDeleting(true)}>{text.deleteForeign}</Button> : null}
        <Button pending={reconcile.pending} onClick={() => void reconcile.run(false)}>
          {text.reconcile}
        </Button>
        <Button onClick={() => setRemoving(true)}>{text.remove}</Button>
      </span>
      <Dialog
        open={removing}
        onClose={endRemoving}
        title={text.removeTitle(name)}
        footer={
          <>
            <Button onClick={endRemoving}>{words.ui.cancel}</Button>
            <Button
              kind="danger"
              disabled={mustConfirm && !drops}
              pending={remove.pending}
              onClick={() => void remove.run()}
            >
              {text.remove}
            </Button>
          </>
        }
      >
        <p>{text.removeText}</p>
        <Failure error={remove.error} />
        {mustConfirm || drops ? (
          <CheckField label={zoneWords.dropAtSecondaries} checked={drops} onValue={setDrops} />
        ) : null}
      </Dialog>
      {deleting ? (
        <AskFirst
          title={text.deleteForeignTitle(name)}
          action={text.deleteForeignNow}
          onConfirm={() => void reconcile.run(true)}
          onClose={() => setDeleting(false)}
        >
          <p>{text.deleteForeignText(foreign)}</p>
        </AskFirst>
      ) : null}
    </li>
  );
}

const dots = { in_sync: "sync", behind: "drift", failing: "error", unsupported: "drift" } as const;
