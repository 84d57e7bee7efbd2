import { isZonewrightError } from "@zonewright/client";
import { useState } from "react";
import { client, issueOf } from "../../api.ts";
import { useUser } from "../../session/current-user.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckField, SelectField, TextField } from "../../ui/field.tsx";
import { Failure, Notice } from "../../ui/notice.tsx";
import { Card } from "../../ui/page.tsx";
import { toast } from "../../ui/toast.tsx";
import { useAction } from "../../ui/use-action.ts";
import { zoneWords } from "../../words/zone.ts";
import { words } from "../../words/words.ts";
import { useProviderConfigs, type ProviderConfig } from "../use-provider-configs.ts";
import { SyncDialog } from "../sync-dialog.tsx";
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

const codeOf = (error: unknown) => (isZonewrightError(error) ? error.code : null);

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
  /** Whether the service wants a review of it, past which administrators may go with a reason. */
  const [isRefused, setIsRefused] = useState(false);
  const [reason, setReason] = useState("");
  const mayOverride = isRefused && user.role === "admin";
  const targetName = targets.find(({ id }) => id === target)?.name ?? "";
  const move = useAction(async () => {
    const changed = await client.domains.update
      .mutate({
        id: zone.id,
        providerConfigId: target,
        ...(force ? { force } : {}),
        ...(mayOverride ? { override: true, message: reason.trim() } : {}),
      })
      .catch((error: unknown) => {
        if (codeOf(error) === "REVIEW_REQUIRED") setIsRefused(true);
        throw error;
      });
    storeZone(name, changed);
    await refreshRecords(changed);
    toast({ title: text.moved(targetName) });
    onClose();
  });
  const code = codeOf(move.error);
  const drops = code === "CONFIRMATION_REQUIRED";
  const mayForce = move.error !== null && code !== "REVIEW_REQUIRED" && user.role === "admin";
  return (
    <Dialog
      open
      onClose={onClose}
      title={text.moveTitle(zoneName(zone))}
      footer={
        <>
          <Button onClick={onClose}>{words.ui.cancel}</Button>
          <Button
            kind={mayOverride ? "danger" : "primary"}
            disabled={mayOverride && reason.trim() === ""}
            pending={move.pending}
            onClick={() => void move.run()}
          >
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
        {code === "REVIEW_REQUIRED" && mayOverride ? null : <Failure error={move.error} />}
        {mayOverride ? (
          <>
            <Notice kind="warning">{text.needsReview}</Notice>
            <TextField label={text.overrideReason} maxLength={500} value={reason} onValue={setReason} />
          </>
        ) : null}
        {drops || mayForce ? (
          <CheckField label={drops ? text.dropAtSecondaries : text.moveForce} checked={force} onValue={setForce} />
        ) : null}
      </div>
    </Dialog>
  );
}
