import type { Tool } from '../tool.ts';
import { add } from './add.ts';
import { addTool } from './add-tool.ts';
import { big } from './big.ts';
import { bigNumber } from './big-number.ts';
import { cancelled } from './cancelled.ts';
import { echo } from './echo.ts';
import { env } from './env.ts';
import { exit } from './exit.ts';
import { fail } from './fail.ts';
import { garbage } from './garbage.ts';
import { hang } from './hang.ts';
import { meta } from './meta.ts';
import { pid } from './pid.ts';
import { progress } from './progress.ts';
import { raw } from './raw.ts';
import { removeTool } from './remove-tool.ts';
import { rpcError } from './rpc-error.ts';
import { sink } from './sink.ts';
import { slow } from './slow.ts';
import { spawnGrandchild } from './spawn-grandchild.ts';
import { stderrFlood } from './stderr-flood.ts';
import { whoami } from './whoami.ts';

export const behaviours: Tool[] = [
  add,
  addTool,
  big,
  bigNumber,
  cancelled,
  echo,
  env,
  exit,
  fail,
  garbage,
  hang,
  meta,
  pid,
  progress,
  raw,
  removeTool,
  rpcError,
  sink,
  slow,
  spawnGrandchild,
  stderrFlood,
  whoami,
];
