import { useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { client, issueOf, messageOf } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { CheckField, Form, SelectField, TextField } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { useAction } from "../ui/use-action.ts";
import { useEdits } from "../ui/use-edits.ts";
import { adminWords } from "../words/admin.ts";
import {
  choicesOf,
  configOf,
  isNumber,
  isSeldom,
  isSetApart,
  newConfig,
  textsOf,
  usualOf,
  withPortApart,
  type ProviderConfig,
  type ProviderKind,
  type StoredSettings,
} from "./provider-fields.ts";
import { configIssue, configsChanged, testConfig } from "./provider-queries.ts";
import styles from "./admin.module.css";

const text = adminWords.providers;

interface ProviderFormProps {
  kind: ProviderKind;
  /** The configuration to edit; null for a new one. */
  config: ProviderConfig | null;
  initialName: string;
  /** The configuration is saved and works. */
  onDone: (config: ProviderConfig) => void;
  /** Buttons beside the main one. */
  children?: ReactNode;
}

/** The settings of a provider, made from what its kind asks for. Saving tests them. */
export function ProviderForm({ kind, config, initialName, onDone, children }: ProviderFormProps) {
  /** What was created here: it may be saved again before it works. */
  const [created, setCreated] = useState<ProviderConfig | null>(null);
  const saved = config ?? created;
  const storedSettings: StoredSettings = saved?.config ?? {};
  const own = useEdits({ name: saved?.name ?? initialName, membersMayUse: saved?.membersMayUse ?? false });
  const { name, membersMayUse } = own.fields;
  // Secrets start empty, and are forgotten once they are saved: they must not stay on the page.
  const settings = useEdits(textsOf(kind, storedSettings));
  const texts = settings.fields;
  const [portMoved, setPortMoved] = useState(false);
  const [wasShown, setWasShown] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);

  const save = useAction(async () => {
    setRefusal(null);
    const meant = withPortApart(kind.configFields, texts);
    setPortMoved((before) => before || meant !== texts);
    settings.set(meant);
    const all = { name: name.trim(), membersMayUse, config: configOf(kind, meant) };
    const isSame = meant === texts && Object.keys(settings.changed).length === 0;
    const stored = saved
      ? await client.providerConfigs.update.mutate({
          id: saved.id,
          ...own.changed,
          ...(own.changed.name !== undefined && { name: all.name }),
          ...(isSame ? {} : { config: all.config }),
        })
      : await client.providerConfigs.create.mutate(newConfig({ kind: kind.kind, ...all }));
    if (config === null) setCreated(stored);
    await configsChanged();
    own.done();
    settings.done();
    const refused = await testConfig(stored.id);
    if (refused === null) onDone(stored);
    else setRefusal(refused);
  });
  // Whoever chose a kind goes on with its first field; what they chose is gone.
  const first = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (config === null && document.activeElement === document.body) first.current?.focus();
  }, [config]);
  const inFields =
    issueOf(save.error, "name") ?? kind.configFields.find((field) => configIssue(save.error, field.name))?.name;

  const [seldom, usual] = [kind.configFields.filter(isSeldom), kind.configFields.filter((field) => !isSeldom(field))];
  const [isUnfolded, setIsUnfolded] = useState(
    seldom.some(({ name: field }) => isSetApart(kind.kind, field, storedSettings[field])),
  );
  // What is refused or was moved there must be seen.
  const mustShow = portMoved || seldom.some((field) => field.name === inFields);
  if (mustShow !== wasShown) {
    setWasShown(mustShow);
    if (mustShow) setIsUnfolded(true);
  }
  const setting = (field: ProviderKind["configFields"][number]) => (
    <Setting
      key={field.name}
      kind={kind.kind}
      field={field}
      stored={storedSettings[field.name] !== undefined}
      value={texts[field.name] ?? ""}
      onValue={(value) => settings.set({ [field.name]: value })}
      onBlur={() => {
        const apart = withPortApart(kind.configFields, texts);
        if (field.name === "server") setPortMoved((before) => before || apart !== texts);
        settings.set(apart);
      }}
      said={field.name === "port" && portMoved ? text.portMoved : undefined}
      error={configIssue(save.error, field.name)}
    />
  );

  return (
    <Form onSubmit={() => void save.run()} className={styles["settings"] ?? ""}>
      {save.error !== null && !inFields ? <Notice kind="error">{messageOf(save.error)}</Notice> : null}
      {refusal === null ? null : (
        <Notice kind="error" action={saved ? <Button onClick={() => onDone(saved)}>{text.keep}</Button> : null}>
          {text.refused} {refusal}
        </Notice>
      )}
      <TextField
        ref={first}
        label={text.name}
        hint={text.nameHint}
        maxLength={100}
        value={name}
        onValue={(next) => own.set({ name: next })}
        error={issueOf(save.error, "name")}
      />
      {usual.map(setting)}
      {seldom.length === 0 ? null : (
        <details
          className={styles["details"]}
          open={isUnfolded}
          onToggle={(event) => setIsUnfolded(event.currentTarget.open)}
        >
          <summary>{text.moreSettings}</summary>
          <div>{seldom.map(setting)}</div>
        </details>
      )}
      <CheckField
        label={text.membersHint}
        checked={membersMayUse}
        onValue={(next) => own.set({ membersMayUse: next })}
      />
      <div className={styles["tools"]}>
        <Button type="submit" kind="primary" pending={save.pending}>
          {save.pending ? text.testing : text.saveAndTest}
        </Button>
        {children}
      </div>
    </Form>
  );
}

interface SettingProps {
  kind: string;
  field: ProviderKind["configFields"][number];
  /** Whether a value is stored. */
  stored: boolean;
  value: string;
  onValue: (value: string) => void;
  onBlur: () => void;
  /** What was made of a text that belongs in two fields. */
  said: string | undefined;
  error: string | null;
}

function Setting({ kind, field, stored, value, onValue, onBlur, said, error }: SettingProps) {
  const { label = field.label, hint, example } = text.fields[`${kind}.${field.name}`] ?? {};
  const common = { label, error, value, onValue, required: field.required };
  const options = choicesOf(kind, field.name);
  if (options) {
    const [usual = "", ...others] = options;
    const offered = [
      { value: "", label: text.unset(usual) },
      ...others.map((option) => ({ value: option, label: option })),
    ];
    return <SelectField {...common} value={value === usual ? "" : value} hint={hint} options={offered} />;
  }
  const usual = usualOf(kind, field.name);
  const hints = [hint, usual === null ? "" : text.usual(usual)].filter(Boolean).join(" ");
  return (
    <TextField
      {...common}
      mono
      onBlur={onBlur}
      hint={said ?? (field.secret && stored ? text.secretStored : hints)}
      placeholder={example}
      type={field.secret ? "password" : "text"}
      autoComplete={field.secret ? "new-password" : "off"}
      inputMode={isNumber(field.name) ? "numeric" : undefined}
      maxLength={10_000}
    />
  );
}
