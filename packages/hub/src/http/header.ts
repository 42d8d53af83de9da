/** Node gives some headers as a list when they come twice: the first counts. */
export const header = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

const JSON_TYPE = /^application\/json *(;|$)/i;

export const isJsonType = (type: string | undefined): boolean =>
  type === 'application/json' || (type !== undefined && JSON_TYPE.test(type));
