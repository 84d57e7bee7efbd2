import { useEffect, useState } from "react";

/** The value once it has not changed for a while, so that nobody is asked about every letter. */
export function useSettled<Value>(value: Value, milliseconds: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const wait = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(wait);
  }, [value, milliseconds]);
  return settled;
}
