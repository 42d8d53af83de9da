/** Which settings hold secrets, and whether one is written out or refers to where it is. */
import { isSecretName } from '../core/redact/secret-names.ts';

/** What is called a key is one in a configuration; in the arguments of a call it mostly is not. */
const KEY = /^key$|[-_]key$/i;

export const isSecretSetting = (name: string): boolean => isSecretName(name) || KEY.test(name);

/** It refers to nothing: what is written is what is meant. `$NAME`, `${NAME}` and `$secret:NAME` refer; `$$` is a dollar. */
export const isClear = (text: string): boolean => !/(?:^|[^$])(?:\$\$)*\$(?:\w|\{)/.test(text);

/** What policy says of a tool, and that may be called `reset_password`. */
const DECISION = /^(?:allow|ask|deny)$/;

/** A secret in clear text, which belongs neither on a command line nor in a file. */
export const isClearSecret = (name: string, value: string): boolean =>
  isSecretSetting(name) && isClear(value) && !DECISION.test(value);
