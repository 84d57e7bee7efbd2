import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { client, issueOf } from "../../api.ts";
import { useUser } from "../../session/current-user.ts";
import { Button } from "../../ui/button.tsx";
import { Form, TextArea, TextField } from "../../ui/field.tsx";
import { Failure } from "../../ui/notice.tsx";
import { Card } from "../../ui/page.tsx";
import { toast } from "../../ui/toast.tsx";
import { useAction } from "../../ui/use-action.ts";
import { zoneWords } from "../../words/zone.ts";
import { words } from "../../words/words.ts";
import { commaList } from "../lists.ts";
import { storeZone, useZoneName, zoneName, type Zone } from "../use-zone.ts";
import styles from "../zone.module.css";

const text = zoneWords;

/** Tags, group, notes and, for administrators, the view. */
export function Organization({ zone }: { zone: Zone }) {
  const user = useUser();
  const name = useZoneName();
  const navigate = useNavigate();
  const [tags, setTags] = useState(zone.tags.join(", "));
  const [group, setGroup] = useState(zone.groupName ?? "");
  const [notes, setNotes] = useState(zone.notes ?? "");
  const [view, setView] = useState(zone.view);
  const save = useAction(async () => {
    const changed = await client.domains.update.mutate({
      id: zone.id,
      tags: commaList(tags),
      groupName: group.trim() || null,
      notes: notes || null,
      ...(view === zone.view ? {} : { view }),
    });
    toast({ title: text.saved });
    storeZone(zoneName(changed), changed);
    if (zoneName(changed) === zoneName(zone)) storeZone(name, changed);
    else await navigate({ to: "/d/$name/settings", params: { name: zoneName(changed) }, replace: true });
  });
  return (
    <Card title={text.organization}>
      <Form onSubmit={() => void save.run()}>
        <div className={styles["pair"]}>
          <TextField
            label={text.tags}
            hint={text.tagsHint}
            error={issueOf(save.error, "tags")}
            value={tags}
            onValue={setTags}
          />
          <TextField
            label={text.group}
            hint={text.groupHint}
            error={issueOf(save.error, "groupName")}
            value={group}
            onValue={setGroup}
          />
        </div>
        <TextArea label={text.notes} error={issueOf(save.error, "notes")} value={notes} onValue={setNotes} rows={4} />
        {user.role === "admin" ? (
          <TextField
            label={text.view}
            hint={`${text.viewHint} ${text.viewMoved}`}
            error={issueOf(save.error, "view")}
            value={view}
            onValue={setView}
          />
        ) : null}
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
