/** What is said of a field that the path gives already. */
export const alsoInPath = "This is given in the path; remove it here.";
