const records = (count: number, shown: string) => (count === 1 ? "1 record" : `${shown} records`);
const domains = (count: number, shown: string) => (count === 1 ? "1 domain" : `${shown} domains`);

export const templates = {
  title: "Templates",
  intro:
    "Apply a tested set of records, such as those of a mail provider, to a zone in one step. You see each change before anything is sent.",
  search: "Filter by provider or service",
  list: "Templates",
  noneFound: "No template matches.",
  builtIn: "Built in",
  facts: (count: number, shown: string, variables: number) =>
    variables === 0
      ? records(count, shown)
      : `${records(count, shown)}, ${variables === 1 ? "1 value" : `${variables} values`} to fill in`,
  import: "Import…",
  importTitle: "Import a template",
  importHint: "Paste a template in the JSON form of Domain Connect, or choose its file. Nothing is applied yet.",
  json: "Template",
  notJson: (reason: string) => `This is not JSON: ${reason}`,
  notObject: "Paste one template: an object that begins with {.",
  file: "Choose a file…",
  importNow: "Import",
  replaceNow: "Store the new version",
  update: "New version…",
  updateTitle: (name: string) => `A new version of ${name}`,
  updateHint: "Zones stay as they are until you plan the update of the linked ones.",
  at: (path: string, message: string) => `${path}: ${message}`,
  cancel: "Cancel",
  delete: "Delete…",
  deleteTitle: (name: string) => `Delete the template ${name}?`,
  deleteHint: "Records that it wrote stay.",
  deleteNow: "Delete",
  apply: "Apply to a zone",
  zone: "Zone",
  zoneMissing: "Choose the zone.",
  zoneUnknown: "You have no zone of this name.",
  host: "Host",
  hostHint: "@ for the zone itself, or a name below it, such as shop.",
  hostMissing: "This template needs a host below the zone.",
  groups: "Parts",
  filled: (filled: string, all: string) => `${filled} of ${all} values filled in`,
  missing: "This is required.",
  values: "Values",
  onlyEmpty: "Only those that are empty",
  allFilled: "All values are filled in.",
  paste: "Paste values",
  pasteHint: "One name=value per line, or a JSON object. Names that the template does not have are left out.",
  pasteNow: "Fill in",
  pasted: (count: string) => `${count} filled in`,
  pastedNone: "No line has the name of a value of this template.",
  linked: "Keep the zone linked: a new version of the template can then be applied to all linked zones",
  plan: "Show the plan",
  planTitle: (zone: string) => `Plan for ${zone}`,
  nothing: "The zone already has everything that this template writes.",
  conflicts: (count: number, shown: string) =>
    `${count === 1 ? "1 record is" : `${shown} records are`} deleted because of a conflict with the template.`,
  applyNow: (zone: string) => `Apply to ${zone}`,
  applied: (name: string, zone: string) => `${name} applied to ${zone}`,
  unsupported: "Some records cannot be applied",
  unsupportedHint: (type: string, reason: string) => `${type}: ${reason}`,
  phishing: "Check every value: this template warns that its values can be abused.",
  records: "Records",
  type: "Type",
  name: "Name",
  value: "Value",
  ttl: "TTL",
  more: (count: string) => `and ${count} more`,
  linkedTitle: "Linked zones",
  linkedHint:
    "Zones that were applied with a link follow the template. See what its present version changes in them, then apply it to all.",
  linkedPlan: "Plan the update",
  linkedPlanTitle: (count: number, shown: string) => `Update of ${domains(count, shown)}`,
  linkedNothing: (count: number, shown: string) =>
    count === 0
      ? "No zone is linked to this template."
      : count === 1
        ? "Nothing to do: the linked zone already matches the template."
        : `Nothing to do: all ${shown} linked zones already match the template.`,
  linkedApply: (count: number, shown: string) => `Update ${domains(count, shown)}`,
};
