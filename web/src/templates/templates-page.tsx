import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { isZonewrightError, type RouterInputs, type RouterOutputs } from "@zonewright/client";
import { Upload } from "lucide-react";
import { useRef, useState } from "react";
import { client, messageOf, queries } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Form, TextArea } from "../ui/field.tsx";
import field from "../ui/field.module.css";
import { forPeople } from "../ui/for-people.ts";
import { formatNumber } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Empty, Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { useAction } from "../ui/use-action.ts";
import { usePageKeys } from "../ui/use-page-keys.ts";
import { useSettled } from "../ui/use-settled.ts";
import { templatesWords } from "../words/templates.ts";
import styles from "./templates.module.css";

const text = templatesWords;
const pageSize = 50;
const typingPause = 250;

export type Template = RouterOutputs["templates"]["get"];

/** What is called by whom. */
export function titleOf({ serviceName, serviceId }: Pick<Template, "serviceName" | "serviceId">): string {
  return serviceName || serviceId;
}

/** The templates to choose from; administrators add their own. */
export function TemplatesPage() {
  const { search = "", page: at } = useSearch({ from: "/inside/templates" });
  const navigate = useNavigate({ from: "/templates" });
  const user = useUser();
  const page = Math.max(1, Math.trunc(Number(at ?? 1)) || 1);
  const settled = useSettled(search, typingPause).trim();
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ["templates", "list", settled, page],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      await client.templates.list.query({ search: settled || undefined, page, limit: pageSize }, { signal }),
  });
  const [importing, setImporting] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  usePageKeys({ "/": () => input.current?.focus() });
  return (
    <Page
      title={text.title}
      actions={
        user.role === "admin" ? (
          <Button kind="primary" onClick={() => setImporting(true)}>
            <Upload aria-hidden /> {text.import}
          </Button>
        ) : null
      }
    >
      <p className={styles["intro"]}>{text.intro}</p>
      <search>
        <input
          ref={input}
          type="search"
          className={`${field["input"]} ${styles["search"]}`}
          aria-label={text.search}
          placeholder={text.search}
          aria-keyshortcuts="/"
          maxLength={255}
          value={search}
          onChange={(event) => void navigate({ search: { search: event.target.value || undefined }, replace: true })}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing || (event.key !== "ArrowDown" && event.key !== "Enter")) return;
            event.preventDefault();
            list.current?.querySelector("a")?.focus();
          }}
        />
      </search>
      <Failure error={error} />
      {data?.total === 0 ? <Empty title={text.noneFound} /> : null}
      {data && data.templates.length > 0 ? (
        <ul ref={list} className={styles["list"]} aria-label={text.list}>
          {data.templates.map((template) => (
            <li key={template.id}>
              <div>
                <Link to="/templates/$id" params={{ id: template.id }} preload={false}>
                  {titleOf(template)}
                </Link>
                {template.builtIn ? <span className={styles["chip"]}>{text.builtIn}</span> : null}
                <small>{[template.providerName, template.description].filter(Boolean).join(" · ")}</small>
              </div>
              <span className={styles["facts"]}>
                {text.facts(template.recordCount, formatNumber(template.recordCount), template.variables.length)}
              </span>
            </li>
          ))}
        </ul>
      ) : null}
      <Pager
        page={page}
        pages={Math.ceil((data?.total ?? 0) / pageSize)}
        isKnown={data !== undefined && !isPlaceholderData && settled === search.trim()}
        onPage={(next, replace) => void navigate({ search: (before) => ({ ...before, page: String(next) }), replace })}
      />
      {importing ? <TemplateEditor template={null} onClose={() => setImporting(false)} /> : null}
    </Page>
  );
}

interface TemplateEditorProps {
  /** The one that gets a new version; null for another template. */
  template: Template | null;
  onClose: () => void;
}

/** Takes a template as text or file. */
export function TemplateEditor({ template, onClose }: TemplateEditorProps) {
  const navigate = useNavigate();
  const [json, setJson] = useState(() => (template ? JSON.stringify(template.template, null, 2) : ""));
  const [wrong, setWrong] = useState<string | null>(null);
  const file = useRef<HTMLInputElement>(null);
  const store = useAction(async () => {
    const read = readTemplate(json);
    setWrong(read.ok ? null : read.message);
    if (!read.ok) return;
    const stored = template
      ? await client.templates.update.mutate({ ...read.template, id: template.id })
      : await client.templates.create.mutate(read.template);
    queries.setQueryData(["templates", "one", stored.id], stored);
    await queries.invalidateQueries({ queryKey: ["templates", "list"] });
    onClose();
    await navigate({ to: "/templates/$id", params: { id: stored.id } });
  });
  const issues = isZonewrightError(store.error) ? (store.error.issues ?? []) : [];
  const said = issues.map(({ path, message }) => text.at(path.join("."), forPeople(message))).join("\n");
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={template ? text.updateTitle(titleOf(template)) : text.importTitle}
      description={template ? text.updateHint : text.importHint}
      footer={
        <>
          <Button kind="quiet" onClick={onClose}>
            {text.cancel}
          </Button>
          <Button onClick={() => file.current?.click()}>{text.file}</Button>
          <Button kind="primary" type="submit" form="template" pending={store.pending}>
            {template ? text.replaceNow : text.importNow}
          </Button>
        </>
      }
    >
      <Form id="template" onSubmit={() => void store.run()}>
        <TextArea
          label={text.json}
          mono
          rows={18}
          value={json}
          error={wrong ?? (said || (store.error === null ? null : messageOf(store.error)))}
          onValue={(typed) => {
            setJson(typed);
            setWrong(null);
            store.reset();
          }}
        />
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

type Given = RouterInputs["templates"]["create"];

/** The service checks the fields; it says better what is wrong with one. */
function readTemplate(json: string): { ok: true; template: Given } | { ok: false; message: string } {
  try {
    const parsed: unknown = JSON.parse(json);
    const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
    return isObject ? { ok: true, template: parsed as Given } : { ok: false, message: text.notObject };
  } catch (error) {
    return { ok: false, message: json.trim() === "" ? text.notObject : text.notJson(messageOf(error)) };
  }
}
