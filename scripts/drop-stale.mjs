/** Removes files of an earlier build whose sources are gone: they would be published too. */
import { existsSync, globSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const MADE = /\.(?:d\.ts|js)(?:\.map)?$/;

for (const name of ['hub', 'openclaw-plugin']) {
  const dist = join('packages', name, 'dist');
  for (const path of globSync('**/*.{js,ts,map}', {
    cwd: dist,
    exclude: ['bundle/**', 'openclaw-plugin/**'],
  }))
    if (!existsSync(join('packages', name, 'src', path.replace(MADE, '.ts')))) rmSync(join(dist, path));
}
