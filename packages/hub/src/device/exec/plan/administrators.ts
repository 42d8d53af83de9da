/** Files that only an administrator can change, by where they are. Homebrew's are the person's own. */
const ADMINISTRATORS =
  /^(?!\/usr\/local\/|\/opt\/homebrew\/|[A-Z]:\\Windows\\Temp\\)(?:\/(?:usr|bin|sbin|lib|lib64|opt|nix\/store|snap|System|Library)\/|[A-Z]:\\(?:Windows|Program Files(?: \(x86\))?)\\)/i;

export const isAdministrators = (path: string): boolean => ADMINISTRATORS.test(path);
