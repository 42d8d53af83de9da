import { parentPort, workerData } from 'node:worker_threads';
import { runTask, type UpkeepTask } from './upkeep-tasks.ts';

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port, and no window
parentPort!.postMessage(runTask(workerData as UpkeepTask));
