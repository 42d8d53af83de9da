/** Undefined: there is no such format. */
export function pictureFormat(name: string): 'png' | 'jpeg' | undefined {
  const asked = name.trim().toLowerCase();
  if (asked === 'png' || asked === '') return 'png';
  return asked === 'jpeg' || asked === 'jpg' ? 'jpeg' : undefined;
}
