import { SelectField } from "../../ui/field.tsx";
import { zoneWords } from "../../words/zone.ts";

interface Props<Access extends string> {
  value: Access;
  accesses: readonly Access[];
  onValue: (access: Access) => void;
}

/** What an assignment allows. */
export function AccessField<Access extends keyof typeof zoneWords.accesses>({
  value,
  accesses,
  onValue,
}: Props<Access>) {
  return (
    <SelectField
      label={zoneWords.access}
      value={value}
      options={accesses.map((access) => ({ value: access, label: zoneWords.accesses[access] }))}
      onValue={onValue}
    />
  );
}
