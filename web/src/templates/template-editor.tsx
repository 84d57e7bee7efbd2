import { useNavigate } from "@tanstack/react-router";
import { isZonewrightError, type RouterInputs } from "@zonewright/client";
import { Plus, X } from "lucide-react";
import { useRef, useState } from "react";
import { client, messageOf, queries } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { CheckField, Form, SelectField, TextArea, TextField } from "../ui/field.tsx";
import { forPeople } from "../ui/for-people.ts";
import { formatNumber } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { useAction } from "../ui/use-action.ts";
import { templatesWords } from "../words/templates.ts";
import {
  commonTypes,
  dataKeys,
  emptyRow,
  faultOf,
  flagKeys,
  formOf,
  kindOf,
  nameKey,
  templateOf,
  variablesOf,
  withType,
  type Row,
  type TemplateForm,
} from "./form-rows.ts";
import { titleOf, type Template } from "./values.ts";
import styles from "./templates.module.css";

const text = templatesWords;

type Given = RouterInputs["templates"]["create"];

interface TemplateEditorProps {
  /** The one that gets a new version; null for another template. */
  template: Template | null;
  /** Whether it begins with the template as text, to paste one. */
  asJson?: boolean;
  onClose: () => void;
}

/** Faults by the path of their field, such as `records.0.pointsTo`. */
type Faults = Readonly<Record<string, string>>;

/** Makes a template or a new version of one: in a form with a row for each record, or as JSON. */
export function TemplateEditor({ template, asJson = false, onClose }: TemplateEditorProps) {
  const navigate = useNavigate();
  const [form, setForm] = useState(() => (template && formOf(template.template)) ?? emptyForm);
  /** The template as text while that is edited; null in the form. */
  const [json, setJson] = useState<string | null>(() =>
    asJson ? (template ? JSON.stringify(template.template, null, 2) : "") : null,
  );
  /** What the form began with: the page may know a newer version by now. */
  const [revision] = useState(template?.revision);
  const [wrong, setWrong] = useState<string | null>(null);
  const [isTried, setIsTried] = useState(false);
  const file = useRef<HTMLInputElement>(null);
  const own = faultsOf(form);
  const store = useAction(async () => {
    setIsTried(true);
    const read = json === null ? null : readTemplate(json);
    setWrong(read === null || read.ok ? null : read.message);
    if (read === null ? Object.keys(own).length > 0 : !read.ok) return;
    const given = (read?.ok ? read.template : templateOf(form)) as Given;
    const stored = template
      ? await client.templates.update.mutate({ ...given, id: template.id, revision }).catch(overtaken(template.id))
      : await client.templates.create.mutate(given);
    queries.setQueryData(["templates", "one", stored.id], stored);
    await queries.invalidateQueries({ queryKey: ["templates", "list"] });
    onClose();
    await navigate({ to: "/templates/$id", params: { id: stored.id } });
  });
  const issues = isZonewrightError(store.error) ? (store.error.issues ?? []) : [];
  const refused = Object.fromEntries(issues.map(({ path, message }) => [path.join("."), forPeople(message)]));
  const faults = { ...refused, ...(isTried ? own : {}) };
  const shownPaths = new Set(pathsOf(form));
  const elsewhere = Object.entries(refused).filter(([path]) => json !== null || !shownPaths.has(path));
  const said = elsewhere.map(([path, message]) => text.at(path, message)).join("\n");
  const isOvertaken = template !== null && isZonewrightError(store.error) && store.error.code === "CONFLICT";
  const problem = isOvertaken ? text.editedMeanwhile : messageOf(store.error);
  const failure = store.error !== null && issues.length === 0 ? problem : said || null;
  const change = (next: TemplateForm) => {
    setForm(next);
    store.reset();
  };
  const toForm = () => {
    const read = readTemplate(json ?? "");
    const next = json?.trim() === "" ? emptyForm : read.ok ? formOf(read.template) : null;
    setWrong(next ? null : read.ok ? text.notRecords : read.message);
    if (!next) return;
    change(next);
    setJson(null);
  };
  const toJson = () => {
    setJson(JSON.stringify(templateOf(form), null, 2));
    setWrong(null);
  };
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={template ? text.updateTitle(titleOf(template)) : asJson ? text.importTitle : text.newTitle}
      description={template ? text.updateHint : asJson ? text.importHint : text.newHint}
      alert={
        json === null && failure !== null ? (
          <Notice kind="error" focusFor={store.error}>
            {failure}
          </Notice>
        ) : null
      }
      footer={
        <>
          <Button kind="quiet" onClick={onClose}>
            {text.cancel}
          </Button>
          {json === null ? null : <Button onClick={() => file.current?.click()}>{text.file}</Button>}
          <Button kind="primary" type="submit" form="template" pending={store.pending}>
            {template ? text.replaceNow : asJson ? text.importNow : text.createNow}
          </Button>
        </>
      }
    >
      <Form id="template" onSubmit={() => void store.run()}>
        <div className={styles["modes"]} role="group" aria-label={text.editAs}>
          <Button kind="quiet" aria-pressed={json === null} onClick={json === null ? undefined : toForm}>
            {text.asForm}
          </Button>
          <Button kind="quiet" aria-pressed={json !== null} onClick={json === null ? toJson : undefined}>
            {text.asJson}
          </Button>
        </div>
        {json === null ? (
          <Fields form={form} faults={faults} onForm={change} />
        ) : (
          <TextArea
            label={text.json}
            mono
            rows={18}
            value={json}
            error={wrong ?? failure}
            onValue={(typed) => {
              setJson(typed);
              setWrong(null);
              store.reset();
            }}
          />
        )}
        <input
          ref={file}
          type="file"
          accept=".json,application/json"
          hidden
          onChange={(event) => {
            const [chosen] = event.target.files ?? [];
            void chosen?.text().then(setJson);
            event.target.value = "";
          }}
        />
      </Form>
    </Dialog>
  );
}

