import { runDaemon } from '../../daemon.ts';
import { createLog } from '../../observe/log.ts';
import { resolveStateFolder } from '../../owner/state-folder.ts';

export async function up({
  port,
  background,
}: {
  port: number | undefined;
  background: boolean;
}): Promise<number> {
  const daemon = await runDaemon({
    home: resolveStateFolder(process.env),
    mode: background ? 'background' : 'foreground',
    port,
    env: process.env,
    log: createLog({ level: 'info', destination: 'stderr' }),
  });
  process.once('SIGTERM', () => void daemon.stop());
  process.once('SIGINT', () => void daemon.stop());
  if (!background) console.log(daemon.hubFile.endpoints.mcp);
  await daemon.ended;
  return 0;
}
