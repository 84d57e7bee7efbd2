import type { RouterOutputs } from "@zonewright/client";
import { registrationWords } from "../words/registration.ts";
import styles from "./registration.module.css";

const text = registrationWords;

/** The fields of a registration that a plan changes, before and after. */
export function RegistrationChanges({ changes }: { changes: RouterOutputs["registrations"]["update"]["changes"] }) {
  return (
    <dl className={styles["plan"]} aria-label={text.plan}>
      {changes.map(({ field, before, after }) => {
        const [was, becomes] = [valuesOf(before), valuesOf(after)];
        return (
          <div key={field}>
            <dt>{text.rows[field]}</dt>
            <dd>
              {was
                .filter((value) => !becomes.includes(value))
                .map((value) => (
                  <del key={value}>
                    <span className="sr">{text.was} </span>− {value}
                  </del>
                ))}
              {becomes
                .filter((value) => !was.includes(value))
                .map((value) => (
                  <ins key={value}>
                    <span className="sr">{text.becomes} </span>+ {value}
                  </ins>
                ))}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function valuesOf(value: string[] | boolean | null): string[] {
  if (value === null) return [];
  return typeof value === "boolean" ? [value ? text.on : text.off] : value;
}
