/** What the dialogs and the first run of the domains need besides `domains`. */
export const domainDialogs = {
  applyTemplate: "Apply a template…",
  emptyTitle: "No domains yet",
  emptyAdmin:
    "Import the zones that your name server or DNS vendor already serves, which changes nothing there. Or add a new domain.",
  emptyMember: "You see a domain here when an administrator assigns it to you.",
  addTitle: "Add a domain",
  addHint: "The zone is created at its provider. If it is there already, its records are read.",
  onlyName: "Only the name is used.",
  nameExample: "example.com",
  viewHint: "For several zones of one name, such as internal.",
  expiresHint: "When the registration ends, if you know it.",
  addTagsHint: "Separate them with commas.",
  fromFiles: "From zone files…",
  filesTitle: "Add domains from zone files",
  filesHint:
    "One domain for each file, such as the exports of Cloudflare or another vendor. The zone is created at its provider and gets the records of the file.",
  zoneOf: (file: string) => `Domain of ${file}`,
  recordsInFile: (count: number, shown: string) => (count === 1 ? "1 record" : `${shown} records`),
  inLine: (line: number, message: string) => `Line ${line}: ${message}`,
  notText: "This is not a text file.",
  tooLarge: "The file exceeds 16 MiB. Split it.",
  unreadableFile: "The file cannot be read. Choose it again.",
  addedFile: "Added",
  withoutRecords: (reason: string) => `The domain was added, but not its records: ${reason}`,
  addFiles: (count: number) => (count === 1 ? "Add 1 domain" : `Add ${count} domains`),
  addedFromFiles: (count: number) => (count === 1 ? "1 domain added." : `${count} domains added.`),
  added: (name: string) => `${name} added.`,
  connect: "Connect a provider",
  foundTitle: (count: number) => (count === 1 ? "A zone is waiting here" : `${count} zones are waiting here`),
  found: (names: string, more: number) =>
    `The zone folder has ${names}${more > 0 ? ` and ${more} more` : ""}. Importing reads the files and changes nothing in them.`,
  importFound: (count: number) => (count === 1 ? "Import this zone" : "Import these zones"),
  unusable: (count: number) =>
    count === 1 ? "1 zone file cannot be imported" : `${count} zone files cannot be imported`,
  tag: "Tag",
  addTagTo: (count: number) => (count === 1 ? "Add a tag to 1 domain" : `Add a tag to ${count} domains`),
  removeTagFrom: (count: number) => (count === 1 ? "Remove a tag from 1 domain" : `Remove a tag from ${count} domains`),
  reminders: "Reminders…",
  setReminders: "Set reminders",
  remindOf: (count: number) =>
    count === 1 ? "Set the reminders of 1 domain" : `Set the reminders of ${count} domains`,
  reminded: (count: number, days: string) =>
    count === 1
      ? `1 domain reminds ${days} days before it expires.`
      : `${count} domains remind ${days} days before they expire.`,
  progress: (done: string, total: string) => `${done} of ${total}`,
  stop: "Stop",
  tagged: (count: number, tag: string) => `${count === 1 ? "1 domain has" : `${count} domains have`} the tag ${tag}.`,
  untagged: (count: number, tag: string) =>
    `${count === 1 ? "1 domain no longer has" : `${count} domains no longer have`} the tag ${tag}.`,
  notTagged: (count: number) => (count === 1 ? "1 domain is unchanged:" : `${count} domains are unchanged:`),
};
