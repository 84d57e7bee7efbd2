import { useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { Mark } from "../ui/brand.tsx";
import { referenceWords as text } from "../words/reference.ts";
import { operationsOf, searched, type ApiDocument, type Operation } from "./document.ts";
import { Method, OperationView } from "./operation.tsx";
import { Prose } from "./prose.tsx";
import styles from "./reference.module.css";

/** The address of the document that this page shows. */
const source = "/api/openapi.json";

/** What the address names: `#/createRecord`. Links of older versions have the group before the call: `#/DNS%20records/createRecord`. */
function chosenId(): string | null {
  const [id = ""] = location.hash.split("/").slice(-1);
  return location.hash.includes("/") && id !== "" ? decoded(id) : null;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The API document for people: every call with its fields, answers and errors, and a form that makes it. */
export function ReferencePage() {
  const [document, setDocument] = useState<ApiDocument | null>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    fetch(source)
      .then(async (response) => {
        // A service that is about to stop answers with a problem, and a proxy with a page of its own.
        if (!response.ok) throw new Error(response.statusText);
        return (await response.json()) as ApiDocument;
      })
      .then(setDocument, () => setFailed(true));
  }, []);
  if (failed)
    return (
      <p className={styles["alone"]} role="alert">
        {text.failed}
      </p>
    );
  if (!document)
    return (
      <p className={styles["alone"]} role="status">
        {text.loading}
      </p>
    );
  return <Loaded document={document} />;
}

function Loaded({ document }: { document: ApiDocument }) {
  const operations = useMemo(() => operationsOf(document), [document]);
  const [id, setId] = useState(chosenId);
  const [listed, setListed] = useState(false);
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    const follow = () => {
      setId(chosenId());
      setListed(false);
      scrollTo(0, 0);
      main.current?.focus({ preventScroll: true });
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  const operation = operations.find((one) => one.id === id);
  const title = operation?.summary ?? text.overview;
  useEffect(() => {
    globalThis.document.title = text.pageTitle(title);
  }, [title]);
  return (
    <div className={styles["page"]}>
      <header className={styles["bar"]}>
        <a className={styles["brand"]} href="#/">
          <Mark /> Zonewright <span>{text.title}</span>
        </a>
        <button
          type="button"
          className={styles["show"]}
          aria-expanded={listed}
          aria-controls="calls"
          onClick={() => setListed(!listed)}
        >
          {text.showCalls}
        </button>
      </header>
      <Calls document={document} operations={operations} id={id} listed={listed} />
      <main ref={main} tabIndex={-1} className={styles["main"]}>
        {operation ? (
          <OperationView key={operation.id} document={document} operation={operation} />
        ) : (
          <Overview document={document} unknown={id} />
        )}
      </main>
    </div>
  );
}

interface CallsProps {
  document: ApiDocument;
  operations: readonly Operation[];
  id: string | null;
  listed: boolean;
}

/** All calls by group, and a search over them. */
function Calls({ document, operations, id, listed }: CallsProps) {
  const [search, setSearch] = useState("");
  const deferred = useDeferredValue(search);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const toSearch = (event: KeyboardEvent) => {
      const typing = event.target instanceof Element && event.target.matches("input, textarea, select");
      if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener("keydown", toSearch);
    return () => removeEventListener("keydown", toSearch);
  }, []);
  const found = useMemo(() => searched(operations, deferred), [operations, deferred]);
  return (
    <nav id="calls" className={styles["calls"]} aria-label={text.calls} data-listed={listed || undefined}>
      <input
        ref={field}
        type="search"
        className={styles["search"]}
        aria-label={text.search}
        title={text.searchHint}
        placeholder={text.search}
        autoComplete="off"
        spellCheck={false}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") setSearch("");
          if (event.key === "Enter" && found[0]) location.hash = `#/${found[0].id}`;
        }}
      />
      {found.length === 0 ? (
        <p className={styles["quiet"]} role="status">
          {text.nothingFound(search)}
        </p>
      ) : null}
      {document.tags.map(({ name }) => {
        const group = found.filter(({ tag }) => tag === name);
        if (group.length === 0) return null;
        return (
          <section key={name} aria-label={name}>
            <h2>{name}</h2>
            <ul>
              {group.map((operation) => (
                <li key={operation.id}>
                  <a href={`#/${operation.id}`} aria-current={operation.id === id ? "page" : undefined}>
                    <Method method={operation.method} />
                    <span>{operation.summary}</span>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </nav>
  );
}

/** What holds for all calls. @param unknown a call of the address that does not exist */
function Overview({ document, unknown }: { document: ApiDocument; unknown: string | null }) {
  const { info, tags } = document;
  return (
    <article className={styles["overview"]}>
      <h1>{text.title}</h1>
      <p className={styles["quiet"]}>{text.version(info.version)}</p>
      {unknown === null ? null : <p role="alert">{text.unknown(unknown)}</p>}
      <Prose>{info.description}</Prose>
      <p className={styles["links"]}>
        <a href="/">{text.console}</a>
        <a href={source}>{text.document}</a>
      </p>
      <dl className={styles["groups"]}>
        {tags.map(({ name, description }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
      <p className={styles["quiet"]}>{text.overviewMore}</p>
    </article>
  );
}
