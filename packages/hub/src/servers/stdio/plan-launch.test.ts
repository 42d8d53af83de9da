import { describe, expect, it } from 'vitest';
import { handsFolderOn, planLaunch } from './plan-launch.ts';

const ENV = { PATH: '/bin', HOME: '/home/p' };
const plan = (line: string, cwd?: string, env: Record<string, string> = ENV) => {
  const [command = '', ...args] = line.split(' ');
  return planLaunch({ command, args, cwd, env }, 'linux');
};

describe('a launcher with a folder', () => {
  it.each([
    'npx -y x',
    'npm exec x',
    'npm --prefix /y x x',
    '/usr/bin/npx x',
    'env A=b npx x',
    'NPX.cmd x',
    'cmd /c npx x',
    'nice -n 10 npx x',
    'env -u NODE_ENV A=b npx x',
    'timeout -k 5 60 npx x',
    'stdbuf -o L setsid -w npx x',
    'ionice -c 3 nohup npx x',
    'xvfb-run -a -s -screen npx x',
    'caffeinate -i time npx x',
  ])('%s runs in an empty one, and npm starts the program in the folder', (line) =>
    expect(plan(line, '/repo')).toMatchObject({ cwd: undefined, npmRunsIn: '/repo' }),
  );

  it.each([
    'pnpx x',
    'pnpm dlx x',
    'pnpm --dir /y dlx x',
    'yarn dlx x',
    'corepack yarn dlx x',
    'bunx x',
    'bun x y',
    'uvx x',
    'uv tool run x',
    'uv --directory /y tool run x',
    'pipx run x',
    'deno run -A npm:x',
    'deno run jsr:@a/b',
    'deno run https://x/y.ts',
    'deno x npm:y',
  ])('%s and its program run in an empty one', (line) => {
    expect(plan(line, '/repo')).toMatchObject({ cwd: undefined, npmRunsIn: undefined });
    expect(handsFolderOn(line.split(' '), 'linux')).toBe(false);
  });

  it('resolves relative paths against that folder', () => {
    expect(plan('uvx x --repository . --config ./a.json ../b .hidden a/b', '/repo/c').args).toEqual([
      'x',
      '--repository',
      '/repo/c',
      '--config',
      '/repo/c/a.json',
      '/repo/b',
      '.hidden',
      'a/b',
    ]);
    expect(plan('npx .', '/repo').args).toEqual(['/repo']);
  });

  it('does not pass the folder on, on Windows', () => {
    const { npmRunsIn, cwd } = planLaunch({ command: 'npx', args: ['x'], cwd: 'C:\\r', env: {} }, 'win32');
    expect({ npmRunsIn, cwd }).toEqual({ npmRunsIn: undefined, cwd: undefined });
  });
});

describe('any other program', () => {
  it.each([
    'node ./server.js',
    'npm start',
    'npm run exec',
    'pnpm start',
    'yarn start',
    'bun run server.ts',
    'bun server.ts',
    'uv run server.py',
    'uv --directory /y run server.py',
    'deno run -A server.ts',
    'deno task start',
    'docker run x',
  ])('%s runs in its folder, where the program is', (line) => {
    expect(plan(line, '/repo')).toEqual({
      command: line.split(' ')[0],
      args: line.split(' ').slice(1),
      cwd: '/repo',
      env: ENV,
    });
  });

  it('runs in a new folder if none is configured', () => {
    for (const line of ['node x', 'npx x', 'python -m x'])
      expect(plan(line)).toMatchObject({ cwd: undefined, env: ENV });
    expect(plan('node x', '')).toMatchObject({ cwd: undefined });
  });

  it('may have a folder below the home folder', () => {
    expect(plan('node x', '~/work').cwd).toBe('/home/p/work');
    expect(plan('node x', '~').cwd).toBe('/home/p');
    expect(plan('node x', '/x/~').cwd).toBe('/x/~');
  });
});

describe('Python', () => {
  it.each([
    'python -m x',
    'python3.12 -u -m x',
    'python3 -Xdev -um x',
    'pypy3 -W once -c import',
    'py -3 -m x',
    'python -',
    'python',
  ])('%s does not import modules from its folder', (line) =>
    expect(plan(line, '/repo').env).toEqual({ ...ENV, PYTHONSAFEPATH: '1' }),
  );

  it.each(['python server.py', 'python3 -u server.py -m x', 'python -Wonce server.py', 'pythonic -m x'])(
    '%s imports modules beside its script',
    (line) => expect(plan(line, '/repo').env).toEqual(ENV),
  );

  it('uses the configured PYTHONSAFEPATH', () => {
    expect(plan('python -m x', '/repo', { PYTHONSAFEPATH: '' }).env).toEqual({ PYTHONSAFEPATH: '' });
  });
});
