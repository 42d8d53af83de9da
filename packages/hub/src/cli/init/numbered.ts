/** A row of a list to choose from, with the number that somebody types; `mark` stands right behind it. */
export const numbered = (cells: readonly string[], index: number, mark = ' '): string[] => [
  `  ${String(index + 1).padStart(2)}${mark}`,
  ...cells,
];
