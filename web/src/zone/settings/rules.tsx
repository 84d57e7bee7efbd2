import { useState } from "react";
import { client, issueOf } from "../../api.ts";
import { useUser } from "../../session/current-user.ts";
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
const modes = ["off", "offer", "follow"] as const;

/** What happens with a zone's PTR records, and who may change its MX records. */
export function Rules({ zone }: { zone: Zone }) {
  const { id } = zone;
  const name = useZoneName();
  const user = useUser();
  const isReverse = /\.(?:in-addr|ip6)\.arpa$/.test(zone.name);
  const [reverse, setReverse] = useState(zone.reverse);
  const [protectMail, setProtectMail] = useState(zone.protectMail);
  const [grant, setGrant] = useState(zone.reverseFollowGrant);
  /** The rules as the fields had them at first, or as they were last saved. */
  const [first, setFirst] = useState<Pick<Zone, "reverse" | "protectMail" | "reverseFollowGrant">>(zone);
  const save = useAction(async () => {
    // What was not touched stays as it is by now: others may have set it since.
    const rules = {
      ...(grant === first.reverseFollowGrant ? {} : { reverseFollowGrant: grant }),
      ...(reverse === first.reverse ? {} : { reverse }),
      ...(protectMail === first.protectMail ? {} : { protectMail }),
    };
    storeZone(name, await client.domains.update.mutate({ id, ...rules }));
    setFirst({ reverse, protectMail, reverseFollowGrant: grant });
    toast({ title: text.saved });
  });
  if (isReverse && user.role !== "admin") return null;
  return (
    <Card title={text.rules}>
      <Form onSubmit={() => void save.run()}>
        {isReverse ? (
          <CheckField label={text.followGrant} checked={grant} onValue={setGrant} />
        ) : (
          <>
            <SelectField
              label={text.reverse}
              hint={text.reverseHint}
              value={reverse}
              options={modes.map((value) => ({ value, label: text.reverseChoices[value] }))}
              onValue={setReverse}
              error={issueOf(save.error, "reverse")}
            />
            <CheckField label={text.protectMail} checked={protectMail} onValue={setProtectMail} />
          </>
        )}
        {issueOf(save.error, "reverse") === null ? <Failure error={save.error} /> : null}
        <div className={styles["actions"]}>
          <Button type="submit" kind="primary" pending={save.pending}>
            {words.ui.save}
          </Button>
        </div>
      </Form>
    </Card>
  );
}
