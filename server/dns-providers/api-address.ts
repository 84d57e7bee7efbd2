/** Whether a text can be the address of an API. Neither credentials nor a query: those have fields of their own. */
export function isApiAddress(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    ["http:", "https:"].includes(url.protocol) &&
    [url.username, url.password, url.search, url.hash].every((part) => part === "")
  );
}
