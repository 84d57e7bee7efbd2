import { client } from "../../api.ts";
import { Button } from "../../ui/button.tsx";
import { CheckField, Form, SelectField } from "../../ui/field.tsx";
import { Failure } from "../../ui/notice.tsx";
import { Card } from "../../ui/page.tsx";
import { toast } from "../../ui/toast.tsx";
import { useAction } from "../../ui/use-action.ts";
import { useEdits } from "../../ui/use-edits.ts";
import { zoneWords } from "../../words/zone.ts";
import { words } from "../../words/words.ts";
import { storeZone, useZoneName, type Zone } from "../use-zone.ts";
import styles from "../zone.module.css";

const text = zoneWords;
const choices = text.reviewChoices;

/** Whose changes of this zone's records need a review, for administrators. */
export function Reviews({ zone }: { zone: Zone }) {
  const name = useZoneName();
  const { fields, changed, isChanged, set, done } = useEdits<{
    rule: Zone["reviewRequired"] | "default";
    acme: boolean;
  }>({
    rule: zone.reviewIsDefault ? "default" : zone.reviewRequired,
    acme: zone.reviewAcme,
  });
  const { rule, acme } = fields;
  const save = useAction(async () => {
    const stored = await client.domains.update.mutate({
      id: zone.id,
      ...(changed.rule !== undefined && { reviewRequired: changed.rule === "default" ? null : changed.rule }),
      ...(changed.acme !== undefined && { reviewAcme: changed.acme }),
    });
    storeZone(name, stored);
    done();
    toast({ title: text.saved });
  });
  const ofInstallation = zone.reviewIsDefault ? choices[zone.reviewRequired] : null;
  return (
    <Card title={text.reviews} hint={text.reviewsHint}>
      <Form onSubmit={() => void save.run()}>
        <SelectField
          label={text.reviewRequired}
          value={rule}
          onValue={(next) => set({ rule: next })}
          options={[
            { value: "default", label: choices.default(ofInstallation) },
            ...(["off", "members", "everyone"] as const).map((value) => ({ value, label: choices[value] })),
          ]}
        />
        {rule === "off" ? null : (
          <CheckField label={text.reviewAcme} checked={acme} onValue={(next) => set({ acme: next })} />
        )}
        <Failure error={save.error} />
        <div className={styles["actions"]}>
          <Button type="submit" kind="primary" disabled={!isChanged} pending={save.pending}>
            {words.ui.save}
          </Button>
        </div>
      </Form>
    </Card>
  );
}
