/**
 * Where the system's own programs run: a folder that no one but the system's administrator fills. Windows looks for a
 * program, and for its libraries, in the current folder first.
 */
export const safeFolder = (): string =>
  process.platform === 'win32' ? (process.env['SystemRoot'] ?? String.raw`C:\Windows`) : '/';
