import { useQuery } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { client, messageOf, queries } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Form, TextField } from "../ui/field.tsx";
import { formatNumber } from "../ui/format.ts";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { domainDialogsWords } from "../words/domain-dialogs.ts";
import { domainsWords } from "../words/domains.ts";
import { words } from "../words/words.ts";
import { zoneWords } from "../words/zone.ts";
import { Listed } from "./add-domain.tsx";
import { labelsInUse } from "../zone/domain-queries.ts";
import { reminderDays } from "../zone/lists.ts";
import { changedTags, qualified, type Selection } from "./selection.ts";
import styles from "./domains.module.css";

const text = { ...domainsWords, ...domainDialogsWords };

export type BulkAction = "addTag" | "removeTag" | "remind";

const texts = {
  addTag: { title: text.addTagTo, action: text.addTag, done: text.tagged },
  removeTag: { title: text.removeTagFrom, action: text.removeTag, done: text.untagged },
  remind: { title: text.remindOf, action: text.setReminders, done: text.reminded },
} as const;

interface BulkEditProps {
  action: BulkAction;
  selection: Selection;
  onClose: () => void;
}

interface Run {
  done: number;
  failures: { name: string; error: string }[];
}

/** Changes the tags or the expiry reminders of the selected domains, a domain at a time, until stopped. */
export function BulkEdit({ action, selection, onClose }: BulkEditProps) {
  const form = useId();
  const list = useId();
  const { data: labels } = useQuery(labelsInUse);
  const [value, setValue] = useState("");
  const [tried, setTried] = useState(false);
  const [run, setRun] = useState<Run | null>(null);
  const stop = useRef(false);
  const total = selection.size;
  const apply = useAction(async () => {
    setTried(true);
    const wanted = value.trim();
    if (wanted === "" || (action === "remind" && reminderDays(wanted) === null)) return;
    stop.current = false;
    let now: Run = { done: 0, failures: [] };
    setRun(now);
    for (const domain of selection.values()) {
      // oxlint-disable-next-line typescript/no-unnecessary-condition -- set by the button meanwhile.
      if (stop.current) break;
      const error = await changeOne(domain.id, wanted, action);
      const failures = error === null ? now.failures : [...now.failures, { name: qualified(domain), error }];
      now = { done: now.done + 1, failures };
      setRun(now);
    }
    await Promise.all(
      ["domains", "domain-tags"].map(async (key) => await queries.invalidateQueries({ queryKey: [key] })),
    );
    const changed = now.done - now.failures.length;
    toast({ title: texts[action].done(changed, wanted) });
    if (now.failures.length === 0) onClose();
  });
  const close = () => {
    stop.current = true;
    onClose();
  };
  return (
    <Dialog
      open
      onClose={close}
      title={texts[action].title(total)}
      footer={
        apply.pending ? (
          <>
            <span role="status">{text.progress(formatNumber(run?.done ?? 0), formatNumber(total))}</span>
            <Button onClick={() => (stop.current = true)}>{text.stop}</Button>
          </>
        ) : (
          <>
            <Button onClick={close}>{run ? words.ui.close : words.ui.cancel}</Button>
            <Button type="submit" form={form} kind="primary" disabled={value.trim() === ""}>
              {texts[action].action}
            </Button>
          </>
        )
      }
    >
      <Form id={form} onSubmit={() => void apply.run()}>
        {action === "remind" ? (
          <TextField
            label={zoneWords.reminders}
            hint={zoneWords.remindersHint}
            error={tried && reminderDays(value) === null ? zoneWords.remindersWrong : undefined}
            inputMode="numeric"
            value={value}
            onValue={setValue}
          />
        ) : (
          <Listed
            label={text.tag}
            list={list}
            values={(labels?.tags ?? []).map(({ name }) => name)}
            value={value}
            onValue={setValue}
          />
        )}
        {apply.pending ? (
          <progress className={styles["bar"]} aria-label={texts[action].action} value={run?.done ?? 0} max={total} />
        ) : null}
        {run && run.failures.length > 0 ? (
          <div role="alert">
            <p>{text.notTagged(run.failures.length)}</p>
            <ul className={styles["failures"]}>
              {run.failures.slice(0, 100).map(({ name, error }) => (
                <li key={name}>
                  <strong>{name}</strong> {error}
                </li>
              ))}
            </ul>
          </div>
        ) : null}
      </Form>
    </Dialog>
  );
}

/** Changes a domain; its tags as they are now. Returns the sentence of a failure, or null. */
async function changeOne(id: string, value: string, action: BulkAction): Promise<string | null> {
  try {
    if (action === "remind") {
      await client.domains.setExpiryRemind.mutate({ id, expiryRemindDays: reminderDays(value) ?? [] });
      return null;
    }
    const { tags } = await client.domains.get.query({ id });
    const changed = changedTags(tags, value, action === "addTag" ? "add" : "remove");
    if (changed) await client.domains.update.mutate({ id, tags: changed });
    return null;
  } catch (failure) {
    return messageOf(failure);
  }
}
