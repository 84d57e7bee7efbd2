/** The pages of the room, in one chunk. */
export { TemplatePage } from "./template-page.tsx";
export { TemplatesPage } from "./templates-page.tsx";
