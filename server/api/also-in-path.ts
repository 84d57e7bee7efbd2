/** Error message for a field that is already in the path. */
export const alsoInPath = "This is already in the path. Remove it here.";
