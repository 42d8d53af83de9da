/** What to do about a secret that is written out. */

/** `GITHUB_TOKEN` for a variable of that name, else with the server before it: `DOCS_API_KEY`. */
export function secretNameFor(setting: string): string {
  const [, server = '', ...key] = setting.replaceAll(/\[\d+\]/g, '').split('.');
  const words = key[0] === 'env' ? key.slice(1) : [server, key.at(-1)!];
  return words
    .map((word) => word.replaceAll(/([a-z])([A-Z])/g, '$1_$2').replaceAll(/\W+/g, '_'))
    .join('_')
    .toUpperCase();
}

/** Two lines to copy. */
export function secretAdvice(setting: string): string {
  const [, server = '', ...key] = setting.split('.');
  const name = secretNameFor(setting);
  const lines = [`pincer secret set ${name}`];
  // A word of a command stands among others, which have to be written again.
  if (!setting.endsWith(']')) lines.push(`pincer set ${server} ${key.join('.')} '$secret:${name}'`);
  return `${setting} is a secret in clear text. Better:\n${lines.map((line) => `    ${line}`).join('\n')}`;
}
