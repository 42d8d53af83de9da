import { type Environment, wholeSearchPath } from '../lib/process.ts';
import { isForbiddenVariable } from '../core/forbidden-variables.ts';
import { inheritedValue, inheritedVariables, isWrittenByNpm } from '../core/inherited-variables.ts';

/**
 * What a child sees: a few names that programs cannot do without, and what its configuration declares. Anything else of
 * the hub's own environment reaches it only where the configuration names it. What slips code into programs never does,
 * and PATH never leads to the current folder.
 */
export function childEnvironment(
  declared: Readonly<Record<string, string>>,
  env: Environment,
  platform: NodeJS.Platform,
): Record<string, string> {
  const isWindows = platform === 'win32';
  const allowed = Object.entries(declared)
    .filter(([name]) => !isForbiddenVariable(name, platform))
    .map(
      ([name, value]) => [name, isPath(name, isWindows) ? wholeSearchPath(value, platform) : value] as const,
    );
  const isDeclared = (name: string, isAnyCase: boolean): boolean =>
    allowed.some(([other]) => other === name || (isAnyCase && other.toUpperCase() === name.toUpperCase()));
  const inherited = inheritedVariables(platform).flatMap(({ name, kind, isAnyCase }) => {
    const value = isWindows ? valueInAnyCase(env, name) : env[name];
    if (value === undefined || isDeclared(name, isAnyCase) || isWrittenByNpm(name, env, platform)) return [];
    const passed = inheritedValue(value, kind, platform);
    return passed === undefined ? [] : [[name, passed] as const];
  });
  return Object.fromEntries([...inherited, ...allowed]);
}

const isPath = (name: string, isWindows: boolean): boolean =>
  name === 'PATH' || (isWindows && name.toUpperCase() === 'PATH');

/** Windows itself writes `Path`, and a copy of its environment is no longer blind to case. */
const valueInAnyCase = (env: Environment, wanted: string): string | undefined =>
  Object.entries(env).find(([name]) => name.toUpperCase() === wanted)?.[1];
