/** Node returns some duplicate headers as a list. The first one counts. */
export const header = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

const JSON_TYPE = /^application\/json *(;|$)/i;

export const isJsonType = (type: string | undefined): boolean =>
  type === 'application/json' || (type !== undefined && JSON_TYPE.test(type));
