import { useQuery } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { client, messageOf, queries } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Form } from "../ui/field.tsx";
import { formatNumber } from "../ui/format.ts";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { domainDialogsWords } from "../words/domain-dialogs.ts";
import { domainsWords } from "../words/domains.ts";
import { words } from "../words/words.ts";
import { Listed } from "./add-domain.tsx";
import { labelsInUse } from "../zone/domain-queries.ts";
import { changedTags, qualified, type Selection } from "./selection.ts";
import styles from "./domains.module.css";

const text = { ...domainsWords, ...domainDialogsWords };

interface BulkTagsProps {
  action: "add" | "remove";
  selection: Selection;
  onClose: () => void;
}

interface Run {
  done: number;
  failures: { name: string; error: string }[];
}

/** Adds a tag to the selected domains or removes one, a domain at a time, until stopped. */
export function BulkTags({ action, selection, onClose }: BulkTagsProps) {
  const form = useId();
  const list = useId();
  const { data: labels } = useQuery(labelsInUse);
  const [tag, setTag] = useState("");
  const [run, setRun] = useState<Run | null>(null);
  const stop = useRef(false);
  const total = selection.size;
  const apply = useAction(async () => {
    const wanted = tag.trim();
    if (wanted === "") return;
    stop.current = false;
    let now: Run = { done: 0, failures: [] };
    setRun(now);
    for (const domain of selection.values()) {
      // oxlint-disable-next-line typescript/no-unnecessary-condition -- set by the button meanwhile.
      if (stop.current) break;
      const error = await tagOne(domain.id, wanted, action);
      const failures = error === null ? now.failures : [...now.failures, { name: qualified(domain), error }];
      now = { done: now.done + 1, failures };
      setRun(now);
    }
    await Promise.all(
      ["domains", "domain-tags"].map(async (key) => await queries.invalidateQueries({ queryKey: [key] })),
    );
    const changed = now.done - now.failures.length;
    toast({ title: action === "add" ? text.tagged(changed, wanted) : text.untagged(changed, wanted) });
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
      title={action === "add" ? text.addTagTo(total) : text.removeTagFrom(total)}
      footer={
        apply.pending ? (
          <>
            <span role="status">{text.progress(formatNumber(run?.done ?? 0), formatNumber(total))}</span>
            <Button onClick={() => (stop.current = true)}>{text.stop}</Button>
          </>
        ) : (
          <>
            <Button onClick={close}>{run ? words.ui.close : words.ui.cancel}</Button>
            <Button type="submit" form={form} kind="primary" disabled={tag.trim() === ""}>
              {action === "add" ? text.addTag : text.removeTag}
            </Button>
          </>
        )
      }
    >
      <Form id={form} onSubmit={() => void apply.run()}>
        <Listed
          label={text.tag}
          list={list}
          values={(labels?.tags ?? []).map(({ name }) => name)}
          value={tag}
          onValue={setTag}
        />
        {apply.pending ? (
          <progress className={styles["bar"]} aria-label={text.tagging} value={run?.done ?? 0} max={total} />
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

/** Changes the tags of a domain as they are now. Returns the sentence of a failure, or null. */
async function tagOne(id: string, tag: string, action: "add" | "remove"): Promise<string | null> {
  try {
    const { tags } = await client.domains.get.query({ id });
    const changed = changedTags(tags, tag, action);
    if (changed) await client.domains.update.mutate({ id, tags: changed });
    return null;
  } catch (failure) {
    return messageOf(failure);
  }
}
