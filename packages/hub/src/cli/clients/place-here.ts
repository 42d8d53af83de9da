import { homedir } from 'node:os';
import type { Place } from '../../config/import/locations.ts';

export const placeHere = (): Place => ({
  platform: process.platform,
  home: homedir(),
  cwd: process.cwd(),
  env: process.env,
});
