/** The licences of the packages in a bundle. Each one requires its text to be kept with the code. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

const FOLDER = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/;

/** `modules`: paths of the bundled files. */
export function licensesOf(modules) {
  const folders = new Set(modules.flatMap((path) => FOLDER.exec(path.replaceAll('/', sep))?.[1] ?? []));
  const sorted = [...folders].toSorted((a, b) => (a < b ? -1 : 1));
  return sorted.map(licenseIn).join('\n');
}

function licenseIn(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined)
    throw new Error(`${name} has no licence file, so it cannot be published with ours.`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}
