/** Variables of a command: which ones it inherits from the hub, and which ones a caller must not set. */
import { isForbiddenVariable } from '../../core/forbidden-variables.ts';
import { quotedVisibly } from '../../core/redact/redact-text.ts';
import { type Environment, wholeSearchPath } from '../../lib/process.ts';

/** Variables that programs need. None of them holds a secret of the hub. */
const PASSED_ON: ReadonlySet<string> = new Set(
  `PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TERM TMPDIR DISPLAY WAYLAND_DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS
  SSH_AUTH_SOCK SYSTEMROOT WINDIR SYSTEMDRIVE PATHEXT COMSPEC TEMP TMP USERPROFILE APPDATA LOCALAPPDATA PROGRAMDATA
  PROGRAMFILES PROGRAMFILES(X86) PROGRAMW6432 COMMONPROGRAMFILES PSMODULEPATH HOMEDRIVE HOMEPATH USERNAME COMPUTERNAME
  NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE OS`.split(/\s+/),
);

const isPassedOn = (name: string, platform: NodeJS.Platform): boolean => {
  const known = platform === 'win32' ? name.toUpperCase() : name;
  return PASSED_ON.has(known) || /^(?:LC_|XDG_)[A-Z_]+$/.test(known);
};

export const baseEnvironment = (env: Environment, platform: NodeJS.Platform): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && isPassedOn(name, platform)
        ? [[name, name.toUpperCase() === 'PATH' ? wholeSearchPath(value, platform) : value]]
        : [],
    ),
  );

/** Blocked besides core/forbidden-variables.ts: search paths of programs and modules, and keys. */
const BLOCKED: ReadonlySet<string> = new Set(
  `PATH PATHEXT PSMODULEPATH NODE_PATH PYTHONPATH PYTHONHOME PYTHONWARNINGS PYTHONINSPECT PYTHONEXECUTABLE
  PYTHONPLATLIBDIR PYTHONPYCACHEPREFIX RUBYLIB PERL5LIB PERLLIB PERLIO LUA_PATH LUA_CPATH CLASSPATH TCLLIBPATH
  GUILE_LOAD_PATH R_PROFILE R_PROFILE_USER R_ENVIRON R_ENVIRON_USER JULIA_LOAD_PATH GEM_PATH GEM_HOME BUNDLE_GEMFILE
  ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS MAVEN_OPTS GRADLE_OPTS CDPATH IFS FPATH TAR_OPTIONS MAKEFLAGS MAKEFILES GNUMAKEFLAGS
  LESSOPEN LESSCLOSE LESSKEY LESSKEYIN MANPAGER MANROFFOPT VIMINIT EXINIT RSYNC_RSH SUDO_ASKPASS WGETRC CURL_HOME
  INPUTRC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER GOFLAGS GTK_MODULES GTK_PATH GIO_EXTRA_MODULES QT_PLUGIN_PATH
  AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AZURE_CLIENT_SECRET GITHUB_TOKEN GH_TOKEN NPM_TOKEN
  OPENAI_API_KEY`.split(/\s+/),
);
const SECRET_WORDS: ReadonlySet<string> = new Set(
  'TOKEN SECRET PASSWORD PASSWD CREDENTIAL CREDENTIALS'.split(' '),
);
const SECRET_PAIRS: ReadonlySet<string> = new Set([
  'API KEY',
  'ACCESS KEY',
  'PRIVATE KEY',
  'CLIENT SECRET',
  'CONNECTION STRING',
]);

/** An approval would not show longer names in full. */
const MAX_SHOWN_BYTES = 128;

/** Ignores case: `Path` is blocked like `PATH`. */
export function isBlockedVariable(name: string): boolean {
  if (name === '' || !/^[^\s=\p{Cc}\p{Cf}]+$/u.test(name)) return true;
  if (Buffer.byteLength(quotedVisibly(name)) > MAX_SHOWN_BYTES) return true;
  const upper = name.toUpperCase();
  if (BLOCKED.has(upper) || isForbiddenVariable(upper, 'win32') || upper.includes('CONNSTR')) return true;
  const words = upper.split(/[_.-]+/);
  return words.some(
    (word, at) => SECRET_WORDS.has(word) || SECRET_PAIRS.has(`${word} ${words[at + 1] ?? ''}`),
  );
}
