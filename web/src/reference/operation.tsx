import { useState } from "react";
import { referenceWords as text } from "../words/reference.ts";
import {
  limitsOf,
  objectsOf,
  resolved,
  typeOf,
  valuesOf,
  type Answer,
  type ApiDocument,
  type Operation,
  type Parameter,
  type Schema,
} from "./document.ts";
import { Inline, Prose } from "./prose.tsx";
import { TryIt } from "./try-it.tsx";
import styles from "./reference.module.css";

/** A method in its color, always as wide. */
export function Method({ method }: { method: string }) {
  return (
    <span className={styles["method"]} data-method={method}>
      {method === "DELETE" ? "DEL" : method}
    </span>
  );
}

interface ViewProps {
  document: ApiDocument;
  operation: Operation;
}

/** All about one call. */
export function OperationView({ document, operation }: ViewProps) {
  const { method, path, summary, description, parameters, body, answers, errors } = operation;
  return (
    <article className={styles["operation"]}>
      <div className={styles["about"]}>
        <p className={styles["quiet"]}>{operation.tag}</p>
        <h1>{summary}</h1>
        <p className={styles["path"]}>
          <Method method={method} /> <code>{path}</code>
          {operation.open ? <span className={styles["chip"]}>{text.open}</span> : null}
          {operation.deprecated ? (
            <span className={styles["chip"]} data-kind="warn">
              {text.deprecated}
            </span>
          ) : null}
        </p>
        <Prose>{description}</Prose>
        <Parameters document={document} parameters={parameters} />
        {body === null ? null : (
          <section>
            <h2>{text.body}</h2>
            <Fields document={document} schema={body} />
          </section>
        )}
        <section>
          <h2>{text.answers}</h2>
          {answers.map((answer) => (
            <AnswerView key={answer.status} document={document} answer={answer} />
          ))}
        </section>
        <section>
          <h2>{text.errors}</h2>
          <p className={styles["quiet"]}>{text.errorsHint}</p>
          <dl className={styles["errors"]}>
            {errors.map(({ status, description: meaning }) => (
              <div key={status}>
                <dt>{status}</dt>
                <dd>
                  <Inline>{meaning}</Inline>
                </dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
      <TryIt document={document} operation={operation} />
    </article>
  );
}

function Parameters({ document, parameters }: { document: ApiDocument; parameters: readonly Parameter[] }) {
  if (parameters.length === 0) return null;
  const places = Object.entries(text.places).map(([place, label]) => ({
    label,
    here: parameters.filter((parameter) => parameter.in === place),
  }));
  return (
    <section>
      <h2>{text.parameters}</h2>
      {places.map(({ label, here }) =>
        here.length === 0 ? null : (
          <div key={label}>
            <h3>{label}</h3>
            <ul className={styles["fields"]}>
              {here.map(({ name, required = false, schema, description, example }) => (
                <FieldView
                  key={name}
                  document={document}
                  name={name}
                  required={required}
                  schema={{
                    ...schema,
                    ...(description === undefined ? {} : { description }),
                    ...(example === undefined ? {} : { example }),
                  }}
                />
              ))}
            </ul>
          </div>
        ),
      )}
    </section>
  );
}

function AnswerView({ document, answer }: { document: ApiDocument; answer: Answer }) {
  const { status, description, contentType, schema, headers } = answer;
  return (
    <div className={styles["answer"]}>
      <h3>
        {status} {contentType === null ? null : <span className={styles["type"]}>{contentType}</span>}
      </h3>
      <Prose>{description}</Prose>
      {headers.map(({ name, description: meaning }) => (
        <p key={name} className={styles["quiet"]}>
          {text.header} <code>{name}</code>: <Inline>{meaning}</Inline>
        </p>
      ))}
      {schema === null ? (
        <p className={styles["quiet"]}>{text.noBody}</p>
      ) : (
        <Fields document={document} schema={schema} />
      )}
    </div>
  );
}

/** The fields of an object or of a list's items; nothing for other values. Several forms are shown one after another. */
function Fields({ document, schema }: { document: ApiDocument; schema: Schema }) {
  const objects = objectsOf(document, schema);
  return objects.map((object, index) => (
    <div key={Object.keys(object.properties ?? {}).join()}>
      {objects.length > 1 ? <h4>{text.form(index + 1)}</h4> : null}
      <ul className={styles["fields"]}>
        {Object.entries(object.properties ?? {}).map(([name, inside]) => (
          <FieldView
            key={name}
            document={document}
            name={name}
            required={object.required?.includes(name) ?? false}
            schema={inside}
          />
        ))}
      </ul>
    </div>
  ));
}

interface FieldProps {
  document: ApiDocument;
  name: string;
  required: boolean;
  schema: Schema;
}

function FieldView({ document, name, required, schema }: FieldProps) {
  const [isOpen, setOpen] = useState(false);
  const { description, example, default: orElse } = resolved(document, schema);
  const values = valuesOf(document, schema);
  const limits = limitsOf(document, schema);
  const hasFields = objectsOf(document, schema).length > 0;
  return (
    <li>
      <p className={styles["field"]}>
        <code>{name}</code>
        <span className={styles["type"]}>{typeOf(document, schema)}</span>
        {limits === "" ? null : <span className={styles["type"]}>{limits}</span>}
        {required ? <span className={styles["required"]}>{text.required}</span> : null}
      </p>
      {description === undefined ? null : (
        <p>
          <Inline>{description}</Inline>
        </p>
      )}
      {values.length === 0 ? null : (
        <p className={styles["values"]}>
          {text.values}{" "}
          {values.map((value) => (
            <code key={String(value)}>{String(value)}</code>
          ))}
        </p>
      )}
      <Value say={text.orElse} value={orElse} />
      {values.length > 0 ? null : <Value say={text.example} value={example} />}
      {hasFields ? (
        // What is closed is not made: some schemas contain themselves.
        <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>{text.fieldsOf(name)}</summary>
          {isOpen ? <Fields document={document} schema={schema} /> : null}
        </details>
      ) : null}
    </li>
  );
}

/** A short value with a word before it. */
function Value({ say, value }: { say: (value: string) => string; value: unknown }) {
  if (value === undefined || value === null || value === "") return null;
  const shown = typeof value === "string" ? value : JSON.stringify(value);
  if (shown.length > 120 || shown === "[]" || shown === "{}") return null;
  return (
    <p className={styles["quiet"]}>
      <Inline>{say(`\`${shown}\``)}</Inline>
    </p>
  );
}
