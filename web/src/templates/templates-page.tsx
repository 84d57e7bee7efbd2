import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Plus, Upload } from "lucide-react";
import { useRef, useState } from "react";
import { client } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button } from "../ui/button.tsx";
import field from "../ui/field.module.css";
import { formatNumber } from "../ui/format.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { Empty, Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { usePageKeys } from "../ui/use-page-keys.ts";
import { useSettled } from "../ui/use-settled.ts";
import { templatesWords } from "../words/templates.ts";
import { TemplateEditor } from "./template-editor.tsx";
import { titleOf, zonesOf } from "./values.ts";
import styles from "./templates.module.css";

const text = templatesWords;
const pageSize = 50;
const typingPause = 250;

/** The templates to choose from; administrators add their own. */
export function TemplatesPage() {
  const { search = "", page: at, zone } = useSearch({ from: "/inside/templates" });
  const navigate = useNavigate({ from: "/templates" });
  const user = useUser();
  const zones = zonesOf(zone ?? "").length;
  const page = Math.max(1, Math.trunc(Number(at ?? 1)) || 1);
  const settled = useSettled(search, typingPause).trim();
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ["templates", "list", settled, page],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      await client.templates.list.query({ search: settled || undefined, page, limit: pageSize }, { signal }),
  });
  const [making, setMaking] = useState<"new" | "import" | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  usePageKeys({ "/": () => input.current?.focus() });
  return (
    <Page
      title={text.title}
      actions={
        user.role === "admin" ? (
          <>
            <Button onClick={() => setMaking("import")}>
              <Upload aria-hidden /> {text.import}
            </Button>
            <Button kind="primary" onClick={() => setMaking("new")}>
              <Plus aria-hidden /> {text.new}
            </Button>
          </>
        ) : null
      }
    >
      <p className={styles["intro"]}>{text.intro}</p>
      {zones === 0 ? null : <Notice kind="info">{text.chooseFor(zones, formatNumber(zones))}</Notice>}
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
          onChange={(event) =>
            void navigate({ search: { zone, search: event.target.value || undefined }, replace: true })
          }
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing || (event.key !== "ArrowDown" && event.key !== "Enter")) return;
            event.preventDefault();
            list.current?.querySelector("a")?.focus();
          }}
        />
      </search>
      <Failure error={error} />
      {data?.total === 0 ? <Empty title={text.noneFound}>{text.noneFoundHint}</Empty> : null}
      {data && data.templates.length > 0 ? (
        <ul ref={list} className={styles["list"]} aria-label={text.list}>
          {data.templates.map((template) => (
            <li key={template.id}>
              <div>
                <Link to="/templates/$id" params={{ id: template.id }} search={{ zone }} preload={false}>
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
      {making ? <TemplateEditor template={null} asJson={making === "import"} onClose={() => setMaking(null)} /> : null}
    </Page>
  );
}
