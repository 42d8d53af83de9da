import { sep } from 'node:path';

/** Paths as a person would say them: `~/…` in the home folder, `./…` in this one. */
export const shortener =
  (home: string, here: string) =>
  (path: string): string => {
    if (path === here) return '.';
    if (here !== home && path.startsWith(here + sep)) return `.${path.slice(here.length)}`;
    return path === home ? '~' : path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path;
  };
