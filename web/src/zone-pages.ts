/** The pages of a zone that are opened least. They load together: the first page names every file that it may load, and has little room. */
export { ComparePage } from "./compare/compare-page.tsx";
export { AccessPage } from "./zone/access-page.tsx";
export { HealthPage } from "./records/health-page.tsx";
export { RegistrationPage } from "./zone/registration-page.tsx";
export { SettingsPage } from "./zone/settings-page.tsx";