/** Has the page read a template again that others changed, so that the next form begins with their version. */
function overtaken(id: string) {
  return async (error: unknown): Promise<never> => {
    if (isZonewrightError(error) && error.code === "CONFLICT")
      await queries.invalidateQueries({ queryKey: ["templates", "one", id] });
    throw error;
  };
}

const emptyForm: TemplateForm = {
  texts: { serviceName: "", serviceId: "", providerName: "", providerId: "", description: "", variableDescription: "" },
  flags: { hostRequired: false, multiInstance: false, warnPhishing: false },
  rows: [emptyRow(0)],
  original: {},
};

interface FieldsProps {
  form: TemplateForm;
  faults: Faults;
  onForm: (form: TemplateForm) => void;
}

function Fields({ form, faults, onForm }: FieldsProps) {
  const { texts, flags, rows } = form;
  const variables = variablesOf(rows);
  const field = (key: keyof TemplateForm["texts"]) => ({
    label: text.fields[key],
    value: texts[key],
    error: faults[key],
    onValue: (value: string) => onForm({ ...form, texts: { ...texts, [key]: value } }),
  });
  const withRow = (row: Row) => onForm({ ...form, rows: rows.map((each) => (each.key === row.key ? row : each)) });
  const add = () => onForm({ ...form, rows: [...rows, emptyRow(Math.max(-1, ...rows.map(({ key }) => key)) + 1)] });
  return (
    <>
      <div className={styles["two"]}>
        <TextField {...field("serviceName")} maxLength={255} />
        <TextField {...field("serviceId")} hint={text.serviceIdHint} mono maxLength={255} autoCapitalize="none" />
        <TextField {...field("providerName")} maxLength={255} />
        <TextField {...field("providerId")} hint={text.providerIdHint} mono maxLength={255} autoCapitalize="none" />
      </div>
      <TextArea {...field("description")} rows={2} />
      <fieldset className={styles["values"]}>
        <legend>{text.records}</legend>
        <p className={styles["facts"]}>{text.recordsHint}</p>
        {faults["records"] ? <Notice kind="error">{faults["records"]}</Notice> : null}
        {rows.map((row, index) => (
          <RowFields
            key={row.key}
            row={row}
            index={index}
            faults={faults}
            onRow={withRow}
            onRemove={() => onForm({ ...form, rows: rows.filter(({ key }) => key !== row.key) })}
          />
        ))}
        <div>
          <Button onClick={add}>
            <Plus aria-hidden /> {text.addRecord}
          </Button>
        </div>
      </fieldset>
      <fieldset className={styles["values"]}>
        <legend>{text.variables}</legend>
        <p className={styles["facts"]}>{variables.length === 0 ? text.noVariables : text.variablesHint}</p>
        {variables.length === 0 ? null : (
          <ul className={styles["names"]} aria-label={text.variables}>
            {variables.map((name) => (
              <li key={name}>
                <code>{name}</code>
              </li>
            ))}
          </ul>
        )}
        <TextArea {...field("variableDescription")} hint={text.variableDescriptionHint} rows={2} />
      </fieldset>
      {flagKeys.map((key) => (
        <CheckField
          key={key}
          label={text.flags[key]}
          checked={flags[key]}
          onValue={(on) => onForm({ ...form, flags: { ...flags, [key]: on } })}
        />
      ))}
    </>
  );
}

