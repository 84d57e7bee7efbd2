/** Whether a text is the address of an API: http or https, with neither credentials nor a query. */
export function isVendorAddress(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    ["http:", "https:"].includes(url.protocol) &&
    [url.username, url.password, url.search, url.hash].every((part) => part === "")
  );
}
