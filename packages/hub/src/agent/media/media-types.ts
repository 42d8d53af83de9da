/** The types that an agent is sent, each with the ending of a name that has none. */
export const IMAGE_TYPES: ReadonlyMap<string, string> = new Map([
  ['image/jpeg', 'jpg'],
  ['image/png', 'png'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
]);

export const FILE_TYPES: ReadonlyMap<string, string> = new Map([
  ['application/pdf', 'pdf'],
  ['text/plain', 'txt'],
  ['text/markdown', 'md'],
  ['text/html', 'html'],
  ['text/csv', 'csv'],
  ['application/json', 'json'],
  ['audio/mpeg', 'mp3'],
  ['audio/wav', 'wav'],
  ['audio/ogg', 'ogg'],
  ['audio/mp4', 'm4a'],
  ['audio/aac', 'aac'],
  ['audio/flac', 'flac'],
  ['audio/opus', 'opus'],
  ['video/mp4', 'mp4'],
  ['video/webm', 'webm'],
  ['video/quicktime', 'mov'],
  ['video/x-msvideo', 'avi'],
  ['application/zip', 'zip'],
  ['application/gzip', 'gz'],
  ['application/x-tar', 'tar'],
  ['application/x-compressed-tar', 'tar.gz'],
]);

/** A label without its parameters, such as `charset`. */
export const essence = (label: string): string => label.split(';', 1)[0]!.trim().toLowerCase();

export const isText = (type: string): boolean => type.startsWith('text/') || type === 'application/json';
