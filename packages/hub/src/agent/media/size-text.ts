const MiB = 1024 * 1024;

/** A size as people say it, rounded up: nothing that is over a limit looks as if it were within. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  const [unit, name] = bytes < MiB ? [1024, 'KB'] : [MiB, 'MB'];
  return `${Math.ceil((bytes * 10) / unit) / 10} ${name}`;
}
