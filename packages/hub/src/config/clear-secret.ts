/** Which settings hold secrets, and whether one is written out or refers to where it is. */
const SECRET_NAME =
  /authorization|cookie|token|secret|passw|credential|api[-_]?key|private[-_]?key|^key$|[-_]key$/i;

const isSecretName = (name: string): boolean => SECRET_NAME.test(name);

/** `$NAME`, `${NAME}` and `$secret:NAME` refer; `$$` is a dollar. */
const isReference = (text: string): boolean => /(?:^|[^$])(?:\$\$)*\$(?:\w|\{)/.test(text);

/** A secret in clear text, which belongs neither on a command line nor in a file. */
export const isClearSecret = (name: string, value: string): boolean =>
  isSecretName(name) && !isReference(value);
