import "../theme/fonts.css";
import "../theme/tokens.css";
import "../theme/base.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { startTheme } from "../theme/theme.ts";
import { loadLanguage } from "../words/language.ts";
import { ReferencePage } from "./reference-page.tsx";

startTheme();
const root = document.querySelector("#root");
if (!root) throw new Error("The page has no #root.");
await loadLanguage();
createRoot(root).render(
  <StrictMode>
    <ReferencePage />
  </StrictMode>,
);
