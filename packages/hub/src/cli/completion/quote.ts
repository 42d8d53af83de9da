/** A word in single quotes, for bash and zsh. */
export const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The same for fish, where a backslash is one in single quotes too. */
export const quotedFish = (text: string): string =>
  `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`;

/** The same for PowerShell. */
export const quotedPowershell = (text: string): string => `'${text.replaceAll("'", "''")}'`;
