import { useNavigate } from "@tanstack/react-router";
import { isZonewrightError } from "@zonewright/client";
import { useState } from "react";
import { client, queries } from "../../api.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckField, Form, TextField } from "../../ui/field.tsx";
import { Failure } from "../../ui/notice.tsx";
import { Card } from "../../ui/page.tsx";
import { toast } from "../../ui/toast.tsx";
import { useAction } from "../../ui/use-action.ts";
import { zoneWords } from "../../words/zone.ts";
import { words } from "../../words/words.ts";
import { storeZone, useZoneName, zoneName, type Zone } from "../use-zone.ts";
import styles from "../zone.module.css";

const text = zoneWords;

/** Taking a domain out of use, or out of Zonewright. */
export function Removal({ zone }: { zone: Zone }) {
  const name = useZoneName();
  const disabled = zone.status === "disabled";
  const [removing, setRemoving] = useState(false);
  const toggle = useAction(async () => {
    storeZone(name, await client.domains.update.mutate({ id: zone.id, status: disabled ? "active" : "disabled" }));
    toast({ title: disabled ? text.enabledNow : text.disabledNow });
  });
  return (
    <Card title={text.danger} flush>
      <div className={styles["between"]}>
        <div>
          <strong>{disabled ? text.enable : text.disable}</strong>
          <p>{disabled ? text.enableHint : text.disableHint}</p>
        </div>
        <Button pending={toggle.pending} onClick={() => void toggle.run()}>
          {disabled ? text.enable : text.disable}
        </Button>
        <Failure error={toggle.error} />
      </div>
      <div className={styles["between"]}>
        <div>
          <strong>{text.remove}</strong>
          <p>{text.removeHint}</p>
        </div>
        <Button kind="danger" onClick={() => setRemoving(true)}>
          {text.remove}
        </Button>
      </div>
      {removing ? <RemovalDialog zone={zone} onClose={() => setRemoving(false)} /> : null}
    </Card>
  );
}

function RemovalDialog({ zone, onClose }: { zone: Zone; onClose: () => void }) {
  const navigate = useNavigate();
  const name = zoneName(zone);
  const [typed, setTyped] = useState("");
  const [drops, setDrops] = useState(false);
  const remove = useAction(async () => {
    await client.domains.delete.mutate({ id: zone.id, ...(drops ? { force: "true" as const } : {}) });
    await navigate({ to: "/" });
    queries.removeQueries({ queryKey: ["zone", name] });
    await queries.invalidateQueries({ queryKey: ["domains"] });
    toast({ title: text.removed(name) });
  });
  const mustConfirm = isZonewrightError(remove.error) && remove.error.code === "CONFIRMATION_REQUIRED";
  const confirmed = typed.trim().toLowerCase() === name && (!mustConfirm || drops);
  return (
    <Dialog
      open
      onClose={onClose}
      title={text.removeTitle(name)}
      footer={
        <>
          <Button onClick={onClose}>{words.ui.cancel}</Button>
          <Button kind="danger" disabled={!confirmed} pending={remove.pending} onClick={() => void remove.run()}>
            {text.removeNow}
          </Button>
        </>
      }
    >
      <Form onSubmit={() => confirmed && void remove.run()}>
        <ul className={styles["steps"]}>
          {text.removeEnds.map((end) => (
            <li key={end}>{end}</li>
          ))}
        </ul>
        <TextField label={text.removeType(name)} mono value={typed} onValue={setTyped} />
        <Failure error={remove.error} />
        {mustConfirm ? <CheckField label={text.dropAtSecondaries} checked={drops} onValue={setDrops} /> : null}
      </Form>
    </Dialog>
  );
}
