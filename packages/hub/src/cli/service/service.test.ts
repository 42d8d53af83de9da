import { describe, expect, it } from 'vitest';
import { resolveStateFolder } from '../../owner/state-folder.ts';
import { serviceFacts, type ServiceFacts } from './files.ts';
import { launchdAgent, launchdManager, parseLaunchdStatus } from './launchd.ts';
import { parseSystemdStatus, systemdManager, systemdUnit } from './systemd.ts';
import { parseTaskStatus, taskSchedulerManager, taskXml } from './manager.ts';

const facts = (over: Partial<ServiceFacts> = {}): ServiceFacts => ({
  node: '/usr/bin/node',
  script: '/opt/pincer/bin/pincer.js',
  home: '/home/p/.openclaw/mcp',
  userHome: '/home/p',
  env: { PATH: '/usr/bin:/bin' },
  suffix: '',
  ...over,
});
const moved = facts({
  node: '/opt/my node/node',
  script: '/opt/100%/$x/"q"/pincer.js',
  home: '/srv/a&b',
  env: { PATH: '/bin', PINCER_HOME: '/srv/a&b <%> $x' },
  suffix: 'abcd1234',
});

describe('a systemd unit', () => {
  it('starts the hub by absolute paths, with limited restarts', () => {
    const unit = systemdUnit(facts());
    expect(unit).toContain('ExecStart="/usr/bin/node" "/opt/pincer/bin/pincer.js" "up"\n');
    for (const line of ['Restart=on-failure', 'StartLimitBurst=5', 'WantedBy=default.target', 'UMask=0077'])
      expect(unit).toContain(`\n${line}\n`);
    expect(unit.match(/^Environment=.*$/gm)).toEqual(['Environment="PATH=/usr/bin:/bin"']);
  });

  it('escapes spaces, quotes, percent signs and dollars', () => {
    const unit = systemdUnit(moved);
    expect(unit).toContain(String.raw`ExecStart="/opt/my node/node" "/opt/100%%/$$x/\"q\"/pincer.js" "up"`);
    expect(unit).toContain('Environment="PINCER_HOME=/srv/a&b <%%> $x"\n');
  });

  it('has its own name for another state folder', () => {
    expect(systemdManager(facts()).name).toBe('pincer.service');
    expect(systemdManager(moved).name).toBe('pincer-abcd1234.service');
  });

  it.each([
    ['ActiveState=active\nSubState=running\nMainPID=42\nResult=success\n', true, 42, 'active, running'],
    ['ActiveState=inactive\nSubState=dead\nMainPID=0\nResult=success\n', false, undefined, 'inactive, dead'],
    [
      'ActiveState=failed\nSubState=failed\nMainPID=0\nResult=exit-code\n',
      false,
      undefined,
      'failed, failed, exit-code',
    ],
    ['', false, undefined, ''],
  ])('has its status parsed: %j', (text, isRunning, pid, detail) => {
    expect(parseSystemdStatus(text)).toEqual({ isRunning, pid, detail });
  });
});

describe('a launchd agent', () => {
  it('starts the hub by absolute paths, and restarts it after a failure', () => {
    const agent = launchdAgent(facts());
    const words = [...agent.matchAll(/<string>(.*)<\/string>/g)].map(([, word]) => word);
    expect(words).toEqual([
      'pincer.hub',
      '/usr/bin/node',
      '/opt/pincer/bin/pincer.js',
      'up',
      '/usr/bin:/bin',
      '/home/p/.openclaw/mcp/run/service.log',
      '/home/p/.openclaw/mcp/run/service.log',
    ]);
    expect(agent).toMatch(/<key>SuccessfulExit<\/key>\s*<false\/>/);
  });

  it('escapes XML', () => {
    const agent = launchdAgent(moved);
    expect(agent).toContain('<string>/srv/a&amp;b &lt;%&gt; $x</string>');
    expect(agent).toContain('<string>/opt/100%/$x/&quot;q&quot;/pincer.js</string>');
  });

  it('is loaded for the user after the earlier one is unloaded', () => {
    const { install, remove, files } = launchdManager(facts(), 501);
    expect(install).toEqual([
      { program: 'launchctl', args: ['bootout', 'gui/501/pincer.hub'], mayFail: true },
      { program: 'launchctl', args: ['bootstrap', 'gui/501', files[0]!.path] },
    ]);
    expect(remove[0]!.args).toEqual(['bootout', 'gui/501/pincer.hub']);
    expect(files[0]!.path).toBe('/home/p/Library/LaunchAgents/pincer.hub.plist');
  });

  it('has its status parsed', () => {
    const text = 'gui/501/pincer.hub = {\n\tactive count = 1\n\tstate = running\n\tpid = 77\n}\n';
    expect(parseLaunchdStatus(text)).toEqual({ isRunning: true, pid: 77, detail: 'running' });
    expect(parseLaunchdStatus('\tstate = not running\n\tlast exit code = 1\n')).toEqual({
      isRunning: false,
      pid: undefined,
      detail: 'not running, last exit code 1',
    });
  });
});

