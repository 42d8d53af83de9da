const ARTICLES: Readonly<Record<string, string>> = {
  array: 'a JSON array',
  object: 'a JSON object',
  integer: 'an integer',
  null: 'null',
};

/** `a string or an integer`. */
export const describeTypes = (types: ReadonlySet<string>): string =>
  [...types].map((type) => (Object.hasOwn(ARTICLES, type) ? ARTICLES[type] : `a ${type}`)).join(' or ');
