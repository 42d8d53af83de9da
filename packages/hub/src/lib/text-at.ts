/** A text in a record; undefined: there is none there, or it is empty. */
export const textAt = (record: Readonly<Record<string, unknown>>, key: string): string | undefined => {
  const value = record[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
};
