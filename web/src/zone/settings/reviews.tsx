import { useState } from "react";
import { client } from "../../api.ts";
import { Button } from "../../ui/button.tsx";
import { CheckField, Form, SelectField } from "../../ui/field.tsx";
import { Failure } from "../../ui/notice.tsx";
import { Card } from "../../ui/page.tsx";
import { toast } from "../../ui/toast.tsx";
import { useAction } from "../../ui/use-action.ts";
import { zoneWords } from "../../words/zone.ts";
import { words } from "../../words/words.ts";
import { storeZone, useZoneName, type Zone } from "../use-zone.ts";
import styles from "../zone.module.css";

const text = zoneWords;
const choices = text.reviewChoices;

/** Whose changes of this zone's records need a review, for administrators. */
export function Reviews({ zone }: { zone: Zone }) {
  const name = useZoneName();
  const [rule, setRule] = useState<Zone["reviewRequired"] | "default">(
    zone.reviewIsDefault ? "default" : zone.reviewRequired,
  );
  const [acme, setAcme] = useState(zone.reviewAcme);
  const save = useAction(async () => {
    const reviewRequired = rule === "default" ? null : rule;
    storeZone(name, await client.domains.update.mutate({ id: zone.id, reviewRequired, reviewAcme: acme }));
    toast({ title: text.saved });
  });
  const ofInstallation = zone.reviewIsDefault ? choices[zone.reviewRequired] : null;
  return (
    <Card title={text.reviews} hint={text.reviewsHint}>
      <Form onSubmit={() => void save.run()}>
        <SelectField
          label={text.reviewRequired}
          value={rule}
          onValue={setRule}
          options={[
            { value: "default", label: choices.default(ofInstallation) },
            ...(["off", "members", "everyone"] as const).map((value) => ({ value, label: choices[value] })),
          ]}
        />
        {rule === "off" ? null : <CheckField label={text.reviewAcme} checked={acme} onValue={setAcme} />}
        <Failure error={save.error} />
        <div className={styles["actions"]}>
          <Button type="submit" kind="primary" pending={save.pending}>
            {words.ui.save}
          </Button>
        </div>
      </Form>
    </Card>
  );
}
