/** Seed 000: what people see of the endpoint, and what they give to their clients. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCliHome, type CliHome, type Ran } from '../kit/cli.ts';
import { startDevice, type DeviceHub } from '../kit/device/device-hub.ts';
import { connectSdk } from '../servers/sdk-clients.ts';
import { verifies } from '../verifies.ts';

let hub: DeviceHub;
let cli: CliHome;
beforeAll(async () => {
  cli = openCliHome();
  hub = await startDevice({ device: {} });
});
afterAll(async () => {
  await hub?.[Symbol.asyncDispose]();
  await cli?.[Symbol.asyncDispose]();
});

const type = (...args: string[]): Promise<Ran> =>
  cli.run(args, { env: { PINCER_HOME: hub.home, PINCER_DEVICE: 'on' } });

it('shows the address and its state', async () => {
  verifies('000-settings-status-shown', '000-history-device-page', '000-history-toggle-command');
  const { stdout, stderr, code } = await type('device');
  expect(code).toBe(0);
  expect(stdout + stderr).toContain(`Listening at ${hub.root}`);
  expect(stdout + stderr).not.toContain(hub.token);
  await using off = await startDevice({ device: { mcpServer: false } });
  const disabled = await cli.run(['device'], { env: { PINCER_HOME: off.home, PINCER_DEVICE: 'on' } });
  expect(disabled.stdout + disabled.stderr).toContain('Disabled. Switch it on: pincer device on mcpServer');
  const on = await cli.run(['device', 'on', 'mcpServer'], {
    env: { PINCER_HOME: off.home, PINCER_DEVICE: 'on' },
  });
  expect(on).toMatchObject({ code: 0, stdout: 'mcpServer is on.\n' });
  expect((await fetch(off.root, { headers: { authorization: `Bearer ${off.token}` } })).status).toBe(200);
  await off.stop();
  const own = await cli.run(['device'], { env: { PINCER_DEVICE: 'on' } });
  expect(own.stdout + own.stderr).toContain('Stopped');
});

it('gives a literal token to a client that needs one', async () => {
  verifies('000-auth-token-copy');
  const shown = await type('connect', 'cursor', '--http', '--show-token');
  expect(shown.stdout).toContain(`Bearer ${hub.token}`);
  expect(shown.stdout).toContain(hub.origin);
  expect((await type('connect', 'cursor', '--http')).stdout).not.toContain(hub.token);
});

it.each(['cursor', 'claude-desktop'])('%s reaches the tools with its configuration', async (client) => {
  verifies('000-access-desktop-cursor');
  const { stdout } = await type('connect', client);
  const { mcpServers } = JSON.parse(stdout) as {
    mcpServers: { pincer: { command: string; args: string[]; env: Record<string, string> } };
  };
  const program = mcpServers.pincer;
  await using sdk = await connectSdk('legacy', {
    ...program,
    env: { PATH: process.env['PATH'] ?? '', ...program.env },
  });
  expect(await sdk.listTools()).toContain('device__device_info');
  expect(await sdk.callTool('device__device_info', {})).toMatchObject({
    isError: false,
    structured: { systemName: expect.any(String) as string },
  });
});

it('the command line calls a command by its name', async () => {
  const { stdout, code } = await type('call', 'device.device.info');
  expect(code).toBe(0);
  expect(stdout).toContain('systemName');
  expect((await type('call', 'device.screen.snapshot')).code).not.toBe(0);
});
