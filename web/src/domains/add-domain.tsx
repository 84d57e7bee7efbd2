import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useId, useRef, useState } from "react";
import { client, issueOf, messageOf, queries } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field, Form, SelectField, TextField } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { pastedHost } from "../ui/pasted.ts";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { domainDialogsWords } from "../words/domain-dialogs.ts";
import { domainsWords } from "../words/domains.ts";
import { words } from "../words/words.ts";
import { labelsInUse, providerConfigs } from "../zone/domain-queries.ts";
import { AddFromFiles } from "./add-from-files.tsx";
import { qualified, tagsOf } from "./selection.ts";
import styles from "./domains.module.css";

const text = { ...domainsWords, ...domainDialogsWords };

/** The zones of a name server exist before it is asked, and records that are kept here only have no zone anywhere. */
const makesNoZones: ReadonlySet<string> = new Set(["rfc2136", "manual"]);

/** Adds a domain, and opens it. */
export function AddDomain({ onClose }: { onClose: () => void }) {
  const form = useId();
  const groups = useId();
  const views = useId();
  const user = useUser();
  const navigate = useNavigate();
  const { data: configs = [] } = useQuery(providerConfigs);
  const { data: labels } = useQuery(labelsInUse);
  const usable = configs.filter(({ membersMayUse }) => user.role === "admin" || membersMayUse);
  // Most domains that are added are new, so the first choice is one that makes zones.
  const first = (usable.find(({ kind }) => !makesNoZones.has(kind)) ?? usable[0])?.id ?? "";
  const [name, setName] = useState("");
  const [corrected, setCorrected] = useState(false);
  const [view, setView] = useState("");
  const [config, setConfig] = useState("");
  const [tags, setTags] = useState("");
  const [group, setGroup] = useState("");
  const [expiry, setExpiry] = useState("");
  const add = useAction(async () => {
    const meant = pastedHost(name);
    const domain = await client.domains.create.mutate({
      name: meant.name,
      ...(view.trim() && { view: view.trim() }),
      ...((config || first) && { providerConfigId: config || first }),
      tags: tagsOf(tags),
      groupName: group.trim() || null,
      ...(expiry && { expiresAt: new Date(`${expiry}T00:00:00Z`) }),
    });
    await Promise.all(
      ["domains", "domain-tags"].map(async (key) => await queries.invalidateQueries({ queryKey: [key] })),
    );
    toast({
      title: text.added(qualified(domain)),
      ...(corrected || meant.correction !== null ? { description: text.onlyName } : {}),
    });
    onClose();
    await navigate({ to: "/d/$name/records", params: { name: qualified(domain) } });
  });
  const [files, setFiles] = useState<readonly File[]>([]);
  const chooser = useRef<HTMLInputElement>(null);
  if (files.length > 0) {
    const providers = usable.map((each) => ({ value: each.id, label: each.name }));
    const offered = providers.toSorted((one, other) => Number(other.value === first) - Number(one.value === first));
    return <AddFromFiles providers={offered} files={files} onClose={onClose} />;
  }
  const known = ["name", "view", "providerConfigId", "tags", "groupName", "expiresAt"];
  const elsewhere = add.error !== null && !known.some((field) => issueOf(add.error, field));
  return (
    <Dialog
      open
      onClose={onClose}
      title={text.addTitle}
      description={text.addHint}
      footer={
        <>
          <input
            ref={chooser}
            type="file"
            multiple
            hidden
            aria-label={text.fromFiles}
            onChange={({ target }) => setFiles([...(target.files ?? [])])}
          />
          <Button kind="quiet" className={styles["start"] ?? ""} onClick={() => chooser.current?.click()}>
            {text.fromFiles}
          </Button>
          <Button onClick={onClose}>{words.ui.cancel}</Button>
          <Button type="submit" form={form} kind="primary" pending={add.pending}>
            {text.add}
          </Button>
        </>
      }
    >
      <Form id={form} onSubmit={() => void add.run()}>
        {elsewhere ? <Notice kind="error">{messageOf(add.error)}</Notice> : null}
        <TextField
          label={text.name}
          mono
          autoCapitalize="none"
          placeholder={text.nameExample}
          value={name}
          onValue={(typed) => {
            setName(typed);
            setCorrected(false);
          }}
          onBlur={() => {
            const meant = pastedHost(name);
            setCorrected((before) => before || meant.correction !== null);
            setName(meant.name);
          }}
          hint={corrected ? text.onlyName : undefined}
          error={issueOf(add.error, "name")}
        />
        <SelectField
          label={text.provider}
          value={config || first}
          options={usable.map((each) => ({ value: each.id, label: each.name }))}
          onValue={setConfig}
          error={issueOf(add.error, "providerConfigId")}
        />
        <div className={styles["two"]}>
          <Listed
            label={text.group}
            list={groups}
            values={(labels?.groups ?? []).map((each) => each.name)}
            value={group}
            onValue={setGroup}
            error={issueOf(add.error, "groupName")}
          />
          <Listed
            label={text.view}
            hint={text.viewHint}
            list={views}
            values={(labels?.views ?? []).map((each) => each.name)}
            value={view}
            onValue={setView}
            error={issueOf(add.error, "view")}
          />
        </div>
        <div className={styles["two"]}>
          <TextField
            label={text.tags}
            hint={text.addTagsHint}
            value={tags}
            onValue={setTags}
            error={issueOf(add.error, "tags")}
          />
          <TextField
            label={text.expires}
            hint={text.expiresHint}
            type="date"
            value={expiry}
            onValue={setExpiry}
            error={issueOf(add.error, "expiresAt")}
          />
        </div>
      </Form>
    </Dialog>
  );
}

interface ListedProps {
  label: string;
  hint?: string;
  /** The id of the list of values to offer. */
  list: string;
  values: readonly string[];
  value: string;
  onValue: (value: string) => void;
  error?: string | null;
}

/** A text field that offers values in use. */
export function Listed({ label, hint, list, values, value, onValue, error }: ListedProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <>
          <input
            {...control}
            list={list}
            autoComplete="off"
            spellCheck={false}
            value={value}
            onChange={(event) => onValue(event.target.value)}
          />
          <datalist id={list}>
            {values
              .filter((each) => each !== "")
              .map((each) => (
                <option key={each} value={each}>
                  {each}
                </option>
              ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
