/** Takes the one-time token of a mailed link (`#token=…`) out of the address, so that no history, log or screenshot has it. */
export function tokenFromHash(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token !== null) history.replaceState(history.state, "", location.pathname + location.search);
  return token;
}
