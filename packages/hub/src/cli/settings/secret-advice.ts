import { secretNameFor } from '../../config/secret-name.ts';

/** What to do about a secret that is written out: two lines to copy. */
export function secretAdvice(setting: string): string {
  const [, server = '', ...key] = setting.split('.');
  const name = secretNameFor(setting);
  const lines = [`pincer secret set ${name}`];
  // A word of a command stands among others, which have to be written again.
  if (!setting.endsWith(']')) lines.push(`pincer set ${server} ${key.join('.')} '$secret:${name}'`);
  return `${setting} is a secret in clear text. Better:\n${lines.map((line) => `    ${line}`).join('\n')}`;
}
