import { useNavigate } from "@tanstack/react-router";
import { client, issueOf } from "../../api.ts";
import { useUser } from "../../session/current-user.ts";
import { Button } from "../../ui/button.tsx";
import { Form, TextArea, TextField } from "../../ui/field.tsx";
import { Failure } from "../../ui/notice.tsx";
import { Card } from "../../ui/page.tsx";
import { PersonField } from "../../ui/person-field.tsx";
import { toast } from "../../ui/toast.tsx";
import { useAction } from "../../ui/use-action.ts";
import { useEdits } from "../../ui/use-edits.ts";
import { zoneWords } from "../../words/zone.ts";
import { words } from "../../words/words.ts";
import { commaList } from "../lists.ts";
import { useOwner } from "../use-owner.ts";
import { storeZone, useZoneName, zoneName, type Zone } from "../use-zone.ts";
import styles from "../zone.module.css";

const text = zoneWords;

/** Tags, group, notes and, for administrators, the owner and the view. */
export function Organization({ zone }: { zone: Zone }) {
  const user = useUser();
  const name = useZoneName();
  const navigate = useNavigate();
  const { fields, changed, isChanged, set, done } = useEdits({
    tags: zone.tags.join(", "),
    group: zone.groupName ?? "",
    notes: zone.notes ?? "",
    view: zone.view,
  });
  const owner = useOwner(zone);
  const save = useAction(async () => {
    const stored = await client.domains.update.mutate({
      id: zone.id,
      ...(changed.tags !== undefined && { tags: commaList(changed.tags) }),
      ...(changed.group !== undefined && { groupName: changed.group.trim() || null }),
      ...(changed.notes !== undefined && { notes: changed.notes || null }),
      ...(changed.view !== undefined && { view: changed.view }),
      ...(owner.id !== zone.ownerId && { ownerId: owner.id }),
    });
    toast({ title: text.saved });
    storeZone(zoneName(stored), stored);
    done();
    owner.reset();
    if (zoneName(stored) === zoneName(zone)) storeZone(name, stored);
    else await navigate({ to: "/d/$name/settings", params: { name: zoneName(stored) }, replace: true });
  });
  return (
    <Card title={text.organization}>
      <Form
        onSubmit={() => {
          owner.check();
          if (owner.id !== undefined) void save.run();
        }}
      >
        <div className={styles["pair"]}>
          <TextField
            label={text.tags}
            hint={text.tagsHint}
            error={issueOf(save.error, "tags")}
            value={fields.tags}
            onValue={(tags) => set({ tags })}
          />
          <TextField
            label={text.group}
            hint={text.groupHint}
            error={issueOf(save.error, "groupName")}
            value={fields.group}
            onValue={(group) => set({ group })}
          />
        </div>
        <TextArea
          label={text.notes}
          error={issueOf(save.error, "notes")}
          value={fields.notes}
          onValue={(notes) => set({ notes })}
          rows={4}
        />
        {user.role === "admin" ? (
          <div className={styles["pair"]}>
            <PersonField {...owner.field} error={owner.problem ?? issueOf(save.error, "ownerId")} />
            <TextField
              label={text.view}
              hint={`${text.viewHint} ${text.viewMoved}`}
              error={issueOf(save.error, "view")}
              value={fields.view}
              onValue={(view) => set({ view })}
            />
          </div>
        ) : null}
        <Failure error={save.error} />
        <div className={styles["actions"]}>
          <Button
            type="submit"
            kind="primary"
            disabled={!isChanged && owner.id === zone.ownerId}
            pending={save.pending}
          >
            {words.ui.save}
          </Button>
        </div>
      </Form>
    </Card>
  );
}
