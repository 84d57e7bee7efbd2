import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Snapshot } from "@zonewright/client";
import { useId, useState } from "react";
import { client, issueOf, queries } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Form, SelectField, TextField } from "../ui/field.tsx";
import { formatMoment, formatNumber } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { zoneWords } from "../words/zone.ts";
import { words } from "../words/words.ts";
import { differenceLines } from "../zone/patch.ts";
import { Patch } from "../zone/patch-view.tsx";
import { RestoreDialog } from "../zone/restore-dialog.tsx";
import { useOwnRights } from "../zone/own-rights.ts";
import { useManages } from "../zone/rights.ts";
import { storeZone, useZoneName, zoneName, type Zone } from "../zone/use-zone.ts";
import styles from "../zone/zone.module.css";
import { snapshotTitle } from "./snapshot-entry.tsx";

const text = zoneWords;
const pageSize = 20;

/** The snapshots of a zone: take, schedule, compare, restore. */
export function Snapshots({ zone }: { zone: Zone }) {
  const { id } = zone;
  const user = useUser();
  const name = useZoneName();
  const manages = useManages(zone);
  const mayTake = !useOwnRights(zone).locked;
  // Changes of the zone can take snapshots, too.
  const list = useInfiniteQuery({
    queryKey: ["snapshots", id, zone.revision],
    initialPageParam: 1,
    queryFn: async ({ pageParam, signal }) =>
      await client.snapshots.list.query({ id, page: pageParam, limit: pageSize, records: "false" }, { signal }),
    getNextPageParam: ({ total }, pages) => (pages.length * pageSize < total ? pages.length + 1 : undefined),
    placeholderData: (before) => before,
  });
  const snapshots = list.data?.pages.flatMap((page) => page.snapshots) ?? [];
  const [comparing, setComparing] = useState(false);
  const [taking, setTaking] = useState(false);
  const [restoring, setRestoring] = useState<Snapshot | null>(null);
  const schedule = useAction(async (snapshotSchedule: Zone["snapshotSchedule"]) => {
    storeZone(name, await client.domains.update.mutate({ id, snapshotSchedule }));
    toast({ title: text.saved });
  });
  return (
    <Card
      title={text.snapshots}
      hint={text.snapshotsHint}
      flush
      action={
        <div className={styles["actions"]}>
          {snapshots.length > 1 ? <Button onClick={() => setComparing(true)}>{text.compare}</Button> : null}
          {mayTake ? <Button onClick={() => setTaking(true)}>{text.take}</Button> : null}
        </div>
      }
    >
      {manages ? (
        <div className={styles["between"]}>
          <SelectField
            label={text.schedule}
            value={zone.snapshotSchedule}
            options={(["off", "daily", "weekly"] as const).map((value) => ({ value, label: text.schedules[value] }))}
            onValue={(value) => void schedule.run(value)}
          />
        </div>
      ) : null}
      <Failure error={schedule.error ?? list.error} />
      {list.isSuccess && snapshots.length === 0 ? <p className={styles["inset"]}>{text.noSnapshots}</p> : null}
      <ul className={styles["list"]} aria-label={text.snapshots}>
        {snapshots.map((snapshot) => (
          <li key={snapshot.id} className={styles["item"]}>
            <span>
              <Link
                to="/d/$name/timeline"
                params={{ name: zoneName(zone) }}
                search={{ at: snapshot.revision }}
                preload={false}
              >
                {snapshotTitle(snapshot)}
              </Link>
              <small>
                {formatMoment(snapshot.createdAt)}, {text.triggers[snapshot.trigger]}
              </small>
            </span>
            <span className={styles["muted"]}>
              {text.recordCount(snapshot.recordCount, formatNumber(snapshot.recordCount))}
            </span>
            {snapshot.revision < zone.revision ? (
              <Link
                to="/d/$name/timeline"
                params={{ name: zoneName(zone) }}
                search={{ from: snapshot.revision, at: zone.revision }}
                className={buttonClass("quiet")}
                aria-label={`${text.compareWithNow} ${text.snapshot(snapshot.version)}`}
                preload={false}
              >
                {text.compareWithNow}
              </Link>
            ) : null}
            {user.role === "admin" ? (
              <Button
                kind="quiet"
                aria-label={`${text.restore} ${text.snapshot(snapshot.version)}`}
                onClick={() => setRestoring(snapshot)}
              >
                {text.restore}
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      {list.hasNextPage ? (
        <div className={styles["inset"]}>
          <Button pending={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {words.ui.next}
          </Button>
        </div>
      ) : null}
      {taking ? <TakeDialog zone={zone} onClose={() => setTaking(false)} /> : null}
      {comparing ? <CompareDialog zone={zone} snapshots={snapshots} onClose={() => setComparing(false)} /> : null}
      {restoring ? (
        <RestoreDialog
          zone={zone}
          to={{ snapshotId: restoring.id }}
          what={text.snapshot(restoring.version)}
          onClose={() => setRestoring(null)}
        />
      ) : null}
    </Card>
  );
}

function TakeDialog({ zone: { id }, onClose }: { zone: Zone; onClose: () => void }) {
  const form = useId();
  const [called, setCalled] = useState("");
  const take = useAction(async () => {
    const { version } = await client.snapshots.create.mutate({ id, name: called });
    await queries.invalidateQueries({ queryKey: ["snapshots", id] });
    toast({ title: text.taken(version) });
    onClose();
  });
  const issue = issueOf(take.error, "name");
  return (
    <Dialog
      open
      onClose={onClose}
      title={text.takeTitle}
      footer={
        <>
          <Button onClick={onClose}>{words.ui.cancel}</Button>
          <Button type="submit" form={form} kind="primary" pending={take.pending}>
            {text.takeNow}
          </Button>
        </>
      }
    >
      <Form id={form} onSubmit={() => void take.run()}>
        <TextField
          label={text.snapshotName}
          hint={text.snapshotNameHint}
          maxLength={100}
          value={called}
          onValue={setCalled}
          error={issue}
        />
        {issue ? null : <Failure error={take.error} />}
      </Form>
    </Dialog>
  );
}

function labelOf({ version, name, createdAt }: Snapshot): string {
  return `${name === null ? text.snapshot(version) : text.snapshotNamed(version, name)}, ${formatMoment(createdAt)}`;
}

interface CompareProps {
  zone: Zone;
  snapshots: readonly Snapshot[];
  onClose: () => void;
}

function CompareDialog({ zone, snapshots, onClose }: CompareProps) {
  const { id } = zone;
  const [from, setFrom] = useState(snapshots[1]?.id ?? "");
  const [to, setTo] = useState(snapshots[0]?.id ?? "");
  const difference = useQuery({
    queryKey: ["snapshot-difference", id, from, to],
    queryFn: async ({ signal }) => differenceLines(await client.snapshots.diff.query({ id, from, to }, { signal })),
  });
  const options = snapshots.map((snapshot) => ({ value: snapshot.id, label: labelOf(snapshot) }));
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={text.compareTitle}
      footer={<Button onClick={onClose}>{words.ui.close}</Button>}
    >
      <div className={styles["stack"]} data-fits>
        <div className={styles["pair"]}>
          <SelectField label={text.compareFrom} value={from} options={options} onValue={setFrom} />
          <SelectField label={text.compareTo} value={to} options={options} onValue={setTo} />
        </div>
        <Failure error={difference.error} />
        {difference.data ? (
          <Patch lines={difference.data} place={zone} />
        ) : difference.error ? null : (
          <p role="status">{words.ui.loading}</p>
        )}
      </div>
    </Dialog>
  );
}