describe('a task of the Task Scheduler', () => {
  const windows = facts({
    node: String.raw`C:\Program Files\nodejs\node.exe`,
    script: String.raw`C:\My Tools\pincer\bin\pincer.js`,
    home: String.raw`C:\Users\p\.openclaw\mcp`,
    env: { PATH: 'x', OPENCLAW_MCP_PORT: '9000' },
  });

  it('starts the hub at logon as that user, and restarts it after a failure', () => {
    const xml = taskXml(windows, String.raw`PC\p & q`, undefined);
    expect(xml).toContain(String.raw`<Command>C:\Program Files\nodejs\node.exe</Command>`);
    expect(xml).toContain(String.raw`<Arguments>&quot;C:\My Tools\pincer\bin\pincer.js&quot; up</Arguments>`);
    expect(xml).toContain(String.raw`<UserId>PC\p &amp; q</UserId>`);
    for (const part of ['<LogonTrigger>', '<RestartOnFailure>', 'PT0S', 'LeastPrivilege'])
      expect(xml).toContain(part);
  });

  it('reads variables from a Node env file, because a task has none', () => {
    const { files, install } = taskSchedulerManager(windows, String.raw`PC\p`);
    expect(files).toHaveLength(2);
    expect(files[1]!.text).toBe("OPENCLAW_MCP_PORT='9000'\r\n");
    expect(files[0]!.text).toContain(`--env-file=${files[1]!.path}`);
    expect(files[0]!.encoding).toBe('utf16le');
    expect(install.map(({ args }) => args[0])).toEqual(['/Create', '/Run']);
    expect(taskSchedulerManager({ ...windows, env: { PATH: 'x' } }, 'p').files).toHaveLength(1);
  });

  it('has its localized state as detail', () => {
    expect(parseTaskStatus('"PC","\\Pincer","N/A","Wird ausgeführt","Interaktiv"\r\n')).toMatchObject({
      isRunning: undefined,
      detail: 'Wird ausgeführt',
    });
  });
});

describe('serviceFacts', () => {
  it('contains paths, but no other environment variables', () => {
    const context = { home: '/srv/hub', entry: '/opt/pincer.js', json: false, debug: false };
    const env = {
      PATH: '/bin',
      OPENCLAW_MCP_PORT: '9',
      PINCER_MASTER_KEY_FILE: '/k',
      API_TOKEN: 's3cret',
      EMPTY: '',
    };
    expect(serviceFacts(context, env)).toMatchObject({
      node: process.execPath,
      script: '/opt/pincer.js',
      env: { PATH: '/bin', OPENCLAW_MCP_PORT: '9', PINCER_MASTER_KEY_FILE: '/k', PINCER_HOME: '/srv/hub' },
      suffix: expect.stringMatching(/^[\da-f]{8}$/) as string,
    });
    expect(JSON.stringify(serviceFacts(context, env))).not.toContain('s3cret');
    const usual = { ...context, home: resolveStateFolder({}) };
    expect(serviceFacts(usual, {})).toMatchObject({ env: {}, suffix: '' });
  });

  it('contains network variables for servers, without passwords', () => {
    const context = { home: resolveStateFolder({}), entry: '/opt/pincer.js', json: false, debug: false };
    const kept = {
      NODE_EXTRA_CA_CERTS: '/etc/ca.pem',
      HTTPS_PROXY: 'http://proxy.corp:8080',
      no_proxy: '.corp',
      UV_INDEX_URL: 'https://pypi.corp/simple',
    };
    const env = { ...kept, HTTP_PROXY: 'http://me:hunter2@proxy.corp:8080', SSL_CERT_FILE: 'ca.pem' };
    expect(serviceFacts(context, env).env).toEqual(kept);
  });
});
