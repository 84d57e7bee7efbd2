import { useId } from "react";
import { CheckField } from "../ui/field.tsx";
import { accountWords } from "../words/account.ts";
import styles from "./account.module.css";
import { allPermissions, permissionRows, type Permission } from "./permissions.ts";

const text = accountWords;

interface PermissionsProps {
  /** Those to choose from; all by default. */
  offered?: readonly Permission[];
  /** What to know about them. */
  hint?: string;
  chosen: readonly Permission[];
  problem: string | null;
  onToggle: (permission: Permission, checked: boolean) => void;
}

/** Permissions of a token to tick, by subject. */
export function Permissions({
  offered = allPermissions,
  hint = text.permissionsHint,
  chosen,
  problem,
  onToggle,
}: PermissionsProps) {
  const id = useId();
  const shown = permissionRows
    .map(({ subject, deeds }) => ({ subject, deeds: deeds.filter(({ permission }) => offered.includes(permission)) }))
    .filter(({ deeds }) => deeds.length > 0);
  return (
    <fieldset className={styles["choices"]}>
      <legend>{text.permissions}</legend>
      <span className={styles["hint"]}>{hint}</span>
      <div className={styles["subjects"]}>
        {shown.map(({ subject, deeds }) => (
          <div key={subject} className={styles["subject"]} role="group" aria-labelledby={`${id}-${subject}`}>
            <div>
              <strong id={`${id}-${subject}`}>{text.subjects[subject]}</strong>
              <span className={styles["hint"]}>{text.subjectHints[subject]}</span>
            </div>
            {deeds.map(({ deed, permission }) => (
              <CheckField
                key={deed}
                label={text[deed]}
                checked={chosen.includes(permission)}
                onValue={(checked) => onToggle(permission, checked)}
              />
            ))}
          </div>
        ))}
      </div>
      {problem ? (
        <div className={styles["error"]} role="alert">
          {problem}
        </div>
      ) : null}
    </fieldset>
  );
}