interface RowFieldsProps {
  row: Row;
  index: number;
  faults: Faults;
  onRow: (row: Row) => void;
  onRemove: () => void;
}

/** A record: its name, type, TTL and the fields of its value. */
function RowFields({ row, index, faults, onRow, onRemove }: RowFieldsProps) {
  const { type, values } = row;
  const at = formatNumber(index + 1);
  const field = (key: string) => ({
    label: text.parts[key as keyof typeof text.parts],
    mono: true,
    maxLength: 4_096,
    autoCapitalize: "none",
    value: values[key] ?? "",
    error: faults[`records.${index}.${key}`],
    onValue: (value: string) => onRow({ ...row, values: { ...values, [key]: value } }),
  });
  const types = [type, ...commonTypes.filter((each) => each !== kindOf(type))].toSorted((one, other) =>
    kindOf(one) < kindOf(other) ? -1 : 1,
  );
  return (
    <fieldset className={styles["row"]} aria-label={text.recordAt(at)}>
      <TextField {...field(nameKey(type))} />
      <SelectField
        label={text.type}
        value={type}
        options={types.map((value) => ({ value, label: value === type ? kindOf(type) : value }))}
        error={faults[`records.${index}.type`]}
        onValue={(next) => onRow(withType(row, next))}
      />
      <TextField {...field("ttl")} />
      <div className={styles["data"]}>
        {dataKeys(type).map((key) => (
          <TextField key={key} {...field(key)} />
        ))}
      </div>
      <Button kind="quiet" aria-label={text.removeRecord(at)} title={text.removeRecord(at)} onClick={onRemove}>
        <X aria-hidden />
      </Button>
    </fieldset>
  );
}

/** The paths of the fields that the form shows. */
function pathsOf({ texts, rows }: TemplateForm): string[] {
  const ofRows = rows.flatMap(({ type }, index) =>
    ["type", "ttl", nameKey(type), ...dataKeys(type)].map((key) => `records.${index}.${key}`),
  );
  return [...Object.keys(texts), "records", ...ofRows];
}

/** What is wrong before the service is asked. */
function faultsOf({ texts, rows }: TemplateForm): Faults {
  const faults: Record<string, string> = {};
  for (const key of ["serviceId", "providerId"] as const) if (texts[key].trim() === "") faults[key] = text.missing;
  for (const [index, { type, values }] of rows.entries()) {
    for (const key of ["ttl", ...dataKeys(type)]) {
      const fault = faultOf(key, values[key] ?? "");
      if (fault !== null) faults[`records.${index}.${key}`] = fault === "missing" ? text.missing : text.notFigure;
    }
  }
  return faults;
}

/** The service checks the fields; it says better what is wrong with one. */
function readTemplate(json: string): { ok: true; template: Record<string, unknown> } | { ok: false; message: string } {
  try {
    const parsed: unknown = JSON.parse(json);
    const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
    return isObject
      ? { ok: true, template: parsed as Record<string, unknown> }
      : { ok: false, message: text.notObject };
  } catch (error) {
    return { ok: false, message: json.trim() === "" ? text.notObject : text.notJson(messageOf(error)) };
  }
}
