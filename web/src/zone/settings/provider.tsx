import { isZonewrightError } from "@zonewright/client";
import { useState } from "react";
import { client, issueOf } from "../../api.ts";
import { useUser } from "../../session/current-user.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckField, SelectField } from "../../ui/field.tsx";
import { Failure } from "../../ui/notice.tsx";
import { Card } from "../../ui/page.tsx";
import { toast } from "../../ui/toast.tsx";
import { useAction } from "../../ui/use-action.ts";
import { zoneWords } from "../../words/zone.ts";
import { words } from "../../words/words.ts";
import { useProviderConfigs, type ProviderConfig } from "../use-provider-configs.ts";
import { SyncDialog } from "../drift-banner.tsx";
import { refreshRecords, storeZone, useZoneName, zoneName, type Zone } from "../use-zone.ts";
import styles from "../zone.module.css";

const text = zoneWords;

/** Kinds whose records are nowhere but here, so that there is nothing to compare with. */
const servedHere: ReadonlySet<string> = new Set(["manual", "primary"]);

/** Where the zone is served, and its move elsewhere. */
export function Provider({ zone }: { zone: Zone }) {
  const user = useUser();
  const configs = useProviderConfigs();
  const current = configs.find(({ id }) => id === zone.providerConfigId);
  const others = configs.filter(({ id, membersMayUse }) => {
    return id !== zone.providerConfigId && (user.role === "admin" || membersMayUse);
  });
  const [moving, setMoving] = useState(false);
  const [comparing, setComparing] = useState(false);
  const isServed = current !== undefined && !servedHere.has(current.kind);
  return (
    <Card title={text.provider} hint={text.providerHint} flush>
      <div className={styles["between"]}>
        <div>
          <strong>{current?.name ?? ""}</strong>
          {others.length === 0 ? <p>{text.onlyProvider}</p> : null}
        </div>
        <div className={styles["actions"]}>
          {isServed ? <Button onClick={() => setComparing(true)}>{text.compareNow}</Button> : null}
          {others.length === 0 ? null : <Button onClick={() => setMoving(true)}>{text.move}</Button>}
        </div>
      </div>
      {comparing ? <SyncDialog zone={zone} onClose={() => setComparing(false)} /> : null}
      {moving ? <MoveDialog zone={zone} targets={others} onClose={() => setMoving(false)} /> : null}
    </Card>
  );
}

interface MoveProps {
  zone: Zone;
  targets: readonly ProviderConfig[];
  onClose: () => void;
}

function MoveDialog({ zone, targets, onClose }: MoveProps) {
  const user = useUser();
  const name = useZoneName();
  const [target, setTarget] = useState(targets[0]?.id ?? "");
  const [force, setForce] = useState(false);
  const targetName = targets.find(({ id }) => id === target)?.name ?? "";
  const move = useAction(async () => {
    const changed = await client.domains.update.mutate({
      id: zone.id,
      providerConfigId: target,
      ...(force ? { force } : {}),
    });
    storeZone(name, changed);
    await refreshRecords(changed);
    toast({ title: text.moved(targetName) });
    onClose();
  });
  const failed = move.error !== null;
  const drops = isZonewrightError(move.error) && move.error.code === "CONFIRMATION_REQUIRED";
  return (
    <Dialog
      open
      onClose={onClose}
      title={text.moveTitle(zoneName(zone))}
      footer={
        <>
          <Button onClick={onClose}>{words.ui.cancel}</Button>
          <Button kind="primary" pending={move.pending} onClick={() => void move.run()}>
            {text.moveNow(targetName)}
          </Button>
        </>
      }
    >
      <div className={styles["stack"]}>
        <SelectField
          label={text.moveTo}
          value={target}
          options={targets.map(({ id, name: label }) => ({ value: id, label }))}
          onValue={setTarget}
          error={issueOf(move.error, "providerConfigId")}
        />
        <ol className={styles["steps"]}>
          {text.moveSteps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        <Failure error={move.error} />
        {drops || (failed && user.role === "admin") ? (
          <CheckField label={drops ? text.dropAtSecondaries : text.moveForce} checked={force} onValue={setForce} />
        ) : null}
      </div>
    </Dialog>
  );
}
