/** A word that a POSIX shell takes as it is: nothing in it is expanded, and it ends no command. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
