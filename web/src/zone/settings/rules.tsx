import { client, issueOf } from "../../api.ts";
import { useUser } from "../../session/current-user.ts";
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
const modes = ["off", "offer", "follow"] as const;

/** What happens with a zone's PTR records, and who may change its MX records. */
export function Rules({ zone }: { zone: Zone }) {
  const { id } = zone;
  const name = useZoneName();
  const user = useUser();
  const isReverse = /\.(?:in-addr|ip6)\.arpa$/.test(zone.name);
  const { fields, changed, isChanged, set, done } = useEdits({
    reverse: zone.reverse,
    protectMail: zone.protectMail,
    reverseFollowGrant: zone.reverseFollowGrant,
  });
  const save = useAction(async () => {
    storeZone(name, await client.domains.update.mutate({ id, ...changed }));
    done();
    toast({ title: text.saved });
  });
  if (isReverse && user.role !== "admin") return null;
  return (
    <Card title={text.rules}>
      <Form onSubmit={() => void save.run()}>
        {isReverse ? (
          <CheckField
            label={text.followGrant}
            checked={fields.reverseFollowGrant}
            onValue={(reverseFollowGrant) => set({ reverseFollowGrant })}
          />
        ) : (
          <>
            <SelectField
              label={text.reverse}
              hint={text.reverseHint}
              value={fields.reverse}
              options={modes.map((value) => ({ value, label: text.reverseChoices[value] }))}
              onValue={(reverse) => set({ reverse })}
              error={issueOf(save.error, "reverse")}
            />
            <CheckField
              label={text.protectMail}
              checked={fields.protectMail}
              onValue={(protectMail) => set({ protectMail })}
            />
          </>
        )}
        {issueOf(save.error, "reverse") === null ? <Failure error={save.error} /> : null}
        <div className={styles["actions"]}>
          <Button type="submit" kind="primary" disabled={!isChanged} pending={save.pending}>
            {words.ui.save}
          </Button>
        </div>
      </Form>
    </Card>
  );
}
