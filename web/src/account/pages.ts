/** The pages of the user's own account. They load together: the first page names every file that it may load, and has little room. */
export { KeysPage } from "./keys-page.tsx";
export { ProfilePage } from "./profile-page.tsx";
export { AuthorizePage, DevicePage } from "./program-pages.tsx";
export { SecurityPage } from "./security-page.tsx";
export { SessionsPage } from "./sessions-page.tsx";
export { TokensPage } from "./tokens-page.tsx";
