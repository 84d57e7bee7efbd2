import type { RouterOutputs } from "@zonewright/client";
import { useState } from "react";
import { client, issueOf, messageOf } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Form, SelectField, TextField } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { useEdits } from "../ui/use-edits.ts";
import { adminWords } from "../words/admin.ts";
import { words } from "../words/words.ts";
import { freeName, textsOf } from "./provider-fields.ts";
import { configIssue } from "./provider-queries.ts";
import styles from "./admin.module.css";

const text = adminWords.registrars;

type RegistrarList = RouterOutputs["registrarConfigs"]["list"];
export type RegistrarConfig = RegistrarList["configs"][number];
type RegistrarKind = RegistrarList["kinds"][number];

interface RegistrarFormProps {
  kinds: readonly RegistrarKind[];
  /** The names that configurations have. */
  taken: readonly string[];
  /** The configuration to edit; null for a new one. */
  config: RegistrarConfig | null;
  onSaved: () => Promise<void>;
  onClose: () => void;
}

/** Adds a registrar configuration, or edits one. Saving tests it. */
export function RegistrarForm({ kinds, taken, config, onSaved, onClose }: RegistrarFormProps) {
  /** What was created here: it may be saved again before it works. */
  const [created, setCreated] = useState<RegistrarConfig | null>(null);
  const saved = config ?? created;
  const [chosen, setChosen] = useState(saved?.kind ?? kinds[0]?.kind ?? "");
  const kind = kinds.find((each) => each.kind === chosen);
  const fields = kind?.configFields ?? [];
  const own = useEdits({ name: saved?.name ?? freeName(kind?.name ?? "", taken) });
  // Secrets start empty, and are forgotten once they are saved: they must not stay on the page.
  const settings = useEdits(textsOf({ kind: chosen, configFields: fields }, saved?.config ?? {}));
  const [refusal, setRefusal] = useState<string | null>(null);
  const save = useAction(async () => {
    setRefusal(null);
    const name = own.fields.name.trim();
    const given = fields.map((field) => [field.name, (settings.fields[field.name] ?? "").trim()] as const);
    const values = Object.fromEntries(given.filter(([, value]) => value !== ""));
    const isSame = Object.keys(settings.changed).length === 0;
    const stored = saved
      ? await client.registrarConfigs.update.mutate({ id: saved.id, name, ...(isSame ? {} : { config: values }) })
      : await client.registrarConfigs.create.mutate({ kind: chosen, name, config: values });
    if (config === null) setCreated(stored);
    own.done();
    settings.done();
    await onSaved();
    const { error } = await client.registrarConfigs.test.mutate({ id: stored.id });
    setRefusal(error);
    if (error !== null) return;
    toast({ title: config === null ? text.added(name) : words.ui.saved });
    onClose();
  });
  const isInFields =
    issueOf(save.error, "name") !== null || fields.some((field) => configIssue(save.error, field.name) !== null);
  return (
    <Dialog open title={config === null ? text.newTitle : text.editTitle(config.name)} onClose={onClose}>
      <Form onSubmit={() => void save.run()}>
        {save.error === null || isInFields ? null : <Notice kind="error">{messageOf(save.error)}</Notice>}
        {refusal === null ? null : (
          <Notice kind="error" action={<Button onClick={onClose}>{text.keep}</Button>}>
            {text.refused} {refusal}
          </Notice>
        )}
        {saved === null ? (
          <SelectField
            label={text.kind}
            value={chosen}
            onValue={(next) => {
              setChosen(next);
              settings.done();
              save.reset();
            }}
            options={kinds.map((each) => ({ value: each.kind, label: each.name }))}
          />
        ) : null}
        <TextField
          label={text.name}
          hint={text.nameHint}
          maxLength={100}
          value={own.fields.name}
          onValue={(name) => own.set({ name })}
          error={issueOf(save.error, "name")}
        />
        {fields.map(({ name, label, secret, required }) => (
          <TextField
            key={`${chosen}.${name}`}
            mono
            label={label}
            required={required}
            hint={secret && saved ? text.secretStored : text.settingHints[`${chosen}.${name}`]}
            type={secret ? "password" : "text"}
            autoComplete={secret ? "new-password" : "off"}
            maxLength={10_000}
            value={settings.fields[name] ?? ""}
            onValue={(value) => settings.set({ [name]: value })}
            error={configIssue(save.error, name)}
          />
        ))}
        <div className={styles["tools"]}>
          <Button type="submit" kind="primary" pending={save.pending}>
            {save.pending ? text.testing : text.saveAndTest}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
