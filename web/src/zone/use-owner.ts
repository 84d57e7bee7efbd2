import { useState } from "react";
import { useUser } from "../session/current-user.ts";
import { usePersonSearch } from "../session/use-person-search.ts";
import { zoneWords } from "../words/zone.ts";
import type { Zone } from "./use-zone.ts";

const text = zoneWords;

/** What a `PersonField` needs for administrators to set the owner of a domain. */
export function useOwner({ ownerId }: Zone) {
  const user = useUser();
  const { id, reset, field } = usePersonSearch({
    present: ownerId,
    enabled: user.role === "admin",
    selfDetail: text.ownerSelf,
    mayBe: ({ disabled }) => !disabled,
  });
  const [isTried, setIsTried] = useState(false);
  return {
    /** Null for nobody; undefined while a text is entered that names nobody. */
    id,
    /** Says from now on what is wrong with the text. */
    check: () => setIsTried(true),
    problem: isTried && id === undefined ? text.ownerChoose : null,
    reset: () => {
      reset();
      setIsTried(false);
    },
    field: {
      ...field,
      label: text.owner,
      hint: text.ownerHint,
      placeholder: text.ownerSearch,
      none: text.ownerNone,
    },
  };
}
