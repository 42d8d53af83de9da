/** The files in which each client keeps its servers, by platform. A project's file takes precedence. */
import { join } from 'node:path';
import type { Environment } from '../../lib/process.ts';

export interface Place {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** The current folder, which may be a project. */
  readonly cwd: string;
  readonly env: Environment;
}

export interface Location {
  readonly file: string;
  /** Undefined: the person's own file. */
  readonly project: string | undefined;
}

/** Returns the files in order of precedence. */
export function locationsOf(client: ClientId, place: Place): Location[] {
  const { cwd } = place;
  const { project, own } = FILES[client](place);
  // In the home folder, a project's file may be the person's own.
  const ofProject = project.map((file) => join(cwd, file)).filter((file) => !own.includes(file));
  return [
    ...ofProject.map((file) => ({ file, project: cwd })),
    ...own.map((file) => ({ file, project: undefined })),
  ];
}

interface Files {
  /** Relative to the project. */
  readonly project: readonly string[];
  readonly own: readonly string[];
}

export type ClientId = keyof typeof FILES;

const FILES = {
  openclaw: ({ home, env }) => ({
    project: [],
    own: [
      env['OPENCLAW_CONFIG_PATH'] ||
        join(env['OPENCLAW_STATE_DIR'] || join(home, '.openclaw'), 'openclaw.json'),
    ],
  }),
  'claude-code': ({ home, env }) => ({
    project: ['.mcp.json'],
    own: [join(env['CLAUDE_CONFIG_DIR'] || home, '.claude.json')],
  }),
  'claude-desktop': (place) => ({
    project: [],
    own: [join(applicationData(place), 'Claude', 'claude_desktop_config.json')],
  }),
  cursor: ({ home }) => ({
    project: [join('.cursor', 'mcp.json')],
    own: [join(home, '.cursor', 'mcp.json')],
  }),
  vscode: (place) => ({
    project: [join('.vscode', 'mcp.json')],
    own: ['Code', 'Code - Insiders'].map((name) => join(applicationData(place), name, 'User', 'mcp.json')),
  }),
  codex: ({ home, env }) => ({
    project: [join('.codex', 'config.toml')],
    own: [join(env['CODEX_HOME'] || join(home, '.codex'), 'config.toml')],
  }),
  windsurf: ({ home }) => ({
    project: [],
    own: [join(home, '.codeium', 'windsurf', 'mcp_config.json')],
  }),
  mcporter: ({ home, env }) => {
    const folders = [
      ...(env['XDG_CONFIG_HOME'] ? [join(env['XDG_CONFIG_HOME'], 'mcporter')] : []),
      join(home, '.mcporter'),
    ];
    const named = env['MCPORTER_CONFIG'];
    const usual = folders.flatMap((folder) => [
      join(folder, 'mcporter.json'),
      join(folder, 'mcporter.jsonc'),
    ]);
    return { project: [join('config', 'mcporter.json')], own: named ? [named] : usual };
  },
} satisfies Readonly<Record<string, (place: Place) => Files>>;

/** The folder in which desktop programs keep their data. */
export function applicationData({ platform, home, env }: Place): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return env['APPDATA'] || join(home, 'AppData', 'Roaming');
  return env['XDG_CONFIG_HOME'] || join(home, '.config');
}
