/** The pages across zones, but for requests. They load together: the first page names every file that it may load, and has little room. */
export { PortfolioPage } from "./portfolio/portfolio-page.tsx";
export { JobPage } from "./replace/job-page.tsx";
export { ReplacePage } from "./replace/replace-page.tsx";
export { ReversePage } from "./reverse/reverse-page.tsx";
export { SearchPage } from "./search/search-page.tsx";
export { SecondariesPage } from "./secondaries/secondaries-page.tsx";
