/** The versions of Node on this machine: the one that runs the tests, and the one that started npm. */
import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface InstalledNode {
  path: string;
  version: string;
}

/** The oldest major version that the SDKs support. */
const OLDEST = 20;

export function installedNodes(): InstalledNode[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const paths = [process.execPath, ...folders.map((folder) => join(folder, 'node'))].filter((path) =>
    existsSync(path),
  );
  const found = [...new Set(paths.map((path) => realpathSync(path)))].map((path) => ({
    path,
    version: execFileSync(path, ['--version'], { encoding: 'utf8' }).trim(),
  }));
  const isFirst = ({ version }: InstalledNode, index: number): boolean =>
    found.findIndex((other) => other.version === version) === index;
  return found.filter(
    (node, index) => isFirst(node, index) && Number(/\d+/.exec(node.version)?.[0]) >= OLDEST,
  );
}
